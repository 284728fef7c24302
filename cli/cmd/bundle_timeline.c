/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_timeline.h"
#include "cli/ui/text.h"
#include "replay_cmd.h"

#include "analysis/core/ring_text.h"
#include "base/buf.h"
#include "replay/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIMELINE_NS    10000000000ull
#define TIMELINE_TEXT  60u  /* columns of text */
#define TIMELINE_CELLS 600u /* of the picture */
#define TIMELINE_RINGS 8u
#define ROWS_MAX       4096u /* rings that are looked at */

/* The picture, in units of its own. */
#define NAME_WIDTH 220u
#define ROW_HEIGHT 22u
#define TOP        24u
#define SHADES     8u

struct row {
	uint64_t *busy; /* TIMELINE_CELLS, ns; NULL: nothing yet */
	uint64_t until; /* a job was on the hardware up to here */
	uint64_t all;
	char name[XTR_RING_TEXT];
};

struct timeline {
	struct row *v; /* by index of the ring */
	size_t n, cap;
	uint64_t from, to, width; /* ns */
};

static struct row *row_of(struct timeline *t, const struct xtr_model_ring *ring)
{
	if (xtr_grow_array(&t->v, &t->cap, (size_t)ring->index + 1, sizeof(*t->v)))
		return NULL;
	while (t->n <= ring->index)
		t->v[t->n++] = (struct row){ 0 };
	if (!t->v[ring->index].name[0])
		xtr_ring_text(ring, "?", t->v[ring->index].name, XTR_RING_TEXT);
	return &t->v[ring->index];
}

static int fill(struct timeline *t, struct row *r, uint64_t from, uint64_t to)
{
	if (!r->busy)
		r->busy = calloc(TIMELINE_CELLS, sizeof(*r->busy));
	if (!r->busy)
		return -ENOMEM;
	r->until = to;
	for (size_t i = (from - t->from) / t->width; i < TIMELINE_CELLS && from < to; i++) {
		uint64_t end = t->from + (i + 1) * t->width;
		uint64_t part = (to < end ? to : end) - from;

		r->busy[i] += part;
		r->all += part;
		from += part;
	}
	return 0;
}

/* A job that never ended is on the hardware up to the end. Jobs come in order of their ends, so
 * what counted before is left out of each. */
static int on_job(void *ctx, const struct xtr_job *j)
{
	struct timeline *t = ctx;
	uint64_t from = j->busy_from_ns, to = j->busy_to_ns;
	struct row *r;

	if (j->ring->index >= ROWS_MAX)
		return 0;
	r = row_of(t, j->ring);
	if (!r)
		return -ENOMEM;
	if (!j->done_ns && j->run_ns) {
		from = j->run_ns;
		to = t->to;
	}
	from = from > t->from ? from : t->from;
	from = from > r->until ? from : r->until;
	to = to < t->to ? to : t->to;
	return from < to ? fill(t, r, from, to) : 0;
}

static int on_event(void *ctx, const struct xtr_event *ev)
{
	return xtr_model_event(ctx, ev);
}

static int play(struct replay_cmd *cmd, const struct xtr_section *s, struct xtr_model_opts *mo)
{
	struct xtr_model *verdict = NULL, *m = NULL;
	const struct xtr_model_opts first = { .sz = sizeof(first),
					      .meta = mo->meta,
					      .tables = mo->tables };
	const uint32_t *types;
	size_t n;
	int err = xtr_model_new(&verdict, &first);

	if (!err) {
		types = xtr_model_types(verdict, true, &n);
		err = replay_play(cmd, s, types, n, on_event, verdict) ?: xtr_model_finish(verdict);
	}
	cmd->again = true;
	mo->verdict = verdict;
	err = err ?: xtr_model_new(&m, mo);
	if (!err) {
		types = xtr_model_types(m, false, &n);
		err = replay_play(cmd, s, types, n, on_event, m) ?: xtr_model_finish(m);
	}
	xtr_model_free(m);
	xtr_model_free(verdict);
	return err;
}

static int by_busy(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	return a->all < b->all ? 1 : -(a->all > b->all);
}

/* --- as text ---------------------------------------------------------------------------------- */

static char letter(const struct timeline *t, const struct row *r, size_t column)
{
	const size_t cells = TIMELINE_CELLS / TIMELINE_TEXT;
	const uint64_t width = t->width * cells;
	uint64_t thirds = 0;

	for (size_t i = 0; i < cells; i++)
		thirds += 3 * r->busy[column * cells + i];
	if (!thirds)
		return ' ';
	if (thirds <= width)
		return '.';
	return thirds <= 2 * width ? '-' : '#';
}

static void put_text(FILE *f, const struct timeline *t, size_t n)
{
	int width = 0;

	for (size_t i = 0; i < n; i++)
		if (cli_width(t->v[i].name) > width)
			width = cli_width(t->v[i].name);
	fprintf(f,
		"The last %s, each column %s; # - . : on the hardware for more, or less, of it\n",
		cli_ns(t->to - t->from), cli_ns(t->width * TIMELINE_CELLS / TIMELINE_TEXT));
	for (size_t i = 0; i < n; i++) {
		cli_put(f, t->v[i].name, width);
		fputs(" |", f);
		for (size_t k = 0; k < TIMELINE_TEXT; k++)
			fputc(letter(t, &t->v[i], k), f);
		fputs("|\n", f);
	}
}

/* --- as a picture ----------------------------------------------------------------------------- */

/* Names are printable already. */
static void put_xml(FILE *f, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '<':
			fputs("&lt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		default:
			fputc(*s, f);
		}
	}
}

static unsigned int shade(const struct timeline *t, const struct row *r, size_t i)
{
	return (unsigned int)((r->busy[i] * SHADES + t->width - 1) / t->width);
}

/* Cells of one shade are one rectangle. */
static void put_cells(FILE *f, const struct timeline *t, const struct row *r, unsigned int y)
{
	for (size_t i = 0, to; i < TIMELINE_CELLS; i = to) {
		unsigned int s = shade(t, r, i);

		for (to = i + 1; to < TIMELINE_CELLS && shade(t, r, to) == s;)
			to++;
		if (s)
			fprintf(f,
				"<rect x=\"%zu\" y=\"%u\" width=\"%zu\" height=\"%u\" fill-opacity=\"%u.%03u\"/>\n",
				NAME_WIDTH + i, y, to - i, ROW_HEIGHT - 6, s / SHADES,
				s % SHADES * 1000 / SHADES);
	}
}

static void put_picture(FILE *f, const struct timeline *t, size_t n)
{
	const unsigned int height = TOP + (unsigned int)n * ROW_HEIGHT;

	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text x=\"%u\" y=\"16\">the last %s: when each ring surely had a job on the hardware</text>\n"
		"<g fill=\"#1f5fa8\">\n",
		NAME_WIDTH + TIMELINE_CELLS + 8, height + 8, NAME_WIDTH, cli_ns(t->to - t->from));
	for (size_t i = 0; i < n; i++)
		put_cells(f, t, &t->v[i], TOP + (unsigned int)i * ROW_HEIGHT);
	fputs("</g>\n", f);
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "<text x=\"4\" y=\"%u\">", TOP + (unsigned int)i * ROW_HEIGHT + 12);
		put_xml(f, t->v[i].name);
		fputs("</text>\n", f);
	}
	fputs("</svg>\n", f);
}

/* --- timeline --------------------------------------------------------------------------------- */

static void put(struct timeline *t, FILE *text, FILE *picture)
{
	size_t n = 0;

	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), by_busy);
	while (n < t->n && n < TIMELINE_RINGS && t->v[n].all)
		n++;
	if (!n)
		return;
	put_text(text, t, n);
	put_picture(picture, t, n);
}

int bundle_timeline(struct xtr_reader *r, FILE *text, FILE *picture)
{
	static const struct replay_opts all = { 0 };
	struct replay_cmd cmd = { .path = "", .reader = r, .window = &all.window, .o = &all };
	const size_t n = xtr_reader_n_sections(r);
	const struct xtr_section *s = n ? xtr_reader_section(r, n - 1) : NULL;
	const struct xtr_section_summary *sum = s ? xtr_section_summary(s) : NULL;
	struct timeline t = { 0 };
	struct xtr_model_opts mo = { .sz = sizeof(mo), .job = on_job, .ctx = &t };
	int err;

	if (!s || sum->ts_max <= sum->ts_min || replay_without_times(&cmd))
		return 0;
	t.to = sum->ts_max;
	t.from = t.to - sum->ts_min > TIMELINE_NS ? t.to - TIMELINE_NS : sum->ts_min;
	t.width = (t.to - t.from) / TIMELINE_CELLS + 1;
	mo.meta = xtr_section_meta(s);
	mo.tables = xtr_section_tables(s);
	err = play(&cmd, s, &mo);
	if (!err)
		put(&t, text, picture);
	for (size_t i = 0; i < t.n; i++)
		free(t.v[i].busy);
	free(t.v);
	return err;
}
