/* SPDX-License-Identifier: BSD-2-Clause */
/* Where chunks are looked for when bytes are gone: specification 3 and 4.1, rule 5. */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define ALL (2 * 20 * 3) /* events */

static uint8_t *small(size_t *n)
{
	struct xtr_io *io = trace_make(2, 20, 5, NULL);
	const uint8_t *p = xtr_io_mem_data(io, n);
	uint8_t *data = malloc(*n + XTR_CHUNK_HEADER_SIZE);

	cr_assert(ne(ptr, data, NULL));
	memcpy(data, p, *n);
	xtr_io_close(io);
	return data;
}

/* Events that are shown; problems but for the index, whose offsets do not hold any more. */
static uint64_t events_of(const uint8_t *data, size_t n, struct xtr_problem *problem, size_t *n_p)
{
	struct xtr_reader *r;
	struct xtr_err err;
	uint64_t events;

	cr_assert(zero(int, trace_read(&r, data, n, &err)));
	cr_assert(zero(int, xtr_reader_verify(r, NULL, NULL)));
	cr_assert(eq(sz, xtr_reader_n_sections(r), 1));
	events = xtr_section_summary(xtr_reader_section(r, 0))->events;
	*n_p = 0;
	for (size_t i = 0; i < xtr_reader_n_problems(r); i++) {
		const struct xtr_problem *p = xtr_reader_problem(r, i);

		cr_assert(lt(sz, *n_p, 4));
		if (p->code != XTR_P_INDEX)
			problem[(*n_p)++] = *p;
	}
	xtr_reader_close(r);
	return events;
}

Test(resync, a_section_that_lost_its_header_begins_with_its_first_chunk)
{
	struct xtr_problem p[4];
	size_t n, n_p;
	uint8_t *data = small(&n);

	/* From 1 to all 64 of its last bytes: the chunk stands at 63, 62, ... 0. */
	for (size_t gone = 1; gone <= XTR_FILE_HEADER_SIZE; gone++) {
		size_t left = XTR_FILE_HEADER_SIZE - gone;

		memmove(data + left, data + left + 1, --n - left);
		cr_assert(eq(u64, events_of(data, n, p, &n_p), ALL), "%zu bytes gone", gone);
		cr_assert(eq(sz, n_p, 1));
		cr_assert(eq(int, p[0].code, XTR_P_HEADER_CRC));
		cr_assert(zero(u64, p[0].offset));
	}
	free(data);
}

Test(resync, a_chunk_of_another_file_in_place_of_the_header_is_not_the_first)
{
	struct xtr_chunk other = { .type = XTR_CHUNK_ROUND, .file_id = 77 };
	struct xtr_problem p[4];
	size_t n, n_p;
	uint8_t *data = small(&n);

	memmove(data + XTR_CHUNK_HEADER_SIZE, data + 64, n - 64);
	n += XTR_CHUNK_HEADER_SIZE - 64;
	xtr_chunk_encode(data, &other);
	cr_assert(eq(u64, events_of(data, n, p, &n_p), ALL));
	cr_assert(eq(sz, n_p, 2));
	cr_assert(eq(int, p[0].code, XTR_P_HEADER_CRC));
	cr_assert(zero(u64, p[0].offset));
	cr_assert(eq(int, p[1].code, XTR_P_LOST_SYNC));
	cr_assert(eq(u64, p[1].offset, 64));
	free(data);
}

/* Where the padding of the k-th chunk begins that has some, and how long it is; 0: there is none.
 */
static size_t padding(const uint8_t *data, size_t n, size_t k, size_t *from, size_t *next)
{
	struct xtr_chunk c;

	for (size_t at = 64; at + 80 <= n && xtr_chunk_parse(data + at, &c); at = *next) {
		*from = at + XTR_CHUNK_HEADER_SIZE + c.stored_len;
		*next = at + (size_t)xtr_chunk_span(&c);
		if (c.type != XTR_CHUNK_INDEX && *next > *from && !k--)
			return *next - *from;
	}
	return 0;
}

Test(resync, bytes_that_are_gone_from_padding_cost_nothing)
{
	size_t n, n_p, from = 0, next = 0, tried = 0, pad;
	uint8_t *data = small(&n), *cut = malloc(n);
	struct xtr_problem p[4];

	for (size_t k = 0; (pad = padding(data, n, k, &from, &next)); k++) {
		for (size_t gone = 1; gone <= pad; gone++, tried++) {
			memcpy(cut, data, from);
			memcpy(cut + from, data + from + gone, n - from - gone);
			cr_assert(eq(u64, events_of(cut, n - gone, p, &n_p), ALL),
				  "%zu bytes at %zu", gone, from);
			cr_assert(zero(sz, n_p), "code %d at %zu", (int)p[0].code, from);
		}
	}
	cr_assert(gt(sz, tried, 20));
	free(cut);
	free(data);
}

Test(resync, behind_a_chunk_whose_neighbour_lost_its_header_sync_is_lost)
{
	size_t n, n_p, from = 0, next = 0;
	uint8_t *data = small(&n);
	struct xtr_problem p[4];

	cr_assert(gt(sz, padding(data, n, 1, &from, &next), 0));
	data[next] ^= 1;
	cr_assert(le(u64, events_of(data, n, p, &n_p), ALL));
	cr_assert(ge(sz, n_p, 1));
	cr_assert(eq(int, p[0].code, XTR_P_LOST_SYNC));
	cr_assert(eq(u64, p[0].offset, next));
	free(data);
}
