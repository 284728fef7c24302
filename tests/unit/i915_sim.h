/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of i915 made in memory, for tests of its job source: a section with the events that a
 * kernel has, and what they say of a request.
 */
#ifndef TEST_I915_SIM_H
#define TEST_I915_SIM_H

#include "gpu_sim.h"

#define US  1000ull
#define MS  1000000ull
#define IRQ 0u

enum type {
	QUEUE = 1100,
	ADD,
	SUBMIT,
	EXECUTE,
	GUC_SUBMIT,
	IN,
	OUT,
	RETIRE,
	NOTIFY,
	TYPES
};

/* What the trace has; signals are dma_fence's. */
#define PLAIN     (1u << (QUEUE - 1100) | 1u << (ADD - 1100) | 1u << (RETIRE - 1100) | SIGNALS)
#define LOW       (PLAIN | 0xffu)
#define BIT(type) (1u << ((type)-1100))
#define SIGNALS   (1u << 16)
#define OLD       (1u << 17) /* events of Linux 4.17: engines by number, global numbers */

#define RCS 0u
#define BCS 1u
#define VCS 2u

#define FIELD(field, off, bytes, r)                                                \
	{                                                                          \
		.name = field, .offset = off, .size = bytes, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                             \
	}

struct where {
	uint32_t dev;
	uint16_t class, instance; /* OLD: class is the engine's number */
};

extern struct sim *s;

extern const struct where rcs0;

/* A section whose events these bits say, and tasks 1 to 9 of processes 1001 to 1009. */
void begin(unsigned int has);
void done_with(void);
/* Id of the text. */
uint32_t intern(const char *text);

void event(enum type type, uint64_t ts, uint32_t tid, struct where w, uint64_t ctx, uint32_t seqno);
/* The same, of OUT and, of OLD, any type: completed, or global. */
void event_with(enum type type, uint64_t ts, uint32_t tid, struct where w, uint64_t ctx,
		uint32_t seqno, uint32_t more);
void signal_error(uint64_t ts, const char *ops, uint64_t ctx, uint64_t seqno, int32_t error);
void fence(uint64_t ts, uint64_t ctx, uint64_t seqno);
/* queue at ts, add 5 us later. */
void added(uint64_t ts, struct where w, uint64_t ctx, uint32_t seqno);
/* queue at `at`, add 5 us later, the signal at `done`, retired 2 ms after that. */
void request(uint64_t at, uint64_t done, uint32_t tid, struct where w, uint64_t ctx,
	     uint32_t seqno);

void expect(const struct xtr_job *j, enum xtr_quality quality, uint32_t flags);

#endif /* TEST_I915_SIM_H */
