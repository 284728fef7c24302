// SPDX-License-Identifier: BSD-2-Clause
#include "piece.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key;
	size_t at;
	bool late; /* pieces of earlier versions do not have it: 0 */
} numbers[] = {
	{ "piece", offsetof(struct xtr_piece, number), false },
	{ "piece-began", offsetof(struct xtr_piece, began), false },
	{ "piece-events-before", offsetof(struct xtr_piece, events_before), false },
	{ "piece-lost-before", offsetof(struct xtr_piece, lost_before), false },
	{ "piece-from", offsetof(struct xtr_piece, from), true },
	{ "piece-to", offsetof(struct xtr_piece, to), true },
};

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
#define OF_DIGITS 16 /* hexadecimal */

#define SUFFIX     ".xtr" /* behind the number, if it is there */
#define DIGITS_MAX 18     /* that a number may have */

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
	for (size_t i = 0; i < N_NUMBERS; i++) {
		uint64_t *v = (uint64_t *)((char *)p + numbers[i].at);

		if (!xtr_meta_config_u64(m, numbers[i].key, v) && !numbers[i].late)
			return false;
	}
	return p->number;
}

int xtr_piece_name(char *buf, size_t cap, const char *base, uint64_t number, const char *suffix)
{
	return snprintf(buf, cap, "%s.%0*" PRIu64 "%s", base, XTR_PIECE_DIGITS, number, suffix);
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
	for (size_t i = 0; i < N_NUMBERS && !err; i++) {
		const uint64_t *v = (const uint64_t *)((const char *)p + numbers[i].at);

		err = xtr_meta_set_config_u64(m, numbers[i].key, *v);
	}
	return err;
}
