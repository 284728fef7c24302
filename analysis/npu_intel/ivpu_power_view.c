/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "ivpu_power_impl.h"
#include "replay/event/process.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <inttypes.h>

static const char *const names[] = {
#define NAME(id, name, function, pm, title) name,
	POWER_STEPS(NAME)
};
static const char *const titles[] = {
#define TITLE(id, name, function, pm, title) title,
	POWER_STEPS(TITLE)
};
static const char *const sources[] = {
#define SOURCE(id, name, function, pm, title) function,
	POWER_STEPS(SOURCE)
};

static void cell_ns(struct xtr_grid *t, uint64_t ns)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, ns ? xtr_text_ns(buf, ns) : "-");
}

static const char *source(const struct power *p, unsigned int step)
{
	return p->function[step] != UINT32_MAX ? sources[step] : "vpu:pm";
}

static int text_steps(const struct power *p, FILE *f)
{
	static const char *const columns[] = { "<step", "<from", "count", "total", "mean",
					       "p50",   "p99",   "max",   NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	unsigned int i;

	for (i = 0; i < POWER_STEP_COUNT; i++) {
		const struct xtr_hist *h = &p->time[i];

		if (!p->count[i])
			continue;
		xtr_grid_cell(t, titles[i]);
		xtr_grid_cell(t, source(p, i));
		xtr_grid_count(t, p->count[i]);
		cell_ns(t, h->sum);
		cell_ns(t, xtr_hist_mean(h));
		cell_ns(t, xtr_hist_quantile(h, 500));
		cell_ns(t, xtr_hist_quantile(h, 990));
		cell_ns(t, h->max);
	}
	return xtr_grid_print(t, f, 2);
}

static const char *payer_name(const char *payer)
{
	return *payer ? payer : "(nothing that was recorded)";
}

static int text_payers(const struct power *p, FILE *f)
{
	static const char *const columns[] = { "<paid by", "wakes", "boots", "time", "max", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;

	for (i = 0; i < p->n_payers; i++) {
		const struct power_payer *one = &p->payer[i];

		xtr_grid_cell(t, payer_name(one->name));
		xtr_grid_count(t, one->wakes);
		xtr_grid_count(t, one->boots);
		cell_ns(t, one->sum_ns);
		cell_ns(t, one->max_ns);
	}
	return xtr_grid_print(t, f, 2);
}

static const char *comm_of(const struct power *p, const struct power_wake *w, size_t *n)
{
	*n = 0;
	return p->o->tables && w->comm ? xtr_tables_string(p->o->tables, w->comm, n) : NULL;
}

static void cell_comm(struct xtr_grid *t, const struct power *p, const struct power_wake *w)
{
	char buf[XTR_TEXT_NAME];
	size_t n;
	const char *s = comm_of(p, w, &n);

	xtr_grid_cell(t, s ? xtr_text_name(buf, sizeof(buf), s, n) : "");
}

static int text_wakes(const struct power *p, FILE *f)
{
	static const char *const columns[] = { "<wake at", "pid",   "<comm",       "<paid by",
					       "submit",   "boots", "resume+boot", "boot",
					       "of",       "share", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NUMBER];
	uint32_t i;
	int ret;

	for (i = 0; i < p->n_wakes && i < p->o->top; i++) {
		const struct power_wake *w = &p->wake[i];

		if (p->o->times)
			xtr_text_stamp(buf, w->place.wake_ns);
		else
			snprintf(buf, sizeof(buf), "event %" PRIu64, w->place.wake_ns);
		xtr_grid_cell(t, buf);
		xtr_grid_cell(t, xtr_text_process(buf, w->process));
		cell_comm(t, p, w);
		xtr_grid_cell(t, payer_name(w->payer));
		snprintf(buf, sizeof(buf), "%" PRIu64, w->place.submit_no);
		xtr_grid_cell(t, w->place.submit_no ? buf : "-");
		xtr_grid_count(t, w->boots);
		cell_ns(t, power_cost(w));
		cell_ns(t, power_boot_ns(w));
		cell_ns(t, w->payer_ns);
		xtr_grid_cell(t, w->payer_ns ? xtr_text_percent(buf, power_cost(w), w->payer_ns)
					     : "-");
	}
	ret = xtr_grid_print(t, f, 2);
	if (i < p->wakes)
		fprintf(f, "  ... and %" PRIu64 " more (--top)\n", p->wakes - i);
	return ret;
}

int power_text(const void *self, const struct xtr_view *v)
{
	const struct power *p = self;
	bool timed = false;
	unsigned int i;
	int ret = text_steps(p, v->f);

	for (i = 0; i < POWER_STEP_COUNT; i++)
		timed |= p->time[i].n;
	if (!p->o->times)
		fputs("  times: not known, the trace has none; who paid follows from the order\n",
		      v->f);
	else if (!timed)
		fputs("  times: not known, no step has begin and end in the trace\n", v->f);
	if (!ret && p->n_payers)
		ret = text_payers(p, v->f);
	if (!ret && p->n_wakes)
		ret = text_wakes(p, v->f);
	return ret;
}

static void kv_known(struct xtr_json *j, const char *key, uint64_t ns)
{
	xtr_json_key(j, key);
	if (ns)
		xtr_json_u64(j, ns);
	else
		xtr_json_null(j);
}

static void kv_text(struct xtr_json *j, const char *key, const char *text)
{
	xtr_json_key(j, key);
	if (*text)
		xtr_json_str(j, text);
	else
		xtr_json_null(j);
}

static void json_steps(const struct power *p, struct xtr_json *j)
{
	unsigned int i;

	xtr_json_kv_array(j, "steps");
	for (i = 0; i < POWER_STEP_COUNT; i++) {
		if (!p->count[i])
			continue;
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "step", names[i]);
		xtr_json_kv_str(j, "from", source(p, i));
		xtr_json_kv_u64(j, "count", p->count[i]);
		xtr_view_json_hist(j, "time_ns", &p->time[i], false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_wake(const struct power *p, const struct power_wake *w, struct xtr_json *j)
{
	size_t n;
	const char *comm = comm_of(p, w, &n);

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "at_ns", w->place.wake_ns);
	xtr_json_kv_u64(j, "tid", w->tid);
	xtr_json_kv_process(j, "pid", w->process);
	xtr_json_key(j, "comm");
	xtr_json_strn(j, comm, n);
	kv_text(j, "payer", w->payer);
	kv_known(j, "submit", w->place.submit_no);
	xtr_json_kv_u64(j, "boots", w->boots);
	kv_known(j, "wake_ns", power_cost(w));
	kv_known(j, "boot_ns", power_boot_ns(w));
	kv_known(j, "payer_ns", w->payer_ns);
	xtr_json_end_object(j);
}

void power_json(const void *self, struct xtr_json *j)
{
	const struct power *p = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "wakes", p->wakes);
	xtr_json_kv_u64(j, "boots", p->boots);
	json_steps(p, j);
	xtr_json_kv_array(j, "payers");
	for (i = 0; i < p->n_payers; i++) {
		xtr_json_begin_object(j);
		kv_text(j, "payer", p->payer[i].name);
		xtr_json_kv_u64(j, "wakes", p->payer[i].wakes);
		xtr_json_kv_u64(j, "boots", p->payer[i].boots);
		xtr_json_kv_u64(j, "wake_ns", p->payer[i].sum_ns);
		xtr_json_kv_u64(j, "max_ns", p->payer[i].max_ns);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "list");
	for (i = 0; i < p->n_wakes; i++)
		json_wake(p, &p->wake[i], j);
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}
