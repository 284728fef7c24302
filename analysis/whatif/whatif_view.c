/* SPDX-License-Identifier: BSD-2-Clause */
#include "whatif_view.h"
#include "analysis/core/grid.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* The ring has jobs that are to be shown, or were removed. */
static bool is_shown(const struct xtr_whatif_view *v, size_t i)
{
	return v->recorded[i].jobs || v->recorded[i].removed;
}

static uint64_t span(const struct xtr_whatif_sums *s)
{
	return s->first_ns && s->last_ns > s->first_ns ? s->last_ns - s->first_ns : 0;
}

static void cell_name(struct xtr_grid *t, const char *name)
{
	char buf[XTR_TEXT_NAME];

	if (!name)
		name = "all";
	else if (!*name)
		name = "-";
	xtr_grid_cell(t, xtr_text_name(buf, sizeof(buf), name, strlen(name)));
}

/* ring NULL: of all. */
static void cells_ring(struct xtr_grid *t, const struct xtr_model_ring *ring)
{
	cell_name(t, ring ? ring->device_name : NULL);
	cell_name(t, ring ? ring->name : "");
}

/* --- figures ---------------------------------------------------------------------------------- */

static void row_figures(struct xtr_grid *t, const struct xtr_model_ring *ring, const char *what,
			const struct xtr_whatif_sums *s)
{
	cells_ring(t, ring);
	xtr_grid_cell(t, what);
	xtr_grid_count(t, s->jobs);
	xtr_grid_ns(t, s->first_ns, span(s));
	xtr_grid_ns(t, true, s->busy_ns);
	xtr_grid_ns(t, s->times, s->p50_ns);
	xtr_grid_ns(t, s->times, s->p99_ns);
	xtr_grid_ns(t, true, s->wait_ns);
	xtr_grid_ns(t, true, s->chain_ns);
}

static int text_figures(const struct xtr_whatif_view *v, FILE *f)
{
	static const char *const titles[] = { "<device", "<ring", "<",     "jobs",  "span", "busy",
					      "p50",     "p99",   "waits", "chain", NULL };
	struct xtr_grid *t = xtr_grid_new(titles);

	for (size_t i = 0; i <= xtr_whatif_n_rings(v->w); i++) {
		bool all = i == xtr_whatif_n_rings(v->w);
		const struct xtr_model_ring *ring = all ? NULL : xtr_whatif_ring(v->w, i)->ring;

		if (!all && !is_shown(v, i))
			continue;
		row_figures(t, ring, "recorded", &v->recorded[i]);
		if (v->changed)
			row_figures(t, ring, "predicted", &v->changed[i]);
	}
	return xtr_grid_print(t, f, 2);
}

/* --- the model -------------------------------------------------------------------------------- */

static const char *order(const struct xtr_whatif_ring *r)
{
	return !r->in_order ? "apart" : r->assumed ? "in order?" : "in order";
}

static void cell_error(struct xtr_grid *t, const struct xtr_whatif_sums *s, uint64_t millionths)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, s->errors ? xtr_text_percent(buf, millionths, XTR_WHATIF_UNIT) : "-");
}

static void row_model(const struct xtr_whatif_view *v, struct xtr_grid *t, size_t i)
{
	bool all = i == xtr_whatif_n_rings(v->w);
	const struct xtr_whatif_ring *r = all ? NULL : xtr_whatif_ring(v->w, i);
	const struct xtr_whatif_sums *a = &v->replayed[i], *b = &v->typical[i];
	char buf[XTR_TEXT_NUMBER];

	cells_ring(t, r ? r->ring : NULL);
	xtr_grid_cell(t, r ? order(r) : "");
	snprintf(buf, sizeof(buf), "%" PRIu32 "%s", r ? r->limit : 0,
		 r && r->limit_seen ? " seen" : "");
	xtr_grid_cell(t, !r ? "" : r->limit == UINT32_MAX ? "any" : buf);
	xtr_grid_ns(t, r, r ? r->delay_ns : 0);
	xtr_grid_count(t, v->recorded[i].bounded);
	cell_error(t, a, a->error50);
	cell_error(t, a, a->error99);
	cell_error(t, b, b->error50);
	cell_error(t, b, b->error99);
}

static int text_model(const struct xtr_whatif_view *v, FILE *f)
{
	static const char *const titles[] = { "<device",     "<ring",   "<jobs run", "at once",
					      "delay p50",   "bounded", "error p50", "p99",
					      "typical p50", "p99",     NULL };
	struct xtr_grid *t = xtr_grid_new(titles);

	for (size_t i = 0; i <= xtr_whatif_n_rings(v->w); i++)
		if (i == xtr_whatif_n_rings(v->w) || is_shown(v, i))
			row_model(v, t, i);
	return xtr_grid_print(t, f, 2);
}

/* What is not as the model has it, of all jobs that were played. */
static void text_rest(const struct xtr_whatif_view *v, FILE *f)
{
	uint64_t fixed = 0, full = 0, loose = 0, paced = 0, prio = 0;

	for (size_t i = 0; i < xtr_whatif_n_rings(v->w); i++) {
		const struct xtr_whatif_ring *r = xtr_whatif_ring(v->w, i);

		fixed += r->fixed;
		full += r->full;
		loose += r->loose;
		paced += r->paced;
		prio += v->changed ? r->prio : 0;
	}
	if (v->recorded[xtr_whatif_n_rings(v->w)].removed)
		fprintf(f, "  left out: %s jobs\n",
			XTR_COUNT(v->recorded[xtr_whatif_n_rings(v->w)].removed));
	if (prio)
		fprintf(f, "  of another priority: %s jobs\n", XTR_COUNT(prio));
	if (paced)
		fprintf(f, "  submitted as their thread can, which waits for its jobs: %s jobs\n",
			XTR_COUNT(paced));
	if (fixed)
		fprintf(f, "  left as they were, as a time is not known: %s jobs\n",
			XTR_COUNT(fixed));
	if (full)
		fprintf(f, "  run although their ring was full: %s jobs\n", XTR_COUNT(full));
	if (loose)
		fprintf(f, "  not waited for, as the record contradicts it: %s jobs\n",
			XTR_COUNT(loose));
}

int xtr_whatif_text(const struct xtr_whatif_view *v, FILE *f)
{
	int err;

	fputs("Figures, submission to end\n", f);
	err = text_figures(v, f);
	if (err)
		return err;
	fputs("\nThe model, replaying what happened: error of each job's time from submission to end\n",
	      f);
	err = text_model(v, f);
	if (!err)
		text_rest(v, f);
	return err;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_sums(struct xtr_json *j, const char *key, const struct xtr_whatif_sums *s)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "jobs", s->jobs);
	xtr_json_kv_known(j, "from_ns", s->first_ns);
	xtr_json_kv_known(j, "to_ns", s->last_ns);
	xtr_json_kv_u64(j, "span_ns", span(s));
	xtr_json_kv_u64(j, "busy_ns", s->busy_ns);
	xtr_json_kv_u64_if(j, "p50_ns", s->times, s->p50_ns);
	xtr_json_kv_u64_if(j, "p99_ns", s->times, s->p99_ns);
	xtr_json_kv_u64(j, "wait_ns", s->wait_ns);
	xtr_json_kv_u64(j, "chain_ns", s->chain_ns);
	xtr_json_end_object(j);
}

static void json_error(struct xtr_json *j, const char *key, const struct xtr_whatif_sums *s)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "jobs", s->errors);
	xtr_json_kv_u64_if(j, "p50_ppm", s->errors, s->error50);
	xtr_json_kv_u64_if(j, "p99_ppm", s->errors, s->error99);
	xtr_json_end_object(j);
}

static void json_ring(const struct xtr_whatif_ring *r, struct xtr_json *j, bool changed)
{
	static const char *const orders[] = { "apart", "in-order" };

	xtr_json_kv_str(j, "device", r->ring->device_name);
	xtr_json_kv_str(j, "ring", r->ring->name);
	xtr_json_kv_u64(j, "ring_id", r->ring->id);
	xtr_json_kv_str(j, "order", orders[r->in_order]);
	xtr_json_kv_bool(j, "order_assumed", r->assumed);
	xtr_json_kv_u64_if(j, "at_once", r->limit != UINT32_MAX, r->limit);
	xtr_json_kv_bool(j, "at_once_seen", r->limit_seen);
	if (changed) {
		xtr_json_kv_known(j, "depth", r->depth);
		xtr_json_kv_u64(j, "scale_ppm", r->millionths);
		xtr_json_kv_u64(j, "priority_changed", r->prio);
	}
	xtr_json_kv_u64(j, "delay_p50_ns", r->delay_ns);
	xtr_json_kv_u64(j, "paced", r->paced);
	xtr_json_kv_u64(j, "fixed", r->fixed);
	xtr_json_kv_u64(j, "run_when_full", r->full);
	xtr_json_kv_u64(j, "contradicted", r->loose);
}

static void json_figures(const struct xtr_whatif_view *v, struct xtr_json *j, size_t i)
{
	xtr_json_kv_u64(j, "bounded", v->recorded[i].bounded);
	xtr_json_kv_u64(j, "removed", v->recorded[i].removed);
	json_sums(j, "recorded", &v->recorded[i]);
	if (v->changed)
		json_sums(j, "predicted", &v->changed[i]);
	json_error(j, "error", &v->replayed[i]);
	json_error(j, "typical_error", &v->typical[i]);
}

void xtr_whatif_json(const struct xtr_whatif_view *v, struct xtr_json *j)
{
	size_t n = xtr_whatif_n_rings(v->w);

	xtr_json_begin_object(j);
	xtr_json_kv_array(j, "rings");
	for (size_t i = 0; i < n; i++) {
		if (!is_shown(v, i))
			continue;
		xtr_json_begin_object(j);
		json_ring(xtr_whatif_ring(v->w, i), j, v->changed);
		json_figures(v, j, i);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_object(j, "all");
	json_figures(v, j, n);
	xtr_json_end_object(j);
	xtr_json_end_object(j);
}
