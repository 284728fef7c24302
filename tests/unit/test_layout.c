/* SPDX-License-Identifier: BSD-2-Clause */
/* How records are divided into fields where the event's own fields do not serve. */
#include "format/codec/layout.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#define MANY (XTR_LAYOUT_FIELDS_MAX + 1u)

/* A field; offset in the record, bytes. */
#define FIELD(n, o, s, r)                                            \
	{                                                            \
		.name = (n), .offset = (o), .size = (s), .repr = (r) \
	}

/* The widths add up to the record. */
static void check_covers(const struct xtr_layout *l)
{
	uint32_t end = XTR_RECORD_HEADER_SIZE;

	for (uint32_t i = 0; i < l->n; i++) {
		end += l->fields[i].width & (XTR_LAYOUT_BYTES_FLAG - 1u);
		cr_assert(eq(u32, l->fields[i].end, end));
	}
	cr_assert(eq(u32, end, l->size));
}

/* More fields than a layout has: words do, where bytes or integers would be too many. */
Test(layout, too_many_fields_become_words)
{
	static struct xtr_field f[MANY];
	struct xtr_event_desc ev = { .name = "many", .fields = f, .n_fields = MANY };
	struct xtr_layout l;

	for (uint32_t i = 0; i < MANY; i++)
		f[i] = (struct xtr_field)FIELD("f", XTR_RECORD_HEADER_SIZE + i, 1, XTR_REPR_U8);
	cr_assert(xtr_layout_make(&l, &ev, 70, XTR_RECORD_HEADER_SIZE + 128));
	cr_assert(eq(u32, l.n, 128 / 8));
	check_covers(&l);
	for (uint32_t i = 0; i < MANY; i++)
		f[i].repr = XTR_REPR_STR;
	cr_assert(xtr_layout_make(&l, &ev, 70, XTR_RECORD_HEADER_SIZE + 128));
	cr_assert(eq(u32, l.n, 128 / 8));
	cr_assert(not(l.has_bytes));
	check_covers(&l);
}

/* A byte between two fields of bytes: as many gaps as fields, too many with them. */
Test(layout, too_many_gaps_become_words)
{
	static struct xtr_field f[MANY / 2 + 1];
	struct xtr_event_desc ev = { .name = "gaps", .fields = f, .n_fields = MANY / 2 + 1 };
	struct xtr_layout l;

	for (uint32_t i = 0; i < MANY / 2 + 1; i++)
		f[i] = (struct xtr_field)FIELD("f", XTR_RECORD_HEADER_SIZE + 1 + 2 * i, 1,
					       XTR_REPR_U8);
	cr_assert(xtr_layout_make(&l, &ev, 70, XTR_RECORD_HEADER_SIZE + 128));
	cr_assert(eq(u32, l.n, 128 / 8));
	check_covers(&l);
}

/* Six words of bytes are six integers, text is not, and neither is what does not begin with a word.
 */
Test(layout, arrays_of_words_are_integers)
{
	const struct xtr_field f[] = {
		FIELD("args", 16, 48, XTR_REPR_BYTES),
		FIELD("comm", 64, 16, XTR_REPR_STR),
		FIELD("uneven", 80, 12, XTR_REPR_BYTES),
		FIELD("late", 92, 8, XTR_REPR_BYTES),
	};
	const struct xtr_event_desc ev = { .name = "words", .fields = f, .n_fields = 4 };
	const uint8_t widths[] = { 8, 8, 8, 8, 8, 8, 0x80 + 16, 0x80 + 12, 0x80 + 8, 4 };
	struct xtr_layout l;

	cr_assert(xtr_layout_make(&l, &ev, 70, 104));
	cr_assert(eq(u32, l.n, sizeof(widths)));
	for (uint32_t i = 0; i < l.n; i++)
		cr_assert(eq(u8, l.fields[i].width, widths[i]));
	check_covers(&l);
}

/* Too large for words, too: then it is bytes. */
Test(layout, large_records_become_bytes)
{
	struct xtr_layout l;

	cr_assert(xtr_layout_make(&l, NULL, 70, XTR_RECORD_HEADER_SIZE + 8 * MANY));
	cr_assert(l.has_bytes);
	check_covers(&l);
}

/* Of fields that begin together the longest is one, the others lie in it. */
Test(layout, the_longest_of_several_fields_counts)
{
	const struct xtr_field f[] = {
		FIELD("low", 16, 2, XTR_REPR_U16),   FIELD("whole", 16, 8, XTR_REPR_U64),
		FIELD("short", 16, 4, XTR_REPR_U32), FIELD("empty", 24, 0, XTR_REPR_BYTES),
		FIELD("last", 28, 4, XTR_REPR_U32),
	};
	struct xtr_event_desc ev = { .name = "union", .fields = f, .n_fields = 5 };
	struct xtr_layout l;

	cr_assert(xtr_layout_make(&l, &ev, 70, 32));
	cr_assert(eq(u32, l.n, 3));
	cr_assert(eq(u8, l.fields[0].width, 8));
	cr_assert(eq(u8, l.fields[1].width, 4));
	cr_assert(eq(u8, l.fields[2].width, 4));
	check_covers(&l);
}
