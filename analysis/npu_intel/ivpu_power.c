/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power of the Intel NPU: resumes, firmware boots, suspends, and which ioctl had to wait for them
 * (docs/npu.md). Wakes and boots are found by ivpu_order, so that they are counted where returns or
 * times are missing; calls add the times.
 */
#include "replay/event/field.h"
#include "replay/event/process.h"
#include "ivpu_power_impl.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const functions[] = {
#define FUNCTION(id, name, function, pm, title) function,
	POWER_STEPS(FUNCTION)
};
static const char *const pm_names[] = {
#define PM_NAME(id, name, function, pm, title) pm,
	POWER_STEPS(PM_NAME)
};

static bool applies(const struct xtr_meta *meta)
{
	return ivpu_has_functions(meta) || xtr_meta_event_by_name(meta, "vpu:pm");
}

static void power_free(void *self)
{
	struct power *p = self;

	for (unsigned int i = 0; i < POWER_STEP_COUNT; i++)
		xtr_hist_free(&p->time[i]);
	ivpu_order_free(p->order);
	xtr_map_free(&p->by_tid);
	free(p);
}

static int power_open(void **self, const struct xtr_analysis_opts *o)
{
	struct power *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->o = o;
	if (ivpu_order_new(&p->order, o->meta, o->tables)) {
		power_free(p);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < POWER_STEP_COUNT; i++)
		p->function[i] = ivpu_order_function(p->order, functions[i], &p->timed[i]);
	*self = p;
	return 0;
}

uint64_t power_boot_ns(const struct power_wake *w)
{
	return w->ns[POWER_BOOT] ? w->ns[POWER_BOOT] : w->ns[POWER_LOAD] + w->ns[POWER_READY];
}

uint64_t power_cost(const struct power_wake *w)
{
	uint64_t most = power_boot_ns(w);

	for (unsigned int i = 0; i < POWER_STEP_COUNT; i++)
		if (w->ns[i] > most)
			most = w->ns[i];
	return most;
}

/* --- wakes that have ended -------------------------------------------------------------------- */

static struct power_payer *payer_of(struct power *p, const char *name)
{
	uint32_t i;

	for (i = 0; i < p->n_payers; i++)
		if (!strcmp(p->payer[i].name, name))
			return &p->payer[i];
	if (p->n_payers == POWER_PAYERS_MAX)
		return &p->payer[POWER_PAYERS_MAX - 1];
	i = p->n_payers++;
	memcpy(p->payer[i].name, i == POWER_PAYERS_MAX - 1 ? "(others)" : name,
	       i == POWER_PAYERS_MAX - 1 ? sizeof("(others)") : POWER_PAYER_LEN);
	return &p->payer[i];
}

/* Into the list, in the place of a cheaper one if it is full. */
static void keep(struct power *p, const struct power_wake *w)
{
	uint32_t least = 0;

	if (p->n_wakes < POWER_WAKES_MAX) {
		p->wake[p->n_wakes++] = *w;
		return;
	}
	for (uint32_t i = 1; i < POWER_WAKES_MAX; i++)
		if (power_cost(&p->wake[i]) < power_cost(&p->wake[least]))
			least = i;
	if (power_cost(w) > power_cost(&p->wake[least]))
		p->wake[least] = *w;
}

static void settle(struct power *p, const struct power_wake *w)
{
	struct power_payer *payer = payer_of(p, w->payer);
	uint64_t cost = power_cost(w);

	payer->wakes++;
	payer->boots += w->boots;
	payer->sum_ns += cost;
	payer->max_ns = cost > payer->max_ns ? cost : payer->max_ns;
	keep(p, w);
	if (w->place.submit_no < 2 || !w->boots)
		return;
	if (!p->late++ || cost > power_cost(&p->worst))
		p->worst = *w;
	p->late_ns += cost;
}

/* Number i is not pending any more; the last one takes its place. */
static int drop(struct power *p, uint32_t i)
{
	struct power_wake *last = &p->pending[--p->n_pending];

	xtr_map_del(&p->by_tid, p->pending[i].tid, 0);
	if (i == p->n_pending)
		return 0;
	p->pending[i] = *last;
	return xtr_map_put(&p->by_tid, last->tid, 0, i);
}

static struct power_wake *pending_of(struct power *p, uint32_t tid)
{
	uint32_t i = xtr_map_index(&p->by_tid, tid, 0);

	return i == XTR_MAP_NONE ? NULL : &p->pending[i];
}

static int settle_pending(struct power *p, struct power_wake *w)
{
	settle(p, w);
	return drop(p, (uint32_t)(w - p->pending));
}

/* --- events ----------------------------------------------------------------------------------- */

static int new_wake(struct power *p, const struct xtr_event *ev, const struct ivpu_place *place)
{
	const struct xtr_task *task =
		ev->tid && p->o->tables ? xtr_tables_task(p->o->tables, ev->tid, ev->ts) : NULL;
	struct power_wake *w = pending_of(p, ev->tid);
	int err = w ? settle_pending(p, w) : 0;

	if (!err && p->n_pending == POWER_PENDING_MAX)
		err = settle_pending(p, &p->pending[0]);
	if (err)
		return err;
	p->wakes++;
	w = &p->pending[p->n_pending];
	*w = (struct power_wake){ .place = *place,
				  .tid = ev->tid,
				  .process = xtr_process_of(task),
				  .comm = task ? task->comm : 0 };
	if (place->entry)
		snprintf(w->payer, sizeof(w->payer), "%s", place->entry);
	return xtr_map_put(&p->by_tid, ev->tid, 0, p->n_pending++);
}

static int add_time(struct power *p, uint32_t tid, enum power_step step, uint64_t ns)
{
	struct power_wake *w = pending_of(p, tid);

	if (w)
		w->ns[step] += ns;
	return xtr_hist_add(&p->time[step], ns);
}

/* vpu:pm tells times where the functions were not recorded. */
static int power_event_pm(struct power *p, const struct xtr_event *ev)
{
	const struct xtr_field *f = xtr_event_field(ev->desc, "event");
	size_t n = 0, len, k;
	const char *s = xtr_field_string(f, p->o->tables, ev->rec, ev->size, &n);
	uint64_t begin;

	for (size_t i = 0; s && i < POWER_STEP_COUNT; i++) {
		len = pm_names[i] ? strlen(pm_names[i]) : 0;
		if (!len || n < len || memcmp(s, pm_names[i], len) || p->function[i] != UINT32_MAX)
			continue;
		if (n == len) {
			p->count[i]++;
			k = p->next_pm++ % POWER_PM_OPEN;
			p->pm[k].tid = ev->tid;
			p->pm[k].step = (uint32_t)i;
			p->pm[k].ts = ev->ts;
			return 0;
		}
		for (k = 0; k < POWER_PM_OPEN; k++) {
			if (!p->pm[k].ts || p->pm[k].tid != ev->tid || p->pm[k].step != i)
				continue;
			begin = p->pm[k].ts;
			p->pm[k].ts = 0;
			return p->o->times ? add_time(p, ev->tid, i, ev->ts - begin) : 0;
		}
	}
	return 0;
}

static void count(struct power *p, const struct ivpu_place *place)
{
	for (unsigned int i = 0; i < POWER_STEP_COUNT; i++)
		if (place->function == p->function[i])
			p->count[i]++;
}

static bool power_takes(const void *self, uint32_t type)
{
	return ivpu_order_takes(((const struct power *)self)->order, type);
}

static int power_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct power *p = self;
	struct ivpu_place place;
	struct power_wake *w;
	int err = ivpu_order_event(p->order, ev, &place);

	if (err <= 0)
		return err;
	if (inside && place.wakes)
		err = new_wake(p, ev, &place);
	if (err < 0 || !inside)
		return err < 0 ? err : 0;
	w = place.boots ? pending_of(p, ev->tid) : NULL;
	p->boots += place.boots;
	if (w)
		w->boots++;
	count(p, &place);
	return ev->desc && !strcmp(ev->desc->name, "vpu:pm") ? power_event_pm(p, ev) : 0;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* The ioctl around a wake has returned; where functions do not tell, any system call. */
static int payer_returns(struct power *p, const struct xtr_call *c)
{
	struct power_wake *w = pending_of(p, c->tid);
	uint64_t ns;

	if (!w || c->begin_ns > w->place.wake_ns)
		return 0;
	if (c->kind == XTR_CALL_FUNCTION &&
	    (!*w->payer || c->begin_ns != w->place.entry_ns || strcmp(c->name, w->payer)))
		return 0;
	if (c->kind == XTR_CALL_SYSCALL && *w->payer)
		return 0;
	if (c->kind == XTR_CALL_SYSCALL)
		snprintf(w->payer, sizeof(w->payer), "system call %s", c->name);
	if (xtr_call_time(c, &ns))
		w->payer_ns = ns;
	return settle_pending(p, w);
}

static int power_call(void *self, const struct xtr_call *c)
{
	struct power *p = self;
	uint64_t ns;
	int err = 0;

	if (c->on_cpu || (c->kind != XTR_CALL_FUNCTION && c->kind != XTR_CALL_SYSCALL))
		return 0;
	for (unsigned int i = 0; c->kind == XTR_CALL_FUNCTION && i < POWER_STEP_COUNT; i++)
		if (p->timed[i] && !strcmp(c->name, functions[i]) && xtr_call_time(c, &ns)) {
			err = add_time(p, c->tid, i, ns);
			break;
		}
	return err ? err : payer_returns(p, c);
}

/* --- the end ---------------------------------------------------------------------------------- */

static int find_late_boots(const struct power *p)
{
	const struct power_wake *w = &p->worst;
	struct xtr_finding f = {
		.id = "boot-in-submit",
		.notable = true,
		.at_ns = w->place.wake_ns,
		.evidence = { { "submits", p->late },
			      { "sum_ns", p->late_ns },
			      { "worst_submit", w->place.submit_no },
			      { "worst_ns", power_cost(w) },
			      { "worst_boot_ns", power_boot_ns(w) },
			      { "worst_submit_ns", w->payer_ns } },
		.n_evidence = 6,
	};
	char n[XTR_TEXT_NUMBER], sum[XTR_TEXT_NUMBER], worst[XTR_TEXT_NUMBER];
	char of[XTR_TEXT_NUMBER];
	int len;

	if (!p->late)
		return 0;
	len = snprintf(f.text, sizeof(f.text), "%s %s after the first waited for a firmware boot",
		       xtr_text_count(n, p->late), p->late == 1 ? "submit" : "submits");
	if (power_cost(w))
		len += snprintf(f.text + len, sizeof(f.text) - (size_t)len,
				", %s in total; the longest: %s", xtr_text_ns(sum, p->late_ns),
				xtr_text_ns(worst, power_cost(w)));
	if (power_cost(w) && w->payer_ns)
		snprintf(f.text + len, sizeof(f.text) - (size_t)len,
			 " of the %s of submit %" PRIu64, xtr_text_ns(of, w->payer_ns),
			 w->place.submit_no);
	return xtr_findings_add(p->o->findings, &f);
}

static int by_time(const void *pa, const void *pb)
{
	const struct power_wake *a = pa, *b = pb;

	return (a->place.wake_no > b->place.wake_no) - (a->place.wake_no < b->place.wake_no);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct power_payer *a = pa, *b = pb;

	if (a->sum_ns != b->sum_ns)
		return a->sum_ns < b->sum_ns ? 1 : -1;
	return (a->wakes < b->wakes) - (a->wakes > b->wakes);
}

static int power_finish(void *self)
{
	struct power *p = self;
	int err = 0;

	while (p->n_pending && !err)
		err = settle_pending(p, &p->pending[0]);
	qsort(p->wake, p->n_wakes, sizeof(*p->wake), by_time);
	qsort(p->payer, p->n_payers, sizeof(*p->payer), by_cost);
	return err ? err : find_late_boots(p);
}

static bool power_any(const void *self)
{
	const struct power *p = self;

	for (unsigned int i = 0; i < POWER_STEP_COUNT; i++)
		if (p->count[i])
			return true;
	return false;
}

const struct xtr_analysis xtr_analysis_power = {
	.name = "power",
	.title = "Intel NPU power: firmware boots, resumes, and who waited for them",
	.applies = applies,
	.open = power_open,
	.free = power_free,
	.takes = power_takes,
	.event = power_event,
	.call = power_call,
	.finish = power_finish,
	.any = power_any,
	.text = power_text,
	.json = power_json,
	.tables = power_tables,
};
