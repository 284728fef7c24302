/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of events (events.h), to the model of xtr whatif: without a change each job is run
 * and ends when it was; with changes, which the input chooses, the replay comes to an end and no
 * job ends before it is run.
 */
#include "events.h"

#include "analysis/whatif/whatif.h"

#include <stdlib.h>

struct what {
	struct xtr_whatif *w; /* NULL: the first pass, which only tells rings' order */
	struct xtr_job *job;  /* as they were added */
	size_t n, cap;
	unsigned int choices;
};

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct what *f = ctx;

	if (!f->w)
		return 0;
	FUZZ_CHECK(!xtr_whatif_add(f->w, j, f->choices & 1 || j->seqno % 3,
				   f->choices & 2 && j->seqno % 5 == 0));
	if (f->n == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 64;
		f->job = realloc(f->job, f->cap * sizeof(*f->job));
		FUZZ_CHECK(f->job);
	}
	f->job[f->n++] = *j;
	return 0;
}

static struct xtr_model *pass(struct what *f, const uint8_t *data, size_t size,
			      const struct xtr_model *verdict)
{
	struct fuzz_events e = { .p = data, .left = size, .ev.ts = 1 };
	struct xtr_model_opts o = { .sz = sizeof(o), .job = on_job, .max_open = 8, .ctx = f };
	const struct xtr_event *ev;
	struct xtr_model *m;

	o.tables = fuzz_rings();
	o.meta = fuzz_meta((unsigned int)size);
	o.verdict = verdict;
	FUZZ_CHECK(!xtr_model_new(&m, &o));
	while ((ev = fuzz_next(&e)))
		FUZZ_CHECK(!xtr_model_event(m, ev));
	FUZZ_CHECK(!xtr_model_finish(m));
	return m;
}

static void play(struct what *f, enum xtr_whatif_kind kind, bool same)
{
	size_t n = xtr_whatif_n_rings(f->w) + 1;
	struct xtr_whatif_sums *sums = calloc(n, sizeof(*sums));
	struct xtr_whatif_times t;

	FUZZ_CHECK(sums && !xtr_whatif_play(f->w, kind, sums));
	for (size_t i = 0; i < f->n; i++) {
		if (!xtr_whatif_times(f->w, i, &t))
			continue;
		FUZZ_CHECK(!t.run_ns || !t.done_ns || t.run_ns <= t.done_ns);
		if (same)
			FUZZ_CHECK(t.run_ns == f->job[i].run_ns && t.done_ns == f->job[i].done_ns);
	}
	FUZZ_CHECK(sums[n - 1].jobs <= f->n && sums[n - 1].p50_ns <= sums[n - 1].p99_ns);
	free(sums);
}

static void change(struct what *f)
{
	if (f->choices & 4)
		xtr_whatif_as_submitted(f->w);
	for (size_t i = 0; i < xtr_whatif_n_rings(f->w); i++) {
		struct xtr_whatif_ring *r = xtr_whatif_ring(f->w, i);

		r->depth = f->choices & 8 ? (uint32_t)i % 4 : 0;
		r->millionths = f->choices & 16 ? 1 + (f->choices % 7) * XTR_WHATIF_UNIT / 2
						: XTR_WHATIF_UNIT;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct what f = { .choices = size ? data[size - 1] : 0 };
	struct xtr_model *first = pass(&f, data, size, NULL), *m;

	f.w = xtr_whatif_new();
	FUZZ_CHECK(f.w);
	m = pass(&f, data, size, first);
	FUZZ_CHECK(!xtr_whatif_learn(f.w, m));
	play(&f, XTR_WHATIF_RECORDED, false);
	play(&f, XTR_WHATIF_REPLAYED, !(f.choices & 2));
	play(&f, XTR_WHATIF_TYPICAL, false);
	change(&f);
	play(&f, XTR_WHATIF_CHANGED, false);
	xtr_whatif_free(f.w);
	xtr_model_free(m);
	xtr_model_free(first);
	free(f.job);
	return 0;
}
