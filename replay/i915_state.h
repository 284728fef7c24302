/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the source of i915 jobs remembers: requests from the first event that names them until they
 * are signalled and retired, and the engines. Bounded: the oldest request is forgotten when there
 * are too many, and further engines share one.
 */
#ifndef XTR_I915_STATE_H
#define XTR_I915_STATE_H

#include "i915_engine.h"
#include "keymap.h"

#define I915_NONE         XTR_KEYMAP_NONE
#define I915_REQUESTS_MAX 65536u
#define I915_ENGINES_MAX  256u

struct i915_request {
	uint64_t ctx, seqno; /* its fence: its name in the model */
	uint64_t key;        /* ctx as far as fences are known by it */
	uint32_t engine;
	uint32_t next, prev; /* by age; next: free list */
	bool added, run;
	bool signaled, retired;
	bool preempted; /* taken off the engine at least once */
	bool shared;    /* by GuC: another context's requests were there too */
	bool on_guc;
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
};

struct i915_state { /* from i915_state_init */
	struct i915_request *request;
	struct i915_engine engine[I915_ENGINES_MAX];
	struct xtr_keymap by_name, by_engine;
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

/* The GuC has the request now; it has ended. */
void i915_guc_enter(struct i915_state *s, struct i915_request *r);
void i915_guc_leave(struct i915_state *s, struct i915_request *r);

#endif /* XTR_I915_STATE_H */
