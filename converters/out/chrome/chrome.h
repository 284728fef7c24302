/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the Chrome trace exporter share. docs/export.md says what is written and why.
 */
#ifndef XTR_CHROME_H
#define XTR_CHROME_H

#include "base/json.h"
#include "base/map.h"
#include "converters/out/core/export.h"
#include "converters/out/core/lanes.h"
#include "format/read/reader.h"
#include "replay/model/ring.h"

/* --- chrome axis ------------------------------------------------------------------------------ */

/*
 * One time axis for all sections of a file, in ns from its first event. Sections of one boot share
 * the clock; others are placed by their REALTIME; where that is not known or too far away, behind
 * the section before.
 */
enum chrome_aligned {
	CHROME_BY_BOOT, /* the first of its boot, or on the clock of one */
	CHROME_BY_REALTIME,
	CHROME_BEHIND /* nothing tells: behind the section before */
};

struct chrome_axis_section {
	uint64_t offset; /* added to a time of the section, modulo 2^64 */
	uint32_t boot;   /* index of the boot, 0 for the first section's */
	enum chrome_aligned aligned;
};

struct chrome_axis { /* all zero: empty */
	struct chrome_axis_section *section;
	size_t n;
	uint32_t boots;
};

/* 0 or -ENOMEM. */
int chrome_axis_init(struct chrome_axis *a, const struct xtr_reader *r);
void chrome_axis_free(struct chrome_axis *a);
/* A section's time on the axis; what would be before its start is at its start. */
uint64_t chrome_axis_time(const struct chrome_axis_section *s, uint64_t ts);
/* The other way. */
uint64_t chrome_axis_clock(const struct chrome_axis_section *s, uint64_t ns);
const char *chrome_aligned_name(enum chrome_aligned aligned);

/* REALTIME and BOOTTIME minus the event clock (modulo 2^64) by the section's first readings. */
bool chrome_realtime_offset(const struct xtr_section *s, uint64_t *offset);
bool chrome_boottime_offset(const struct xtr_section *s, uint64_t *offset);

/* --- chrome out ------------------------------------------------------------------------------- */

/*
 * Writes trace events one after the other, fast: the known parts straight into the memory of the
 * emitter of base/json.h, whose escaping texts of the trace go through. Keys and `plain` texts
 * are literals that need no escaping.
 */
struct chrome_out {
	struct xtr_json json; /* within a document that never ends for it */
	bool comma;           /* something stands before the next item */
	bool any;             /* an event was written */
};

void chrome_out_init(struct chrome_out *o, FILE *f);
/* Everything to the FILE. */
void chrome_flush(struct chrome_out *o);
/* Bytes as they are. */
void chrome_raw(struct chrome_out *o, const char *s);

/* One trace event of this phase ("X") and category (NULL: none): {"ph":...,"cat":... */
void chrome_event(struct chrome_out *o, const char *phase, const char *cat);
void chrome_event_end(struct chrome_out *o);
/* "args":{ ... } */
void chrome_args(struct chrome_out *o);
void chrome_args_end(struct chrome_out *o);

void chrome_key(struct chrome_out *o, const char *key);
void chrome_plain(struct chrome_out *o, const char *key, const char *value);
/* n bytes that may be anything. */
void chrome_text(struct chrome_out *o, const char *key, const char *s, size_t n);
/* The same of a text with literals around it. */
void chrome_text_in(struct chrome_out *o, const char *key, const char *before, const char *s,
		    const char *after);
void chrome_textf(struct chrome_out *o, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void chrome_u64(struct chrome_out *o, const char *key, uint64_t v);
void chrome_s64(struct chrome_out *o, const char *key, int64_t v);
/* ns as microseconds with three decimals. */
void chrome_us(struct chrome_out *o, const char *key, uint64_t ns);
/* "ctx:seqno": a fence's name, a job's too. */
void chrome_fence(struct chrome_out *o, const char *key, uint64_t ctx, uint64_t seqno);
/* The parts of an array, or of a text in quotes, after its key. */
void chrome_digits(struct chrome_out *o, uint64_t v);
/* The emitter, for one whole value after a key. */
struct xtr_json *chrome_json(struct chrome_out *o);

/* --- chrome track ----------------------------------------------------------------------------- */

/*
 * Tracks: in the format a track is a thread (tid) of a process (pid). What is no process of the
 * machine gets numbers above all that Linux gives (PID_MAX_LIMIT, 2^22). Each boot has its own
 * range of 2^23, so that processes of several machines stay apart. A track's name is written when
 * the track is first used.
 */
#define CHROME_BOOT_PIDS   (1u << 23)
#define CHROME_BOOTS_MAX   256u /* later ones share the last range */
#define CHROME_FIRST_PID   5000000u
#define CHROME_DEVICE_PID  (CHROME_FIRST_PID + 16) /* jobs; the next one: queues */
#define CHROME_DEVICES_MAX 100000u                 /* later ones share the last numbers */
#define CHROME_AGAIN_PID   6000000u /* processes whose number an earlier one has had */
#define CHROME_AGAIN_MAX   2000000u /* later ones share the last number */
#define CHROME_OWNERS_MAX  65536u   /* tracks with a name beyond share one of their thread */
#define CHROME_NEST_MAX    8u       /* calls nested deeper get tracks of their own */

/* Processes that are none: identifier, name, order. */
#define CHROME_PSEUDO(X)                        \
	X(LOST, "lost events", -30)             \
	X(DISPLAYS, "displays", -13)            \
	X(COUNTERS, "counters", -12)            \
	X(CPUS, "CPUs", -11)                    \
	X(IDLE, "idle", 1000000)                \
	X(UNKNOWN, "process not known", 999999) \
	X(DEVICES, "device errors", -14)        \
	X(PATH, "critical path", -20)           \
	X(FRAMES, "frames", -19)

enum chrome_pseudo {
#define CHROME_PSEUDO_ENUM(id, name, order) CHROME_##id,
	CHROME_PSEUDO(CHROME_PSEUDO_ENUM)
#undef CHROME_PSEUDO_ENUM
	CHROME_PSEUDO_COUNT
};

struct chrome_place {
	uint64_t pid, tid;
};

struct chrome_device {
	uint64_t pid;                  /* of its jobs; + 1: of its queues */
	uint64_t jobs_tid, queues_tid; /* last one given */
};

/* The tracks of one ring. */
struct chrome_ring {
	struct chrome_device *device;
	struct xtr_lanes jobs, queue;
	uint64_t unfinished_tid; /* 0: none yet */
	uint32_t order;          /* among all rings */
	uint32_t id;
	uint8_t quality, kind; /* of most of its jobs */
	size_t n;              /* bytes of name */
	char name[];
};

/* The calls of one thread or CPU. */
struct chrome_owner {
	/* Where the first call inside, of this depth, that is written and has a length begins. */
	uint64_t inner[CHROME_NEST_MAX];
	struct xtr_lanes lanes; /* for what cannot nest */
	uint64_t tid;           /* of chrome_named_owner; 0: none yet */
};

struct chrome_tracks {        /* all zero: empty */
	struct xtr_map names; /* of what a name is written, to a hash of the name */
	struct xtr_map devices, rings, owners;
	struct xtr_map same; /* of this section: number of rings of a device and name */
	struct chrome_device **device;
	struct chrome_ring **ring;
	struct chrome_owner **owner;
	uint32_t n_devices, n_rings, n_owners;
	struct chrome_ring **by_index; /* of this section, by index in the model; NULL: not yet */
	uint32_t n_by_index;
	uint64_t extra_tid;   /* last one given to a lane of a thread */
	struct xtr_map again; /* (process, boot) to what it has above CHROME_AGAIN_PID */
	uint32_t n_again;
	struct xtr_lanes lost;
};

struct chrome;
struct xtr_export_section;

void chrome_tracks_free(struct chrome_tracks *t);
/* A section begins, or (NULL) ended. 0 or -ENOMEM. */
int chrome_tracks_section(struct chrome_tracks *t, const struct xtr_export_section *s);

/* All return 0 or -errno. */
/* The tracks of a ring; of a second one with the same name on the device, too. */
int chrome_ring_of(struct chrome *c, const struct xtr_model_ring *ring, struct chrome_ring **out);
/* The track for a job from begin to end (ns of the axis), or for its wait in the queue. */
int chrome_job_place(struct chrome *c, struct chrome_ring *r, uint64_t begin, uint64_t end,
		     struct chrome_place *at);
int chrome_queue_place(struct chrome *c, struct chrome_ring *r, uint64_t begin, uint64_t end,
		       struct chrome_place *at);
int chrome_unfinished_place(struct chrome *c, struct chrome_ring *r, struct chrome_place *at);
/*
 * A thread, named by comm (string id; 0: not known); process 0: not known; tid 0: idle, of this
 * CPU.
 */
int chrome_thread_place(struct chrome *c, uint64_t process, uint32_t tid, uint32_t comm,
			uint32_t cpu, uint64_t ts, struct chrome_place *at);
/* A track of a pseudo process. */
int chrome_pseudo_place(struct chrome *c, enum chrome_pseudo p, uint64_t tid, const char *name,
			struct chrome_place *at);
/* A further track for slices of `at` that overlap others there. */
int chrome_beside(struct chrome *c, struct chrome_owner *o, const char *name, uint64_t begin,
		  uint64_t end, struct chrome_place *at);
int chrome_owner_of(struct chrome *c, const struct chrome_place *at, struct chrome_owner **out);
/* A further track of a thread, by name, for slices that nest there; *at becomes its place. */
int chrome_named_owner(struct chrome *c, struct chrome_place *at, const char *name,
		       struct chrome_owner **out);

/* Between chrome_track.c and chrome_ring.c. */
/* Room for one more of n pointers; NULL if there is no memory, then the array is as it was. */
void *chrome_grow(void *array, uint32_t n);
/* A pid or tid of the section's boot in the boot's own range. */
uint64_t chrome_pid(const struct chrome *c, uint64_t pid);
uint64_t chrome_hash(uint64_t h, const char *s, size_t n);
/* An event that names or sorts a track, up to its args. */
void chrome_meta_event(struct chrome *c, const char *name, uint64_t pid, uint64_t tid);
void chrome_meta_end(struct chrome *c);
void chrome_sort_index(struct chrome *c, const char *name, uint64_t pid, uint64_t tid, int64_t i);
/* Write the name of a thread, or (tid 0) a process, if it is new (1), or changed (0). */
int chrome_name(struct chrome *c, uint64_t pid, uint64_t tid, const char *name, size_t n);

/* --- chrome ----------------------------------------------------------------------------------- */

struct chrome {
	struct xtr_export_opts opts;
	struct chrome_out out;
	struct chrome_axis axis;
	struct chrome_tracks tracks;
	uint64_t flows;
	bool started; /* the head is written */
	/* of the present section */
	struct xtr_export_section section;
	const struct chrome_axis_section *place;
};

/* ns on the axis of what happened at ts. */
static inline uint64_t chrome_time(const struct chrome *c, uint64_t ts)
{
	return chrome_axis_time(c->place, ts);
}

/* A text of the section's tables; "" with *n 0 if there is none. */
const char *chrome_string(const struct chrome *c, uint32_t id, size_t *n);

/* One event up to its time: phase, category (NULL: none), name, where and when. */
void chrome_begin(struct chrome *c, const char *phase, const char *cat, const char *name, size_t n,
		  const struct chrome_place *at, uint64_t ns);

/* chrome_head.c: everything before the events. */
void chrome_head(struct chrome *c, const struct xtr_reader *r);

/* chrome_path.c: the section's critical path, if it is asked for; 0 or -ENOMEM. */
int chrome_path(struct chrome *c);
/* The job's slice is at this place: an arrow between it and its step on the path. 0 or -ENOMEM. */
int chrome_path_of_job(struct chrome *c, const struct xtr_job *j, const struct chrome_place *at);

/* chrome_frames.c: the section's frames, if they are asked for; 0 or -ENOMEM. */
int chrome_frames(struct chrome *c);

/* The exporter's functions; self is a struct chrome. */
/* chrome_job.c */
int chrome_job(void *self, const struct xtr_job *j);
/* chrome_head.c */
int chrome_depth(void *self, const struct xtr_model_ring *ring, uint64_t ts);
int chrome_mark(void *self, const struct xtr_mark *m);
int chrome_gap(void *self, const struct xtr_gap *gap);
/* chrome_call.c */
int chrome_call(void *self, const struct xtr_call *call);

#endif /* XTR_CHROME_H */
