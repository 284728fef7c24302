/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as what a driver left of a hang: the first byte chooses the kernel's log (even) or a
 * dump, and how long the pieces are. In pieces and whole they tell the same, and the lines that are
 * made of it can be shown.
 */
#include "fuzz.h"

#include "analysis/hang/hang_head.h"
#include "analysis/hang/hang_key.h"
#include "dumps/dump.h"

#include <string.h>

/* False: no memory. */
static bool read_all(struct xtr_dumps *d, bool log, const uint8_t *data, size_t size, size_t piece)
{
	struct xtr_dump_reader *r = xtr_dump_begin(d, "file", log);
	int err = r ? 0 : -1, ret;

	for (size_t at = 0; at < size && !err; at += piece)
		err = xtr_dump_feed(r, data + at, piece < size - at ? piece : size - at);
	ret = r ? xtr_dump_end(r) : 0;
	return !err && !ret;
}

static void check_fact(const struct xtr_dump_fact *f, unsigned int id)
{
	FUZZ_CHECK(!f->known || !f->unsure);
	FUZZ_CHECK(memchr(f->text, 0, sizeof(f->text)));
	for (const char *s = f->text; *s; s++)
		FUZZ_CHECK(*s >= ' ' && *s <= '~');
	FUZZ_CHECK(!f->known || xtr_dump_fact_kind(id) != XTR_DUMP_TEXT || f->text[0]);
}

static void check(const struct xtr_dump *d, const struct xtr_dump *other)
{
	for (unsigned int i = 0; i < XTR_DUMP_FACT_COUNT; i++) {
		const struct xtr_dump_fact *a = &d->fact[i], *b = &other->fact[i];

		check_fact(a, i);
		FUZZ_CHECK(a->known == b->known && a->value == b->value && a->where == b->where &&
			   !strcmp(a->text, b->text));
		FUZZ_CHECK(d->kind || !a->known);
	}
	FUZZ_CHECK(d->kind == other->kind && d->failure == other->failure &&
		   d->bytes == other->bytes);
}

/* What is said of it where no trace is; it is the same hang as itself, or too little is known. */
static void check_head(const struct xtr_dumps *d)
{
	struct xtr_hang_head head;
	struct xtr_hang_compared c;

	FUZZ_CHECK(xtr_hang_head_of(&head, NULL, d) == (head.n > 0) && head.n <= HANG_LINES_MAX);
	for (unsigned int i = 0; i < head.n; i++) {
		FUZZ_CHECK(memchr(head.line[i].text, 0, sizeof(head.line[i].text)));
		for (const char *s = head.line[i].text; *s; s++)
			FUZZ_CHECK(*s >= ' ' && *s <= '~');
	}
	xtr_hang_compare(&head.key, &head.key, &c);
	FUZZ_CHECK(c.verdict != XTR_HANG_DIFFERENT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_dumps whole = { 0 }, pieces = { 0 };
	bool log = size && !(data[0] & 1);

	if (size && read_all(&whole, log, data + 1, size - 1, size) &&
	    read_all(&pieces, log, data + 1, size - 1, 1 + data[0] / 2)) {
		FUZZ_CHECK(whole.n == pieces.n && whole.more == pieces.more);
		FUZZ_CHECK(whole.n <= XTR_DUMP_REPORTS_MAX && (log || whole.n == 1));
		for (size_t i = 0; i < whole.n; i++)
			check(&whole.v[i], &pieces.v[i]);
		check_head(&whole);
	}
	xtr_dumps_free(&whole);
	xtr_dumps_free(&pieces);
	return 0;
}
