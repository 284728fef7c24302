// SPDX-License-Identifier: BSD-2-Clause
#include "piece.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key;
	size_t at;
} numbers[] = {
	{ "piece", offsetof(struct xtr_piece, number) },
	{ "piece-began", offsetof(struct xtr_piece, began) },
	{ "piece-events-before", offsetof(struct xtr_piece, events_before) },
	{ "piece-lost-before", offsetof(struct xtr_piece, lost_before) },
};

#define N_NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
#define OF_DIGITS 16 /* hexadecimal */

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

		if (!xtr_meta_config_u64(m, numbers[i].key, v))
			return false;
	}
	return p->number;
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
