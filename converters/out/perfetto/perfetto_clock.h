/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks. Event times of a section stand in the packets relative to a base, which makes them short,
 * on a clock of the packets' sequence; snapshots relate it to the machine's clocks.
 *
 * A reading of two clocks is off by up to the time it took. An importer that is given each reading
 * moves events by these errors, so that durations change. Here one offset holds until the clocks
 * have truly moved against each other (suspend, a step of the wall clock, drift), and that is all
 * an importer is told.
 */
#ifndef XTR_PERFETTO_CLOCK_H
#define XTR_PERFETTO_CLOCK_H

#include "format/read/reader.h"

#include <stdbool.h>

#define PF_CLOCK_REALTIME   1u
#define PF_CLOCK_MONOTONIC  3u
#define PF_CLOCK_BOOTTIME   6u
#define PF_CLOCK_TRACE_FILE 11u
#define PF_CLOCK_RELATIVE   64u /* event clock less the base */
#define PF_CLOCK_EVENT      65u /* event clock */

#define PF_CLOCK_JUMP_NS 1000000u /* less is an error of the reading */

/* From `from` (ns on the event clock) on these are to be added to it; modulo 2^64. */
struct pf_clock_span {
	uint64_t from;
	uint64_t boot, real;
	uint64_t boot_error, real_error; /* ns: of the readings that they come from */
	bool same_boot;                  /* as the span before: only the wall clock was set */
};

struct pf_clock {
	struct pf_clock_span *span; /* at least one after init */
	size_t n, cap;
	bool boot_known, real_known;
	bool monotonic; /* the event clock is CLOCK_MONOTONIC */
	uint64_t base;
};

/*
 * The offsets of a section whose earliest event to be written is at base (ns). 0 or -ENOMEM.
 * Without a reading of it BOOTTIME is taken to be the event clock: boot_known is false.
 */
int pf_clock_init(struct pf_clock *c, const struct xtr_section *s, uint64_t base);
void pf_clock_free(struct pf_clock *c);
/* An offset known of the same boot, taken over if it is as good as the same. */
void pf_clock_align(struct pf_clock *c, uint64_t boot);
/*
 * Keep REALTIME at one distance from BOOTTIME all the time: at `wall` (ns) if that is as good as
 * the first one, which is returned else. For an importer whose clock is REALTIME.
 */
uint64_t pf_clock_one_wall(struct pf_clock *c, uint64_t wall);
/* An event time on CLOCK_BOOTTIME. */
uint64_t pf_clock_boot(const struct pf_clock *c, uint64_t ts);

#endif /* XTR_PERFETTO_CLOCK_H */
