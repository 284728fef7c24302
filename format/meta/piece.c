/* SPDX-License-Identifier: BSD-2-Clause */
#include "piece.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of a structure that META's config has, under this key. */
struct noted {
	const char *key;
	size_t at;
	bool late; /* earlier versions do not have it: 0 */
};

static const struct noted numbers[] = {
	{ "piece", offsetof(struct xtr_piece, number), false },
	{ "piece-began", offsetof(struct xtr_piece, began), false },
	{ "piece-events-before", offsetof(struct xtr_piece, events_before), false },
	{ "piece-lost-before", offsetof(struct xtr_piece, lost_before), false },
	{ "piece-from", offsetof(struct xtr_piece, from), true },
	{ "piece-to", offsetof(struct xtr_piece, to), true },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define OF_DIGITS    16 /* hexadecimal */

#define SUFFIX     ".xtr" /* behind the number, if it is there */
#define DIGITS_MAX 18     /* that a number may have */

static bool read_numbers(const struct noted *v, size_t n, void *of, const struct xtr_meta *m)
{
	for (size_t i = 0; i < n; i++)
		if (!xtr_meta_config_u64(m, v[i].key, (uint64_t *)(void *)((char *)of + v[i].at)) &&
		    !v[i].late)
			return false;
	return true;
}

static int write_numbers(const struct noted *v, size_t n, const void *of, struct xtr_meta *m)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = xtr_meta_set_config_u64(
			m, v[i].key, *(const uint64_t *)(const void *)((const char *)of + v[i].at));
	return err;
}

static bool parse_of(const char *s, uint64_t *of)
{
	if (!s || strlen(s) != OF_DIGITS || strspn(s, "0123456789abcdef") != OF_DIGITS)
		return false;
	*of = strtoull(s, NULL, 16);
	return true;
}

bool xtr_piece_read(struct xtr_piece *p, const struct xtr_meta *m)
{
	*p = (struct xtr_piece){ 0 };
	if (xtr_meta_config_str(m, "cut-of") ||
	    !parse_of(xtr_meta_config_str(m, "piece-of"), &p->of))
		return false;
	return read_numbers(numbers, COUNT(numbers), p, m) && p->number;
}

int xtr_piece_name(char *buf, size_t cap, const char *base, uint64_t number, const char *suffix)
{
	return snprintf(buf, cap, "%s.%0*" PRIu64 "%s", base, XTR_PIECE_DIGITS, number, suffix);
}

char *xtr_piece_path(const char *run, uint64_t number)
{
	size_t n = strlen(run), cut = strlen(SUFFIX), size = n + DIGITS_MAX + 4;
	bool has = n > cut && !strcmp(run + n - cut, SUFFIX) && run[n - cut - 1] != '/';
	char *base = strndup(run, has ? n - cut : n), *path = base ? malloc(size) : NULL;

	if (path)
		xtr_piece_name(path, size, base, number, has ? SUFFIX : "");
	free(base);
	return path;
}

/* Where the number begins in a path, and how many digits it has: 0, it is no piece's. */
static size_t number_in(const char *path, size_t *digits)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t end = strlen(name), cut = strlen(SUFFIX), at;

	if (end > cut && !strcmp(name + end - cut, SUFFIX))
		end -= cut;
	for (at = end; at && name[at - 1] >= '0' && name[at - 1] <= '9'; at--)
		;
	*digits = end - at;
	if (at < 2 || name[at - 1] != '.' || *digits < XTR_PIECE_DIGITS || *digits > DIGITS_MAX)
		*digits = 0;
	return (size_t)(name - path) + at;
}

char *xtr_piece_next_path(const char *path)
{
	size_t digits, at = number_in(path, &digits), cap = strlen(path) + 2;
	char *base = digits ? strndup(path, at - 1) : NULL, *next = base ? malloc(cap) : NULL;

	if (next)
		xtr_piece_name(next, cap, base, strtoull(path + at, NULL, 10) + 1,
			       path + at + digits);
	free(base);
	return next;
}

int xtr_piece_write(const struct xtr_piece *p, struct xtr_meta *m)
{
	char of[OF_DIGITS + 1];
	int err;

	snprintf(of, sizeof(of), "%016" PRIx64, p->of);
	err = xtr_meta_set_config_str(m, "piece-of", of);
	return err ? err : write_numbers(numbers, COUNT(numbers), p, m);
}

/* --- flight ----------------------------------------------------------------------------------- */

static const struct noted flight_numbers[] = {
	{ "flight-at", offsetof(struct xtr_flight_note, at), false },
	{ "flight-from", offsetof(struct xtr_flight_note, from), false },
	{ "flight-bytes", offsetof(struct xtr_flight_note, bytes), false },
	{ "flight-ns", offsetof(struct xtr_flight_note, ns), false },
	{ "flight-suppressed", offsetof(struct xtr_flight_note, suppressed), false },
	{ "flight-untracked", offsetof(struct xtr_flight_note, untracked), false },
	{ "flight-ctx", offsetof(struct xtr_flight_note, ctx), false },
	{ "flight-seqno", offsetof(struct xtr_flight_note, seqno), false },
	{ "flight-pid", offsetof(struct xtr_flight_note, pid), false },
	{ "flight-value", offsetof(struct xtr_flight_note, value), false },
};

bool xtr_flight_read(struct xtr_flight_note *n, const struct xtr_meta *m)
{
	*n = (struct xtr_flight_note){ .why = xtr_meta_config_str(m, "flight"),
				       .event = xtr_meta_config_str(m, "flight-event") };
	if (!n->why || !n->event || xtr_meta_config_str(m, "cut-of"))
		return false;
	return read_numbers(flight_numbers, COUNT(flight_numbers), n, m);
}

int xtr_flight_write(const struct xtr_flight_note *n, struct xtr_meta *m)
{
	return xtr_meta_set_config_str(m, "flight", n->why) ?:
	       xtr_meta_set_config_str(m, "flight-event", n->event) ?:
	       write_numbers(flight_numbers, COUNT(flight_numbers), n, m);
}
