/* SPDX-License-Identifier: BSD-2-Clause */
/* The account of losses: the kernel's counters and the recorder's own, as those of a piece. */
#include "sink.h"
#include "recorder/host/util.h"

/* total: since recording began. What it was when the piece before ended is not of this one. */
static void set_total(struct xtr_sink *s, uint32_t stream, uint32_t type, enum xtr_loss_cause cause,
		      uint64_t total)
{
	uint64_t past = s->before ? xtr_loss_get(s->before, stream, type, cause) : 0;

	xtr_loss_set(s->last.writer ? s->last.loss : s->loss, stream, type, cause,
		     total > past ? total - past : 0);
}

/*
 * What the kernel skipped, as far as that is known; of most it does not say on which CPU. An event
 * can be missing at two looks and still be taken: its task was preempted for longer than that
 * between two programs. So the final account replaces what was told, with 0 too.
 */
static void gather_misses(struct xtr_sink *s, bool final)
{
	struct xtr_bpf *b = s->bpf;
	struct xtr_gap gap;

	while (xtr_missed_take(&b->missed, &gap))
		xtr_convert_gap(&s->convert, &gap);
	for (uint32_t i = 0; i < b->n_slots; i++) {
		uint64_t n = final ? b->not_run[i] : xtr_missed_told(&b->missed, i);

		if (n || final)
			set_total(s, XTR_STREAM_NONE, xtr_type_of_slot(i), XTR_LOSS_NOT_RUN, n);
	}
}

/* Totals of the kernel's counters and our own. They are cumulative, so a missed look costs nothing.
 */
void xtr_sink_gather(struct xtr_sink *s)
{
	const uint32_t n_slots = s->bpf->n_slots;
	/* Of unknown type; the drain thread counts them. */
	uint64_t malformed = __atomic_load_n(&s->keep->head->malformed, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < s->bpf->n_cpus * n_slots; i++) {
		const struct xtr_count *c = &s->bpf->counts[i];
		const struct {
			uint64_t n;
			int cause;
		} of[] = {
			{ __atomic_load_n(&c->full, __ATOMIC_RELAXED), XTR_LOSS_RING_FULL },
			{ __atomic_load_n(&c->busy, __ATOMIC_RELAXED), XTR_LOSS_RING_BUSY },
			{ s->keep->spoilt[i] + (i ? 0 : malformed), XTR_LOSS_RECORDER },
			{ s->keep->unwritten[i], XTR_LOSS_WRITE },
			{ __atomic_load_n(&c->filtered, __ATOMIC_RELAXED), 0 },
		};

		for (size_t k = 0; k < ARRAY_LEN(of); k++) {
			if (of[k].n)
				set_total(s, i / n_slots, xtr_type_of_slot(i % n_slots),
					  (enum xtr_loss_cause)of[k].cause, of[k].n);
		}
	}
	gather_misses(s, false);
}

/* Gaps that no later record of their CPU has announced. */
static void last_gaps(struct xtr_sink *s)
{
	for (uint32_t i = 0; i < s->bpf->n_cpus; i++) {
		const struct xtr_cpu *c = &s->bpf->cpus[i];

		xtr_convert_gap(&s->convert,
				&(struct xtr_gap){ i, c->gap_first, c->gap_last, c->gap_count });
	}
}

void xtr_sink_account(struct xtr_sink *s)
{
	last_gaps(s);
	xtr_sink_gather(s);
	gather_misses(s, true);
}
