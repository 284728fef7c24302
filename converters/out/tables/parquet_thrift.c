/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet_thrift.h"
#include "parquet_encode.h"

#include <string.h>

enum {
	TRUE = 1,
	FALSE = 2,
	I8 = 3,
	I16 = 4,
	I64 = 6,
	LIST = 9
};

#define LIST_SHORT 15u

static void put_byte(struct xtr_thrift *t, unsigned int v)
{
	xtr_buf_add(t->b, &(uint8_t){ (uint8_t)v }, 1);
}

static void put_zigzag(struct xtr_thrift *t, int64_t v)
{
	xtr_parquet_varint(t->b, xtr_zigzag(v));
}

static void put_text(struct xtr_thrift *t, const void *p, size_t n)
{
	xtr_parquet_varint(t->b, n);
	xtr_buf_add(t->b, p, n);
}

/* Numbers that are a little higher than the one before stand in the type's byte. */
static void put_field(struct xtr_thrift *t, int field, unsigned int type)
{
	int16_t *last = &t->last[t->depth];
	int delta = field - *last;

	if (delta > 0 && delta < 16) {
		put_byte(t, (unsigned int)delta << 4 | type);
	} else {
		put_byte(t, type);
		put_zigzag(t, field);
	}
	*last = (int16_t)field;
}

void xtr_thrift_begin(struct xtr_thrift *t, struct xtr_buf *b)
{
	*t = (struct xtr_thrift){ .b = b };
}

void xtr_thrift_i8(struct xtr_thrift *t, int field, int8_t v)
{
	put_field(t, field, I8);
	put_byte(t, (uint8_t)v);
}

void xtr_thrift_i16(struct xtr_thrift *t, int field, int16_t v)
{
	put_field(t, field, I16);
	put_zigzag(t, v);
}

void xtr_thrift_i32(struct xtr_thrift *t, int field, int32_t v)
{
	put_field(t, field, XTR_THRIFT_I32);
	put_zigzag(t, v);
}

void xtr_thrift_i64(struct xtr_thrift *t, int field, int64_t v)
{
	put_field(t, field, I64);
	put_zigzag(t, v);
}

void xtr_thrift_bool(struct xtr_thrift *t, int field, bool v)
{
	put_field(t, field, v ? TRUE : FALSE);
}

void xtr_thrift_binary(struct xtr_thrift *t, int field, const void *p, size_t n)
{
	put_field(t, field, XTR_THRIFT_BINARY);
	put_text(t, p, n);
}

void xtr_thrift_text(struct xtr_thrift *t, int field, const char *s)
{
	xtr_thrift_binary(t, field, s, strlen(s));
}

void xtr_thrift_struct(struct xtr_thrift *t, int field)
{
	put_field(t, field, XTR_THRIFT_STRUCT);
	xtr_thrift_item_struct(t);
}

void xtr_thrift_end(struct xtr_thrift *t)
{
	put_byte(t, 0);
	t->depth -= t->depth != 0;
}

void xtr_thrift_list(struct xtr_thrift *t, int field, enum xtr_thrift_type of, size_t n)
{
	put_field(t, field, LIST);
	put_byte(t, (unsigned int)(n < LIST_SHORT ? n : LIST_SHORT) << 4 | of);
	if (n >= LIST_SHORT)
		xtr_parquet_varint(t->b, n);
}

void xtr_thrift_item_i32(struct xtr_thrift *t, int32_t v)
{
	put_zigzag(t, v);
}

void xtr_thrift_item_text(struct xtr_thrift *t, const char *s)
{
	put_text(t, s, strlen(s));
}

void xtr_thrift_item_struct(struct xtr_thrift *t)
{
	t->last[++t->depth] = 0;
}
