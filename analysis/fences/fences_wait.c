/* SPDX-License-Identifier: BSD-2-Clause */
/* Who waited for whose fences, and how long: dma_fence_wait_start to _end of one thread. */
#include "fences_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OTHERS 0u /* row of the waits that there is no room for */

/* A thread whose process is not known stands for it: no process has a number of 0. */
static int64_t waiter_of(struct fences *f, uint64_t process, uint32_t tid, uint32_t comm,
			 uint32_t context)
{
	uint64_t who = process ? process : (uint64_t)tid << 32;
	uint32_t i = xtr_map_index(&f->by_waiter, who, context);

	if (i != XTR_MAP_NONE)
		return i;
	if (f->n_waiters == FENCES_WAITERS_MAX)
		return OTHERS;
	if (fences_grow((void **)&f->waiter, f->n_waiters, &f->cap_waiters, sizeof(*f->waiter)) ||
	    xtr_map_put(&f->by_waiter, who, context, f->n_waiters))
		return -ENOMEM;
	f->waiter[f->n_waiters] = (struct fence_waiter){
		.process = process, .tid = process ? 0 : tid, .comm = comm, .context = context
	};
	return f->n_waiters++;
}

int fences_wait(struct fences *f, const struct xtr_call *c)
{
	uint64_t process = xtr_process(c->pid, c->nth);
	int64_t context = fences_context(f, c->ctx), i;
	struct fence_waiter *w;
	uint64_t ns;

	if (context < 0)
		return (int)context;
	/* The first row is that of the others. */
	i = f->n_waiters ? 0 : waiter_of(f, 0, 0, 0, FENCES_CONTEXTS_MAX);
	if (i >= 0)
		i = waiter_of(f, process, c->tid,
			      xtr_process_comm(f->o->tables, process, c->begin_ns, c->comm),
			      (uint32_t)context);
	if (i < 0)
		return (int)i;
	w = &f->waiter[i];
	w->waits++;
	f->waits++;
	if (!xtr_call_time(c, &ns)) {
		w->open++;
		f->waits_open++;
		return 0;
	}
	return f->o->times ? xtr_hist_add_within(&w->time, ns, &f->hist_left) : 0;
}

/* --- at the end ------------------------------------------------------------------------------- */

static int by_who(const void *pa, const void *pb)
{
	const struct fence_waiter *a = pa, *b = pb;

	if (a->process != b->process)
		return xtr_process_cmp(a->process, b->process);
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->several != b->several)
		return a->several - b->several;
	return xtr_process_cmp(a->owner, b->owner);
}

static int by_total(const void *pa, const void *pb)
{
	const struct fence_waiter *a = pa, *b = pb;

	if (a->time.sum != b->time.sum)
		return a->time.sum < b->time.sum ? 1 : -1;
	if (a->waits != b->waits)
		return a->waits < b->waits ? 1 : -1;
	return by_who(pa, pb);
}

/* Contexts of one source, with jobs of one process, are one row. */
int fences_waiters(struct fences *f)
{
	uint32_t n = 0;
	int err = 0;

	for (uint32_t i = 0; i < f->n_waiters; i++) {
		struct fence_waiter *w = &f->waiter[i];
		const struct fence_context *c =
			w->context < f->n_contexts ? &f->context[w->context] : NULL;

		w->source = c ? c->source : FENCES_SOURCES_MAX;
		w->several = c && c->several;
		w->owner = c && !c->several ? c->process : 0;
		w->owner_comm = c && !c->several ? c->comm : 0;
	}
	if (f->n_waiters)
		qsort(f->waiter, f->n_waiters, sizeof(*f->waiter), by_who);
	for (uint32_t i = 0; i < f->n_waiters && !err; i++) {
		struct fence_waiter *w = &f->waiter[i], *into = n ? &f->waiter[n - 1] : NULL;

		if (!w->waits) {
			xtr_hist_free(&w->time);
			continue;
		}
		if (!into || by_who(into, w)) {
			f->waiter[n++] = *w;
			if (&f->waiter[n - 1] != w)
				w->time = (struct xtr_hist){ 0 };
			continue;
		}
		into->waits += w->waits;
		into->open += w->open;
		err = xtr_hist_merge(&into->time, &w->time);
		xtr_hist_free(&w->time);
		w->time = (struct xtr_hist){ 0 };
	}
	if (err)
		return err;
	f->n_waiters = n;
	if (n)
		qsort(f->waiter, n, sizeof(*f->waiter), by_total);
	return 0;
}
