/* SPDX-License-Identifier: BSD-2-Clause */
/* INDEX payloads (spec 7): what a writer gathers, and how a reader gets at an entry. */
#ifndef XTR_INDEX_H
#define XTR_INDEX_H

#include "base/bytes.h"
#include "reader.h"
#include "format/xtr_format.h"

#include <stdbool.h>
#include <stddef.h>

/* The payload of the next INDEX, being filled. */
struct xtr_index {
	uint8_t buf[XTR_INDEX_HEADER_SIZE + XTR_INDEX_EVERY * XTR_INDEX_ENTRY_SIZE];
	uint32_t n;
};

/* Add a chunk at an offset (bytes from the section's start); the index must not be full. */
void xtr_index_add(struct xtr_index *ix, const struct xtr_chunk *c, uint64_t offset);
/* Complete the payload; returns its length. prev: offset of the INDEX before, or 0. */
size_t xtr_index_finish(struct xtr_index *ix, uint64_t prev);

/* An entry: where a chunk is (bytes from the section's start), and what its header says of it. */
struct xtr_index_entry {
	uint64_t offset;
	uint8_t type;
	uint32_t stream;
	uint64_t ts_min, ts_max; /* ns */
	uint32_t n_records, seq;
};

/* The i-th entry of a well-formed payload. */
static inline struct xtr_index_entry xtr_index_entry(const uint8_t *buf, uint32_t i)
{
	const uint8_t *p = buf + XTR_INDEX_HEADER_SIZE + (size_t)i * XTR_INDEX_ENTRY_SIZE;

	return (struct xtr_index_entry){
		.offset = xtr_le64(p),
		.type = p[8],
		.stream = xtr_le32(p + 12),
		.ts_min = xtr_le64(p + 16),
		.ts_max = xtr_le64(p + 24),
		.n_records = xtr_le32(p + 32),
		.seq = xtr_le32(p + 36),
	};
}

/* Number of entries of a payload, and prev; false if it is not well-formed. */
bool xtr_index_parse(const uint8_t *buf, size_t len, uint64_t *prev, uint32_t *n);
/* True if the i-th entry of a well-formed payload says what the chunk's header says. */
bool xtr_index_entry_is(const uint8_t *buf, uint32_t i, const struct xtr_chunk *c, uint64_t offset);

#endif /* XTR_INDEX_H */
