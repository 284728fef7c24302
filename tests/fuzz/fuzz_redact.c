/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file: if it is whole, it is redacted, by a policy that the number of bytes
 * chooses. What comes out has no problem, and the same events at the same times on the same CPUs,
 * also if it is redacted once more; and a search for what was removed ends.
 */
#include "fuzz.h"

#include "format/read/merge.h"
#include "format/read/reader.h"
#include "format/codec/record.h"
#include "replay/redact/redact.h"

#include <errno.h>

/* The file that comes out, or NULL if META does not fit any more or memory is short. */
static struct xtr_reader *redact(const struct xtr_reader *r, enum xtr_redact_policy policy)
{
	const struct xtr_redact_opts o = { .sz = sizeof(o), .policy = policy, .key = 7 };
	struct xtr_redact_result res = { 0 };
	struct xtr_reader *back = NULL;
	struct xtr_redact *x;
	struct xtr_io *io;
	struct xtr_err err;
	int ret;

	FUZZ_CHECK(!xtr_io_mem_new(&io));
	ret = xtr_redact_new(&x, r, &o);
	for (size_t i = 0; i < xtr_reader_n_sections(r) && !ret; i++)
		ret = xtr_redact_section(x, i, io, &res);
	xtr_redact_free(x);
	if (ret) {
		FUZZ_CHECK(ret == -E2BIG || ret == -EFBIG || ret == -ENOMEM);
		xtr_io_close(io);
		return NULL;
	}
	FUZZ_CHECK(!xtr_reader_open(&back, io, &err));
	FUZZ_CHECK(!xtr_reader_verify(back, NULL, NULL) && !xtr_reader_n_problems(back));
	FUZZ_CHECK(xtr_reader_n_sections(back) == xtr_reader_n_sections(r));
	return back;
}

static void check_same(const struct xtr_reader *ra, const struct xtr_reader *rb, size_t i)
{
	struct xtr_merge *a = NULL, *b = NULL;
	struct xtr_event x, y;
	int ret;

	if (xtr_merge_open(&a, ra, xtr_reader_section(ra, i), NULL) ||
	    xtr_merge_open(&b, rb, xtr_reader_section(rb, i), NULL))
		goto out;
	while ((ret = xtr_merge_next(a, &x, NULL)) > 0) {
		FUZZ_CHECK(xtr_merge_next(b, &y, NULL) == ret);
		FUZZ_CHECK(x.ts == y.ts && x.type == y.type && x.stream == y.stream &&
			   x.size == y.size && !x.gap == !y.gap);
	}
out:
	xtr_merge_close(a);
	xtr_merge_close(b);
}

static void on_found(void *ctx, const struct xtr_redact_found *f)
{
	FUZZ_CHECK(f->where);
	++*(uint64_t *)ctx;
}

static void search(const struct xtr_reader *r, const struct xtr_reader *in)
{
	const struct xtr_redact_opts o = { .sz = sizeof(o), .key = 7 };
	const char *more[] = { "name#" };
	uint64_t n = 0, tried;
	struct xtr_redact *x;

	if (!xtr_redact_new(&x, r, &o) && !xtr_redact_collect(x))
		FUZZ_CHECK(!xtr_redact_search(x, in, more, 1, on_found, &n, &tried));
	xtr_redact_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const enum xtr_redact_policy policy = size & 8 ? XTR_REDACT_STRICT : XTR_REDACT_DEFAULT;
	struct xtr_reader *r = NULL, *once = NULL, *again = NULL;
	struct xtr_io *io = NULL;
	struct xtr_err err;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, &err))
		return 0;
	FUZZ_CHECK(!xtr_reader_verify(r, NULL, NULL));
	if (!xtr_reader_n_problems(r))
		once = redact(r, policy);
	again = once ? redact(once, policy) : NULL;
	for (size_t i = 0; again && i < xtr_reader_n_sections(r); i++) {
		check_same(r, once, i);
		check_same(once, again, i);
	}
	if (again)
		search(r, once);
	xtr_reader_close(again);
	xtr_reader_close(once);
	xtr_reader_close(r);
	return 0;
}
