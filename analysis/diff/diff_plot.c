/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two distributions over one axis, a line for each: a look at them tells a shift from a second hump
 * or a longer tail, which no single number does. The axis is logarithmic, as times are.
 */
#include "diff.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 60u

static const char shades[] = " .:-=+*#%@";

struct axis {
	double low, high; /* logarithms */
};

static double place(uint64_t value)
{
	return log((double)value + 1);
}

static unsigned int column(const struct axis *a, uint64_t value)
{
	double at = a->high > a->low ? (place(value) - a->low) / (a->high - a->low) : 0;

	if (!(at > 0))
		return 0;
	return at >= 1 ? COLUMNS - 1 : (unsigned int)(at * COLUMNS);
}

/* The share of the values that lies in each column. */
static int shares(const struct xtr_diff_side *s, const struct axis *a, double share[COLUMNS])
{
	struct xtr_value_run *runs;
	size_t n;
	int err = xtr_values_runs(s->values, s->values->coarse, &runs, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		share[column(a, runs[i].value)] += (double)runs[i].n / (double)s->n;
	free(runs);
	return 0;
}

static void line(FILE *f, char side, const double share[COLUMNS], double most)
{
	char buf[COLUMNS + 1];
	unsigned int shade;

	for (unsigned int i = 0; i < COLUMNS; i++) {
		/* The square root: a small second hump is still seen. */
		shade = (unsigned int)ceil(sqrt(share[i] / most) * (sizeof(shades) - 2));
		buf[i] = shades[shade < sizeof(shades) - 1 ? shade : sizeof(shades) - 2];
	}
	buf[COLUMNS] = '\0';
	fprintf(f, "    %c |%s|\n", side, buf);
}

int xtr_diff_plot(FILE *f, const struct xtr_diff_row *row)
{
	const struct xtr_diff_side *a = &row->side[0], *b = &row->side[1];
	double share[2][COLUMNS] = { 0 }, most = 0;
	uint64_t low = a->min < b->min ? a->min : b->min, high = a->max > b->max ? a->max : b->max;
	struct axis axis = { place(low), place(high) };
	char from[XTR_TEXT_NUMBER], to[XTR_TEXT_NUMBER];
	int err;

	if (!a->n || !b->n)
		return 0;
	err = shares(a, &axis, share[0]);
	if (!err)
		err = shares(b, &axis, share[1]);
	if (err)
		return err;
	for (unsigned int i = 0; i < COLUMNS; i++)
		most = fmax(most, fmax(share[0][i], share[1][i]));
	line(f, 'A', share[0], most);
	line(f, 'B', share[1], most);
	xtr_text_ns(from, low);
	xtr_text_ns(to, high);
	fprintf(f, "       %s%*s\n", from, (int)(COLUMNS - strlen(from)), to);
	return 0;
}
