/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the analysis of i915: what its files share. Every number is defined in docs/i915.md.
 * Object, address space and context pointers are recorded as hashed addresses: equal ones are
 * equal, and the kernel uses them again after the object's end.
 */
#ifndef XTR_I915_IMPL_H
#define XTR_I915_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/hist.h"
#include "replay/event/event_bind.h"
#include "replay/sources/i915_state.h"
#include "base/map.h"

#define I915_PAGE 4096u /* bytes: the unit of shrinking */

/* --- objects (i915_objects.c) ----------------------------------------------------------------- */

#define I915_OBJECTS_MAX  262144u /* alive at one time, and (object, address space) pairs */
#define I915_CREATORS_MAX 1024u   /* processes; the last one is all further ones */
#define I915_SPACES_MAX   65536u  /* address spaces whose end was seen */
#define I915_WORST        16u     /* pairs listed */
#define I915_SLICES       64u     /* of the time, for what was held */

/*
 * Limits of findings. A pair thrashes if it is bound again so often within so short a time. A
 * process is suspected if it left objects behind steadily: its time, from its first creation to the
 * end of the trace, is long enough, and at least so many of those left are of each of its two
 * middle quarters: neither of what it sets up first, nor of what it may still be using.
 */
#define I915_THRASH_REBINDS 8u
#define I915_THRASH_NS      1000000000ull
#define I915_LEAK_OBJECTS   8u
#define I915_LEAK_SPAN_NS   1000000000ull
#define I915_WAIT_LIMIT_NS  100000000ull

/* Bytes and objects held, in slices of time that double their width when there are too many. */
struct i915_held {
	uint64_t bytes, objects; /* now */
	uint64_t peak_bytes, peak_ns, peak_objects;
	uint64_t begin_ns, width_ns;
	uint32_t n_slices;
	struct {
		uint64_t peak_bytes, bytes; /* the most in it; at its end */
	} slice[I915_SLICES];
};

struct i915_creator {
	uint64_t process; /* replay/event/process.h; 0: not known */
	uint32_t comm;
	uint64_t created, bytes, destroyed, destroyed_bytes;
	uint64_t first_ns;
	/* after finish */
	uint64_t left, left_bytes, left_ns; /* when the oldest was created */
	uint64_t middle[2];                 /* of those left, of the middle quarters */
};

struct i915_object {
	uint64_t ptr, bytes, created_ns;
	uint32_t creator, first_pair;
	uint32_t next_free;
	bool counted; /* created in what is looked at */
};

/* An object in an address space. */
struct i915_pair {
	uint64_t obj, vm, bytes; /* bytes of its last binding */
	uint64_t binds, unbinds, rebinds;
	uint64_t burst_ns, burst; /* rebinds since burst_ns, within I915_THRASH_NS */
	uint64_t most, most_ns;   /* the longest burst, its first rebind */
	uint32_t life;            /* of the address space */
	uint32_t next;            /* of the object; free list */
};

struct i915_objects {
	struct i915_object *object;
	struct i915_pair *pair;
	uint32_t n_objects, cap_objects, free_object, n_pairs, cap_pairs, free_pair;
	struct xtr_map by_ptr, by_pair, by_vm, by_process;
	struct i915_creator creator[I915_CREATORS_MAX];
	uint32_t n_creators;
	struct i915_held held;
	uint64_t created, created_bytes, destroyed, destroyed_bytes;
	uint64_t destroyed_unknown; /* of before, or of a kind whose creation has no event */
	uint64_t replaced;          /* a pointer was created again: its end was not recorded */
	uint64_t untracked;         /* there were too many */
	uint64_t left, left_bytes;
	uint64_t binds, bind_bytes, unbinds, unbind_bytes, rebinds, rebind_bytes;
	uint64_t thrashing, thrashing_ns; /* pairs; when the first began */
	struct i915_pair worst[I915_WORST];
	uint32_t n_worst;
};

struct i915;

void i915_objects_free(struct i915_objects *o);
/* Events; inside: of what is looked at. 0 or -ENOMEM. */
int i915_object_create(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
		       bool inside);
int i915_object_destroy(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
			bool inside);
int i915_vma(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev, bool inside,
	     bool bind);
/* The address space is no more. */
int i915_space_end(struct i915 *g, uint64_t vm);
void i915_objects_finish(struct i915 *g);

/* --- pressure and devices (i915_pressure.c) --------------------------------------------------- */

#define I915_DEVICES_MAX  64u   /* the last one is all further ones */
#define I915_PRESSURE_MAX 4096u /* kept, to see what was in flight */
#define I915_CONTEXTS_MAX 65536u
/* Two vblanks that are further apart do not belong to one running refresh. */
#define I915_FRAME_MAX_NS 50000000ull

/* Identifier, name in JSON, tracepoint without "i915:i915_gem_", for people. */
#define I915_PRESSURES(X)                                                   \
	X(SHRINK, "shrinks", "shrink", "shrinks")                           \
	X(EVICT, "evicts", "evict", "evictions, for a size")                \
	X(EVICT_NODE, "evict_nodes", "evict_node", "evictions, of a place") \
	X(EVICT_VM, "evict_vms", "evict_vm", "evictions, of a whole address space")

enum i915_pressure_kind {
#define I915_PRESSURE_ENUM(id, json, event, title) I915_##id,
	I915_PRESSURES(I915_PRESSURE_ENUM)
#undef I915_PRESSURE_ENUM
	I915_PRESSURE_KINDS
};

struct i915_pressure {
	uint64_t ts, before_ns; /* before_ns: the vblank before it, 0: none */
	uint64_t jobs;          /* requests in flight then */
	uint32_t device;
	enum i915_pressure_kind kind;
	bool between; /* two vblanks of a running refresh */
};

struct i915_device {
	uint32_t dev; /* DRM primary index */
	char name[64];
	uint64_t count[I915_PRESSURE_KINDS];
	uint64_t pages, unlimited;   /* of shrinks: targets; those without a target */
	uint64_t evict_bytes;        /* asked for */
	uint64_t in_flight, between; /* of all that was kept */
	uint64_t contexts, contexts_freed, contexts_left, contexts_unknown;
	uint64_t spaces, spaces_released, spaces_left, spaces_unknown;
};

struct i915_devices {
	struct i915_device device[I915_DEVICES_MAX];
	uint32_t n;
	struct i915_pressure kept[I915_PRESSURE_MAX];
	uint32_t n_kept, judged; /* judged: up to here the vblank behind it was seen */
	uint64_t not_kept;
	uint64_t vblank_ns;              /* the last one */
	struct xtr_map contexts, spaces; /* alive -> device */
};

struct i915_device *i915_device_row(struct i915 *g, uint32_t dev);
void i915_on_pressure(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
		      enum i915_pressure_kind kind);
void i915_on_vblank(struct i915 *g, uint64_t ts);
void i915_job_in_flight(struct i915 *g, const struct xtr_job *j);
/* A context or an address space of its own (spaces) was made or freed. */
int i915_on_life(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev, bool inside,
		 bool space, bool made);
void i915_devices_finish(struct i915 *g);

/* --- requests and waits (i915_requests.c) ----------------------------------------------------- */

#define I915_ROWS_MAX    256u  /* engines; the last one is all further ones */
#define I915_WAITERS_MAX 1024u /* (process, engine); likewise */
#define I915_WAITS_OPEN  16384u
#define I915_HIST_LEFT   16384u /* powers of two of all histograms: 8 MiB */

struct i915_row { /* an engine */
	uint32_t ring;
	char device[64], name[I915_ENGINE_NAME];
	uint64_t requests, completed, late, preempted, errors, killed, open, kernel;
	struct xtr_hist request; /* ns from submission to signal */
	struct xtr_hist wait;    /* ns of waits for requests of it */
	uint64_t waits;
};

struct i915_waiter {
	uint64_t process;
	uint32_t comm, row;
	uint64_t waits;
	struct xtr_hist wait; /* ns */
};

struct i915_open_wait {
	uint64_t ts, ctx;
	uint32_t tid, seqno;
};

struct i915_requests {
	struct i915_row row[I915_ROWS_MAX];
	struct i915_waiter waiter[I915_WAITERS_MAX];
	struct i915_open_wait open[I915_WAITS_OPEN];
	uint32_t n_rows, n_waiters, n_open, hist_left;
	uint32_t order[I915_ROWS_MAX]; /* after finish: rows by device and engine */
	struct xtr_map by_ring, by_waiter, by_tid;
	uint64_t waits, waits_open, waits_unpaired;
	uint64_t long_waits, long_wait_ns, long_at_ns[4];
	struct {
		uint64_t ns, at_ns;
		uint64_t process;
		uint32_t comm, row;
	} longest;
};

void i915_requests_free(struct i915_requests *r);
int i915_on_job(struct i915 *g, const struct xtr_job *j);
int i915_wait_begin(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev);
int i915_wait_end(struct i915 *g, const struct xtr_bind *b, const struct xtr_event *ev,
		  bool inside);
void i915_requests_finish(struct i915 *g);

/* --- the rest (i915.c) ------------------------------------------------------------------------ */

#define I915_REGS_MAX 4096u

struct i915_reg {
	uint32_t reg;
	uint64_t reads, writes;
};

struct i915 {
	const struct xtr_analysis_opts *o;
	struct xtr_binds binds;
	uint64_t last_ns; /* at the end: of any event that is looked at */
	uint64_t events;  /* of i915 */
	uint64_t gaps;
	struct i915_objects objects;
	struct i915_devices devices;
	struct i915_requests requests;
	struct {
		uint64_t preads, pread_bytes, pwrites, pwrite_bytes;
		uint64_t faults, write_faults, gtt_faults, clflushes;
	} access;
	struct {
		uint64_t changes, min, max, last, first_ns, last_ns; /* MHz */
		unsigned __int128 sum;                               /* MHz * ns */
	} freq;
	struct {
		uint64_t reads, writes, read_bytes, write_bytes;
		struct i915_reg *reg; /* after finish by number of accesses */
		uint32_t n, cap;
		struct xtr_map by_reg;
		uint64_t others; /* accesses of registers that are not listed */
	} regs;
};

/* Fields of the bound events, in the order of i915.c's table. */
enum i915_field {
	I915_F0,
	I915_F1,
	I915_F2,
	I915_F3,
	I915_F4
};

/* The thread's process; 0 and comm of the thread where it is not known. */
uint64_t i915_process(const struct i915 *g, const struct xtr_event *ev, uint32_t *comm);
/* sum + n, no further than the largest number. */
static inline void i915_add(uint64_t *sum, uint64_t n)
{
	*sum = *sum + n < n ? UINT64_MAX : *sum + n;
}
uint64_t i915_mean_mhz(const struct i915 *g);

int i915_conclude(struct i915 *g);
int i915_text(const void *self, const struct xtr_view *v);
void i915_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const i915_tables[];
/* i915_view.c: those that are text, too. */
extern const struct xtr_section_table i915_creators, i915_worst, i915_devices, i915_contexts,
	i915_engines, i915_waits, i915_registers;

#endif /* XTR_I915_IMPL_H */
