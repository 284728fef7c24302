/* SPDX-License-Identifier: BSD-2-Clause */
#include "intact.h"
#include "base/checked.h"

#include <errno.h>
#include <stdlib.h>

#define COPY_BYTES ((size_t)256 << 10)

/* Problems at a chunk that was found which mean that its payload cannot be used. */
static const bool of_payload[XTR_P_COUNT] = {
	[XTR_P_PAYLOAD_CRC] = true, [XTR_P_CODEC] = true,  [XTR_P_LZ4] = true,  [XTR_P_ZSTD] = true,
	[XTR_P_FILTER] = true,      [XTR_P_RECORD] = true, [XTR_P_CBOR] = true, [XTR_P_META] = true,
	[XTR_P_TABLE] = true,       [XTR_P_CLOCK] = true,  [XTR_P_LOSS] = true, [XTR_P_END] = true,
	[XTR_P_ROUND] = true,       [XTR_P_ATTACH] = true,
};

/* Of a list in order of offsets the first element at or behind one; n: there is none. */
static size_t first_from(uint64_t (*offset_at)(const void *list, size_t i), const void *list,
			 size_t n, uint64_t offset)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (offset_at(list, mid) < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static uint64_t of_problem(const void *reader, size_t i)
{
	return xtr_reader_problem(reader, i)->offset;
}

static uint64_t of_chunk(const void *section, size_t i)
{
	return xtr_section_chunk(section, i)->offset;
}

static size_t problem_at(const struct xtr_reader *r, uint64_t offset)
{
	return first_from(of_problem, r, xtr_reader_n_problems(r), offset);
}

/* `no-end` is told at the section's end, all other problems within it. */
bool xtr_section_is_whole(const struct xtr_reader *r, const struct xtr_section *s)
{
	uint64_t from = xtr_section_offset(s), end = from + xtr_section_size(s);
	const struct xtr_problem *p;

	for (size_t i = problem_at(r, from); (p = xtr_reader_problem(r, i)); i++) {
		if (p->offset > end)
			break;
		if (p->code == XTR_P_NO_END ? p->offset == end : p->offset < end)
			return false;
	}
	return true;
}

bool xtr_chunk_is_readable(const struct xtr_reader *r, const struct xtr_chunk *c)
{
	const struct xtr_problem *p;

	for (size_t i = problem_at(r, c->offset); (p = xtr_reader_problem(r, i)); i++) {
		if (p->offset > c->offset)
			break;
		if (of_payload[p->code])
			return false;
	}
	return true;
}

uint64_t xtr_section_unreadable(const struct xtr_reader *r, const struct xtr_section *s)
{
	uint64_t events = 0;

	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);

		if (c->type == XTR_CHUNK_EVENTS && !xtr_chunk_is_readable(r, c))
			events = xtr_sat_add(events, c->n_records);
	}
	return events;
}

uint64_t xtr_section_events_at(const struct xtr_section *s, uint64_t offset)
{
	size_t n = xtr_section_n_chunks(s), i = first_from(of_chunk, s, n, offset);
	const struct xtr_chunk *c = i < n ? xtr_section_chunk(s, i) : NULL;

	return c && c->offset == offset && c->type == XTR_CHUNK_EVENTS ? c->n_records : 0;
}

int xtr_section_copy(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_io *io)
{
	uint64_t at = xtr_section_offset(s), left = xtr_section_size(s);
	size_t padding = (size_t)(-left % 8);
	uint8_t *buf = malloc(COPY_BYTES);
	int err = buf ? 0 : -ENOMEM;

	while (left && !err) {
		size_t n = left < COPY_BYTES ? (size_t)left : COPY_BYTES;

		err = xtr_reader_bytes(r, at, buf, n) ?: io->ops->append(io, buf, n);
		at += n;
		left -= n;
	}
	if (!err && padding)
		err = io->ops->append(io, "\0\0\0\0\0\0\0", padding);
	free(buf);
	return err;
}
