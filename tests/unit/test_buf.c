/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "format/meta/cbor.h"
#include "base/map.h"
#include "oom.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

Test(buf, sizes_that_overflow_are_refused)
{
	size_t cap = 0;
	uint64_t *p = NULL;

	cr_assert(eq(int, xtr_grow_array(&p, &cap, SIZE_MAX, sizeof(*p)), -ENOMEM));
	cr_assert(eq(int, xtr_grow_array(&p, &cap, SIZE_MAX / 4, sizeof(*p)), -ENOMEM));
	cr_assert(eq(sz, cap, 0));
	cr_assert(eq(ptr, p, NULL));
	cr_assert(eq(int, xtr_grow_array(&p, &cap, 17, sizeof(*p)), 0));
	cr_assert(ge(sz, cap, 17));
	free(p);
}

Test(buf, the_first_failure_stays)
{
	struct xtr_buf b = { 0 };

	xtr_buf_add(&b, "abc", 3);
	cr_assert(eq(ptr, xtr_buf_room(&b, SIZE_MAX), NULL));
	cr_assert(eq(int, b.err, -ENOMEM));
	xtr_buf_add(&b, "def", 3);
	xtr_enc_text(&b, "\xff");
	xtr_enc_text(&b, NULL);
	xtr_enc_bool(&b, true);
	cr_assert(eq(sz, b.n, 3));
	xtr_buf_free(&b);
	cr_assert(zero(int, b.err));
}

/* Without arithmetic on a pointer that is none: clang's sanitizer would tell. */
Test(buf, nothing_fits_into_an_empty_one)
{
	struct xtr_buf b = { 0 };

	xtr_buf_add(&b, "", 0);
	cr_assert(eq(ptr, b.p, NULL));
	cr_assert(eq(sz, b.n, 0));
	cr_assert(zero(int, b.err));
}

/* Each of the two places where the bytes of a text with something else than UTF-8 may have no room.
 */
Test(buf, a_text_that_has_no_room_is_not_begun_again)
{
	char text[40];
	unsigned int failed;

	memset(text, 0xff, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	for (unsigned int n = 1; n <= 2; n++) {
		struct xtr_buf b = { 0 };

		oom_at(n, false);
		xtr_enc_text(&b, text);
		failed = oom_end();
		cr_assert(eq(u32, failed, 1));
		cr_assert(eq(int, b.err, -ENOMEM));
		xtr_buf_free(&b);
	}
}

Test(buf, texts_end_at_the_first_nul)
{
	char *s = xtr_copy_text("ab\0cd", 5);

	cr_assert(eq(str, s, "ab"));
	free(s);
	s = xtr_copy_text("abc", 2);
	cr_assert(eq(str, s, "ab"));
	free(s);
	s = xtr_copy_text(NULL, 0);
	cr_assert(eq(str, s, ""));
	free(s);
	oom_at(1, false);
	cr_assert(eq(ptr, xtr_copy_text("abc", 3), NULL));
	cr_assert(eq(u32, oom_end(), 1));
}

Test(buf, a_map_that_cannot_grow_keeps_what_it_has)
{
	struct xtr_map_slot slot = { 0 };
	struct xtr_map m = { 0 };
	uint64_t i = 0;

	while (i < 12 && !xtr_map_put(&m, i, 0, i))
		i++;
	oom_at(1, true);
	while (!xtr_map_put(&m, i, 0, i))
		i++;
	cr_assert(eq(u32, oom_end(), 1));
	for (uint64_t k = 0; k < i; k++)
		cr_assert(eq(u64, *xtr_map_get(&m, k, 0), k));
	cr_assert(eq(ptr, xtr_map_get(&m, i, 0), NULL));
	xtr_map_free(&m);
	m = (struct xtr_map){ .slot = &slot, .mask = SIZE_MAX / 2, .n = SIZE_MAX / 4 + 1 };
	/* Its slots cannot be doubled. */
	cr_assert(eq(int, xtr_map_put(&m, 1, 0, 1), -ENOMEM));
}
