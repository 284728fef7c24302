/* SPDX-License-Identifier: BSD-2-Clause */
/* The section: idle time by device, process and state, and what is worth a look. */
#include "idle_section.h"
#include "base/checked.h"
#include "base/text.h"
#include "format/meta/tables.h"
#include "replay/event/process.h"
#include "replay/event/stack_glue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void section_free(void *self)
{
	struct idle_section *x = self;

	xtr_idle_free(x->idle);
	free(x->device);
	free(x->row);
	free(x);
}

static int section_open(void **self, const struct xtr_analysis_opts *o)
{
	struct idle_section *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->o = o;
	if (xtr_idle_new(&x->idle, o->meta, o->tables)) {
		section_free(x);
		return -ENOMEM;
	}
	*self = x;
	return 0;
}

static bool section_takes(const void *self, uint32_t type)
{
	return xtr_idle_takes(((const struct idle_section *)self)->idle, type);
}

static int section_event(void *self, const struct xtr_event *ev, bool inside)
{
	(void)inside; /* what a thread did before tells what it does */
	return xtr_idle_event(((struct idle_section *)self)->idle, ev);
}

static int section_job(void *self, const struct xtr_job *j)
{
	return xtr_idle_job(((struct idle_section *)self)->idle, j);
}

/* --- leaves ----------------------------------------------------------------------------------- */

static const char *string_of(const struct xtr_tables *t, uint32_t id, size_t *n)
{
	const char *s = id ? xtr_tables_string(t, id, n) : NULL;

	if (!s)
		*n = 0;
	return s ? s : "";
}

/* Of a file on disk, and not of the C library: there it says little that something waits. */
static bool is_own(const struct xtr_tables *t, const struct xtr_frame *f)
{
	size_t n;
	const char *module = string_of(t, f->module, &n), *base = memrchr(module, '/', n);

	if (!base)
		return false;
	n -= (size_t)(base + 1 - module);
	return n < 5 || (memcmp(base + 1, "libc.", 5) && memcmp(base + 1, "ld-li", 5));
}

/* The kernel's code that goes from one thread to another: under what sleeps it always stands. */
static bool is_switch(const struct xtr_tables *t, const struct xtr_frame *f)
{
	static const char *const names[] = { "schedule", "finish_task_switch" };
	size_t n;
	const char *symbol = string_of(t, f->symbol, &n);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (memmem(symbol, n, names[i], strlen(names[i])))
			return true;
	return false;
}

/* The innermost frame of the program's own, else of any other code that has a name. */
static const struct xtr_frame *leaf_of(const struct xtr_tables *t, uint32_t stack)
{
	const struct xtr_frame *f, *any = NULL;
	const uint32_t *frames;
	size_t n = 0;

	frames = stack && t ? xtr_tables_stack(t, stack, &n) : NULL;
	for (size_t i = frames ? xtr_stack_glue(t, frames, n) : 0; frames && i < n; i++) {
		f = xtr_tables_frame(t, frames[i]);
		if (f && is_own(t, f))
			return f;
		if (f && !any && f->symbol && !is_switch(t, f))
			any = f;
	}
	return any;
}

/* "prepare_frame", or "libx.so+0x12". */
static void put_leaf(const struct xtr_tables *t, struct idle_leaf *leaf, uint32_t stack)
{
	const struct xtr_frame *f = leaf_of(t, stack);
	size_t n_symbol, n_module;
	const char *symbol, *module, *base;
	char name[XTR_TEXT_NAME];

	if (!f)
		return;
	symbol = string_of(t, f->symbol, &n_symbol);
	module = string_of(t, f->module, &n_module);
	base = n_module ? memrchr(module, '/', n_module) : NULL;
	base = base ? base + 1 : module;
	if (n_symbol)
		xtr_text_name(leaf->name, sizeof(leaf->name), symbol, n_symbol);
	else if (n_module)
		snprintf(
			leaf->name, sizeof(leaf->name), "%.64s+0x%llx",
			xtr_text_name(name, sizeof(name), base, n_module - (size_t)(base - module)),
			(unsigned long long)f->offset);
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool same_state(const struct xtr_idle_row *a, const struct xtr_idle_row *b)
{
	return a->device == b->device && a->process == b->process && a->comm == b->comm &&
	       a->state == b->state;
}

/* The leaf in whose stacks most of the time is, of the first ones. */
static struct idle_leaf heaviest(const struct idle_section *x, size_t i, size_t n)
{
	struct idle_leaf leaf[IDLE_LEAVES_MAX], best = { .ns = 0 };
	size_t n_leaves = 0, at;

	for (size_t k = i; k < i + n && k < i + IDLE_LEAVES_MAX; k++) {
		const struct xtr_idle_row *r = xtr_idle_row(x->idle, k);
		struct idle_leaf one = { .ns = 0 };

		put_leaf(x->o->tables, &one, r->stack);
		for (at = 0; at < n_leaves && strcmp(leaf[at].name, one.name); at++)
			;
		if (at == n_leaves)
			leaf[n_leaves++] = one;
		leaf[at].ns = xtr_sat_add(leaf[at].ns, r->ns);
	}
	for (at = 0; at < n_leaves; at++)
		if (*leaf[at].name && leaf[at].ns > best.ns)
			best = leaf[at];
	return best;
}

/* A row of the section is all stacks of one state. */
static void gather(struct idle_section *x, struct idle_state *to, size_t i, size_t n)
{
	for (size_t k = i; k < i + n; k++) {
		const struct xtr_idle_row *r = xtr_idle_row(x->idle, k);

		to->ns = xtr_sat_add(to->ns, r->ns);
		to->samples += r->samples;
		if (xtr_idle_explains(x->idle, r))
			to->explained_ns = xtr_sat_add(to->explained_ns, r->ns);
	}
	to->leaf = heaviest(x, i, n);
}

static int by_ns(const void *pa, const void *pb)
{
	const struct idle_state *a = pa, *b = pb;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->state > b->state) - (a->state < b->state);
}

static int make_rows(struct idle_section *x)
{
	size_t n_rows = xtr_idle_n_rows(x->idle), n;

	x->n_devices = (uint32_t)xtr_idle_n_devices(x->idle);
	x->device = calloc(x->n_devices + 1, sizeof(*x->device));
	x->row = calloc(n_rows + 1, sizeof(*x->row));
	if (!x->device || !x->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n_devices; i++)
		x->device[i] = *xtr_idle_device(x->idle, i);
	for (size_t i = 0; i < n_rows; i += n) {
		const struct xtr_idle_row *r = xtr_idle_row(x->idle, i);
		struct idle_state *to = &x->row[x->n_rows++];

		for (n = 1; i + n < n_rows && same_state(r, xtr_idle_row(x->idle, i + n)); n++)
			;
		*to = (struct idle_state){ .device = r->device,
					   .state = r->state,
					   .process = r->process,
					   .comm = xtr_process_comm(x->o->tables, r->process, r->ts,
								    r->comm) };
		gather(x, to, i, n);
	}
	qsort(x->row, x->n_rows, sizeof(*x->row), by_ns);
	return 0;
}

/* --- findings --------------------------------------------------------------------------------- */

/* "game (pid 4711) was running for 9.00 ms of it, most of that in prepare_frame" */
static void put_worst(const struct idle_section *x, const struct idle_state *w,
		      struct xtr_finding *f)
{
	static const char *const did[XTR_IDLE_STATE_COUNT] = {
		[XTR_IDLE_RUNNING] = "was running",
		[XTR_IDLE_SLEEPING] = "was sleeping",
		[XTR_IDLE_RUNNABLE] = "waited for a CPU",
		[XTR_IDLE_SUBMITTED] = "had submitted its job",
		[XTR_IDLE_UNKNOWN] = "did what is not known",
	};
	char name[XTR_TEXT_NAME] = "?", pid[XTR_TEXT_PROCESS], ns[XTR_TEXT_NUMBER];
	size_t len = strlen(f->text), n;
	const char *s = string_of(x->o->tables, w->comm, &n);

	if (n)
		xtr_text_name(name, sizeof(name), s, n);
	snprintf(f->text + len, sizeof(f->text) - len, "; %.32s (pid %s) %s for %s of it%s%.64s",
		 name, xtr_text_process(pid, w->process), did[w->state], xtr_text_ns(ns, w->ns),
		 *w->leaf.name ? ", most in " : "", w->leaf.name);
	xtr_finding_evidence(f, "pid", xtr_process_pid(w->process));
	xtr_finding_evidence(f, "of_it_ns", w->ns);
}

static int starved(const struct idle_section *x, uint32_t i)
{
	const struct xtr_idle_device *d = &x->device[i];
	uint64_t span = d->last_ns > d->first_ns ? d->last_ns - d->first_ns : 0;
	struct xtr_finding f = { .id = "idle-device", .notable = true, .at_ns = d->longest_at };
	char ns[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER];
	const struct idle_state *w = NULL;

	for (size_t k = 0; k < x->n_rows && !w; k++)
		if (x->row[k].device == i && x->row[k].state != XTR_IDLE_SUBMITTED)
			w = &x->row[k];
	if (!w || (__uint128_t)w->ns * 1000 <= (__uint128_t)span * IDLE_LIMIT_PERMILLE)
		return 0;
	snprintf(f.text, sizeof(f.text), "%.60s had nothing to execute for %s of %s",
		 *d->name ? d->name : "a device", xtr_text_ns(ns, d->idle_ns),
		 xtr_text_ns(of, span));
	xtr_finding_evidence(&f, "idle_ns", d->idle_ns);
	xtr_finding_evidence(&f, "span_ns", span);
	xtr_finding_evidence(&f, "limit_permille", IDLE_LIMIT_PERMILLE);
	put_worst(x, w, &f);
	return xtr_findings_add(x->o->findings, &f);
}

static int section_finish(void *self)
{
	struct idle_section *x = self;
	int err = xtr_idle_finish(x->idle) ?: make_rows(x);

	for (uint32_t i = 0; i < x->n_devices && !err && x->o->times && xtr_idle_any(x->idle); i++)
		err = starved(x, i);
	return err;
}

static bool section_any(const void *self)
{
	const struct idle_section *x = self;

	return x->n_devices && xtr_idle_any(x->idle);
}

const struct xtr_analysis xtr_analysis_idle = {
	.name = "idle",
	.title = "Devices with nothing to execute: what the CPUs did",
	.applies = xtr_idle_applies,
	.open = section_open,
	.free = section_free,
	.takes = section_takes,
	.event = section_event,
	.job = section_job,
	.others = section_job,
	.finish = section_finish,
	.any = section_any,
	.text = idle_text,
	.json = idle_json,
	.tables = idle_tables,
};
