/* SPDX-License-Identifier: BSD-2-Clause */
#include "grid.h"
#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct xtr_grid {
	char **cell;
	size_t n, cap;
	unsigned int columns;
	bool left[XTR_GRID_COLUMNS];
	bool failed;
};

struct xtr_grid *xtr_grid_new(const char *const *titles)
{
	struct xtr_grid *t = calloc(1, sizeof(*t));
	unsigned int i;

	if (!t)
		return NULL;
	for (i = 0; i < XTR_GRID_COLUMNS && titles[i]; i++)
		t->left[i] = titles[i][0] == '<';
	t->columns = i;
	for (i = 0; i < t->columns; i++)
		xtr_grid_cell(t, titles[i] + t->left[i]);
	return t;
}

void xtr_grid_cell(struct xtr_grid *t, const char *text)
{
	char **cell;

	if (!t || t->failed)
		return;
	if (t->n == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;

		cell = realloc(t->cell, cap * sizeof(*cell));
		if (!cell) {
			t->failed = true;
			return;
		}
		t->cell = cell;
		t->cap = cap;
	}
	t->cell[t->n] = strdup(text);
	t->failed = !t->cell[t->n];
	t->n += !t->failed;
}

/* Columns on a terminal: characters, not bytes (combining and wide ones are not looked at). */
static size_t width_of(const char *s)
{
	size_t w = 0;

	for (; *s; s++)
		w += ((unsigned char)*s & 0xc0) != 0x80;
	return w;
}

/* Spaces wait until there is something behind them (*spaces), so that no line ends with them. */
static void print_cell(FILE *f, const char *s, size_t width, bool left, size_t *spaces)
{
	size_t pad = width - width_of(s);

	*spaces += left ? 0 : pad;
	for (; *s && *spaces; --*spaces)
		fputc(' ', f);
	fputs(s, f);
	*spaces += (left ? pad : 0) + 2;
}

int xtr_grid_print(struct xtr_grid *t, FILE *f, unsigned int indent)
{
	size_t width[XTR_GRID_COLUMNS] = { 0 }, w, spaces = 0;
	int err = !t || t->failed ? -ENOMEM : 0;

	if (!t)
		return err;
	for (size_t i = 0; i < t->n; i++) {
		w = width_of(t->cell[i]);
		if (w > width[i % t->columns])
			width[i % t->columns] = w;
	}
	for (size_t i = 0; f && !err && i < t->n; i++) {
		unsigned int c = (unsigned int)(i % t->columns);

		if (!c)
			spaces = indent;
		print_cell(f, t->cell[i], width[c], t->left[c], &spaces);
		if (c == t->columns - 1)
			fputc('\n', f);
	}
	for (size_t i = 0; i < t->n; i++)
		free(t->cell[i]);
	free(t->cell);
	free(t);
	return err;
}

/* --- grid cell -------------------------------------------------------------------------------- */

void xtr_grid_count(struct xtr_grid *t, uint64_t n)
{
	xtr_grid_value(t, true, xtr_text_count, n);
}

void xtr_grid_ns(struct xtr_grid *t, bool known, uint64_t ns)
{
	xtr_grid_value(t, known, xtr_text_ns, ns);
}

void xtr_grid_value(struct xtr_grid *t, bool known, char *(*format)(char *, uint64_t), uint64_t v)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, known ? format(buf, v) : "-");
}

void xtr_grid_times(struct xtr_grid *t, const struct xtr_hist *h)
{
	xtr_grid_ns(t, h->n, xtr_hist_quantile(h, 500));
	xtr_grid_ns(t, h->n, xtr_hist_quantile(h, 990));
	xtr_grid_ns(t, h->n, h->max);
}
