/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed structures of the file: file header, chunk header, trailer (spec 3, 4, 7). */
#ifndef XTR_CHUNK_H
#define XTR_CHUNK_H

#include "format/codec/codecs.h"
#include "reader.h"
#include "format/xtr_format.h"

#include <stdbool.h>
#include <stdint.h>

struct xtr_file_header {
	uint16_t major, minor;
	uint32_t header_size; /* bytes */
	uint64_t file_id;
	uint32_t incompat_flags, compat_flags;
};

struct xtr_trailer {
	uint64_t index_offset; /* bytes from the section's start */
	uint32_t index_len;    /* bytes of that chunk's stored payload */
	uint32_t chunk_count;
	uint64_t file_id;
};

void xtr_file_header_encode(uint8_t out[XTR_FILE_HEADER_SIZE], const struct xtr_file_header *h);
/* False unless a file header stands there: magic and CRC are right. */
bool xtr_file_header_parse(const uint8_t in[XTR_FILE_HEADER_SIZE], struct xtr_file_header *h);
/* True if header_size is within its limits and file_id is not 0. */
bool xtr_file_header_is_sane(const struct xtr_file_header *h);

void xtr_chunk_encode(uint8_t out[XTR_CHUNK_HEADER_SIZE], const struct xtr_chunk *c);
/*
 * Parse a chunk header and check all that spec 4 wants of a valid one, except that file_id is
 * right. Sets everything but c->offset.
 */
bool xtr_chunk_parse(const uint8_t in[XTR_CHUNK_HEADER_SIZE], struct xtr_chunk *c);
/* Incompatible flags that this xtr knows (spec 3). */
#define XTR_FEATURES_KNOWN \
	(XTR_INCOMPAT_COLUMNS | XTR_INCOMPAT_WORDS | (XTR_ZSTD_KNOWN ? XTR_INCOMPAT_ZSTD : 0))
/* Those that a section needs which holds the chunk as it is stored. */
uint32_t xtr_chunk_features(const struct xtr_chunk *c);
/* Bytes from the chunk's start to the next one's. */
uint64_t xtr_chunk_span(const struct xtr_chunk *c);

void xtr_trailer_encode(uint8_t out[XTR_TRAILER_SIZE], const struct xtr_trailer *t);
/* False unless magic and CRC are right. */
bool xtr_trailer_parse(const uint8_t in[XTR_TRAILER_SIZE], struct xtr_trailer *t);

#endif /* XTR_CHUNK_H */
