/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edit distance with neighbours exchanged counted once (optimal string alignment): the usual slips
 * are a letter too many, too few, wrong, or two exchanged.
 */
#include "nearest.h"

#include <string.h>

enum {
	LONGEST = 64
};

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	const unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Distance of a and b, both at most LONGEST long. Three rows of the table are kept. */
static unsigned int distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int rows[3][LONGEST + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *t;

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		t = before;
		before = last;
		last = row;
		row = t;
	}
	return last[nb];
}

const char *cli_nearest(const char *s, const char *const *names, size_t n)
{
	const size_t len = strlen(s);
	/* One slip in a short word, about one in three letters of a longer one. */
	unsigned int best = len < 4 ? 2 : (unsigned int)len / 3 + 1;
	const char *found = NULL;
	unsigned int d;
	size_t m;

	if (!len || len > LONGEST)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		m = names[i] ? strlen(names[i]) : LONGEST + 1;
		if (m > LONGEST)
			continue;
		if (m > len && len >= 3 && !strncmp(names[i], s, len))
			d = 1; /* the beginning of a name is as good as one slip */
		else
			d = distance(s, len, names[i], m);
		if (d < best && d < (m > len ? m : len)) {
			best = d;
			found = names[i];
		}
	}
	return found;
}
