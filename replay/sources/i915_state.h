/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the source of i915 jobs remembers: requests from the first event that names them until they
 * are signalled and retired, and the engines. Bounded: the oldest request is forgotten when there
 * are too many, and further engines share one.
 *
 * When a request had ended at the latest is known from others, too: those of one context (timeline)
 * end in order, and interrupts of old kernels tell how far their engine is by the numbers that it
 * gives to requests as they are handed to it.
 */
#ifndef XTR_I915_STATE_H
#define XTR_I915_STATE_H

#include "base/map.h"
#include "format/meta/meta.h"

/* --- i915 engine ------------------------------------------------------------------------------ */

/*
 * Engines of Intel GPUs as the events of i915 name them: the DRM primary index (the N of cardN), a
 * class by the numbers of the driver's own user-space interface, and an instance.
 */
#define I915_ENGINE_NAME 24u /* bytes that hold any of the names below */

/* "rcs0"; of a class that has no name its number: "class7.0". Returns buf. */
const char *i915_engine_name(char buf[I915_ENGINE_NAME], uint32_t class, uint32_t instance);
/*
 * Class and instance of an engine by its number in the driver, which is what kernels before 4.18
 * tell of it (`ring`); 254 and the number itself where they had no such engine, or where the number
 * does not tell: those without contexts (before 4.10) called engines by several orders.
 */
void i915_engine_by_number(uint32_t number, bool contexts, uint32_t *class, uint32_t *instance);
/* The name of META's i915 device that has the node "cardN", or "cardN" itself, in buf. */
const char *i915_device_name(const struct xtr_meta *meta, uint32_t dev, char buf[I915_ENGINE_NAME]);
/*
 * Id of the engine's ring in the job model: the same in every part of a file. Engines past what a
 * machine can have share one, for which `known` is false.
 */
uint32_t i915_ring_id(uint32_t dev, uint32_t class, uint32_t instance, bool *known);

/* --- i915 state ------------------------------------------------------------------------------- */

#define I915_NONE         XTR_MAP_NONE
#define I915_REQUESTS_MAX 65536u
#define I915_ENGINES_MAX  256u
#define I915_NOTIFIED_MAX 4096u /* interrupts kept of one engine: the last ones */

struct i915_request {
	uint64_t ctx, seqno; /* its fence: its name in the model */
	uint64_t key;        /* ctx as far as fences are known by it */
	uint32_t engine;
	uint32_t next, prev;     /* by age; next: free list */
	uint32_t older, younger; /* of the same context */
	uint64_t run_ns;
	uint64_t ended_ns; /* it had ended by then; 0: not known */
	bool told;         /* the model knows that it has ended */
	bool added, run;
	bool signaled, retired;
	bool preempted; /* taken off the engine at least once */
	bool shared;    /* by GuC: another context's requests were there too */
	bool on_guc;
};

/* The engine had completed all requests up to this number. */
struct i915_notified {
	uint64_t ts;
	uint32_t number;
};

struct i915_engine {
	char name[I915_ENGINE_NAME], card[I915_ENGINE_NAME];
	const char *device; /* META's, or card */
	uint32_t ring;
	/* Requests that the GuC has now, whose they are, and whether those are of several contexts
	 * since it had none. */
	uint32_t n_guc;
	uint64_t guc_ctx;
	bool mixed;
	struct i915_notified *notified; /* I915_NOTIFIED_MAX, number n % that; NULL: none yet */
	uint64_t n_notified;            /* rising in time and number since first_notified */
	uint64_t first_notified;
};

struct i915_state { /* from i915_state_init */
	struct i915_request *request;
	struct i915_engine engine[I915_ENGINES_MAX];
	struct xtr_map by_name, by_engine;
	struct xtr_map youngest_of; /* context, as in key */
	uint32_t n_requests, cap_requests, n_open, n_engines;
	uint32_t free_request, oldest, youngest;
};

void i915_state_init(struct i915_state *s);
void i915_state_free(struct i915_state *s);

/* Index of the request, or I915_NONE. key: as in struct i915_request. */
uint32_t i915_find(const struct i915_state *s, uint64_t key, uint64_t seqno);
/* A new one; another one of this name is forgotten. Index or -ENOMEM. */
int64_t i915_request_new(struct i915_state *s, uint64_t key, uint64_t ctx, uint64_t seqno,
			 uint32_t engine);
void i915_request_forget(struct i915_state *s, uint32_t i);
/* At ts it and all older ones of its context had ended. */
void i915_request_ended(struct i915_state *s, struct i915_request *r, uint64_t ts);

/* An interrupt found that the engine has completed all requests up to this number. 0 or -ENOMEM. */
int i915_notified(struct i915_engine *e, uint64_t ts, uint32_t number);
/*
 * When an interrupt first found the request of this number complete, not before `from`; 0: none.
 * *own: it told of this number, not of a later one.
 */
uint64_t i915_notified_at(const struct i915_engine *e, uint32_t number, uint64_t from, bool *own);

/* The GuC has the request now; it has ended. */
void i915_guc_enter(struct i915_state *s, struct i915_request *r);
void i915_guc_leave(struct i915_state *s, struct i915_request *r);

#endif /* XTR_I915_STATE_H */
