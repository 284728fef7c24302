/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hardware clock beside the trace's. Both go at a known rate; what is between them is learnt from
 * events that have a reading of it. A reading was taken before its event was written, never
 * after, so each one gives an upper bound of the difference, and the lowest of the latest ones is
 * taken. What came before is forgotten by and by, as clocks drift; all of it where the hardware's
 * clock went back, as it does when its power is taken away.
 */
#ifndef XTR_SOURCE_CLOCK_H
#define XTR_SOURCE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_CLOCK_SAMPLES 16u

struct source_clock {           /* all zero: nothing is known */
	int64_t lowest, before; /* ns: of the samples since, and of those before them */
	uint64_t last_hw;       /* ns: of the last sample */
	uint32_t n;             /* samples in `lowest` */
	bool known, had_before;
};

/* Ticks at num/den ns each as ns; wraps where they are beyond all that a machine can have. */
uint64_t source_ticks_ns(uint64_t ticks, uint32_t num, uint32_t den);
/* It was hw_ns on the hardware's clock when it was at most trace_ns on the trace's. */
void source_clock_sample(struct source_clock *c, uint64_t hw_ns, uint64_t trace_ns);
/* The trace's time for hw_ns; false: no sample yet, or it is before the trace's clock began. */
bool source_clock_map(const struct source_clock *c, uint64_t hw_ns, uint64_t *trace_ns);

#endif /* XTR_SOURCE_CLOCK_H */
