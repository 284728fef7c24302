/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the Perfetto exporter. docs/export.md says what is written; this says who writes it:
 *
 *   perfetto.c          the exporter's table; begin and end of sections
 *   perfetto_machine.c  machines, their devices and rings over all sections
 *   perfetto_facts.c    packets about the trace, the machine, its devices and clocks
 *   perfetto_packet.c   packets of the section's sequence, and what they intern
 *   perfetto_track.c    tracks, described when they are first used
 *   perfetto_event.c    track events: what lies on tracks
 *   perfetto_job.c      jobs
 *   perfetto_queue.c    submissions, waits and depths
 *   perfetto_call.c     calls, marks and gaps
 *   perfetto_ftrace.c   ftrace events: CPU scheduling, gpu_scheduler
 *   perfetto_raw.c      every event as ftrace, described by itself
 *   lanes.c, perfetto_clock.c, perfetto_out.c   parts that stand for themselves
 */
#ifndef XTR_PERFETTO_H
#define XTR_PERFETTO_H

#include "export.h"
#include "perfetto_clock.h"
#include "lanes.h"
#include "perfetto_out.h"

#include "replay/keymap.h"

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
	struct xtr_keymap devices, rings; /* by name; by name, ordinal and device: to index */
	uint64_t boot;                    /* offset to BOOTTIME, if known */
	uint64_t wall;                    /* REALTIME less BOOTTIME; only of several machines */
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

struct pf_intern {
	struct xtr_keymap iids;   /* key and table to iid */
	struct xtr_keymap owners; /* context and pid to what its iid has above 32 bits */
	uint32_t next[PF_TABLES];
	bool cleared; /* the next packet must say so */
	/* new with the present packet */
	Pf__InternedData data;
	Pf__InternedData__Name name[PF_NEW_MAX];
	Pf__InternedData__Name *category[PF_NEW_MAX], *event[PF_NEW_MAX], *note[PF_NEW_MAX];
	size_t n_names;
	Pf__GraphicsContext context, *context_ptr;
	Pf__GpuSpecification spec[2], *spec_ptr[2];
};

/* --- the exporter --------------------------------------------------------------------------- */

#define PF_ARENA     65536u /* bytes for texts of the present packet */
#define PF_NOTES_MAX 68u    /* debug annotations of one track event */

struct pf {
	struct xtr_export_opts o;
	struct pf_out out;
	struct pf_machine *machine;
	size_t n_machines, cap_machines;
	struct xtr_keymap described; /* tracks that have a descriptor */
	bool many_machines;          /* importers relate their clocks by REALTIME */
	bool by_wall_clock;          /* and that is the trace's clock */

	/* of the present section */
	const struct xtr_export_section *s; /* &section */
	struct xtr_export_section section;
	size_t m; /* index of its machine */
	struct pf_clock clock;
	uint32_t *ring_of; /* the model's ring index to machine's ring + 1; 0: not met */
	size_t cap_rings;
	struct xtr_keymap ordinals;  /* device and name to rings met */
	struct xtr_keymap raw_types; /* events that have a descriptor, to its field */
	uint32_t n_raw;              /* over all sections */
	struct xtr_call running;     /* the RUNNING call that was handed out last */
	struct xtr_lanes gaps;
	int err; /* sticks, and is what pf_send returns */

	/* of the present packet */
	Pf__TracePacket packet;
	struct pf_intern intern;
	Pf__TrackEvent event;
	Pf__DebugAnnotation note[PF_NOTES_MAX], *note_ptr[PF_NOTES_MAX];
	Pf__GpuCorrelation correlation;
	uint64_t category, flow, submits;
	Pf__FtraceEventBundle bundle;
	Pf__FtraceEvent ftrace, *ftrace_ptr;
	struct xtr_buf raw;
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

/* perfetto_packet.c */
/* Begin the next packet of the section's sequence; on the clock of events at ts. */
Pf__TracePacket *pf_packet(struct pf *pf);
Pf__TracePacket *pf_packet_at(struct pf *pf, uint64_t ts);
int pf_send(struct pf *pf);
void pf_forget(struct pf_intern *in);
/*
 * Interned ids, for the present packet, new or known; a name that does not fit into the packet has
 * 0. `key` is what the text stands for.
 */
uint64_t pf_intern_name(struct pf *pf, enum pf_table table, uint64_t key, const char *text,
			size_t n);
/* The same with the text as its own key. */
uint64_t pf_intern_text(struct pf *pf, enum pf_table table, const char *text);
/* A thread's name. 0 if it is not known. */
uint64_t pf_intern_comm(struct pf *pf, uint32_t comm);
/* To fill if it is new, else NULL. */
Pf__GpuSpecification *pf_intern_queue(struct pf *pf, uint32_t ring, uint64_t *iid);
Pf__GpuSpecification *pf_intern_stage(struct pf *pf, uint64_t key, uint64_t *iid);
Pf__GraphicsContext *pf_intern_context(struct pf *pf, uint64_t iid);
/*
 * Well-formed UTF-8 without NUL, valid until the packet is sent: s itself if it is that and ends
 * with a NUL. s[n] must be readable.
 */
char *pf_text(struct pf *pf, const char *s, size_t n);
/* The same of bytes behind which there may be nothing, up to the first NUL. */
char *pf_chars(struct pf *pf, const uint8_t *p, size_t n);
char *pf_textf(struct pf *pf, const char *format, ...) __attribute__((format(printf, 2, 3)));
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
int pf_thread_track(struct pf *pf, uint32_t tid, uint32_t pid, uint32_t comm, uint64_t ts,
		    uint64_t *uuid);
int pf_process(struct pf *pf, uint32_t tid, uint32_t pid, uint32_t comm, uint64_t ts);
int pf_unfinished_call_track(struct pf *pf, uint64_t thread, uint64_t *uuid);
/* Beside the track of a thread or CPU, for outer calls of this depth that begin with an inner one.
 */
int pf_together_track(struct pf *pf, uint64_t owner, uint32_t depth, uint64_t *uuid);
int pf_ring_track(struct pf *pf, uint32_t ring, enum pf_track kind, uint32_t lane, uint64_t *uuid);
int pf_cpu_track(struct pf *pf, enum pf_root root, uint32_t cpu, uint32_t lane, uint64_t *uuid);
int pf_named_track(struct pf *pf, enum pf_root root, const char *name, uint64_t *uuid);
int pf_counter_track(struct pf *pf, const char *name, const char *unit, uint64_t *uuid);

/*
 * perfetto_event.c: begin a packet with a track event, then say more about it, then pf_send. What
 * does not fit (more than PF_NOTES_MAX notes) is left out.
 */
void pf_event(struct pf *pf, Pf__TrackEvent__Type type, uint64_t track, uint64_t ts);
void pf_name(struct pf *pf, const char *category, const char *name);
/* The name of a thread; `other` if it is not known. */
void pf_name_comm(struct pf *pf, const char *category, uint32_t comm, const char *other);
void pf_note_u64(struct pf *pf, const char *name, uint64_t v);
void pf_note_s64(struct pf *pf, const char *name, int64_t v);
void pf_note_hex(struct pf *pf, const char *name, uint64_t v);
void pf_note_text(struct pf *pf, const char *name, const char *s, size_t n);
/* An arrow from where it was named first to where it ends. */
void pf_flow(struct pf *pf, uint64_t id, bool ends);
/* The event submitted the job with this event id. */
void pf_submits(struct pf *pf, uint64_t event_id);
/* The whole packet: the end of a slice, a counter's value. 0 or -errno. */
int pf_end(struct pf *pf, uint64_t track, uint64_t ts);
int pf_counter(struct pf *pf, uint64_t track, uint64_t ts, uint64_t value);

/* perfetto_job.c */
int pf_job(struct pf *pf, const struct xtr_job *j);
/* What stands for a job or fence: the same wherever it is named. */
uint64_t pf_event_id(uint64_t ctx, uint64_t seqno);

/* perfetto_queue.c */
int pf_queue(struct pf *pf, uint32_t ring,
	     const struct xtr_job *j); /* submission and wait of a job */
int pf_depth(struct pf *pf, const struct xtr_model_ring *ring, uint64_t ts);

/* perfetto_call.c */
int pf_call(struct pf *pf, const struct xtr_call *c);
int pf_mark(struct pf *pf, const struct xtr_mark *m);
int pf_gap(struct pf *pf, const struct xtr_gap *gap);

/* perfetto_ftrace.c, perfetto_raw.c */
int pf_ftrace_event(struct pf *pf, const struct xtr_event *ev);
int pf_ftrace_running(struct pf *pf, const struct xtr_call *c);
int pf_ftrace_gap(struct pf *pf, const struct xtr_gap *gap);
bool pf_ftrace_fits(uint32_t cpu); /* importers have a limit */
/* Begin the packet of one event. */
Pf__FtraceEvent *pf_ftrace_begin(struct pf *pf, uint32_t cpu, uint64_t ts, uint32_t tid);
int pf_raw_event(struct pf *pf, const struct xtr_event *ev);

#endif /* XTR_PERFETTO_H */
