/* SPDX-License-Identifier: BSD-2-Clause */
/* The comparison for people: what is missing first, then how the sides differ, then the tables. */
#include "diff.h"
#include "analysis/core/grid.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FACTS_SHOWN 24u
#define PLOTS_SHOWN 8u
#define ONLY_SHOWN  20u
#define ANY         0.00005 /* share: a change below is none */

#define RED   "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

static const char side_name[2] = { 'A', 'B' };

/* --- what is missing, and how it was recorded ------------------------------------------------- */

static void side_head(FILE *f, const struct xtr_diff_total *t, unsigned int side)
{
	char n[XTR_TEXT_NUMBER], c[XTR_TEXT_NUMBER], d[XTR_TEXT_NUMBER], path[XTR_TEXT_NAME];

	fprintf(f, "%c: %s %s, %s %s%s%s: ", side_name[side], xtr_text_count(n, t->jobs),
		t->jobs == 1 ? "job" : "jobs", xtr_text_count(c, t->calls),
		t->calls == 1 ? "call" : "calls", t->without_times ? "" : " in ",
		t->without_times ? ", without times" : xtr_text_ns(d, t->span_ns));
	for (uint32_t i = 0; i < t->runs; i++) {
		const char *from = xtr_text_input(t->path[i]);

		fprintf(f, "%s%s", i ? ", " : "",
			xtr_text_name(path, sizeof(path), from, strlen(from)));
	}
	fputc('\n', f);
}

static void side_losses(FILE *f, const struct xtr_diff_total *t, unsigned int side)
{
	char n[XTR_TEXT_NUMBER];

	if (t->lost)
		fprintf(f,
			"LOST, %c: %s events were lost while recording or are in damaged chunks.\n",
			side_name[side], xtr_text_count(n, t->lost));
	if (t->problems)
		fprintf(f, "DAMAGED, %c: %s problem%s in its files (see 'xtr check').\n",
			side_name[side], xtr_text_count(n, t->problems),
			t->problems == 1 ? "" : "s");
	if (t->quality[XTR_QUALITY_LOST])
		fprintf(f, "Jobs that lack records, %c: %s: none of their times is compared.\n",
			side_name[side], xtr_text_count(n, t->quality[XTR_QUALITY_LOST]));
	if (t->quality[XTR_QUALITY_OPEN])
		fprintf(f, "Jobs that begin or end outside the trace, %c: %s.\n", side_name[side],
			xtr_text_count(n, t->quality[XTR_QUALITY_OPEN]));
	if (t->sampled)
		fprintf(f,
			"SAMPLED, %c: of some events only a share was recorded: counts and sums "
			"are of that.\n",
			side_name[side]);
	if (t->without_times)
		fprintf(f, "WITHOUT TIMES, %c: events are in order only; no times are compared.\n",
			side_name[side]);
	if (t->crowded)
		fprintf(f,
			"Not compared, %c: %s jobs and calls, for which there are too many groups.\n",
			side_name[side], xtr_text_count(n, t->crowded));
}

static void facts(const struct xtr_diff_view *v)
{
	size_t i, n = xtr_diff_n_facts(v->d);

	if (!n)
		return;
	fputs("\nRecorded differently\n", v->f);
	for (i = 0; i < n && i < FACTS_SHOWN; i++) {
		const struct xtr_diff_fact *fact = xtr_diff_fact(v->d, i);

		fputs("  ", v->f);
		xtr_text_put(v->f, fact->what, strlen(fact->what));
		fputs(": ", v->f);
		xtr_text_put(v->f, *fact->value[0] ? fact->value[0] : "-",
			     *fact->value[0] ? strlen(fact->value[0]) : 1);
		fputs(" -> ", v->f);
		xtr_text_put(v->f, *fact->value[1] ? fact->value[1] : "-",
			     *fact->value[1] ? strlen(fact->value[1]) : 1);
		fputc('\n', v->f);
	}
	if (n > FACTS_SHOWN)
		fprintf(v->f, "  ... and %zu more (all of them with --json)\n", n - FACTS_SHOWN);
}

static void redacted(const struct xtr_diff_view *v)
{
	bool a = xtr_diff_total(v->d, 0)->redacted, b = xtr_diff_total(v->d, 1)->redacted;

	if (xtr_diff_redacted_alike(v->d))
		fputs("REDACTED, A and B: together, so name#7 of A is name#7 of B.\n", v->f);
	else if (a || b)
		fprintf(v->f,
			"REDACTED, %s: names such as name#7 of files that were not redacted together "
			"are not paired ('xtr redact A B' redacts them together).\n",
			a && b ? "A and B"
			: a    ? "A"
			       : "B");
}

static const char *ratio(char buf[XTR_TEXT_NUMBER], double r);

static size_t rows_of(const struct xtr_diff *d, enum xtr_diff_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < xtr_diff_n_rows(d); i++)
		n += xtr_diff_row(d, i)->verdict == verdict;
	return n;
}

/* "Slower: execution of ring X, 1.23 times (3 of 12 rows)": the largest of a verdict, if any is. */
static bool say_verdict(const struct xtr_diff_view *v, enum xtr_diff_verdict verdict,
			const char *what)
{
	size_t n = rows_of(v->d, verdict), i = 0;
	const struct xtr_diff_row *row;
	char name[XTR_TEXT_NAME], times[XTR_TEXT_NUMBER];

	if (!n)
		return false;
	while (xtr_diff_row(v->d, i)->verdict != verdict)
		i++;
	row = xtr_diff_row(v->d, i);
	fprintf(v->f, "%s: %s of %s %s, %s times (%zu of %zu rows)", what,
		xtr_diff_metric_name(row->metric), xtr_diff_by_name(row->by),
		xtr_text_name(name, sizeof(name), row->name, strlen(row->name)),
		ratio(times, row->ratio.ratio), n, xtr_diff_n_rows(v->d));
	return true;
}

/* The answer in one line. */
static void verdict(const struct xtr_diff_view *v)
{
	size_t few = rows_of(v->d, XTR_DIFF_FEW), unlike = rows_of(v->d, XTR_DIFF_UNLIKE);
	size_t n = xtr_diff_n_rows(v->d);
	bool slower = say_verdict(v, XTR_DIFF_SLOWER, "Slower"), faster;

	if (slower && rows_of(v->d, XTR_DIFF_FASTER))
		fputs("; ", v->f);
	faster = say_verdict(v, XTR_DIFF_FASTER, slower ? "faster" : "Faster");
	if (!slower && !faster && n == few + unlike)
		fputs(n ? "No answer: no comparison could detect a difference"
			: "No answer: there is nothing that both have",
		      v->f);
	else if (!slower && !faster)
		fprintf(v->f, "No difference seen in %zu comparison%s", n - few - unlike,
			n - few - unlike == 1 ? "" : "s");
	if (few)
		fprintf(v->f, "; too few to tell in %zu", few);
	if (unlike)
		fprintf(v->f, "; not comparable: %zu", unlike);
	fputs(".\n", v->f);
}

static void head(const struct xtr_diff_view *v)
{
	const struct xtr_diff_total *a = xtr_diff_total(v->d, 0), *b = xtr_diff_total(v->d, 1);

	side_head(v->f, a, 0);
	side_head(v->f, b, 1);
	side_losses(v->f, a, 0);
	side_losses(v->f, b, 1);
	if (!a->lost && !b->lost && !a->problems && !b->problems)
		fputs("Lost: nothing.\n", v->f);
	verdict(v);
	redacted(v);
	facts(v);
}

/* --- the table -------------------------------------------------------------------------------- */

/* "+5.3 %"; plus: with its sign. */
static const char *percent(char buf[XTR_TEXT_NUMBER], double share, bool plus)
{
	double p = share * 100;

	if (isnan(share))
		return "-";
	if (fabs(p) < 0.005)
		snprintf(buf, XTR_TEXT_NUMBER, "0.00 %%");
	else if (p >= 99999)
		snprintf(buf, XTR_TEXT_NUMBER, ">99999 %%");
	else if (p > -100 && p < -99.495) /* 100 % less is nothing at all */
		snprintf(buf, XTR_TEXT_NUMBER, "%.2f %%", fmax(p, -99.99));
	else
		snprintf(buf, XTR_TEXT_NUMBER, plus ? "%+.*f %%" : "%.*f %%",
			 fabs(p) < 0.995  ? 2
			 : fabs(p) < 99.5 ? 1
					  : 0,
			 p);
	return buf;
}

static void cell_p(struct xtr_grid *t, double p)
{
	char buf[XTR_TEXT_NUMBER];

	snprintf(buf, sizeof(buf), "%.4f", p);
	xtr_grid_cell(t, p < 0.00005 ? "<0.0001" : buf);
}

/* "1.053": four digits, of which no more than four behind the point. */
static const char *ratio(char buf[XTR_TEXT_NUMBER], double r)
{
	if (isnan(r))
		return "-";
	if (r >= 99999)
		snprintf(buf, XTR_TEXT_NUMBER, ">99999");
	else
		snprintf(buf, XTR_TEXT_NUMBER, "%.*f",
			 r < 0.9995  ? 4
			 : r < 9.995 ? 3
			 : r < 99.95 ? 2
			 : r < 999.5 ? 1
				     : 0,
			 r);
	return buf;
}

static void cell_interval(struct xtr_grid *t, const struct xtr_ratio *r)
{
	char low[XTR_TEXT_NUMBER], high[XTR_TEXT_NUMBER], buf[2 * XTR_TEXT_NUMBER + 8];

	if (isnan(r->ratio) || (!(r->low > 0) && isinf(r->high))) {
		xtr_grid_cell(t, "-");
		return;
	}
	snprintf(buf, sizeof(buf), "%s .. %s", ratio(low, r->low),
		 isinf(r->high) ? "any" : ratio(high, r->high));
	xtr_grid_cell(t, buf);
}

static void cell_known(struct xtr_grid *t, const struct xtr_diff_row *row)
{
	char buf[96];

	snprintf(buf, sizeof(buf), "%s / %s", row->known[0], row->known[1]);
	xtr_grid_cell(t, strcmp(row->known[0], row->known[1]) ? buf : row->known[0]);
}

static void cell_verdict(const struct xtr_diff_view *v, struct xtr_grid *t,
			 const struct xtr_diff_row *row)
{
	const char *color = row->verdict == XTR_DIFF_SLOWER   ? RED
			    : row->verdict == XTR_DIFF_FASTER ? GREEN
							      : "";
	const char *name = xtr_diff_verdict_name(row->verdict);
	char buf[192], n[XTR_TEXT_NUMBER];

	if (row->verdict == XTR_DIFF_SAME && row->p <= XTR_DIFF_ALPHA)
		snprintf(buf, sizeof(buf), "%s (not in all recordings)", name);
	else if (row->verdict == XTR_DIFF_SAME && row->detectable < ANY)
		snprintf(buf, sizeof(buf), "%s (detectable: any)", name);
	else if (row->verdict == XTR_DIFF_SAME && isfinite(row->detectable))
		snprintf(buf, sizeof(buf), "%s (detectable: %s)", name,
			 percent(n, row->detectable, false));
	else if (row->why)
		snprintf(buf, sizeof(buf), "%s: %s", name, row->why);
	else if (v->color && *color)
		snprintf(buf, sizeof(buf), "%s%s%s", color, name, PLAIN);
	else
		snprintf(buf, sizeof(buf), "%s", name);
	xtr_grid_cell(t, buf);
}

static void cells_test(struct xtr_grid *t, const struct xtr_diff_row *row)
{
	char buf[XTR_TEXT_NUMBER];

	if (!row->tested) {
		for (int i = 0; i < 5; i++)
			xtr_grid_cell(t, "-");
		return;
	}
	xtr_grid_cell(t, percent(buf, xtr_diff_change(row), true));
	xtr_grid_cell(t, ratio(buf, row->ratio.ratio));
	cell_interval(t, &row->ratio);
	cell_p(t, row->p);
	snprintf(buf, sizeof(buf), "%.1f %%", row->test.superiority * 100);
	xtr_grid_cell(t, buf);
}

/* One that cannot be compared is no row without a difference. */
static bool is_shown(const struct xtr_diff_view *v, const struct xtr_diff_row *row)
{
	return v->all || (row->verdict != XTR_DIFF_SAME && row->verdict != XTR_DIFF_FEW);
}

static int grid(const struct xtr_diff_view *v)
{
	static const char *const titles[] = { "<by",       "<group",     "<time",    "n A",
					      "n B",       "median A",   "median B", "change",
					      "B / A",     "95 % of it", "p",        "B > A",
					      "<known as", "<verdict",   NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	size_t n = 0;
	char name[XTR_TEXT_NAME];

	for (size_t i = 0; i < xtr_diff_n_rows(v->d); i++) {
		const struct xtr_diff_row *row = xtr_diff_row(v->d, i);

		if (!is_shown(v, row) || n++ >= v->top)
			continue;
		xtr_grid_cell(t, xtr_diff_by_name(row->by));
		xtr_grid_cell(t, xtr_text_name(name, sizeof(name), row->name, strlen(row->name)));
		xtr_grid_cell(t, xtr_diff_metric_name(row->metric));
		xtr_grid_count(t, row->side[0].n);
		xtr_grid_count(t, row->side[1].n);
		xtr_grid_ns(t, row->side[0].n, row->side[0].p50);
		xtr_grid_ns(t, row->side[1].n, row->side[1].p50);
		cells_test(t, row);
		cell_known(t, row);
		cell_verdict(v, t, row);
	}
	return xtr_grid_print(t, v->f, 2);
}

static int table(const struct xtr_diff_view *v)
{
	size_t i, n = 0, all = xtr_diff_n_rows(v->d);
	int err;

	for (i = 0; i < all; i++)
		n += is_shown(v, xtr_diff_row(v->d, i));
	err = n ? grid(v) : 0;
	if (n > v->top)
		fprintf(v->f, "  ... and %zu more (--top, or all of them with --json)\n",
			n - v->top);
	if (n < all)
		fprintf(v->f,
			"  %zu row%s without a difference %s left out: --all shows them, and what "
			"would have been seen\n",
			all - n, all - n == 1 ? "" : "s", all - n == 1 ? "is" : "are");
	return err;
}

/* What several recordings of each side can say: all rows have as many, or fewer. */
static void notes_runs(const struct xtr_diff_view *v, uint32_t n_a, uint32_t n_b)
{
	char n[XTR_TEXT_NUMBER], share[XTR_TEXT_NUMBER];
	double least = xtr_rank_least_p(n_a, n_b);

	fprintf(v->f, "  Recordings: %u and %u: a difference must show in their medians, too", n_a,
		n_b);
	if (least * (double)xtr_diff_n_run_tests(v->d) <= XTR_DIFF_ALPHA)
		fputs(" (the same test, corrected in the same way).\n", v->f);
	else
		fprintf(v->f,
			".\n  They are too few for a test of %s rows: all medians of one side must lie "
			"above all of the other, as they do by chance in %s of rows.\n",
			xtr_text_count(n, xtr_diff_n_run_tests(v->d)),
			percent(share, least, false));
}

/* What the tests can say, and what not. */
static void notes(const struct xtr_diff_view *v)
{
	const struct xtr_diff_total *a = xtr_diff_total(v->d, 0), *b = xtr_diff_total(v->d, 1);
	char n[XTR_TEXT_NUMBER];

	fprintf(v->f,
		"  %s test%s (Mann-Whitney, p corrected by Holm for all of them): at most 1 in 20 such "
		"tables shows a difference where there is none.\n",
		xtr_text_count(n, xtr_diff_n_tests(v->d)), xtr_diff_n_tests(v->d) == 1 ? "" : "s");
	if (a->runs < 2 || b->runs < 2)
		fputs("  One recording on a side: this says what differs between these recordings. How "
		      "much two recordings of the same differ, only several of each side say "
		      "(--base).\n",
		      v->f);
	else
		notes_runs(v, a->runs, b->runs);
}

static int plots(const struct xtr_diff_view *v)
{
	size_t shown = 0;
	int err = 0;

	for (size_t i = 0; i < xtr_diff_n_rows(v->d) && shown < PLOTS_SHOWN && !err; i++) {
		const struct xtr_diff_row *row = xtr_diff_row(v->d, i);
		char name[XTR_TEXT_NAME];

		if (row->verdict != XTR_DIFF_SLOWER && row->verdict != XTR_DIFF_FASTER)
			break;
		if (!shown++)
			fputs("\nWhere the values lie\n", v->f);
		fprintf(v->f, "  %s %s, %s\n", xtr_diff_by_name(row->by),
			xtr_text_name(name, sizeof(name), row->name, strlen(row->name)),
			xtr_diff_metric_name(row->metric));
		err = xtr_diff_plot(v->f, row);
	}
	return err;
}

/* --- counts ----------------------------------------------------------------------------------- */

static void cells_counts(const struct xtr_diff_view *v, struct xtr_grid *t,
			 const struct xtr_diff_count *c)
{
	const struct xtr_diff_total *a = xtr_diff_total(v->d, 0), *b = xtr_diff_total(v->d, 1);
	bool times = !a->without_times && !b->without_times;
	char name[XTR_TEXT_NAME], buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, xtr_diff_by_name(c->by));
	xtr_grid_cell(t, xtr_text_name(name, sizeof(name), c->name, strlen(c->name)));
	xtr_grid_count(t, c->n[0]);
	xtr_grid_count(t, c->n[1]);
	if (a->sampled || b->sampled || a->runs != b->runs)
		xtr_grid_cell(t, "-");
	else
		xtr_grid_cell(t, percent(buf, (double)c->n[1] / (double)c->n[0] - 1, true));
	xtr_grid_ns(t, times, c->time[0]);
	xtr_grid_ns(t, times, c->time[1]);
	xtr_grid_count(t, c->open[0]);
	xtr_grid_count(t, c->open[1]);
	xtr_grid_count(t, c->lost[0]);
	xtr_grid_count(t, c->lost[1]);
}

static int counts(const struct xtr_diff_view *v)
{
	static const char *const titles[] = { "<by",    "<group", "n A",    "n B",
					      "change", "time A", "time B", "open A",
					      "open B", "lost A", "lost B", NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	size_t i, n = xtr_diff_n_counts(v->d), both = 0;
	int err;

	for (i = 0; i < n; i++) {
		const struct xtr_diff_count *c = xtr_diff_count(v->d, i);

		if (c->n[0] && c->n[1] && both++ < v->top)
			cells_counts(v, t, c);
	}
	fputs("\nJobs and calls, and the sum of their residence (calls: of their time); not tested\n",
	      v->f);
	err = xtr_grid_print(t, v->f, 2);
	if (both > v->top)
		fprintf(v->f, "  ... and %zu more (--top, or all of them with --json)\n",
			both - v->top);
	return err;
}

static void only(const struct xtr_diff_view *v, unsigned int side)
{
	size_t n = 0;
	char name[XTR_TEXT_NAME], buf[XTR_TEXT_NUMBER];

	for (size_t i = 0; i < xtr_diff_n_counts(v->d); i++) {
		const struct xtr_diff_count *c = xtr_diff_count(v->d, i);

		if (c->n[!side])
			continue;
		if (!n++)
			fprintf(v->f, "\nOnly in %c\n", side_name[side]);
		if (n <= ONLY_SHOWN)
			fprintf(v->f, "  %s %s: %s\n", xtr_diff_by_name(c->by),
				xtr_text_name(name, sizeof(name), c->name, strlen(c->name)),
				xtr_text_count(buf, c->n[side]));
	}
	if (n > ONLY_SHOWN)
		fprintf(v->f, "  ... and %zu more (all of them with --json)\n", n - ONLY_SHOWN);
}

int xtr_diff_text(const struct xtr_diff_view *v)
{
	int err = 0;

	head(v);
	fputs("\nTimes, B against A\n", v->f);
	if (xtr_diff_n_rows(v->d)) {
		err = table(v);
		notes(v);
	} else {
		fputs("  nothing that both have\n", v->f);
	}
	if (!err && v->plot)
		err = plots(v);
	if (!err && xtr_diff_n_counts(v->d))
		err = counts(v);
	only(v, 0);
	only(v, 1);
	return err;
}
