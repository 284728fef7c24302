/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracks: in the format a track is a thread (tid) of a process (pid). What is no process of the
 * machine gets numbers above all that Linux gives (PID_MAX_LIMIT, 2^22). Each boot has its own
 * range of 2^23, so that processes of several machines stay apart. A track's name is written when
 * the track is first used.
 */
#ifndef XTR_CHROME_TRACK_H
#define XTR_CHROME_TRACK_H

#include "converters/out/core/lanes.h"
#include "base/keymap.h"
#include "replay/model/ring.h"

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
	X(DEVICES, "device errors", -14)

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

struct chrome_tracks {           /* all zero: empty */
	struct xtr_keymap names; /* of what a name is written, to a hash of the name */
	struct xtr_keymap devices, rings, owners;
	struct xtr_keymap same; /* of this section: number of rings of a device and name */
	struct chrome_device **device;
	struct chrome_ring **ring;
	struct chrome_owner **owner;
	uint32_t n_devices, n_rings, n_owners;
	struct chrome_ring **by_index; /* of this section, by index in the model; NULL: not yet */
	uint32_t n_by_index;
	uint64_t extra_tid;      /* last one given to a lane of a thread */
	struct xtr_keymap again; /* (process, boot) to what it has above CHROME_AGAIN_PID */
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

#endif /* XTR_CHROME_TRACK_H */
