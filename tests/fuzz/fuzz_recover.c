/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file: each section is recovered. What comes out is one section without a problem
 * that holds as many events as the result says, and counts as lost at least those that are missing;
 * what was whole is copied byte for byte.
 */
#include "fuzz.h"

#include "format/write/recover.h"

#include <errno.h>
#include <string.h>

static void on_hole(void *ctx, const struct xtr_recover_hole *h)
{
	uint64_t *last = ctx;

	FUZZ_CHECK(h->first <= h->last && (h->seq >= *last || h->stream == XTR_STREAM_NONE));
	*last = h->seq;
}

static void check_copy(const struct xtr_reader *r, const struct xtr_section *s, const uint8_t *p,
		       size_t n)
{
	uint8_t *was = malloc(n + 1);

	FUZZ_CHECK(was && n == xtr_section_size(s));
	FUZZ_CHECK(!xtr_reader_bytes(r, xtr_section_offset(s), was, n) && !memcmp(was, p, n));
	free(was);
}

static void check_section(const struct xtr_reader *r, size_t i)
{
	const struct xtr_section *s = xtr_reader_section(r, i);
	struct xtr_recover_result res;
	uint64_t last = 0;
	const struct xtr_recover_opts o = {
		.sz = sizeof(o), .file_id = 9, .hole = on_hole, .ctx = &last
	};
	const struct xtr_section_summary *sum;
	struct xtr_io *out, *view;
	struct xtr_reader *back;
	const uint8_t *p;
	size_t n;
	int ret;

	FUZZ_CHECK(!xtr_io_mem_new(&out));
	ret = xtr_recover(r, i, out, &o, &res);
	if (ret) {
		FUZZ_CHECK(ret == -E2BIG || ret == -ENOMEM);
		xtr_io_close(out);
		return;
	}
	p = xtr_io_mem_data(out, &n);
	FUZZ_CHECK(res.kept <= res.chunks && res.bytes == n && res.written == (n > 0));
	if (!res.written) { /* this part is in the section before */
		FUZZ_CHECK(i > 0);
		xtr_io_close(out);
		return;
	}
	if (res.as_it_was)
		check_copy(r, s, p, n);
	FUZZ_CHECK(!xtr_io_mem_view(p, n, &view) && !xtr_reader_open(&back, view, NULL));
	FUZZ_CHECK(!xtr_reader_verify(back, NULL, NULL) && !xtr_reader_n_problems(back));
	FUZZ_CHECK(xtr_reader_n_sections(back) == 1);
	sum = xtr_section_summary(xtr_reader_section(back, 0));
	FUZZ_CHECK(sum->events == res.events && (res.as_it_was || sum->lost >= res.missing));
	xtr_reader_close(back);
	xtr_io_close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, NULL))
		return 0;
	FUZZ_CHECK(!xtr_reader_verify(r, NULL, NULL));
	for (size_t i = 0; i < xtr_reader_n_sections(r) && i < 8; i++)
		check_section(r, i);
	xtr_reader_close(r);
	return 0;
}
