/* SPDX-License-Identifier: BSD-2-Clause */
#include "scrub.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
	char *text;
	size_t n;
	char by[48];
	size_t next; /* with the same first byte, + 1; 0: none */
};

struct xtr_scrub {
	struct name *v;
	size_t n, cap;
	size_t first[256]; /* by first byte, + 1 */
};

struct xtr_scrub *xtr_scrub_new(void)
{
	return calloc(1, sizeof(struct xtr_scrub));
}

void xtr_scrub_free(struct xtr_scrub *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].text);
	free(s->v);
	free(s);
}

int xtr_scrub_add(struct xtr_scrub *s, const char *name, size_t n, const char *label,
		  uint32_t number)
{
	struct name *one;

	if (n < XTR_SCRUB_SHORTEST)
		return 0;
	if (xtr_grow_array(&s->v, &s->cap, s->n + 1, sizeof(*s->v)))
		return -ENOMEM;
	one = &s->v[s->n];
	one->text = malloc(n);
	if (!one->text)
		return -ENOMEM;
	memcpy(one->text, name, n);
	one->n = n;
	snprintf(one->by, sizeof(one->by), "%.32s#%" PRIu32, label, number);
	one->next = s->first[(uint8_t)name[0]];
	s->first[(uint8_t)name[0]] = ++s->n;
	return 0;
}

static bool in_word(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c >= 0x80;
}

/* --- by how it looks -------------------------------------------------------------------------- */

/* h: a digit of 16; anything else is itself. */
static const struct shape {
	const char *is, *by;
} shapes[] = {
	{ "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh", "uuid" },
	{ "hh:hh:hh:hh:hh:hh", "mac" },
};

static bool hex(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool has_shape(const char *shape, const uint8_t *p, size_t n)
{
	if (strlen(shape) > n)
		return false;
	for (; *shape; shape++, p++)
		if (*shape == 'h' ? !hex(*p) : *p != (uint8_t)*shape)
			return false;
	return true;
}

/* --- the text --------------------------------------------------------------------------------- */

static bool ends(const uint8_t *p, size_t len, size_t n)
{
	return len == n || !in_word(p[len]) || !in_word(p[len - 1]);
}

/* How many bytes of p are to be replaced, and by what; 0: none. */
static size_t match(const struct xtr_scrub *s, const uint8_t *p, size_t n, const char **by)
{
	size_t best = 0;

	for (size_t i = s->first[*p]; i; i = s->v[i - 1].next) {
		const struct name *one = &s->v[i - 1];

		if (one->n < best || one->n > n || memcmp(one->text, p, one->n) != 0 ||
		    !ends(p, one->n, n))
			continue;
		best = one->n; /* the list begins with the last one: of equals the first stays */
		*by = one->by;
	}
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		size_t len = strlen(shapes[i].is);

		if (len > best && has_shape(shapes[i].is, p, n) && ends(p, len, n)) {
			best = len;
			*by = shapes[i].by;
		}
	}
	return best;
}

/* Whose home it is, where nobody told the name: of a machine that is elsewhere by now. */
static size_t match_home(const uint8_t *text, size_t at, size_t n, const char **by)
{
	static const char home[] = "/home/", end[] = "/ \t\n\"'`()<>[]{},:;=";
	size_t len = 0;

	if (at < sizeof(home) - 1 ||
	    memcmp(text + at - (sizeof(home) - 1), home, sizeof(home) - 1) != 0)
		return 0;
	while (at + len < n && text[at + len] && !strchr(end, text[at + len]))
		len++;
	*by = "user";
	return len;
}

void xtr_scrub_text(const struct xtr_scrub *s, const uint8_t *text, size_t n, struct xtr_buf *out)
{
	size_t from = 0, at = 0, len;
	const char *by = "";

	while (at < n) {
		bool inside = at && in_word(text[at - 1]) && in_word(text[at]);

		len = inside ? 0 : match(s, text + at, n - at, &by) ?: match_home(text, at, n, &by);
		if (!len) {
			at++;
			continue;
		}
		xtr_buf_add(out, text + from, at - from);
		xtr_buf_add(out, by, strlen(by));
		at += len;
		from = at;
	}
	xtr_buf_add(out, text + from, n - from);
}
