/* SPDX-License-Identifier: BSD-2-Clause */
/* The text view's parts about waiting: where, how long, for whom; and the slowest jobs. */
#include "view.h"
#include "format/read/reader.h"
#include "grid.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>

#define ROWS_SHOWN 40u

static void cell_ns(struct xtr_grid *t, uint64_t ns)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, xtr_text_ns(buf, ns));
}

/* p50, p99, max; as times or as plain numbers. */
static void cells_hist(struct xtr_grid *t, const struct xtr_hist *h, bool times)
{
	static const unsigned int q[] = { 500, 990, 1000 };

	for (size_t i = 0; i < 3; i++) {
		if (!h->n)
			xtr_grid_cell(t, "-");
		else if (times)
			cell_ns(t, xtr_hist_quantile(h, q[i]));
		else
			xtr_grid_count(t, xtr_hist_quantile(h, q[i]));
	}
}

static void cells_ring(const struct xtr_view *v, struct xtr_grid *t,
		       const struct xtr_model_ring *ring)
{
	char buf[XTR_TEXT_NAME + 16];

	xtr_grid_cell(t, *ring->device_name ? xtr_text_name(buf, sizeof(buf), ring->device_name,
							    __builtin_strlen(ring->device_name))
					    : "(unknown)");
	xtr_grid_cell(t, xtr_view_ring(v, ring, buf, sizeof(buf)));
}

int xtr_view_text_waits(const struct xtr_view *v)
{
	static const char *const titles[] = { "<device", "<ring",     "queue p50", "p99",
					      "max",     "hw p50",    "p99",       "max",
					      "blocked", "dep waits", "dep sum",   "dep p50",
					      "p99",     "max",       NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	size_t i, n = xtr_stats_n_rows(v->stats, XTR_BY_RING);
	char buf[XTR_TEXT_NUMBER];

	for (i = 0; i < n && i < ROWS_SHOWN; i++) {
		const struct xtr_stats_row *row = xtr_stats_row(v->stats, XTR_BY_RING, i);
		const struct xtr_stats_ring *ring = xtr_stats_ring(v->stats, row->ring->index);

		cells_ring(v, t, row->ring);
		cells_hist(t, &row->agg.queue_wait, true);
		cells_hist(t, &row->agg.hw_wait, true);
		xtr_grid_cell(t, xtr_text_percent(buf, row->agg.blocked, row->agg.queue_wait.sum));
		xtr_grid_count(t, row->agg.waits);
		cell_ns(t, row->agg.dep_wait);
		cells_hist(t, &ring->dep_wait, true);
	}
	fputs("  queue: from queue to run (dependency waits included; blocked: their share); "
	      "hw: from run to start\n",
	      v->f);
	return xtr_grid_print(t, v->f, 2);
}

int xtr_view_text_depth(const struct xtr_view *v)
{
	static const char *const titles[] = { "<device", "<ring", "queued", "depth p50",
					      "p99",     "max",   "run",    "depth p50",
					      "p99",     "max",   NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	size_t i, n = xtr_stats_n_rows(v->stats, XTR_BY_RING);

	for (i = 0; i < n && i < ROWS_SHOWN; i++) {
		const struct xtr_stats_row *row = xtr_stats_row(v->stats, XTR_BY_RING, i);
		const struct xtr_stats_ring *ring = xtr_stats_ring(v->stats, row->ring->index);

		cells_ring(v, t, row->ring);
		xtr_grid_count(t, ring->queued);
		cells_hist(t, &ring->depth_queue, false);
		xtr_grid_count(t, ring->run);
		cells_hist(t, &ring->depth_run, false);
	}
	return xtr_grid_print(t, v->f, 2);
}

static int blockers(const struct xtr_view *v)
{
	static const char *const titles[] = { "<waiting ring", "<for jobs of", "waits",
					      "sum",           "max",          NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	char buf[2 * XTR_TEXT_NAME];
	size_t i, n = xtr_stats_n_blockers(v->stats);
	int err;

	for (i = 0; i < n && i < v->top; i++) {
		const struct xtr_stats_blocker *b = xtr_stats_blocker(v->stats, i);

		xtr_grid_cell(t, xtr_view_ring_id(v, b->ring_id, buf, sizeof(buf)));
		xtr_grid_cell(t, xtr_view_ring_id(v, b->blocker_id, buf, sizeof(buf)));
		xtr_grid_count(t, b->n);
		if (xtr_view_times(v)) {
			cell_ns(t, b->total);
			cell_ns(t, b->max);
		} else {
			xtr_grid_cell(t, "-");
			xtr_grid_cell(t, "-");
		}
	}
	err = xtr_grid_print(t, v->f, 2);
	if (n > v->top)
		fprintf(v->f, "  ... and %zu more (--top; all of them with --json)\n", n - v->top);
	return err;
}

static void cell_fence(struct xtr_grid *t, uint64_t ctx, uint64_t seqno)
{
	char buf[2 * XTR_TEXT_NUMBER];

	snprintf(buf, sizeof(buf), "%" PRIu64 ":%" PRIu64, ctx, seqno);
	xtr_grid_cell(t, buf);
}

int xtr_view_text_dependencies(const struct xtr_view *v)
{
	static const char *const titles[] = { "<job",   "<ring",  "<waited for", "<of ring",
					      "<until", "from s", "wait",        NULL };
	struct xtr_grid *t;
	char buf[2 * XTR_TEXT_NAME];
	int err;

	if (!xtr_stats_n_blockers(v->stats)) {
		fputs("  none: no job was seen waiting for a fence\n", v->f);
		return 0;
	}
	err = blockers(v);
	if (err || !xtr_view_times(v))
		return err;
	fputs("  longest:\n", v->f);
	t = xtr_grid_new(titles);
	for (size_t i = 0; i < xtr_stats_n_waits(v->stats); i++) {
		const struct xtr_stats_wait *w = xtr_stats_wait(v->stats, i);

		cell_fence(t, w->ctx, w->seqno);
		xtr_grid_cell(
			t, xtr_view_ring_path(v, xtr_model_ring(xtr_stats_model(v->stats), w->ring),
					      buf, sizeof(buf)));
		cell_fence(t, w->dep.ctx, w->dep.seqno);
		xtr_grid_cell(t, xtr_view_ring_id(v, w->dep.ring_id, buf, sizeof(buf)));
		xtr_grid_cell(t, w->dep.scheduled ? "it was run" : "it was done");
		xtr_grid_cell(t, xtr_text_stamp(buf, w->dep.from_ns));
		cell_ns(t, w->dep.until_ns - w->dep.from_ns);
	}
	return xtr_grid_print(t, v->f, 2);
}

int xtr_view_text_slowest(const struct xtr_view *v)
{
	static const char *const titles[] = { "<job",       "<device",  "<ring",     "pid",
					      "<comm",      "done s",   "execution", "hw wait",
					      "queue wait", "<quality", NULL };
	struct xtr_grid *t = xtr_grid_new(titles);
	char buf[XTR_TEXT_NAME + 16], n[XTR_TEXT_NUMBER];

	for (size_t i = 0; i < xtr_stats_n_slowest(v->stats); i++) {
		const struct xtr_stats_job *s = xtr_stats_slowest(v->stats, i);
		const struct xtr_job *j = &s->job;
		bool known = j->start_ns && !s->bounded;

		cell_fence(t, j->ctx, j->seqno);
		cells_ring(v, t, xtr_model_ring(xtr_stats_model(v->stats), s->ring));
		xtr_grid_cell(t,
			      xtr_text_process(buf, j->queue_ns ? xtr_process(j->pid, j->nth) : 0));
		xtr_grid_cell(t, xtr_view_string(v, j->comm, buf, sizeof(buf)));
		xtr_grid_cell(t, xtr_text_stamp(buf, j->done_ns));
		snprintf(buf, sizeof(buf), "%s%s", known ? "" : "<=", xtr_text_ns(n, s->value));
		xtr_grid_cell(t, buf);
		xtr_grid_cell(t, known ? xtr_text_ns(buf, j->start_ns - j->run_ns) : "-");
		xtr_grid_cell(t, j->queue_ns ? xtr_text_ns(buf, j->run_ns - j->queue_ns) : "-");
		xtr_grid_cell(t, s->bounded ? "bounded" : xtr_quality_name(j->quality));
	}
	return xtr_grid_print(t, v->f, 2);
}
