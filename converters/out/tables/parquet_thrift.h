/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thrift's compact protocol, written into a buffer: what Parquet describes itself in
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). Failures
 * stick in the buffer. Field numbers of a structure must increase.
 */
#ifndef XTR_THRIFT_H
#define XTR_THRIFT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define XTR_THRIFT_DEPTH 12u

enum xtr_thrift_type {
	XTR_THRIFT_I32 = 5,
	XTR_THRIFT_BINARY = 8,
	XTR_THRIFT_STRUCT = 12,
};

struct xtr_thrift {
	struct xtr_buf *b;
	int16_t last[XTR_THRIFT_DEPTH]; /* the number of the field before, by nesting */
	unsigned int depth;
};

/* Begin with the outermost structure; it ends with xtr_thrift_end. */
void xtr_thrift_begin(struct xtr_thrift *t, struct xtr_buf *b);
void xtr_thrift_i16(struct xtr_thrift *t, int field, int16_t v);
void xtr_thrift_i32(struct xtr_thrift *t, int field, int32_t v);
void xtr_thrift_i64(struct xtr_thrift *t, int field, int64_t v);
void xtr_thrift_i8(struct xtr_thrift *t, int field, int8_t v);
void xtr_thrift_bool(struct xtr_thrift *t, int field, bool v);
void xtr_thrift_binary(struct xtr_thrift *t, int field, const void *p, size_t n);
void xtr_thrift_text(struct xtr_thrift *t, int field, const char *s);
/* A structure as a field, up to xtr_thrift_end. */
void xtr_thrift_struct(struct xtr_thrift *t, int field);
void xtr_thrift_end(struct xtr_thrift *t);
/* A list as a field, whose n elements follow, each by one of the calls below. */
void xtr_thrift_list(struct xtr_thrift *t, int field, enum xtr_thrift_type of, size_t n);
void xtr_thrift_item_i32(struct xtr_thrift *t, int32_t v);
void xtr_thrift_item_text(struct xtr_thrift *t, const char *s);
void xtr_thrift_item_struct(struct xtr_thrift *t); /* up to xtr_thrift_end */

#endif /* XTR_THRIFT_H */
