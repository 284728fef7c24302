/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr diff of many files. */
#include "base/json.h"
#include "cli/ui/cli.h"
#include "cmd_diff.h"
#include "fleet_run.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct files_run {
	const struct diff_files *d;
	struct fleet_run fleet;
	uint32_t metrics;
	enum xtr_fleet_order order;
	double limit[XTR_FLEET_METRIC_COUNT]; /* shares; 0: none */
};

bool diff_files_key(const char *by)
{
	const char *label;

	return xtr_fleet_key_parse(by, &label) >= 0;
}

const char *diff_files_word(size_t i)
{
	static const char *const words[] = { "host", "kernel", "driver", "label:", NULL };

	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

/* --- options ---------------------------------------------------------------------------------- */

/* Bits of the metrics of this name of n bytes: "execution" is all that begin so; 0: none are. */
static uint32_t metrics_named(const char *s, size_t n)
{
	const char *name;
	uint32_t bits = 0;

	for (unsigned int m = 0; (name = xtr_fleet_metric_name(m)); m++)
		if (n && !strncmp(name, s, n) && (!name[n] || name[n] == '.'))
			bits |= 1u << m;
	return bits;
}

static int parse_metrics(const char *s, uint32_t *metrics)
{
	*metrics = 0;
	for (size_t n;; s += n + 1) {
		uint32_t bits;

		n = strcspn(s, ",");
		bits = metrics_named(s, n);
		if (!bits)
			return -EINVAL;
		*metrics |= bits;
		if (!s[n])
			return 0;
	}
}

/* "5%", "execution=5%", "execution.p99=5%" */
static int parse_limit(struct files_run *r, const char *s)
{
	const char *equals = strchr(s, '=');
	uint32_t metrics = equals ? metrics_named(s, (size_t)(equals - s)) : UINT32_MAX;
	double share;

	if (!metrics || diff_parse_percent(equals ? equals + 1 : s, &share))
		return -EINVAL;
	for (unsigned int m = 0; m < XTR_FLEET_METRIC_COUNT; m++)
		if (metrics & 1u << m)
			r->limit[m] = share;
	return 0;
}

/* Returns the exit status. */
static int parse_cohorts(struct files_run *r)
{
	const char *by = r->d->by, *against = r->d->against;
	int key = by ? xtr_fleet_key_parse(by, &r->fleet.label) : 0;

	if (key < 0)
		return cli_usage_error(&cmd_diff,
				       "--by: '%s' makes no cohorts: give host, kernel, driver, "
				       "device or label:NAME",
				       by);
	r->fleet.by_key = by;
	r->fleet.key = (enum xtr_fleet_key)key;
	r->order = xtr_fleet_key_is_version((unsigned int)key) ? XTR_FLEET_AGAINST_PREVIOUS
							       : XTR_FLEET_AGAINST_REST;
	if (against && r->d->outliers)
		return cli_usage_error(&cmd_diff, "--outliers compares within a cohort: without "
						  "--against");
	if (against && strcmp(against, "previous") && strcmp(against, "rest"))
		return cli_usage_error(&cmd_diff, "--against: '%s' is neither previous nor rest",
				       against);
	if (against)
		r->order = *against == 'p' ? XTR_FLEET_AGAINST_PREVIOUS : XTR_FLEET_AGAINST_REST;
	return XTR_EXIT_OK;
}

/* Returns the exit status. */
static int parse(struct files_run *r)
{
	const struct diff_files *d = r->d;
	int status = parse_cohorts(r);

	r->metrics = UINT32_MAX;
	if (status == XTR_EXIT_OK && d->metric && parse_metrics(d->metric, &r->metrics))
		status = cli_usage_error(
			&cmd_diff,
			"--metric: invalid value '%s': of many files give a list of "
			"execution, residence, queue, utilisation, failed, lost",
			d->metric);
	for (size_t i = 0; i < d->fail_on->n && status == XTR_EXIT_OK; i++)
		if (parse_limit(r, d->fail_on->v[i]))
			status = cli_usage_error(&cmd_diff,
						 "--fail-on: invalid limit '%s': give one such as "
						 "5%% or execution=5%%",
						 d->fail_on->v[i]);
	return status;
}

/* --- limits ----------------------------------------------------------------------------------- */

/* A ratio in the worse direction, where there is one, by the limit or more. */
static bool crosses(const struct files_run *r, enum xtr_fleet_metric m, double ratio)
{
	const double limit = r->limit[m];

	if (limit <= 0 || isnan(ratio))
		return false;
	return ratio - 1 >= limit || (!xtr_fleet_metric_worse(m) && 1 - ratio >= limit);
}

static uint64_t outliers_that_cross(const struct files_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < xtr_fleet_n_outliers(r->fleet.fleet); i++) {
		const struct xtr_fleet_outlier *o = xtr_fleet_outlier(r->fleet.fleet, i);

		n += crosses(r, o->metric,
			     o->median ? (double)o->value / (double)o->median : INFINITY);
	}
	return n;
}

/* More or less utilisation between cohorts is neither good nor bad. */
static uint64_t changes_that_cross(const struct files_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < xtr_fleet_n_changes(r->fleet.fleet); i++) {
		const struct xtr_fleet_change *c = xtr_fleet_change(r->fleet.fleet, i);

		n += c->verdict == XTR_FLEET_MORE && xtr_fleet_metric_worse(c->metric) &&
		     crosses(r, c->metric, c->ratio.ratio);
	}
	return n;
}

static int limits(const struct files_run *r, int status)
{
	const bool outliers = r->d->outliers;
	uint64_t n = outliers ? outliers_that_cross(r) : changes_that_cross(r);

	if (!n)
		return status;
	/* As ever, what failed is told rather than what was found. */
	cli_error("%s %s the limit of --fail-on or more", cli_count(n),
		  outliers ? n == 1 ? "outlier is off by" : "outliers are off by"
		  : n == 1 ? "value is worse by"
			   : "values are worse by");
	return status == XTR_EXIT_FAILURE ? status : XTR_EXIT_THRESHOLD;
}

/* --- all -------------------------------------------------------------------------------------- */

static int show_json(const struct files_run *r, FILE *f)
{
	const struct xtr_fleet *fleet = r->fleet.fleet;
	struct xtr_json j;
	int err;

	xtr_json_document(&j, f, r->d->outliers ? "xtr.diff-outliers/1" : "xtr.diff-cohorts/1");
	xtr_json_kv_str(&j, "by", r->d->by);
	if (r->d->outliers)
		xtr_fleet_json_outliers(fleet, &j);
	else
		xtr_fleet_json_compare(fleet, &j);
	xtr_fleet_json_files(fleet, &j);
	err = xtr_fleet_json_merged(fleet, &j);
	xtr_json_document_end(&j);
	return err;
}

static int show(const struct files_run *r)
{
	const struct diff_files *d = r->d;
	FILE *f = cli_out();

	if (d->json)
		return show_json(r, f);
	if (d->outliers)
		return xtr_fleet_outliers_text(f, r->fleet.fleet, d->top);
	return xtr_fleet_compare_text(f, r->fleet.fleet, d->top, d->all);
}

static int compare(struct files_run *r)
{
	struct xtr_fleet *fleet = r->fleet.fleet;
	int err;

	xtr_fleet_choose(fleet, r->metrics);
	err = r->d->outliers ? xtr_fleet_outliers(fleet) : xtr_fleet_compare(fleet, r->order);
	if (err == -E2BIG) {
		cli_error("more than %u cohorts are not compared", XTR_FLEET_COHORTS_MAX);
		cli_hint("--outliers finds which recordings differ from all others");
		return XTR_EXIT_FAILURE;
	}
	err = err ?: show(r);
	if (!err)
		return XTR_EXIT_OK;
	cli_error("%s", cli_strerror(err));
	return XTR_EXIT_FAILURE;
}

int diff_files(const struct diff_files *d, int argc, char **argv)
{
	struct files_run r = { .d = d, .fleet = { .cmd = &cmd_diff, .o = d->o } };
	int status = parse(&r), compared;

	if (status != XTR_EXIT_OK)
		return status;
	status = fleet_gather(&r.fleet, (size_t)argc, (const char *const *)argv);
	if (r.fleet.any) {
		compared = compare(&r);
		status = compared == XTR_EXIT_OK ? limits(&r, status) : compared;
	}
	fleet_free(&r.fleet);
	return status;
}
