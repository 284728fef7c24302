/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the kernel skipped a program. It counts such runs and tells no time, so the counters are
 * looked at again and again: what is more than at the last look was skipped in between. (An event
 * that a program skips may still be taken by the next one, a moment later: only what is missing at
 * two looks was not run.)
 */
#ifndef XTR_RECORDER_MISSED_H
#define XTR_RECORDER_MISSED_H

#include "format/meta/loss.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct xtr_bpf;

#define XTR_MISSED_GAPS 64 /* that nobody has taken; the last one grows then */

struct xtr_missed_slot {
	uint64_t clean;   /* ns: what was skipped before is told */
	uint64_t told;    /* events */
	uint64_t missing; /* events, at the last look; 0: no more than told */
	uint64_t looked;  /* ns: when that was */
};

struct xtr_missed {
	pthread_mutex_t lock;
	struct xtr_missed_slot *of; /* by slot of the counters */
	uint32_t n_slots;
	uint64_t next, next_all; /* ns: of the next look at some, and at all */
	bool running; /* between begin and last: programs run, so there is what to look at */
	struct xtr_gap gaps[XTR_MISSED_GAPS];
	uint32_t n_gaps;
};

/* 0 or -ENOMEM. */
int xtr_missed_open(struct xtr_missed *m, uint32_t n_slots);
void xtr_missed_close(struct xtr_missed *m);
/* Programs run from now on (ns). */
void xtr_missed_begin(struct xtr_missed *m, uint64_t now);

/* The oldest gap that nobody has taken. False: there is none. */
bool xtr_missed_take(struct xtr_missed *m, struct xtr_gap *gap);
/* Events of a slot that are known not to have been run by now. */
uint64_t xtr_missed_told(struct xtr_missed *m, uint32_t slot);

/* Look at the counters if it is time to: of the drain thread. now: ns. */
void xtr_missed_pass(struct xtr_bpf *b, uint64_t now);
/* No program runs any more: what is missing by now (b->not_run gets it) was not run. */
void xtr_missed_last(struct xtr_bpf *b);

/*
 * Inside, with the lock: so many events of a slot had not been taken when the counters were read,
 * between `before` and `after` (ns). cpu: where, if that is known, or XTR_STREAM_NONE.
 */
void xtr_missed_look(struct xtr_missed *m, uint32_t slot, uint64_t missing, uint32_t cpu,
		     uint64_t before, uint64_t after);
/* Inside, with the lock: the same when no program runs any more. */
void xtr_missed_end(struct xtr_missed *m, uint32_t slot, uint64_t missing, uint64_t now);

#endif /* XTR_RECORDER_MISSED_H */
