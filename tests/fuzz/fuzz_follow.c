/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as they come from a pipe, whole or in pieces: both give the same events and problems,
 * in order of time, and no section's end without its begin. Slices of them follow each other.
 */
#include "fuzz.h"

#include "analysis/top/slice.h"
#include "format/read/follow.h"

#include <errno.h>

struct seen {
	struct xtr_slices *slices;
	uint64_t events, problems, last, until, hash;
	bool open;
};

static int on_slice(void *ctx, const struct xtr_slice *s)
{
	struct seen *seen = ctx;

	FUZZ_CHECK(s->begin <= s->end && (!s->number || s->begin == seen->until));
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT; by++)
		for (size_t i = 0; i < s->n[by]; i++)
			FUZZ_CHECK(s->row[by][i]->busy_ns <= s->end - s->begin);
	seen->until = s->end;
	return 0;
}

static int on_begin(void *ctx, const struct xtr_section *s)
{
	struct seen *seen = ctx;
	struct xtr_slices_opts o = { .meta = xtr_section_meta(s),
				     .tables = xtr_section_tables(s),
				     .interval_ns = 100000000u,
				     .slice = on_slice,
				     .ctx = ctx };

	FUZZ_CHECK(!seen->open);
	seen->open = true;
	seen->last = 0;
	return xtr_slices_new(&seen->slices, &o);
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	struct seen *seen = ctx;

	FUZZ_CHECK(seen->open && ev->ts >= seen->last);
	seen->last = ev->ts;
	seen->events += !ev->gap;
	seen->hash = (seen->hash ^ ev->ts ^ ev->type) * 0x9e3779b97f4a7c15ull;
	return xtr_slices_event(seen->slices, ev);
}

static int on_round(void *ctx, uint64_t ts)
{
	struct seen *seen = ctx;

	return xtr_slices_advance(seen->slices, ts);
}

static int on_end(void *ctx)
{
	struct seen *seen = ctx;
	int ret = xtr_slices_finish(seen->slices);

	FUZZ_CHECK(seen->open);
	xtr_slices_free(seen->slices);
	seen->slices = NULL;
	seen->open = false;
	return ret;
}

static void on_problem(void *ctx, const struct xtr_problem *p)
{
	struct seen *seen = ctx;

	FUZZ_CHECK(p->code != XTR_P_NONE);
	seen->problems++;
}

static int follow(struct seen *seen, const uint8_t *p, size_t n, size_t piece)
{
	const struct xtr_follow_opts o = { .memory = 1u << 20,
					   .begin = on_begin,
					   .event = on_event,
					   .round = on_round,
					   .end = on_end,
					   .problem = on_problem,
					   .ctx = seen };
	struct xtr_follow_status st;
	struct xtr_follow *f;
	int ret = 0;

	*seen = (struct seen){ 0 };
	FUZZ_CHECK(!xtr_follow_new(&f, &o));
	for (size_t at = 0; at < n && !ret; at += piece)
		ret = xtr_follow_bytes(f, p + at, n - at < piece ? n - at : piece);
	if (!ret)
		ret = xtr_follow_end(f);
	xtr_follow_status(f, &st);
	FUZZ_CHECK(st.problems == seen->problems);
	FUZZ_CHECK(ret || !seen->open);
	xtr_slices_free(seen->slices);
	xtr_follow_free(f);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen whole, parts;
	int ret = follow(&whole, data, size, size + 1);

	FUZZ_CHECK(ret == 0 || ret == -EBADMSG || ret == -EPROTO || ret == -ENOMEM);
	FUZZ_CHECK(follow(&parts, data, size, 61) == ret || ret == -ENOMEM);
	FUZZ_CHECK(whole.events == parts.events && whole.problems == parts.problems &&
		   whole.hash == parts.hash);
	return 0;
}
