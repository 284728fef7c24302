// SPDX-License-Identifier: BSD-2-Clause
#include "stats_limit.h"
#include "cli/ui/cli.h"
#include "cli/ui/units.h"
#include "base/text.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#define SAID_MAX 10u

static const struct {
	const char *name;
	size_t offset;
} metrics[] = {
	{ "execution", offsetof(struct xtr_agg, exec) },
	{ "residence", offsetof(struct xtr_agg, residence) },
	{ "queue", offsetof(struct xtr_agg, queue_wait) },
	{ "hw", offsetof(struct xtr_agg, hw_wait) },
};

static const struct {
	const char *name;
	unsigned int permille;
} quantiles[] = {
	{ "p50", 500 },
	{ "p90", 900 },
	{ "p99", 990 },
	{ "max", 1000 },
	{ "mean", STATS_LIMIT_MEAN },
};

static bool is(const char *s, size_t n, const char *name)
{
	return strlen(name) == n && !strncmp(s, name, n);
}

/* "execution.p99>50ms" */
static int parse_time(struct stats_limit *l, const char *s)
{
	size_t metric = strcspn(s, "."), quantile, i;
	const char *q = s + metric + 1;
	bool known = false;

	if (!s[metric])
		return -EINVAL;
	quantile = strcspn(q, ">");
	if (!q[quantile] || cli_parse_time(q + quantile + 1, &l->ns))
		return -EINVAL;
	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && !known; i++) {
		known = is(s, metric, metrics[i].name);
		l->offset = metrics[i].offset;
	}
	for (i = 0; known && i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		if (is(q, quantile, quantiles[i].name)) {
			l->permille = quantiles[i].permille;
			return 0;
		}
	return -EINVAL;
}

int stats_limit_parse(struct stats_limit *l, const char *s)
{
	*l = (struct stats_limit){ .text = s };
	if (!strcmp(s, "finding")) {
		l->finding = "*";
		return 0;
	}
	if (!strncmp(s, "finding:", 8)) {
		l->finding = s + 8;
		return *l->finding ? 0 : -EINVAL;
	}
	return parse_time(l, s);
}

bool stats_limit_known(const struct stats_limit *l)
{
	size_t i = 0;

	if (!l->finding)
		return true;
	while (xtr_finding_id(i) && fnmatch(l->finding, xtr_finding_id(i), 0))
		i++;
	return xtr_finding_id(i);
}

/* Of them all, those that there was no room for, too. */
static uint64_t left_out(const struct stats_limit *l, const struct xtr_findings *f)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < f->n_kinds; i++)
		if (f->kind[i].severity != XTR_SEVERITY_NOTE &&
		    !fnmatch(l->finding, f->kind[i].id, 0))
			n += f->kind[i].left_out;
	return n;
}

static bool finding_crossed(const struct stats_limit *l, const char *path,
			    const struct xtr_findings *f)
{
	uint64_t n = left_out(l, f), said = 0;
	uint32_t i;

	for (i = 0; i < f->n; i++) {
		const struct xtr_finding *one = &f->finding[i];

		if (!one->notable || fnmatch(l->finding, one->id, 0))
			continue;
		n++;
		if (said < SAID_MAX) {
			said++;
			cli_error("'%s': %s: %s", path, one->id, one->text);
		}
	}
	if (n > said)
		cli_error("'%s': %s: and %s more", path, l->text, cli_count(n - said));
	return n;
}

/* "0000:03:00.0/gfx_0.0.0": rings of several devices have the same names. */
static const char *ring_name(char *buf, size_t cap, const struct xtr_model_ring *ring)
{
	size_t n;

	xtr_text_name(buf, cap, ring->device_name, strlen(ring->device_name));
	n = strlen(buf);
	if (n && n + 1 < cap)
		buf[n++] = '/';
	xtr_text_name(buf + n, cap - n, ring->name, strlen(ring->name));
	return buf;
}

static uint64_t figure(const struct stats_limit *l, const struct xtr_hist *h)
{
	return l->permille == STATS_LIMIT_MEAN ? xtr_hist_mean(h)
					       : xtr_hist_quantile(h, l->permille);
}

/* Of a ring whose jobs have bounds alone: may it be too long? */
static void warn_of_bounds(const struct stats_limit *l, const char *path,
			   const struct xtr_stats_row *row)
{
	char name[2 * XTR_TEXT_NAME], most[XTR_TEXT_NUMBER];
	uint64_t ns = figure(l, &row->agg.residence);

	if (row->agg.residence.n && l->offset == offsetof(struct xtr_agg, exec) && ns > l->ns)
		cli_warn("'%s': %s: %s: not known, it is %s at most", path,
			 ring_name(name, sizeof(name), row->ring), l->text, xtr_text_ns(most, ns));
}

static bool time_crossed(const struct stats_limit *l, const char *path, const struct xtr_stats *s)
{
	size_t i, n = 0;

	for (i = 0; i < xtr_stats_n_rows(s, XTR_BY_RING); i++) {
		const struct xtr_stats_row *row = xtr_stats_row(s, XTR_BY_RING, i);
		const struct xtr_hist *h =
			(const struct xtr_hist *)((const char *)&row->agg + l->offset);
		uint64_t ns = figure(l, h);
		char name[2 * XTR_TEXT_NAME], is[XTR_TEXT_NUMBER];

		if (!h->n)
			warn_of_bounds(l, path, row);
		if (!h->n || ns <= l->ns)
			continue;
		if (n++ < SAID_MAX)
			cli_error("'%s': %s: %s: it is %s", path,
				  ring_name(name, sizeof(name), row->ring), l->text,
				  xtr_text_ns(is, ns));
	}
	if (n > SAID_MAX)
		cli_error("'%s': %s: and %s more rings", path, l->text, cli_count(n - SAID_MAX));
	return n;
}

bool stats_limit_crossed(const struct stats_limit *l, const char *path, const struct xtr_stats *s,
			 const struct xtr_findings *f)
{
	return l->finding ? finding_crossed(l, path, f) : time_crossed(l, path, s);
}
