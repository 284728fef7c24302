/* SPDX-License-Identifier: BSD-2-Clause */
#include "pb.h"

#include "base/bytes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBER = 0,
	FIXED64 = 1,
	BYTES = 2
};

static uint64_t take(struct pb *m)
{
	const uint8_t *end = m->p + m->n;
	uint64_t v = 0;

	m->p = xtr_varint_get(m->p, end, &v);
	cr_assert(m->p, "no number");
	m->n = (size_t)(end - m->p);
	return v;
}

static struct pb take_bytes(struct pb *m, uint64_t n)
{
	struct pb bytes = { m->p, n };

	cr_assert_leq(n, m->n, "a field is cut off");
	m->p += n;
	m->n -= n;
	return bytes;
}

bool pb_next(struct pb *m, struct pb_field *f)
{
	uint64_t tag;

	if (!m->n)
		return false;
	tag = take(m);
	cr_assert_geq(tag >> 3, f->number, "fields are in the order of their numbers");
	*f = (struct pb_field){ .number = (uint32_t)(tag >> 3) };
	switch (tag & 7) {
	case NUMBER:
		f->v = take(m);
		break;
	case FIXED64:
		f->v = xtr_le64(take_bytes(m, 8).p);
		break;
	case BYTES:
		f->bytes = take_bytes(m, take(m));
		break;
	default:
		cr_assert_fail("type %u", (unsigned int)(tag & 7));
	}
	return true;
}

size_t pb_count(struct pb m, uint32_t number)
{
	struct pb_field f = { 0 };
	size_t n = 0;

	while (pb_next(&m, &f))
		n += f.number == number;
	return n;
}

struct pb_field pb_nth(struct pb m, uint32_t number, size_t i)
{
	struct pb_field f = { 0 };

	while (pb_next(&m, &f))
		if (f.number == number && !i--)
			return f;
	return (struct pb_field){ 0 };
}

char *pb_string(struct pb text)
{
	static char *kept[16];
	static size_t next;
	char **s = &kept[next++ % 16];

	if (!text.p)
		return NULL;
	free(*s);
	*s = malloc(text.n + 1);
	cr_assert(*s);
	memcpy(*s, text.p, text.n);
	(*s)[text.n] = '\0';
	return *s;
}
