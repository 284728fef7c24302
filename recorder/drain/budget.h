/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --budget: the recorder and its programs are kept under a share of the machine. The law that
 * chooses the level at which they record (bpf/xtr_ctl.h) is a function of what the last interval
 * cost; the rest of this file applies it to a recording.
 */
#ifndef XTR_RECORDER_BUDGET_H
#define XTR_RECORDER_BUDGET_H

#include "format/meta/loss.h"
#include "format/write/writer.h"
#include "recorder/attach/loader.h"

/* --- own cost --------------------------------------------------------------------------------- */

/*
 * What recording costs the machine: CPU time of the recorder, and the estimated time of its BPF
 * programs. Of these the kernel keeps no time unless it is told to time each run, which costs more
 * than some of them take; they time one run in 256 themselves (bpf/xtr_emit.bpf.h), from where they
 * have found their CPU until the record is in the ring. The kernel's way into the program is not in
 * it, nor are the counting programs, which only add one to a counter.
 */
/* All that has been spent until a moment. */
struct xtr_own_cost {
	uint64_t at, cpu; /* ns: of the monotonic clock; of this process's CPU time */
	uint64_t runs, timed, timed_ns;
};

void xtr_own_cost_now(struct xtr_own_cost *c, const struct xtr_bpf *b);
/* What was spent from `before` until `now`, with rings as they are; ring_high is left alone. */
void xtr_own_cost_between(struct xtr_recorder_cost *out, const struct xtr_own_cost *before,
			  const struct xtr_own_cost *now);

/* --- budget ----------------------------------------------------------------------------------- */

#define XTR_BUDGET_EVERY_NS 250000000u /* between two looks at the cost */

/* Looks in a row at less than half of the budget before a step up; more where steps up failed. */
#define XTR_BUDGET_PATIENCE     4u
#define XTR_BUDGET_PATIENCE_MAX 64u

struct xtr_budget_law {
	uint32_t ppm;      /* the share allowed, millionths of the machine */
	uint32_t level;    /* XTR_BUDGET_* */
	uint32_t patience; /* looks */
	uint32_t quiet;    /* looks in a row that would allow a step up */
	uint32_t held;     /* looks since the last step up that were in the budget */
	bool raised;       /* that step is still on trial */
};

/* A share such as "0.5%" or "1/200", more than nothing and less than all, in millionths; 0: none.
 */
uint32_t xtr_budget_parse(const char *text);
void xtr_budget_law_init(struct xtr_budget_law *b, uint32_t ppm);
/*
 * The last interval cost `ppm` of the machine. Returns the new level, which is b->level.
 *
 * Over the budget: down at once, by as many steps as it takes if each halves the cost; to counting
 * alone only from the last sample. Under half of it for `patience` looks: one step up, which at
 * most doubles the cost. A step up that led over the budget is taken back and doubles the patience,
 * one that held for that long resets it: so levels do not swing.
 */
uint32_t xtr_budget_next(struct xtr_budget_law *b, uint64_t ppm);

/* Cost of an interval, in millionths of the machine's time; mean_ns: of one run, where none of the
 * interval's was timed. */
uint64_t xtr_budget_ppm(const struct xtr_recorder_cost *c, uint32_t cpus, uint64_t mean_ns);

struct xtr_sink;

/* Of a recording. */
struct xtr_budget {
	bool on;
	struct xtr_budget_law law;
	uint32_t cpus;  /* online */
	uint32_t steps; /* so far */
	struct xtr_own_cost began, last;
	uint64_t next;  /* ns: of the next look */
	uint64_t since; /* ns: events were left out from then on and no gap tells it yet; 0: none */
};

/* Take the option: text NULL is none. 0, or -EINVAL with err filled. */
int xtr_budget_apply(struct xtr_selection *s, const char *text, struct xtr_record_err *err);

/* All below: of the writer's thread, or before it runs; 0 or -errno; nothing without a budget. */
int xtr_budget_start(struct xtr_sink *s);
/* Look at the cost if it is time to, and change the level if that is due. */
int xtr_budget_look(struct xtr_sink *s, uint64_t now);
/* Tell in the losses that events were left out until now: a gap of no lost events. */
int xtr_budget_gap(struct xtr_sink *s);
/* The same, and a record of the level as it is: at the end of a file, and where one begins. */
int xtr_budget_state(struct xtr_sink *s);

/* What all of it cost until `now`, in millionths of the machine. */
uint64_t xtr_budget_spent(const struct xtr_budget *b, const struct xtr_own_cost *now);

#endif /* XTR_RECORDER_BUDGET_H */
