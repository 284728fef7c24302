/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file: open it, merge every section, verify it. Events come in time order with
 * whole records, no more of them than the chunk headers say, and exactly as many in a file without
 * a problem. Problems come in order, each once (spec 8).
 */
#include "fuzz.h"

#include "format/read/merge.h"
#include "format/read/reader.h"

#include <errno.h>

static void read_fields(const struct xtr_event *ev)
{
	uint64_t v;

	for (uint32_t i = 0; ev->desc && i < ev->desc->n_fields; i++)
		xtr_field_get(&ev->desc->fields[i], ev->rec, ev->size, &v);
}

/* Returns how many events of the section did not come. */
static uint64_t merge_section(const struct xtr_reader *r, const struct xtr_section *s,
			      unsigned int threads)
{
	struct xtr_merge_opts o = { .sz = sizeof(o), .threads = threads, .memory = 1 << 20 };
	struct xtr_event ev = { 0 };
	struct xtr_merge *m = NULL;
	struct xtr_err err;
	uint64_t last = 0, n = 0;
	int rc = xtr_merge_open(&m, r, s, &o);

	while (!rc && ((rc = xtr_merge_next(m, &ev, &err)) == 1 || rc == -EBADMSG)) {
		if (rc == 1 && ev.rec) {
			FUZZ_CHECK(ev.ts >= last && ev.size >= XTR_RECORD_HEADER_SIZE);
			last = ev.ts;
			n++;
			read_fields(&ev);
		}
		rc = 0;
	}
	FUZZ_CHECK(!rc && n <= xtr_section_summary(s)->events);
	xtr_merge_close(m);
	return xtr_section_summary(s)->events - n;
}

static void check_problems(const struct xtr_reader *r)
{
	for (size_t i = 1; i < xtr_reader_n_problems(r); i++) {
		const struct xtr_problem *a = xtr_reader_problem(r, i - 1);
		const struct xtr_problem *b = xtr_reader_problem(r, i);

		FUZZ_CHECK(a->offset < b->offset || (a->offset == b->offset && a->code < b->code));
	}
}

static void some_part(void *ctx, const struct xtr_section *s, uint64_t *from, uint64_t *to)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	uint64_t third = (sum->ts_max - sum->ts_min) / 3;

	(void)ctx;
	*from = sum->ts_min + third;
	*to = sum->ts_max - third;
}

/* A part by the index; what it says may be anything. */
static void read_part(const uint8_t *data, size_t size)
{
	const struct xtr_part part = { .window = some_part };
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open_part(&r, io, &part, NULL))
		return;
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		merge_section(r, xtr_reader_section(r, i), 0);
	check_problems(r);
	xtr_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;
	uint64_t absent = 0;
	struct xtr_err err;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, &err))
		return 0;
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		absent |= merge_section(r, xtr_reader_section(r, i), size % 64 == 0 ? 2 : 0);
	check_problems(r);
	FUZZ_CHECK(!xtr_reader_verify(r, NULL, NULL));
	check_problems(r);
	FUZZ_CHECK(!absent || xtr_reader_n_problems(r));
	xtr_reader_close(r);
	read_part(data, size);
	return 0;
}
