/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the Perfetto exporter. docs/export.md says what is written; this says who writes it:
 *
 *   perfetto.c          the exporter's table; begin and end of sections
 *   perfetto_machine.c  machines, their devices and rings over all sections
 *   perfetto_facts.c    packets about the trace, the machine, its devices and clocks
 *   perfetto_packet.c   packets of the section's sequence
 *   perfetto_text.c     texts in packets
 *   perfetto_intern.c   what packets intern
 *   perfetto_track.c    tracks, described when they are first used
 *   perfetto_event.c    track events: what lies on tracks
 *   perfetto_job.c      jobs
 *   perfetto_queue.c    submissions, waits and depths
 *   perfetto_path.c     the critical path
 *   perfetto_frames.c   frames
 *   perfetto_call.c     calls, marks and gaps
 *   perfetto_ftrace.c   ftrace events: CPU scheduling, gpu_scheduler
 *   perfetto_raw.c      every event as ftrace, described by itself
 *   lanes.c, perfetto_clock.c, perfetto_out.c, perfetto_wire.h   parts that stand for themselves
 */
#ifndef XTR_PERFETTO_H
#define XTR_PERFETTO_H

#include "converters/out/core/export.h"
#include "converters/out/core/lanes.h"
#include "perfetto_clock.h"
#include "perfetto_fields.h"
#include "perfetto_out.h"
#include "perfetto_wire.h"

#include "base/map.h"

/* --- machines ------------------------------------------------------------------------------- */

/* A device; its index in the machine is its gpu_id. */
struct pf_device {
	char *name;                                                /* "" if not known */
	char *driver, *pci_id, *driver_version, *firmware, *nodes; /* NULL: not known */
};

/* A ring of a machine, the same in all sections of it. */
struct pf_ring {
	uint32_t gpu;     /* index of the device */
	uint32_t ordinal; /* among the device's rings of this name */
	char *name;       /* "" if not known */
	struct xtr_lanes waits, jobs;
	uint32_t queued, on_hw; /* as counted last */
	uint64_t told;          /* its queue is interned: pf_intern.times_forgotten of then */
	bool depth_known;
};

/* What was recorded in one boot of one host. */
struct pf_machine {
	uint8_t boot_id[16];
	char *hostname;
	uint32_t id; /* machine_id of packets: 0 is the first and not written */
	struct pf_device *device;
	struct pf_ring *ring;
	size_t n_devices, cap_devices, n_rings, cap_rings;
	struct xtr_map devices, rings; /* by name; by name, ordinal and device: to index */
	uint64_t boot;                 /* offset to BOOTTIME, if known */
	uint64_t wall;                 /* REALTIME less BOOTTIME; only of several machines */
	bool boot_known;
};

/* --- interning ------------------------------------------------------------------------------ */

enum pf_table {
	PF_CATEGORIES,
	PF_EVENT_NAMES,
	PF_NOTE_NAMES,
	PF_CONTEXTS,
	PF_QUEUES,
	PF_STAGES,
	PF_TABLES
};

#define PF_NEW_MAX      80u    /* new entries of one packet */
#define PF_INTERNED_MAX 65536u /* entries before they are forgotten, and interned again */

#define PF_FIXED_MAX 256u /* a power of two */

/* Texts that stay where they are, by their addresses: what hashing them would find. */
struct pf_fixed {
	const char *text; /* NULL: empty */
	uint32_t table, iid;
};

struct pf_intern {
	struct xtr_map iids;   /* key and table to iid */
	struct xtr_map owners; /* context and pid to what its iid has above 32 bits */
	struct pf_fixed fixed[PF_FIXED_MAX];
	uint32_t next[PF_TABLES];
	uint64_t times_forgotten;
	bool cleared; /* the next packet must say so */
	/* new with the present packet */
	bool has_new;
	struct xtr_buf told[PF_TABLES]; /* entries, as fields of InternedData */
	size_t n_names;
};

/* --- the present packet ----------------------------------------------------------------------- */

/* A packet that is being written, at the end of the output's block. */
struct pf_packet {
	size_t at;    /* of its contents in the block */
	uint32_t put; /* the field that was begun last, or SEQUENCE if that was written; 0: none */
	uint32_t flags;
	bool early;            /* it is on the clock of events, not relative to the base */
	bool first;            /* of its sequence */
	size_t bundle, ftrace; /* of ftrace: where their contents are */
};

#define PF_RECENT_BITS 6

struct pf_described {
	uint64_t uuid; /* 0: none */
	uint32_t worth;
};

/* Fields of sched_switch, looked up once for its type; all NULL: not yet. */
struct pf_side_fields {
	const struct xtr_field *tid, *prio, *comm;
};

struct pf_switch_fields {
	const struct xtr_event_desc *desc;
	const struct xtr_field *state;
	struct pf_side_fields prev, next;
};

/* What a track event says behind its notes. */
struct pf_event {
	enum pf_type type;
	uint64_t track;
	uint64_t name; /* iid, 0: none */
	uint64_t flow;
	uint32_t flow_field;  /* that the flow belongs to, 0: none */
	uint64_t path_flow;   /* between a job and its first step on the critical path, 0: none */
	uint64_t correlated;  /* id of a job */
	uint32_t correlation; /* what the event has to do with it: PF_CORRELATION_*, 0: none */
	size_t n_notes, at;   /* at: of its contents in the block */
};

/* --- the exporter --------------------------------------------------------------------------- */

#define PF_ARENA        65536u /* bytes for texts of the present packet */
#define PF_NOTES_MAX    68u    /* debug annotations of one track event */
#define PF_SEQUENCE(pf) ((uint32_t)(2 * (pf)->s->index + 1)) /* that a section's packets are of */

struct pf {
	struct xtr_export_opts o;
	struct pf_out out;
	struct pf_machine *machine;
	size_t n_machines, cap_machines;
	struct xtr_map described; /* tracks that have a descriptor: what their names are worth */
	struct pf_described recent[1u << PF_RECENT_BITS]; /* some of them */
	bool many_machines; /* importers relate their clocks by REALTIME */
	bool by_wall_clock; /* and that is the trace's clock */

	/* of the present section */
	const struct xtr_export_section *s; /* &section */
	struct xtr_export_section section;
	size_t m; /* index of its machine */
	struct pf_clock clock;
	uint32_t *ring_of; /* the model's ring index to machine's ring + 1; 0: not met */
	size_t cap_rings;
	struct xtr_map ordinals; /* device and name to rings met */
	struct pf_switch_fields switch_fields;
	struct xtr_map raw_types; /* events that have a descriptor, to its field */
	uint32_t n_raw;           /* over all sections */
	struct xtr_call running;  /* the RUNNING call that was handed out last */
	struct xtr_lanes gaps;
	/* Of tracks of markers whose slices may overlap, by track, over all sections. */
	struct xtr_map marker_tracks;
	struct xtr_lanes *marker_lanes;
	uint32_t n_marker_lanes;
	int err; /* sticks, and is what pf_packet_end returns */

	/* of the present packet */
	struct pf_packet packet;
	struct pf_intern intern;
	struct pf_event event;
	char arena[PF_ARENA];
	size_t arena_used;
};

/* perfetto_machine.c: indexes, or -errno */
int64_t pf_machine_of(struct pf *pf, const struct xtr_export_section *s);
/* The file has sections of several machines; *wall_clocks: all sections have readings of it. */
bool pf_machines_many(const struct xtr_reader *r, bool *wall_clocks);
/* *is_new is set if it was not there before: then tell (pf_gpu_info). d: what
 * more there is to know, or NULL. */
int64_t pf_device_of(struct pf *pf, const char *name, const struct xtr_device *d, bool *is_new);
int64_t pf_ring_of(struct pf *pf, const struct xtr_model_ring *ring);
void pf_machines_free(struct pf *pf);
static inline struct pf_machine *pf_machine(struct pf *pf)
{
	return &pf->machine[pf->m];
}

/* perfetto_facts.c */
int pf_facts(struct pf *pf); /* all there is to say at the begin of a section */
int pf_gpu_info(struct pf *pf);

/*
 * perfetto_packet.c: begin the next packet of the section's sequence, at no time or at ts on the
 * clock of events; begin a message in it; end it. Fields are written to out.block in the order of
 * their numbers, those that every packet has in between. Texts of the packet before are gone.
 */
void pf_packet(struct pf *pf);
void pf_packet_at(struct pf *pf, uint64_t ts);
size_t pf_in_packet(struct pf *pf, uint32_t field);    /* for pf_message_end */
int pf_packet_end(struct pf *pf);                      /* 0 or -errno, also of what came before */
int pf_packet_end_with(struct pf *pf, size_t message); /* the same, and before it the message */
/*
 * All of a packet at ts with a message of at most PF_SHORT bytes in a field up to 11, of which
 * nothing is interned: short enough for lengths of one byte.
 */
#define PF_SHORT 60u
int pf_short_packet(struct pf *pf, uint64_t ts, uint32_t field, const uint8_t *message, size_t n);
/* A packet begins that is written in another way: texts and what was interned are forgotten. */
void pf_begin(struct pf *pf);

/* perfetto_intern.c */
void pf_forget(struct pf_intern *in);
/* A packet begins: nothing is interned with it yet. */
void pf_intern_begin(struct pf_intern *in);
void pf_put_interned(struct pf *pf);
/*
 * Interned ids, for the present packet, new or known; a name that does not fit into the packet has
 * 0. `key` is what the text stands for.
 */
uint64_t pf_intern_name(struct pf *pf, enum pf_table table, uint64_t key, const char *text,
			size_t n);
/* The same with the text as its own key. */
uint64_t pf_intern_text(struct pf *pf, enum pf_table table, const char *text);
/* The same of a text that does not change where it stands before the section ends. */
uint64_t pf_intern_fixed(struct pf *pf, enum pf_table table, const char *text);
/* A thread's name. 0 if it is not known. */
uint64_t pf_intern_comm(struct pf *pf, uint32_t comm);
/* Of a ring of the machine; the kind, quality and flags of jobs. True: new, so tell it. */
bool pf_intern_queue(struct pf *pf, uint32_t ring, uint64_t *iid);
bool pf_intern_stage(struct pf *pf, uint64_t key, uint64_t *iid);
void pf_tell_spec(struct pf *pf, enum pf_table table, uint64_t iid, const char *name,
		  const char *description, enum pf_category category);
/* pid: NULL, not known */
void pf_intern_context(struct pf *pf, uint64_t iid, const uint32_t *pid);

/* perfetto_text.c */
/*
 * Well-formed UTF-8 without NUL, valid until the packet ends: s itself if it is that and ends
 * with a NUL. s[n] must be readable.
 */
const char *pf_text(struct pf *pf, const char *s, size_t n);
/* The same of bytes behind which there may be nothing, up to the first NUL. */
const char *pf_chars(struct pf *pf, const uint8_t *p, size_t n);
const char *pf_textf(struct pf *pf, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint64_t pf_hash(uint64_t a, uint64_t b);
uint64_t pf_hash_text(const char *s, size_t n);

/* perfetto_track.c */
enum pf_track {
	PF_TRACK_PROCESS = 1,
	PF_TRACK_THREAD,
	PF_TRACK_DEVICE,
	PF_TRACK_RING,
	PF_TRACK_JOBS, /* lanes */
	PF_TRACK_WAITS,
	PF_TRACK_UNFINISHED,
	PF_TRACK_QUEUED,
	PF_TRACK_ON_HW,
	PF_TRACK_NAMED,
	PF_TRACK_CPU,
	PF_TRACK_ROOT,
	PF_TRACK_THREAD_OPEN,
};
/* A track may lie under one of the fixed roots. */
enum pf_root {
	PF_ROOT_NONE,
	PF_ROOT_INTERRUPTS,
	PF_ROOT_DISPLAY,
	PF_ROOT_DEVICES,
	PF_ROOT_NO_THREAD,
	PF_ROOT_LOST,
};
#define PF_LANES_MAX 8192u
/*
 * The lane of a slice from begin to end (ns, end not before begin), from 0 on: importers pair begin
 * and end of one track by their order, so two slices of a lane do not even touch. -ENOMEM; -ENOSPC
 * if more than PF_LANES_MAX overlap.
 */
int pf_lane(struct xtr_lanes *l, uint64_t begin, uint64_t end);
uint64_t pf_uuid(const struct pf *pf, enum pf_track kind, uint64_t id);
/*
 * Tracks, described when they are first used. Return 0 or -errno. They send a packet: ask for them
 * before the packet that uses them is begun.
 */
int pf_thread_track(struct pf *pf, uint32_t tid, uint64_t process, uint32_t comm, uint64_t ts,
		    uint64_t *uuid);
int pf_process(struct pf *pf, uint32_t tid, uint64_t process, uint32_t comm, uint64_t ts);
int pf_unfinished_call_track(struct pf *pf, uint64_t thread, uint64_t *uuid);
/* Beside the track of a thread or CPU, for outer calls of this depth that begin with an inner one.
 */
int pf_together_track(struct pf *pf, uint64_t owner, uint32_t depth, uint64_t *uuid);
int pf_ring_track(struct pf *pf, uint32_t ring, enum pf_track kind, uint32_t lane, uint64_t *uuid);
int pf_cpu_track(struct pf *pf, enum pf_root root, uint32_t cpu, uint32_t lane, uint64_t *uuid);
int pf_named_track(struct pf *pf, enum pf_root root, const char *name, uint64_t *uuid);
int pf_counter_track(struct pf *pf, const char *name, const char *unit, uint64_t *uuid);
/* A track of a thread or process (parent), of slices or of a counter. */
int pf_child_track(struct pf *pf, uint64_t parent, const char *name, uint32_t lane, bool counter,
		   uint64_t *uuid);

/*
 * perfetto_event.c: begin a packet with a track event, name it, then say more about it, then
 * pf_event_send. What does not fit (more than PF_NOTES_MAX notes) is left out. Categories and
 * names of notes are texts that stay what they are as long as the section (pf_intern_fixed).
 */
void pf_event(struct pf *pf, enum pf_type type, uint64_t track, uint64_t ts);
/* A name of xtr's own, or one that comes from elsewhere. */
void pf_name(struct pf *pf, const char *category, const char *name);
void pf_name_text(struct pf *pf, const char *category, const char *name);
/* The name of a thread; `other`, of xtr's own, if it is not known. */
void pf_name_comm(struct pf *pf, const char *category, uint32_t comm, const char *other);
void pf_note_u64(struct pf *pf, const char *name, uint64_t v);
void pf_note_s64(struct pf *pf, const char *name, int64_t v);
void pf_note_hex(struct pf *pf, const char *name, uint64_t v);
void pf_note_text(struct pf *pf, const char *name, const char *s, size_t n);
#define PF_NOTE_BYTES 64u /* of more, the first ones */
void pf_note_hex_bytes(struct pf *pf, const char *name, const uint8_t *p, size_t n);
/* An arrow from where it was named first to where it ends. */
void pf_flow(struct pf *pf, uint64_t id, bool ends);
/* It is the job of the flow that the event submitted. */
void pf_submits(struct pf *pf);
/* A job of this id is what the event waited for. */
void pf_waits_for(struct pf *pf, uint64_t id);
/* A second arrow, which does not end here. */
void pf_path_flow(struct pf *pf, uint64_t id);
int pf_event_send(struct pf *pf);
/* The whole packet: the end of a slice, a counter's value. 0 or -errno. */
int pf_end(struct pf *pf, uint64_t track, uint64_t ts);
int pf_counter(struct pf *pf, uint64_t track, uint64_t ts, uint64_t value);
int pf_counter_signed(struct pf *pf, uint64_t track, uint64_t ts, int64_t value);

/* perfetto_job.c */
int pf_job(void *self, const struct xtr_job *j);
/* What stands for a job or fence: the same wherever it is named. */
uint64_t pf_event_id(uint64_t ctx, uint64_t seqno);

/* perfetto_queue.c */
int pf_queue(struct pf *pf, uint32_t ring,
	     const struct xtr_job *j); /* submission and wait of a job */
int pf_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts);

/* perfetto_path.c */
int pf_path(struct pf *pf); /* the section's, if it is asked for */
/* An arrow between the job's event, which is being written, and its step on the path. */
void pf_path_of_job(struct pf *pf, const struct xtr_job *j);

/* perfetto_frames.c */
int pf_frames(struct pf *pf); /* the section's, if they are asked for */

/* perfetto_call.c */
int pf_call(void *self, const struct xtr_call *c);
int pf_mark(void *self, const struct xtr_mark *m);
int pf_gap(void *self, const struct xtr_gap *gap);

/* perfetto_marker.c: tracks of markers, of their thread or of their process */
int pf_marker_track(struct pf *pf, const struct xtr_call *c, uint64_t *uuid);
int pf_marker_counter(struct pf *pf, const struct xtr_mark *m, uint64_t *uuid);
int pf_marker_moment_track(struct pf *pf, const struct xtr_mark *m, uint64_t *uuid);
void pf_marker_free(struct pf *pf);

/* perfetto_ftrace.c, perfetto_raw.c */
int pf_ftrace_event(void *self, const struct xtr_event *ev);
int pf_ftrace_running(struct pf *pf, const struct xtr_call *c);
int pf_ftrace_gap(struct pf *pf, const struct xtr_gap *gap);
bool pf_ftrace_fits(uint32_t cpu); /* importers have a limit */
/* Begin and end a packet with a bundle of a CPU; the same with an event of a thread in it. */
void pf_ftrace_bundle(struct pf *pf, uint32_t cpu);
int pf_ftrace_bundle_end(struct pf *pf);
void pf_ftrace_begin(struct pf *pf, uint32_t cpu, uint64_t ts, uint32_t tid);
int pf_ftrace_end(struct pf *pf);
int pf_raw_event(struct pf *pf, const struct xtr_event *ev);

#endif /* XTR_PERFETTO_H */
