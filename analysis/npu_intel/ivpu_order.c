/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_order.h"
#include "replay/event/field.h"
#include "replay/event/func_event.h"
#include "ivpu_functions.h"
#include "base/map.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 16384u

/* Ranks of the steps of a wake, in the order in which they call each other. */
#define RANK_PM   15u /* the tracepoint, in ivpu_pm_*resume_cb */
#define RANK_BOOT 30u /* from here on: the firmware's boot */

enum role {
	ROLE_NONE,
	ROLE_SUBMIT, /* an entry point that submits jobs */
	ROLE_ENTRY,  /* another entry point */
	ROLE_READY,  /* follows the firmware's boot, or its failure; not in the middle of one */
};

/* The first pattern that fits decides. Source: drivers/accel/ivpu, Linux 6.3 to 7.2. */
static const struct rule {
	const char *glob;
	enum role role;
	uint32_t rank; /* of a step of a wake; 0: it is none */
} rules[] = {
	{ "ivpu_submit_ioctl", ROLE_SUBMIT, 0 },
	{ "ivpu_cmdq_submit_ioctl", ROLE_SUBMIT, 0 },
	{ "ivpu_*_ioctl", ROLE_ENTRY, 0 },
	{ "ivpu_open", ROLE_ENTRY, 0 },
	{ "ivpu_postclose", ROLE_ENTRY, 0 },
	{ "ivpu_gem_prime_*", ROLE_ENTRY, 0 },
	{ "ivpu_probe", ROLE_ENTRY, 0 },
	{ "ivpu_remove", ROLE_ENTRY, 0 },
	{ "ivpu_pm_suspend_cb", ROLE_ENTRY, 0 },
	{ "ivpu_pm_runtime_suspend_cb", ROLE_ENTRY, 0 },
	{ "ivpu_pm_reset_*_cb", ROLE_ENTRY, 0 },
	{ "ivpu_pm_recovery_work", ROLE_ENTRY, 0 },
	{ "ivpu_pm_resume_cb", ROLE_ENTRY, 10 },
	{ "ivpu_pm_runtime_resume_cb", ROLE_NONE, 10 },
	{ "ivpu_resume", ROLE_NONE, 20 },
	{ "ivpu_boot", ROLE_NONE, RANK_BOOT },
	{ "ivpu_hw_boot_fw", ROLE_NONE, 40 },
	{ "ivpu_wait_for_ready", ROLE_NONE, 50 },
	{ "ivpu_hw_*irq_clear", ROLE_READY, 0 },
	{ "ivpu_hw_*irq_enable", ROLE_READY, 0 },
	{ "ivpu_hw_irq_handler", ROLE_READY, 0 },
	{ "ivpu_ipc_enable", ROLE_READY, 0 },
	{ "ivpu_ipc_send*", ROLE_READY, 0 },
	{ "ivpu_hw_*diagnose_failure", ROLE_READY, 0 },
	{ "ivpu_dev_coredump", ROLE_READY, 0 },
	{ "ivpu_hw_power_down", ROLE_READY, 0 },
	{ "ivpu_prepare_for_reset", ROLE_READY, 0 },
	{ "ivpu_pm_prepare_cold_boot", ROLE_READY, 0 },
};

struct function {
	const struct rule *rule; /* NULL: it has no role */
	char *name;              /* of an entry point */
	bool ret;                /* the event is the return of one whose entry is there */
	bool paired;             /* entry and return are there */
	const struct xtr_field *context;
	const struct xtr_field *text; /* of vpu:pm */
};

struct thread {
	struct ivpu_place place;       /* where it is */
	const struct rule *entry;      /* of place.entry */
	uint32_t wake_rank, last;      /* of the wake's first and last step */
	uint32_t boot_rank, boot_last; /* of the step whose return ends the boot; of the last one */
	uint64_t boot_no;              /* of the last boot */
};

struct ivpu_order {
	const struct xtr_tables *tables;
	struct function *function;
	size_t n_functions;
	struct xtr_map by_type, by_tid;
	struct thread *thread;
	uint32_t n_threads, cap;
	uint64_t entries, submits, wakes, boots; /* numbers given */
};

static const struct rule pm_resume = { "vpu:pm", ROLE_NONE, RANK_PM };

static const struct rule *rule_of(const char *name)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!fnmatch(rules[i].glob, name, 0))
			return &rules[i];
	return NULL;
}

bool ivpu_has_functions(const struct xtr_meta *meta)
{
	struct func_event f;

	for (size_t i = 0; i < xtr_meta_n_events(meta); i++) {
		const char *name = xtr_meta_event_at(meta, i)->name;

		if (func_event_parse(&f, name) && func_event_of(&f, IVPU_MODULE, IVPU_PREFIX))
			return true;
	}
	return false;
}

/* 1: a function to look at; 0: none; -ENOMEM. */
static int add_function(struct function *fn, const struct xtr_meta *meta,
			const struct xtr_event_desc *d)
{
	struct func_event f;
	int err = func_event(&f, meta, d);

	if (err <= 0 || !func_event_of(&f, IVPU_MODULE, IVPU_PREFIX))
		return err < 0 ? err : 0;
	fn->name = strndup(f.name, f.name_len);
	if (!fn->name)
		return -ENOMEM;
	fn->ret = f.ret && f.other;
	fn->paired = f.other;
	fn->rule = f.ret && !f.other ? NULL : rule_of(fn->name);
	fn->context = xtr_event_field(d, "context");
	return 1;
}

static int add_event(struct ivpu_order *o, const struct xtr_meta *meta,
		     const struct xtr_event_desc *d)
{
	struct function *fn = &o->function[o->n_functions];
	int err = add_function(fn, meta, d);

	if (!err && !strcmp(d->name, "vpu:pm")) {
		fn->text = xtr_event_field(d, "event");
		err = 1;
	}
	if (err <= 0)
		return err;
	return xtr_map_put(&o->by_type, d->type, 0, (uint32_t)o->n_functions++);
}

int ivpu_order_new(struct ivpu_order **out, const struct xtr_meta *meta,
		   const struct xtr_tables *tables)
{
	struct ivpu_order *o = calloc(1, sizeof(*o));
	size_t i, n = xtr_meta_n_events(meta);
	int err = 0;

	if (!o)
		return -ENOMEM;
	o->tables = tables;
	o->function = calloc(n + 1, sizeof(*o->function));
	if (!o->function)
		err = -ENOMEM;
	for (i = 0; i < n && !err; i++)
		err = add_event(o, meta, xtr_meta_event_at(meta, i));
	if (err)
		ivpu_order_free(o);
	else
		*out = o;
	return err;
}

void ivpu_order_free(struct ivpu_order *o)
{
	if (!o)
		return;
	/* The last one may be half made. */
	for (size_t i = 0; o->function && i <= o->n_functions; i++)
		free(o->function[i].name);
	free(o->function);
	free(o->thread);
	xtr_map_free(&o->by_type);
	xtr_map_free(&o->by_tid);
	free(o);
}

static void forget_threads(struct ivpu_order *o)
{
	xtr_map_free(&o->by_tid);
	o->n_threads = 0;
}

/* The thread's state, empty if it is new; NULL: no memory. */
static struct thread *thread_of(struct ivpu_order *o, uint32_t tid)
{
	uint32_t cap = o->cap ? o->cap * 2 : 64, i = xtr_map_index(&o->by_tid, tid, 0);
	struct thread *more;

	if (i != XTR_MAP_NONE)
		return &o->thread[i];
	if (o->n_threads == THREADS_MAX)
		forget_threads(o);
	if (o->n_threads == o->cap) {
		more = reallocarray(o->thread, cap, sizeof(*more));
		if (!more)
			return NULL;
		o->thread = more;
		o->cap = cap;
	}
	if (xtr_map_put(&o->by_tid, tid, 0, o->n_threads))
		return NULL;
	o->thread[o->n_threads] = (struct thread){ 0 };
	return &o->thread[o->n_threads++];
}

static void enter(struct ivpu_order *o, struct thread *t, const struct function *fn, uint64_t ts)
{
	*t = (struct thread){
		.entry = fn->rule,
		.place = { .entry = fn->name, .entry_ns = ts, .entry_no = ++o->entries }
	};
	if (fn->rule->role == ROLE_SUBMIT)
		t->place.submit_no = ++o->submits;
}

static void end_boot(struct thread *t)
{
	t->place.boot_no = 0;
	t->boot_rank = 0;
}

static void end_wake(struct thread *t)
{
	end_boot(t);
	t->place.wake_no = 0;
	t->wake_rank = t->last = t->boot_last = 0;
}

/* The next step of a wake or the first one of another; the same for boots. */
static void step(struct ivpu_order *o, struct thread *t, uint32_t rank, uint64_t ts)
{
	bool boot = rank >= RANK_BOOT, new_boot = boot && rank <= t->boot_last;
	bool new_wake = !t->place.wake_no ||
			(boot ? new_boot && t->wake_rank >= RANK_BOOT : rank <= t->last);

	new_boot |= boot && !t->boot_last;
	if (new_wake) {
		end_wake(t);
		t->place.wake_no = ++o->wakes;
		t->place.wake_ns = ts;
		t->wake_rank = rank;
	}
	t->last = rank;
	t->place.wakes = new_wake;
	if (!boot)
		return;
	if (new_boot || new_wake)
		t->boot_no = ++o->boots;
	t->place.boots = new_boot || new_wake;
	if (!t->place.boot_no)
		t->boot_rank = rank;
	t->place.boot_no = t->boot_no;
	t->boot_last = rank;
}

/* ivpu_hw_boot_fw and ivpu_wait_for_ready follow each other: the return of one does not end all. */
static void leave(struct thread *t, const struct rule *rule)
{
	if (rule == t->entry) {
		*t = (struct thread){ 0 };
	} else if (rule->rank && rule->rank == t->wake_rank && rule->rank <= RANK_BOOT) {
		end_wake(t);
	} else if (rule->rank && rule->rank == t->boot_rank) {
		end_boot(t);
		if (rule->rank == RANK_BOOT)
			t->boot_last = 0;
	}
}

/* "resume" and "runtime resume" begin one, with " done" behind it they end it. */
static void power_event(struct ivpu_order *o, struct thread *t, const struct function *fn,
			const struct xtr_event *ev)
{
	static const char done[] = " done";
	size_t n = 0, d = strlen(done);
	const char *s = xtr_field_string(fn->text, o->tables, ev->rec, ev->size, &n);
	bool is_done = s && n > d && !memcmp(s + n - d, done, d);

	n -= is_done ? d : 0;
	if (!s || n < strlen("resume") || memcmp(s + n - strlen("resume"), "resume", 6))
		return;
	if (is_done)
		leave(t, &pm_resume);
	else
		step(o, t, RANK_PM, ev->ts);
}

static bool in_interrupt(const struct function *fn, const struct xtr_event *ev)
{
	uint64_t context;

	return xtr_field_get(fn->context, ev->rec, ev->size, &context) &&
	       context >= XTR_CONTEXT_SOFTIRQ && context <= XTR_CONTEXT_NMI;
}

static void advance(struct ivpu_order *o, struct thread *t, const struct function *fn,
		    const struct xtr_event *ev)
{
	const struct rule *rule = fn->rule;

	if (fn->text) {
		power_event(o, t, fn, ev);
		return;
	}
	if (!rule)
		return;
	if (rule->role == ROLE_SUBMIT || rule->role == ROLE_ENTRY)
		enter(o, t, fn, ev->ts);
	else if (rule->role == ROLE_READY && t->place.boot_no) {
		end_boot(t);
		t->boot_last = 0;
	}
	if (rule->rank)
		step(o, t, rule->rank, ev->ts);
}

uint32_t ivpu_order_function(const struct ivpu_order *o, const char *name, bool *paired)
{
	for (size_t i = 0; i < o->n_functions; i++) {
		if (!o->function[i].name || o->function[i].ret || strcmp(o->function[i].name, name))
			continue;
		if (paired)
			*paired = o->function[i].paired;
		return (uint32_t)i;
	}
	return UINT32_MAX;
}

bool ivpu_order_takes(const struct ivpu_order *o, uint32_t type)
{
	return !type || xtr_map_index(&o->by_type, type, 0) != XTR_MAP_NONE;
}

int ivpu_order_event(struct ivpu_order *o, const struct xtr_event *ev, struct ivpu_place *p)
{
	const struct function *fn;
	struct thread *t;
	uint32_t i;

	if (ev->gap) {
		forget_threads(o);
		return 0;
	}
	i = xtr_map_index(&o->by_type, ev->type, 0);
	if (i == XTR_MAP_NONE)
		return 0;
	fn = &o->function[i];
	*p = (struct ivpu_place){ .function = i };
	if (in_interrupt(fn, ev))
		return !fn->ret;
	t = thread_of(o, ev->tid);
	if (!t)
		return -ENOMEM;
	t->place.wakes = t->place.boots = false;
	if (fn->ret) {
		if (fn->rule)
			leave(t, fn->rule);
		return 0;
	}
	advance(o, t, fn, ev);
	*p = t->place;
	p->function = i;
	return 1;
}
