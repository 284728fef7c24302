/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the import's core: what its files share.
 *
 *   import.c        facts, damage, losses, the run as a whole
 *   import_out.c    records per CPU, event types, writing
 *   import_task.c   which thread is called what
 *   import_stack.c  call stacks
 *   import_raw.c    binary records by their tracefs format
 *   import_text.c   printed events
 *   import_call.c   printed calls of functions
 *   import_call.c   which field of which event means what
 *   import_new.c    the scheduler's events since Linux 6.17, dma_fence
 *   import_old.c    the scheduler's events before: keys are made up
 */
#ifndef XTR_IMPORT_PRIV_H
#define XTR_IMPORT_PRIV_H

#include "format/meta/loss.h"
#include "base/map.h"
#include "format/meta/tables.h"
#include "format/meta/tpevent.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"
#include "import.h"

/* What a field of a scheduler or fence event means. */
enum import_role {
	ROLE_RING, /* text: the scheduler's name */
	ROLE_DEV,  /* text: the device's name */
	ROLE_CTX,  /* the job's finished fence, or the fence that the event is about */
	ROLE_SEQNO,
	ROLE_CLIENT, /* DRM client id */
	ROLE_ENTITY, /* address of the software queue */
	ROLE_FENCE,  /* address of the job's finished fence */
	ROLE_ID,     /* number of the job in its scheduler */
	ROLE_JOBS,   /* job_count */
	ROLE_HW,     /* hw_job_count */
	ROLE_DEP_CTX,
	ROLE_DEP_SEQNO,
	ROLE_DEP_FENCE, /* address of the dependency's fence */
	ROLE_DRIVER,    /* text: who issued a fence */
	ROLE_TIMELINE,  /* text */
	ROLES
};

#define ROLE_BIT(role) (1u << (role))

/* The values of one event by role. Numbers in num, texts in str and len. */
struct import_values {
	uint32_t have; /* bits by role */
	uint64_t num[ROLES];
	const char *str[ROLES];
	size_t len[ROLES];
};

struct import_event_map;
/* 0: recorded; 1: it says too little, take it as any other event; -errno. */
typedef int import_handler(struct xtr_import *im, const struct xtr_import_at *at,
			   const struct import_event_map *map, const struct import_values *v);

/* An event that becomes one of spec/events.md. */
struct import_event_map {
	const char *system, *event;
	enum xtr_event_type type;
	uint32_t needs; /* roles without which it is kept as any other event */
	import_handler *handle;
	struct {
		enum import_role role;
		const char *name;
	} roles[12]; /* name NULL: the end */
};

/*
 * The first behind `after` (NULL: of all) that is of this event. NULL: none of them. system_len 0:
 * not known.
 */
const struct import_event_map *import_map_find(const struct import_event_map *after,
					       const char *system, size_t system_len,
					       const char *event, size_t event_len);
/* The role of a field of this name and kind, ROLES if none. */
enum import_role import_role_of(const struct import_event_map *map, const char *name, size_t len,
				bool text);

import_handler import_job_new, import_done_new, import_dep_new, import_fence;
import_handler import_job_old, import_done_old, import_dep_old;

/* The made-up key of the job with this fence, if the trace has told the fence's own. */
void import_old_key(const struct xtr_import *im, uint64_t *ctx, uint64_t *seqno);

struct import_cpu {
	uint8_t *buf;
	size_t n, cap;        /* bytes */
	uint32_t records;     /* in buf */
	uint64_t lost;        /* events, all causes */
	uint64_t lost_source; /* of these, those that the input says */
	struct xtr_gap gap;
	bool in_gap; /* gap is not handed over yet */
};

/* Keys of the jobs that the trace has no context and number for. */
struct import_old_job {
	uint64_t fence, ctx, seqno;
	uint64_t real_ctx, real_seqno; /* low 32 bits, as a dependency on it told; 0: not known */
	uint64_t id;
	uint32_t name; /* string id of the ring's name */
	uint32_t ring;
	uint64_t before; /* id of the job that was put into the same queue before; 0: none */
	uint32_t next;   /* another job that is not done, of the same name and id: index + 1 */
	bool run, done;
};

#define IMPORT_WINDOW 1024u

/* Numbers of jobs that were run on a ring. */
struct import_window {
	uint64_t high;                   /* the highest */
	uint8_t bits[IMPORT_WINDOW / 8]; /* number modulo IMPORT_WINDOW */
};

struct import_old {
	struct xtr_map by_fence; /* address -> index in jobs */
	struct xtr_map by_id;    /* (ring's name, id) -> index of the first job in jobs */
	struct xtr_map contexts; /* (ring's name, entity) -> context */
	struct xtr_map threads;  /* context -> thread of its scheduler */
	struct xtr_map queued;   /* context -> id of the job that was queued last */
	struct xtr_map was_run;  /* context -> id of the job that was run last */
	struct xtr_map rings;    /* (ring's name, thread of a scheduler) -> ring */
	struct xtr_map by_real;  /* (real context, number) -> index in jobs */
	struct xtr_map shared;   /* ring -> 1: seen to stand for several schedulers */
	struct import_old_job *jobs;
	size_t n, cap;
	struct import_window *windows; /* by ring */
	size_t n_windows, cap_windows;
	uint64_t last_ctx, orphans;
};

struct import_new {
	struct xtr_map ring;     /* (ctx, seqno) -> ring, while not done */
	struct xtr_map contexts; /* contexts of finished fences */
	struct xtr_map signaled; /* context, 32 bits -> highest number that was signalled */
};

struct import_task {
	uint32_t pid, comm; /* string id; 0: not known */
};

struct import_stacks {
	bool wanted;         /* an event type may have them */
	struct xtr_map ids;  /* (hash of the frames, another one) -> id */
	uint32_t last;       /* id */
	uint32_t last_frame; /* highest id */
	size_t n_frames;     /* of all stacks */
	uint64_t left_out;
};

struct import_shape; /* import_text.c */

struct xtr_import {
	const struct xtr_import_opts *o;
	struct xtr_import_result *res;
	struct xtr_io *out;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_writer *writer; /* NULL: nothing was written yet */
	struct xtr_siphash_key key;
	const char *(*resolve)(void *ctx, uint64_t addr, size_t *len);
	void *resolve_ctx;

	struct import_cpu *cpus;
	size_t n_cpus, cap_cpus;
	size_t buffered; /* bytes in all cpus' buffers */

	uint64_t resolution;    /* ns, of time stamps */
	uint64_t wall_at, wall; /* xtr_import_wall_clock; 0: not told */
	uint32_t next_type, next_provider;
	size_t meta_items, meta_bytes; /* about, of the event types */
	bool meta_new;                 /* event types were added since it was written */
	bool native[XTR_EV_FENCE_DESTROY + 1];

	uint32_t last_string;     /* highest id given */
	size_t text_bytes;        /* of all strings, about */
	struct import_cpu no_cpu; /* losses of which the CPU is not known */
	size_t n_gaps;            /* handed over */
	bool failed;              /* res->text says why */

	struct xtr_map tasks;  /* tid -> import_task in one number */
	struct xtr_map seen;   /* tid -> 1: it had an event since it was made, if that is known */
	struct xtr_map starts; /* pid -> ns: of the last process that was given it again */
	size_t n_task_rows;
	struct xtr_map rings; /* (name, device) -> ring */
	uint32_t n_rings;

	struct xtr_import_type *types; /* all, for the end */
	struct import_shape *shapes;   /* all, for the end */
	struct xtr_map shape_by_name;  /* (hash of a name, k) -> address of its first shape */
	struct import_old old;
	struct import_new new_names;
	struct import_stacks stacks;
};

#define IMPORT_MAP_MAX ((size_t)1 << 18) /* entries of a map that an input can fill */

/* import_stack.c */
/* What has no stack of its own in its layout has one here: dma_fence_init and _wait_start. */
bool import_fence_has_stack(const struct xtr_import *im, enum xtr_event_type type);
int import_note_stacks(struct xtr_import *im); /* for META, at the end */

/*
 * Records of built-in events as imports have them. A job's completion ends behind what other tools
 * tell of it. A fence has more behind it: the names of its driver and its timeline, and where it
 * begins something a stack.
 */
struct xtr_rec_import_fence {
	struct xtr_rec_fence fence;
	unsigned int driver, timeline, stack, reserved;
};

#define IMPORT_DONE_SIZE        XTR_REC_AT(job_done, hw_ctx)
#define IMPORT_FENCE_SIZE       XTR_REC_AT(import_fence, stack)
#define IMPORT_FENCE_STACK_SIZE sizeof(struct xtr_rec_import_fence)

/* import_out.c */
int import_cpu_at(struct xtr_import *im, uint32_t cpu, struct import_cpu **c);
/* A record: rec begins with room for the header, which is filled in. size: a multiple of 8. */
/* Fields that queue and run events of every kernel have, into a record of zeros. */
void import_put_job(uint8_t *rec, bool queue, uint64_t ctx, uint64_t seqno, uint32_t ring,
		    const struct import_values *v);
int import_put(struct xtr_import *im, const struct xtr_import_at *at, uint32_t type, uint8_t *rec,
	       uint32_t size);
/* The event could not be taken: it is counted as lost. */
int import_refuse(struct xtr_import *im, const struct xtr_import_at *at);
/*
 * Give an event type its number and put it into META. Its texts are the caller's own copies and
 * made fit for META. -E2BIG: no more fit.
 */
int import_add_type(struct xtr_import *im, struct xtr_event_desc *desc);
/* The same with the name that the kernel or a library has for it. */
int import_add_type_of(struct xtr_import *im, struct xtr_event_desc *desc, const char *target);
/* The same for one of spec/events.md, once; with the fields that this trace can fill. */
int import_add_native(struct xtr_import *im, const struct import_event_map *map);
/* Id of a text; long ones are cut. */
int import_intern(struct xtr_import *im, const void *text, size_t n, uint32_t *id);
/* Id of the ring with this name and device (lengths 0: not known), made when first asked for. */
int import_ring(struct xtr_import *im, uint64_t ts, const char *name, size_t name_len,
		const char *dev, size_t dev_len, uint32_t *id);
/* A ring of the same name and device as another one. */
int import_another_ring(struct xtr_import *im, uint64_t ts, uint32_t like, uint32_t *id);
int import_flush(struct xtr_import *im);
/* Has an event been taken? */
bool import_any(const struct xtr_import *im);
int import_finish(struct xtr_import *im);
/* Make room in a map that grows with the input: forgets everything when it is full. */
int import_map_put(struct xtr_map *m, uint64_t a, uint64_t b, uint64_t value);

/* import.c */
/* Make a text fit for META: what is no UTF-8, or no letter, becomes '?'. */
void import_clean(char *text);

/* import_task.c */
int import_see(struct xtr_import *im, const struct xtr_import_at *at);
/* Fields that name threads, by event: sched_switch's prev_comm and prev_pid, ... */
struct import_task_fields {
	const char *event;
	const char *tid, *comm; /* NULL: none */
	enum {
		PID_UNKNOWN,
		PID_IS_TID,
		PID_BY_FLAGS
	} pid;
	bool born; /* the event tells that the thread was made */
};
/* A thread with this number is made at ts, and with it, maybe, a process (task.start). */
int import_born(struct xtr_import *im, uint64_t ts, uint32_t tid);
/* Is the current thread called so? (The kernel cuts names after 15 bytes.) */
bool import_is_called(const struct xtr_import *im, const struct xtr_import_at *at, const char *name,
		      size_t len);
/* The process of a new thread: its own, or its parent's where that is known; else 0. */
uint32_t import_new_task_pid(const struct xtr_import *im, uint32_t parent, uint32_t tid,
			     uint64_t clone_flags);
/* i-th entry for this event, or NULL. */
const struct import_task_fields *import_task_fields(const char *event, size_t len, size_t i);

/*
 * import_text.c: an event of this name with n values. target: the exact name of what it is about.
 * call NULL: it is no call; else its records begin as those of calls do.
 */
int import_values_put(struct xtr_import *im, const struct xtr_import_at *at, const char *name,
		      const char *target, const struct xtr_import_call *call,
		      const struct xtr_import_value *v, size_t n);

/* import_raw.c, import_text.c */
void import_types_free(struct xtr_import *im);
void import_shapes_free(struct xtr_import *im);

#endif /* XTR_IMPORT_PRIV_H */
