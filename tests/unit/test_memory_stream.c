/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

Test(memory_stream, text_of_any_length)
{
	struct xtr_buf b;
	FILE *f = xtr_memory_stream(&b);
	char *text;

	for (int i = 0; i < 100000; i++)
		fputc('a' + i % 26, f);
	text = xtr_memory_text(f, &b);
	cr_assert(ne(ptr, text, NULL));
	cr_expect(eq(sz, strlen(text), 100000));
	cr_expect(eq(chr, text[99999], 'a' + 99999 % 26));
	cr_expect(eq(sz, b.n, 0));
	free(text);
}

Test(memory_stream, used_again)
{
	struct xtr_buf b;
	FILE *f = xtr_memory_stream(&b);

	fputs("first", f);
	cr_expect(eq(int, xtr_memory_flush(f, &b), 0));
	cr_expect(eq(int, memcmp(b.p, "first", 5), 0));
	b.n = 0;
	fputs("2", f);
	cr_expect(eq(int, xtr_memory_flush(f, &b), 0));
	cr_expect(eq(sz, b.n, 1));
	cr_expect(eq(int, b.p[0], '2'));
	fclose(f);
	xtr_buf_free(&b);
}

/* Where memory ran out the text is not cut: there is none. */
Test(memory_stream, lack_of_memory_is_told)
{
	struct xtr_buf b;
	FILE *f = xtr_memory_stream(&b);

	fputs("cut here", f);
	b.err = -ENOMEM; /* as xtr_buf_add leaves it */
	cr_expect(eq(int, xtr_memory_flush(f, &b), -ENOMEM));
	cr_expect(eq(ptr, xtr_memory_text(f, &b), NULL));
}
