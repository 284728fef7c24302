/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/keymap.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

Test(keymap, empty_answers_none)
{
	struct xtr_keymap m = { 0 };

	cr_assert(eq(u32, xtr_keymap_get(&m, 1, 2), XTR_KEYMAP_NONE));
	xtr_keymap_del(&m, 1, 2);
	xtr_keymap_free(&m);
}

Test(keymap, put_replaces)
{
	struct xtr_keymap m = { 0 };

	cr_assert(eq(int, xtr_keymap_put(&m, 1, 2, 3), 0));
	cr_assert(eq(int, xtr_keymap_put(&m, 1, 2, 4), 0));
	cr_assert(eq(sz, m.n, 1));
	cr_assert(eq(u32, xtr_keymap_get(&m, 1, 2), 4));
	cr_assert(eq(u32, xtr_keymap_get(&m, 2, 1), XTR_KEYMAP_NONE));
	xtr_keymap_free(&m);
}

/* Random puts and deletions against a plain array: 64 x 64 keys, so most operations hit one in use.
 */
Test(keymap, agrees_with_an_array)
{
	static uint32_t want[64][64];
	struct xtr_keymap m = { 0 };
	size_t n = 0;
	uint32_t i, a, b;

	srand(7);
	for (a = 0; a < 64; a++)
		for (b = 0; b < 64; b++)
			want[a][b] = XTR_KEYMAP_NONE;
	for (i = 0; i < 200000; i++) {
		a = (uint32_t)rand() % 64;
		b = (uint32_t)rand() % 64;
		if (rand() % 5 < 2) {
			n += want[a][b] == XTR_KEYMAP_NONE;
			want[a][b] = i;
			cr_assert(eq(int, xtr_keymap_put(&m, a, b, i), 0));
		} else {
			n -= want[a][b] != XTR_KEYMAP_NONE;
			want[a][b] = XTR_KEYMAP_NONE;
			xtr_keymap_del(&m, a, b);
		}
		a = (uint32_t)rand() % 64;
		cr_assert(eq(u32, xtr_keymap_get(&m, a, b), want[a][b]));
		cr_assert(eq(sz, m.n, n));
	}
	for (a = 0; a < 64; a++)
		for (b = 0; b < 64; b++)
			cr_assert(eq(u32, xtr_keymap_get(&m, a, b), want[a][b]));
	xtr_keymap_free(&m);
}
