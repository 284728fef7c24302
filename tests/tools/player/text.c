/* SPDX-License-Identifier: BSD-2-Clause */
/* Words, numbers and times of a scenario's lines; errors and memory. */
#include "play.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void play_fail(const struct play_place *at, const char *fmt, ...)
{
	va_list ap;

	if (at)
		fprintf(stderr, "%s:%u: ", at->path, at->line);
	else
		fputs("play: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* Everything hangs on this list: nothing is freed, and nothing is lost. */
static struct block {
	struct block *next;
	max_align_t data[];
} * blocks;

void *play_alloc(size_t n)
{
	struct block *b = calloc(1, sizeof(*b) + n);

	if (!b)
		play_fail(NULL, "out of memory");
	b->next = blocks;
	blocks = b;
	return b->data;
}

char *play_copy(const char *text, size_t n)
{
	return memcpy(play_alloc(n + 1), text, n);
}

void *play_grow(void *p, size_t n, size_t size)
{
	void *more;

	if (n & (n - 1)) /* there is room up to the next power of two */
		return p;
	more = play_alloc((n ? 2 * n : 1) * size);
	if (n)
		memcpy(more, p, n * size);
	return more;
}

/* The end of a word that begins at p; the first = outside of quotes is noted. */
static const char *word_end(const struct play_place *at, const char *p, const char **equals)
{
	bool quoted = false;

	for (*equals = NULL; *p && (quoted || !isspace((unsigned char)*p)); p++) {
		if (quoted && *p == '\\' && p[1])
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (*p == '=' && !quoted && !*equals)
			*equals = p;
	}
	if (quoted)
		play_fail(at, "a quotation mark is missing");
	return p;
}

static char *unquoted(const char *p, const char *end)
{
	char *out = play_alloc((size_t)(end - p) + 1), *to = out;

	for (; p < end; p++) {
		if (*p == '"')
			continue;
		if (*p == '\\' && p + 1 < end)
			p++;
		*to++ = *p;
	}
	return out;
}

size_t play_words(const struct play_place *at, const char *line, struct play_word **out)
{
	const char *equals, *end;
	size_t n = 0;

	for (*out = NULL;; line = end) {
		struct play_word *w;

		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '#')
			return n;
		end = word_end(at, line, &equals);
		*out = play_grow(*out, n, sizeof(**out));
		w = &(*out)[n++];
		*w = (struct play_word){ .text = unquoted(line, equals ? equals : end) };
		if (equals) {
			w->value = unquoted(equals + 1, end);
			w->quoted = equals[1] == '"';
		}
	}
}

uint64_t play_number(const struct play_place *at, const char *text, uint64_t max)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno || v > max)
		play_fail(at, "\"%s\" is no number up to %llu", text, (unsigned long long)max);
	return v;
}

uint64_t play_time(const struct play_place *at, const char *text)
{
	uint64_t us, ns = 0;
	char *end;
	int digits = 0;

	us = strtoull(text, &end, 10);
	if (*end == '.') {
		for (end++; isdigit((unsigned char)*end) && digits < 3; end++, digits++)
			ns = ns * 10 + (uint64_t)(*end - '0');
	}
	if (!isdigit((unsigned char)*text) || *end || us > UINT32_MAX * 1000ull)
		play_fail(at, "\"%s\" is no time in microseconds, up to three decimals", text);
	for (; digits < 3; digits++)
		ns *= 10;
	return us * 1000 + ns;
}
