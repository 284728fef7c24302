/* SPDX-License-Identifier: BSD-2-Clause */
/* What a line writes is what printf and xtr_text_put write, however it falls on the memory. */
#include "base/line.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdlib.h>

struct both {
	struct xtr_line line;
	FILE *want;
	char *p[2];
	size_t n[2];
};

static void begin(struct both *b)
{
	xtr_line_begin(&b->line, open_memstream(&b->p[0], &b->n[0]));
	b->want = open_memstream(&b->p[1], &b->n[1]);
	cr_assert(b->line.f && b->want);
}

static void compare(struct both *b)
{
	xtr_line_flush(&b->line);
	fclose(b->line.f);
	fclose(b->want);
	cr_assert(eq(sz, b->n[0], b->n[1]));
	cr_assert(zero(int, memcmp(b->p[0], b->p[1], b->n[0])));
	free(b->p[0]);
	free(b->p[1]);
}

Test(line, numbers)
{
	static const uint64_t some[] = {
		0,
		1,
		9,
		10,
		99,
		100,
		101,
		999,
		1000,
		9999999,
		INT64_MAX,
		(uint64_t)INT64_MAX + 1,
		UINT64_MAX - 1,
		UINT64_MAX,
		1ull << 32,
		1000000000,
		99999999999u,
	};
	struct both b;

	begin(&b);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		uint64_t v = some[i];

		xtr_line_u64(&b.line, v, 1);
		xtr_line_u64(&b.line, v, 3);
		xtr_line_u64(&b.line, v, 9);
		xtr_line_left(&b.line, v, 7);
		xtr_line_s64(&b.line, (int64_t)v);
		xtr_line_hex(&b.line, v);
		fprintf(b.want,
			"%" PRIu64 "%03" PRIu64 "%09" PRIu64 "%-7" PRIu64 "%" PRId64 "0x%" PRIx64,
			v, v, v, v, (int64_t)v, v);
	}
	for (uint64_t v = 0; v < 20000; v++) {
		xtr_line_u64(&b.line, v, 1);
		xtr_line_char(&b.line, ' ');
		fprintf(b.want, "%" PRIu64 " ", v);
	}
	compare(&b);
}

/* Pieces of 0 to three times the memory, plain and not. */
Test(line, pieces)
{
	static char text[3 * XTR_LINE_BYTES];
	struct both b;

	srand(5);
	begin(&b);
	for (unsigned int round = 0; round < 3000; round++) {
		size_t n = (size_t)rand() % (rand() % 20 ? 64 : sizeof(text)), i;

		for (i = 0; i < n; i++)
			text[i] = (char)(rand() % 30 ? ' ' + rand() % 95 : rand() % 256);
		xtr_line_text(&b.line, text, n);
		xtr_text_put(b.want, text, n);
		xtr_line_put(&b.line, text, n);
		fwrite(text, 1, n, b.want);
		xtr_line_bytes(&b.line, (const uint8_t *)text, n % 40);
		for (i = 0; i < n % 40; i++)
			fprintf(b.want, "%02x", (unsigned char)text[i]);
		xtr_line_fill(&b.line, '.', n % 40);
		fprintf(b.want, "%.*s", (int)(n % 40), "........................................");
		xtr_line_str(&b.line, "end\n");
		fputs("end\n", b.want);
	}
	compare(&b);
}

/* Each byte at each place of a text is found, and only what is to be found. */
Test(line, plain_text)
{
	char text[40];

	for (unsigned int c = 0; c < 256; c++)
		for (size_t at = 0; at < sizeof(text); at++) {
			bool plain = c >= 0x20 && c < 0x7f && c != '\\' && c != '"';

			memset(text, 'a', sizeof(text));
			text[at] = (char)c;
			cr_assert(eq(sz, xtr_utf8_plain(text, sizeof(text), '"'),
				     plain ? sizeof(text) : at));
			cr_assert(eq(sz, xtr_utf8_plain(text, at, '"'), at));
		}
}
