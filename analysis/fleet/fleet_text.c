/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings of many files for people. Names are strangers' texts: xtr_text_name makes them safe.
 */
#include "fleet_text.h"
#include "analysis/core/grid.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void fleet_cell(struct xtr_grid *g, const char *s)
{
	char name[XTR_FLEET_NAME_MAX];

	xtr_grid_cell(g, s ? xtr_text_name(name, sizeof(name), s, strlen(s)) : "-");
}

char *fleet_value(char buf[XTR_TEXT_NUMBER], unsigned int metric, uint64_t v)
{
	return xtr_fleet_metric_unit(metric) == XTR_FLEET_NS ? xtr_text_ns(buf, v)
							     : xtr_text_percent(buf, v, 1000000);
}

const char *fleet_ratio(char buf[XTR_TEXT_NUMBER], double ratio)
{
	if (isnan(ratio))
		return "-";
	if (ratio > 99999)
		return ">99999";
	snprintf(buf, XTR_TEXT_NUMBER, "%.*f", ratio < 10 ? 3 : 1, ratio);
	return buf;
}

/* "3 files", "1 file" */
static void put_count(FILE *f, uint64_t n, const char *what)
{
	fprintf(f, "%s %s%s", XTR_COUNT(n), what, n == 1 ? "" : "s");
}

static void put_losses(FILE *f, const struct xtr_fleet_total *t)
{
	if (t->lost || t->missing)
		fprintf(f, "LOST: %s events while recording, %s in damaged chunks.\n",
			XTR_COUNT(t->lost), XTR_COUNT(t->missing));
	if (t->files[XTR_FLEET_DAMAGED]) {
		fputs("LOSSES OR DAMAGE in ", f);
		put_count(f, t->files[XTR_FLEET_DAMAGED], "file");
		fputs(", named above.\n", f);
	}
	if (t->files[XTR_FLEET_UNREADABLE]) {
		fputs("NOT READ: ", f);
		put_count(f, t->files[XTR_FLEET_UNREADABLE], "file");
		fputs(", named above.\n", f);
	}
	if (!t->lost && !t->missing && !t->files[XTR_FLEET_DAMAGED] &&
	    !t->files[XTR_FLEET_UNREADABLE])
		fputs("Lost: nothing.\n", f);
}

int fleet_head(FILE *f, const struct xtr_fleet *fleet)
{
	struct xtr_fleet_total t;
	int err = xtr_fleet_total(fleet, &t);

	if (err)
		return err;
	put_losses(f, &t);
	put_count(f, xtr_fleet_n_files(fleet), "file");
	fputs(", ", f);
	put_count(f, t.recordings, "recording");
	fputs(" of ", f);
	put_count(f, t.hosts, "host");
	if (t.without_host)
		fprintf(f, " (%s without a host's name)", XTR_COUNT(t.without_host));
	fprintf(f, ": %s recorded, ", xtr_text_ns(XTR_TEXT_BUF, t.span_ns));
	put_count(f, t.events, "event");
	fputs(", ", f);
	put_count(f, t.jobs, "job");
	fputs(".\n", f);
	if (t.repeated)
		fprintf(f, "%s recording%s came before, by file_id, and %s not counted again.\n",
			XTR_COUNT(t.repeated), t.repeated == 1 ? "" : "s",
			t.repeated == 1 ? "is" : "are");
	if (t.without_times)
		fprintf(f, "%s without times: only events and jobs of them are counted.\n",
			XTR_COUNT(t.without_times));
	if (t.left_out)
		fprintf(f, "%s rings are in no group: there are too many.\n",
			XTR_COUNT(t.left_out));
	return 0;
}

/* --- recordings ------------------------------------------------------------------------------- */

/* The row of the recording's ring group with most jobs; NULL: there is none. */
static const struct xtr_fleet_row *busiest(const struct xtr_fleet *fleet,
					   const struct xtr_fleet_recording *r)
{
	const struct xtr_fleet_row *best = NULL;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct xtr_fleet_row *row = xtr_fleet_row(fleet, r->first_row + i);

		if (row->group && row->whole && (!best || row->jobs > best->jobs))
			best = row;
	}
	return best;
}

static void metric_cell(struct xtr_grid *g, const struct xtr_fleet_row *row, unsigned int m)
{
	char n[XTR_TEXT_NUMBER];

	xtr_grid_cell(g, row && row->known & 1u << m ? fleet_value(n, m, row->value[m]) : "-");
}

static void recording_row(struct xtr_grid *g, const struct xtr_fleet *fleet,
			  const struct xtr_fleet_recording *r)
{
	const struct xtr_fleet_row *row = busiest(fleet, r);

	fleet_cell(g, xtr_fleet_file_at(fleet, r->file)->path);
	fleet_cell(g, r->host);
	xtr_grid_ns(g, r->times, r->span_ns);
	xtr_grid_count(g, r->events);
	xtr_grid_count(g, r->lost + r->missing);
	xtr_grid_count(g, r->jobs);
	fleet_cell(g, r->repeated ? "(came before)"
		      : row       ? xtr_fleet_group(fleet, row->group)->name
				  : NULL);
	metric_cell(g, row, XTR_FLEET_UTILISATION);
	metric_cell(g, row, XTR_FLEET_EXEC_P50);
	metric_cell(g, row, XTR_FLEET_EXEC_P99);
	metric_cell(g, row, XTR_FLEET_QUEUE_P99);
}

void fleet_more(FILE *f, uint64_t n)
{
	if (n)
		fprintf(f, "  ... and %s more\n", XTR_COUNT(n));
}

static int put_recordings(FILE *f, const struct xtr_fleet *fleet, uint32_t top)
{
	static const char *const titles[] = { "<file", "<host", "recorded",  "events",
					      "lost",  "jobs",  "<ring",     "util",
					      "p50",   "p99",   "queue p99", NULL };
	struct xtr_grid *g = xtr_grid_new(titles);
	const size_t n = xtr_fleet_n_recordings(fleet);
	int err;

	if (!g)
		return -ENOMEM;
	for (size_t i = 0; i < n && i < top; i++)
		recording_row(g, fleet, xtr_fleet_recording(fleet, i));
	fputs("\nRecordings: execution time of the ring with most jobs\n", f);
	err = xtr_grid_print(g, f, 2);
	fleet_more(f, n > top ? n - top : 0);
	return err;
}

/* --- all together ----------------------------------------------------------------------------- */

static void group_row(struct xtr_grid *g, const struct xtr_fleet_group *group)
{
	const struct xtr_fleet_sums *s = &group->sums;
	char n[XTR_TEXT_NUMBER + 2], part[XTR_TEXT_NUMBER];

	fleet_cell(g, group->name);
	xtr_grid_count(g, group->recordings);
	xtr_grid_count(g, s->rings);
	xtr_grid_count(g, s->jobs);
	xtr_grid_count(g, s->failed);
	snprintf(n, sizeof(n), "%s%s", s->busy_bounded ? "<=" : "",
		 xtr_text_percent(part, s->busy_ns, s->recorded_ns));
	xtr_grid_cell(g, n);
	xtr_grid_count(g, s->exec.n);
	xtr_grid_times(g, &s->exec);
	xtr_grid_times(g, &s->residence);
	xtr_grid_times(g, &s->queue_wait);
}

static int put_groups(FILE *f, const struct xtr_fleet *fleet, uint32_t top)
{
	static const char *const titles[] = { "<driver, model, ring",
					      "recordings",
					      "rings",
					      "jobs",
					      "failed",
					      "util",
					      "known",
					      "execution p50",
					      "p99",
					      "max",
					      "residence p50",
					      "p99",
					      "max",
					      "queue p50",
					      "p99",
					      "max",
					      NULL };
	struct xtr_grid *g = xtr_grid_new(titles);
	const size_t n = xtr_fleet_n_groups(fleet);
	int err;

	if (!g)
		return -ENOMEM;
	for (size_t i = 1; i < n && i <= top; i++)
		group_row(g, xtr_fleet_group(fleet, i));
	fputs("\nRings of all recordings together (known: jobs whose execution is)\n", f);
	err = xtr_grid_print(g, f, 2);
	fleet_more(f, n > (size_t)top + 1 ? n - 1 - top : 0);
	return err;
}

int xtr_fleet_text(FILE *f, const struct xtr_fleet *fleet, uint32_t top)
{
	int err = fleet_head(f, fleet);

	if (!err && xtr_fleet_n_recordings(fleet))
		err = put_recordings(f, fleet, top);
	if (!err && xtr_fleet_n_groups(fleet) > 1)
		err = put_groups(f, fleet, top);
	return err;
}
