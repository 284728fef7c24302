/* SPDX-License-Identifier: BSD-2-Clause */
/* Outliers, and cohorts against each other, for people. */
#include "fleet_text.h"
#include "analysis/core/grid.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The group of a row: the recording itself has no name. */
static const char *group_name(const struct xtr_fleet *fleet, uint32_t group)
{
	return group ? xtr_fleet_group(fleet, group)->name : "(recording)";
}

/* --- outliers --------------------------------------------------------------------------------- */

static void outlier_row(struct xtr_grid *g, const struct xtr_fleet *fleet,
			const struct xtr_fleet_outlier *o)
{
	const struct xtr_fleet_recording *r = xtr_fleet_recording(fleet, o->row->recording);
	char n[XTR_TEXT_NUMBER];

	fleet_cell(g, xtr_fleet_file_at(fleet, r->file)->path);
	fleet_cell(g, r->host);
	fleet_cell(g, o->row->device);
	fleet_cell(g, group_name(fleet, o->row->group));
	xtr_grid_cell(g, xtr_fleet_metric_name(o->metric));
	xtr_grid_cell(g, fleet_value(n, o->metric, o->value));
	xtr_grid_cell(g, fleet_value(n, o->metric, o->median));
	xtr_grid_cell(g,
		      fleet_ratio(n, o->median ? (double)o->value / (double)o->median : INFINITY));
	snprintf(n, sizeof(n), "%+.1f%s", o->z, o->mean_deviation ? " *" : "");
	xtr_grid_cell(g, n);
	xtr_grid_count(g, o->members);
	fleet_cell(g, o->cohort);
}

int xtr_fleet_outliers_text(FILE *f, const struct xtr_fleet *fleet, uint32_t top)
{
	static const char *const titles[] = { "<file", "<host",   "<device", "<ring",
					      "<what", "value",   "median",  "of it",
					      "z",     "members", "<cohort", NULL };
	const size_t n = xtr_fleet_n_outliers(fleet);
	struct xtr_grid *g;
	int err = fleet_head(f, fleet);

	if (err)
		return err;
	fprintf(f, "%s outlier%s in %s of %s sets of values.\n", n ? XTR_COUNT(n) : "No",
		n == 1 ? "" : "s", XTR_COUNT(xtr_fleet_n_sets(fleet)),
		XTR_COUNT(xtr_fleet_n_sets(fleet) + xtr_fleet_n_small_sets(fleet)));
	if (xtr_fleet_n_small_sets(fleet))
		fprintf(f, "%s other sets have fewer than %u members: too few to tell.\n",
			XTR_COUNT(xtr_fleet_n_small_sets(fleet)), XTR_FLEET_OUTLIER_MEMBERS);
	if (!n)
		return 0;
	g = xtr_grid_new(titles);
	if (!g)
		return -ENOMEM;
	for (size_t i = 0; i < n && i < top; i++)
		outlier_row(g, fleet, xtr_fleet_outlier(fleet, i));
	fprintf(f, "\nOutliers: |z| above %.1f (* more than half of the values are equal)\n",
		XTR_FLEET_OUTLIER_Z);
	err = xtr_grid_print(g, f, 2);
	fleet_more(f, n > top ? n - top : 0);
	return err;
}

/* --- cohorts ---------------------------------------------------------------------------------- */

static int put_cohorts(FILE *f, const struct xtr_fleet *fleet)
{
	static const char *const titles[] = { "<cohort",  "recordings", "hosts",
					      "recorded", "jobs",       NULL };
	struct xtr_grid *g = xtr_grid_new(titles);

	if (!g)
		return -ENOMEM;
	for (size_t i = 0; i < xtr_fleet_n_cohorts(fleet); i++) {
		const struct xtr_fleet_cohort *c = xtr_fleet_cohort(fleet, i);

		fleet_cell(g, c->name);
		xtr_grid_count(g, c->recordings);
		xtr_grid_count(g, c->hosts);
		xtr_grid_ns(g, true, c->span_ns);
		xtr_grid_count(g, c->jobs);
	}
	fputs("\nCohorts\n", f);
	return xtr_grid_print(g, f, 2);
}

static void change_row(struct xtr_grid *g, const struct xtr_fleet *fleet,
		       const struct xtr_fleet_change *c)
{
	char n[XTR_TEXT_NUMBER], high[XTR_TEXT_NUMBER], both[2 * XTR_TEXT_NUMBER + 4];

	fleet_cell(g,
		   c->a == XTR_FLEET_REST ? "(all others)" : xtr_fleet_cohort(fleet, c->a)->name);
	fleet_cell(g, xtr_fleet_cohort(fleet, c->b)->name);
	fleet_cell(g, group_name(fleet, c->group));
	xtr_grid_cell(g, xtr_fleet_metric_name(c->metric));
	xtr_grid_count(g, c->n[0]);
	xtr_grid_count(g, c->n[1]);
	xtr_grid_cell(g, fleet_value(n, c->metric, c->median[0]));
	xtr_grid_cell(g, fleet_value(n, c->metric, c->median[1]));
	xtr_grid_cell(g, fleet_ratio(n, c->ratio.ratio));
	snprintf(both, sizeof(both), "%s..%s",
		 c->ratio.low > 0 ? fleet_ratio(n, c->ratio.low) : "any",
		 isfinite(c->ratio.high) ? fleet_ratio(high, c->ratio.high) : "any");
	xtr_grid_cell(g, both);
	snprintf(n, sizeof(n), "%.2g", c->p);
	xtr_grid_cell(g, n);
	xtr_grid_cell(g, xtr_fleet_verdict_name(c->verdict));
}

static int put_changes(FILE *f, const struct xtr_fleet *fleet, uint32_t top, bool all)
{
	static const char *const titles[] = { "<A",  "<B",       "<ring",    "<what", "n A",
					      "n B", "median A", "median B", "B / A", "95 % of it",
					      "p",   "<verdict", NULL };
	struct xtr_grid *g = xtr_grid_new(titles);
	uint64_t shown = 0, same = 0, more = 0;
	int err;

	if (!g)
		return -ENOMEM;
	for (size_t i = 0; i < xtr_fleet_n_changes(fleet); i++) {
		const struct xtr_fleet_change *c = xtr_fleet_change(fleet, i);

		if (c->verdict >= XTR_FLEET_SAME && !all) {
			same++;
		} else if (shown == top) {
			more++;
		} else {
			change_row(g, fleet, c);
			shown++;
		}
	}
	fputs("\nCohort B against A, a value for each recording\n", f);
	err = xtr_grid_print(g, f, 2);
	fleet_more(f, more);
	if (same)
		fprintf(f, "  %s rows without a difference are left out (--all)\n",
			XTR_COUNT(same));
	return err;
}

int xtr_fleet_compare_text(FILE *f, const struct xtr_fleet *fleet, uint32_t top, bool all)
{
	const uint64_t rows = xtr_fleet_n_changes(fleet), tests = xtr_fleet_n_tests(fleet);
	uint64_t changed = 0;
	bool shares = false, several = false;
	int err = fleet_head(f, fleet);

	if (err)
		return err;
	for (size_t i = 0; i < rows; i++)
		changed += xtr_fleet_change(fleet, i)->verdict < XTR_FLEET_SAME;
	fprintf(f, "%s of %s comparisons differ; %s have enough recordings to tell.\n",
		changed ? XTR_COUNT(changed) : "None", XTR_COUNT(rows), XTR_COUNT(tests));
	for (size_t i = 0; i < xtr_fleet_n_cohorts(fleet); i++) {
		const struct xtr_fleet_cohort *c = xtr_fleet_cohort(fleet, i);

		shares |= c->hosts && c->hosts < c->recordings;
		several |= c->hosts > 1;
	}
	if (shares && several)
		fputs("Some hosts have several recordings: these are not independent of each "
		      "other, and p is too small.\n",
		      f);
	err = put_cohorts(f, fleet);
	return err || !rows ? err : put_changes(f, fleet, top, all);
}
