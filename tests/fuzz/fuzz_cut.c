/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file: every section is cut, in a way that the number of bytes chooses. What comes
 * out is a section without a problem; kept, filtered, lost and not to be read are together what
 * they were in the file; and a second cut of it changes nothing.
 */
#include "fuzz.h"

#include "base/checked.h"
#include "format/read/reader.h"
#include "replay/cut/cut.h"

#include <errno.h>

/* As the reader counts them; none of the sums may be so large that it was cut off. */
static uint64_t happened(const struct xtr_section *s)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);

	return xtr_sat_add(xtr_sat_add(sum->events, sum->filtered),
			   xtr_sat_add(sum->lost, sum->missing));
}

static void choose(struct xtr_select *sel, const struct xtr_section *s, size_t size)
{
	static const char *const rings[] = { "[a-z]*" };
	static const uint32_t pids[] = { 1, 7, 42, 100 };
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	uint64_t third = (sum->ts_max - sum->ts_min) / 3;

	*sel = (struct xtr_select){ 0 };
	if (size & 1) {
		sel->from = sum->ts_min + third;
		sel->to = sum->ts_max - third;
	}
	if (size & 2) {
		sel->rings = rings;
		sel->n_rings = 1;
	}
	if (size & 4) {
		sel->pids = pids;
		sel->n_pids = 4;
	}
}

/* The section that comes out, or NULL if META does not fit once more or memory is short. */
static struct xtr_reader *cut(const struct xtr_reader *r, const struct xtr_section *s, size_t size,
			      struct xtr_cut_result *res)
{
	struct xtr_cut_opts o = { .sz = sizeof(o), .options = "--fuzz" };
	struct xtr_reader *back = NULL;
	struct xtr_io *io;
	struct xtr_err err;
	int ret;

	choose(&o.select, s, size);
	FUZZ_CHECK(!xtr_io_mem_new(&io));
	ret = xtr_cut(r, s, io, &o, res);
	if (ret) {
		FUZZ_CHECK(ret == -E2BIG || ret == -ENOMEM);
		xtr_io_close(io);
		return NULL;
	}
	FUZZ_CHECK(!xtr_reader_open(&back, io, &err) && xtr_reader_n_sections(back) == 1);
	FUZZ_CHECK(!xtr_reader_verify(back, NULL, NULL) && !xtr_reader_n_problems(back));
	return back;
}

static void check_section(const struct xtr_reader *r, const struct xtr_section *s, size_t size)
{
	const uint64_t large = UINT64_MAX / 4;
	struct xtr_cut_result res, second;
	struct xtr_reader *once = cut(r, s, size, &res), *twice;
	const struct xtr_section *c = once ? xtr_reader_section(once, 0) : NULL;

	if (!once)
		return;
	FUZZ_CHECK(xtr_section_summary(c)->events == res.kept);
	FUZZ_CHECK(happened(c) >= large || happened(s) >= large ||
		   happened(c) >= xtr_section_summary(s)->events);
	if (!xtr_reader_n_problems(r))
		FUZZ_CHECK(happened(c) >= large || happened(c) == happened(s));
	twice = cut(once, c, 0, &second);
	if (twice) {
		FUZZ_CHECK(second.kept == res.kept && !second.damaged);
		FUZZ_CHECK(happened(xtr_reader_section(twice, 0)) == happened(c));
	}
	xtr_reader_close(twice);
	xtr_reader_close(once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;
	struct xtr_err err;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, &err))
		return 0;
	FUZZ_CHECK(!xtr_reader_verify(r, NULL, NULL));
	for (size_t i = 0; i < xtr_reader_n_sections(r) && i < 4; i++)
		check_section(r, xtr_reader_section(r, i), size);
	xtr_reader_close(r);
	return 0;
}
