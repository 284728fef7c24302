/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a verified file counts as readable, and how far verifying has come. */
#include "format/read/chunk.h"
#include "format/read/intact.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define EVENTS 20u /* in a chunk; 3 streams, 3 rounds */

static uint64_t seen;

static void progress(void *ctx, uint64_t done, uint64_t all)
{
	cr_assert(eq(u64, all, *(uint64_t *)ctx));
	cr_assert(ge(u64, done, seen));
	cr_assert(le(u64, done, all));
	seen = done;
}

Test(whole, events_of_chunks_that_cannot_be_read_are_counted)
{
	struct xtr_io *io = trace_make(3, EVENTS, 9, NULL);
	const struct xtr_section *s;
	const struct xtr_chunk *c;
	struct xtr_reader *r;
	size_t n, events = 0;
	uint64_t all;
	uint8_t *p = (uint8_t *)(uintptr_t)xtr_io_mem_data(io, &n);

	all = n;
	cr_assert(zero(int, xtr_reader_open(&r, io, NULL)));
	s = xtr_reader_section(r, 0);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		c = xtr_section_chunk(s, i);
		if (c->type == XTR_CHUNK_EVENTS && events++ % 4 == 1)
			p[c->offset + 81] ^= 4;
	}
	seen = 0;
	cr_assert(zero(int, xtr_reader_verify(r, progress, &all)));
	cr_expect(eq(u64, seen, all), "at the end all of it");
	cr_expect(not(xtr_section_is_whole(r, s)));
	cr_expect(eq(u64, xtr_section_unreadable(r, s), 2 * EVENTS));
	events = 0;
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		bool is_events;

		c = xtr_section_chunk(s, i);
		is_events = c->type == XTR_CHUNK_EVENTS;
		cr_expect(eq(u64, xtr_section_events_at(s, c->offset), is_events ? EVENTS : 0));
		cr_expect(zero(u64, xtr_section_events_at(s, c->offset + 8)));
		if (is_events && !xtr_chunk_is_readable(r, c))
			events += c->n_records;
	}
	cr_expect(eq(sz, events, 2 * EVENTS));
	cr_expect(zero(u64, xtr_section_events_at(s, all)), "nothing is behind the end");
	xtr_reader_close(r);
}
