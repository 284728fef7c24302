/* SPDX-License-Identifier: BSD-2-Clause */
/* INDEX payloads (spec 7): what a writer gathers, and how a reader gets at an entry. */
#ifndef XTR_INDEX_H
#define XTR_INDEX_H

#include "reader.h"
#include "xtr_format.h"

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

/* Number of entries of a payload, and prev; false if it is not well-formed. */
bool xtr_index_parse(const uint8_t *buf, size_t len, uint64_t *prev, uint32_t *n);
/* True if the i-th entry of a well-formed payload says what the chunk's header says. */
bool xtr_index_entry_is(const uint8_t *buf, uint32_t i, const struct xtr_chunk *c, uint64_t offset);

#endif /* XTR_INDEX_H */
