/* SPDX-License-Identifier: BSD-2-Clause */
/* Files put together by hand, of structures with right checksums, to say what no writer says. */
#ifndef TEST_RAWFILE_H
#define TEST_RAWFILE_H

#include "base/buf.h"
#include "format/read/chunk.h"

#define RAW_ID 77u /* a file_id */

void raw_header(struct xtr_buf *b, uint64_t id);
void raw_zeros(struct xtr_buf *b, size_t n);
/* A chunk of stream 1 with a payload that is stored as it is, and padding. */
void raw_chunk(struct xtr_buf *b, uint64_t id, uint32_t seq, uint8_t type, const void *p, size_t n);
/* One with the header c, of which lengths and the CRC of the payload are set here. */
void raw_put(struct xtr_buf *b, struct xtr_chunk c, const void *p, size_t n);
void raw_trailer(struct xtr_buf *b, uint64_t id);

#endif /* TEST_RAWFILE_H */
