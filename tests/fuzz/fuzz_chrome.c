/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file, exported as Chrome trace JSON, brief and with everything: what comes out is
 * one JSON value (RFC 8259) in UTF-8, and no time is negative.
 */
#include "fuzz.h"

#include "converters/out/core/export.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define DEPTH 40u

struct json {
	const char *p, *end;
	unsigned int depth;
};

static char next(struct json *j)
{
	FUZZ_CHECK(j->p < j->end);
	return *j->p;
}

static void expect(struct json *j, char c)
{
	FUZZ_CHECK(next(j) == c);
	j->p++;
}

static void space(struct json *j)
{
	while (j->p < j->end && (*j->p == ' ' || *j->p == '\n'))
		j->p++;
}

static void string(struct json *j)
{
	expect(j, '"');
	while (next(j) != '"') {
		size_t len = xtr_utf8_len(j->p, (size_t)(j->end - j->p));

		FUZZ_CHECK(len && (unsigned char)*j->p >= 0x20);
		if (*j->p == '\\') {
			j->p++;
			FUZZ_CHECK(strchr("\"\\/bfnrtu", next(j)) && *j->p);
			for (unsigned int i = 0; *j->p == 'u' && i < 4; i++)
				FUZZ_CHECK(j->end - j->p > 5 &&
					   isxdigit((unsigned char)j->p[i + 1]));
		}
		j->p += len;
	}
	j->p++;
}

static void number(struct json *j)
{
	const char *first = j->p;

	if (*j->p == '-')
		j->p++;
	FUZZ_CHECK(isdigit((unsigned char)next(j)) && (*j->p != '0' || !isdigit(j->p[1])));
	while (isdigit((unsigned char)next(j)))
		j->p++;
	if (*j->p != '.')
		return;
	/* A time: microseconds with three decimals, never negative. */
	FUZZ_CHECK(*first != '-' && j->end - j->p > 4 && !isdigit((unsigned char)j->p[4]));
	for (j->p++; isdigit((unsigned char)next(j)); j->p++)
		;
}

static void value(struct json *j);

static void items(struct json *j, char close, bool keys)
{
	FUZZ_CHECK(++j->depth < DEPTH);
	j->p++;
	for (space(j); next(j) != close; space(j)) {
		if (keys) {
			string(j);
			space(j);
			expect(j, ':');
		}
		value(j);
		space(j);
		if (next(j) == close)
			break;
		expect(j, ',');
		space(j);
		FUZZ_CHECK(next(j) != close);
	}
	j->p++;
	j->depth--;
}

static bool word(struct json *j, const char *w)
{
	size_t n = strlen(w);

	if ((size_t)(j->end - j->p) < n || memcmp(j->p, w, n))
		return false;
	j->p += n;
	return true;
}

static void value(struct json *j)
{
	space(j);
	switch (next(j)) {
	case '{':
		items(j, '}', true);
		break;
	case '[':
		items(j, ']', false);
		break;
	case '"':
		string(j);
		break;
	default:
		if (!word(j, "true") && !word(j, "false") && !word(j, "null"))
			number(j);
	}
}

static void export(const struct xtr_reader *r, bool jobs_only)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct xtr_export e = {
		.sz = sizeof(e),
		.exporter = xtr_exporter_by_name("chrome"),
		.opts = { .sz = sizeof(e.opts), .out = f, .jobs_only = jobs_only },
		.reader = r,
	};
	struct json j;
	int ret;

	FUZZ_CHECK(f);
	ret = xtr_export(&e);
	FUZZ_CHECK(!fclose(f));
	j = (struct json){ .p = text, .end = text + n };
	if (!ret) {
		value(&j);
		space(&j);
		FUZZ_CHECK(j.p == j.end);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;
	struct xtr_err err;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, &err))
		return 0;
	export(r, true);
	export(r, false);
	xtr_reader_close(r);
	return 0;
}
