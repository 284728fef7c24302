/* SPDX-License-Identifier: BSD-2-Clause */
#include "call_cause.h"

#include <errno.h>
#include <stdlib.h>

#define CAUSE_NONE UINT32_MAX

int causes_init(struct causes *c)
{
	*c = (struct causes){ .free = 0 };
	c->call = calloc(CAUSE_CALLS, sizeof(*c->call));
	c->pending = calloc(CAUSE_PENDING, sizeof(*c->pending));
	if (!c->call || !c->pending)
		return -ENOMEM;
	for (uint32_t i = 0; i < CAUSE_PENDING; i++)
		c->pending[i].next = i + 1 < CAUSE_PENDING ? i + 1 : CAUSE_NONE;
	return 0;
}

void causes_free(struct causes *c)
{
	free(c->call);
	free(c->pending);
	free(c->thread);
	xtr_map_free(&c->by_tid);
}

/* 0: *t is NULL if there are too many. */
static int thread_of(struct causes *c, uint32_t tid, struct cause_thread **t)
{
	uint32_t i = xtr_map_index(&c->by_tid, tid, 0);
	struct cause_thread *more;

	*t = NULL;
	if (i == XTR_MAP_NONE) {
		i = c->n_threads;
		if (i == CAUSE_THREADS_MAX)
			return 0;
		if (!(i & (i - 1))) {
			more = reallocarray(c->thread, i ? i * 2 : 1, sizeof(*more));
			if (!more)
				return -ENOMEM;
			c->thread = more;
		}
		if (xtr_map_put(&c->by_tid, tid, 0, i))
			return -ENOMEM;
		c->thread[i] = (struct cause_thread){ .pending = CAUSE_NONE };
		c->n_threads++;
	}
	*t = &c->thread[i];
	return 0;
}

/* NULL: not kept any more. */
static const struct cause_call *kept(const struct causes *c, uint64_t number)
{
	if (!number || number + CAUSE_CALLS <= c->n_calls)
		return NULL;
	return &c->call[(number - 1) % CAUSE_CALLS];
}

/* Calls end in order, inner ones first: the oldest around the time is the innermost. */
static bool find(const struct causes *c, const struct cause_thread *t, uint64_t at,
		 struct cause_call *found, bool *all)
{
	const struct cause_call *e;
	uint64_t number = t->last;
	bool any = false;

	*all = false;
	for (uint32_t steps = 0; steps < CAUSE_LOOK_AT; steps++) {
		e = kept(c, number);
		if (!e || e->end < at) {
			*all = e || !number;
			break;
		}
		if (e->begin <= at) {
			*found = *e;
			any = true;
		}
		number = e->prev;
	}
	return any;
}

int causes_job(struct causes *c, uint32_t tid, const struct cause_job *j, struct cause_call *at)
{
	struct cause_thread *t;
	uint32_t i = c->free;
	bool all;
	int err = thread_of(c, tid, &t);

	if (err)
		return err;
	if (!t) {
		c->not_known++;
		return 0;
	}
	if (find(c, t, j->at, at, &all) && all)
		return 1;
	if (all && !t->open) {
		c->outside++;
		return 0;
	}
	/* What is not kept may have been it, or inside of it. */
	if (!all || i == CAUSE_NONE) {
		c->not_known++;
		return 0;
	}
	c->free = c->pending[i].next;
	c->pending[i] = (struct cause_pending){ .job = *j, .next = t->pending };
	t->pending = i;
	return 0;
}

int causes_task_end(struct causes *c, uint32_t tid, const struct cause_call *at, bool outermost,
		    void (*take)(void *ctx, const struct cause_call *at, const struct cause_job *j),
		    void *ctx)
{
	struct cause_pending *p;
	struct cause_thread *t;
	uint32_t *link, i;
	bool mine;
	int err = thread_of(c, tid, &t);

	if (err || !t)
		return err;
	for (link = &t->pending; *link != CAUSE_NONE;) {
		i = *link;
		p = &c->pending[i];
		mine = at->begin <= p->job.at && p->job.at <= at->end;
		if (!mine && !outermost) {
			link = &p->next;
			continue;
		}
		if (mine)
			take(ctx, at, &p->job);
		else
			c->outside++;
		*link = p->next;
		p->next = c->free;
		c->free = i;
	}
	if (at->end == UINT64_MAX)
		return 0;
	c->call[c->n_calls % CAUSE_CALLS] = *at;
	c->call[c->n_calls % CAUSE_CALLS].prev = t->last;
	t->last = ++c->n_calls;
	return 0;
}

int causes_begin(struct causes *c, uint32_t tid)
{
	struct cause_thread *t;
	int err = thread_of(c, tid, &t);

	if (t && t->open < UINT32_MAX)
		t->open++;
	return err;
}

void causes_end(struct causes *c, uint32_t tid)
{
	uint32_t i = xtr_map_index(&c->by_tid, tid, 0);

	if (i != XTR_MAP_NONE && c->thread[i].open)
		c->thread[i].open--;
}

void causes_irq(struct causes *c, uint64_t at)
{
	c->irq[c->n_irqs++ % CAUSE_IRQS] = (struct cause_irq){ .at = at };
}

bool causes_take_irq(struct causes *c, uint64_t at)
{
	uint64_t n = c->n_irqs < CAUSE_IRQS ? c->n_irqs : CAUSE_IRQS;
	struct cause_irq *irq;

	for (uint64_t i = 1; i <= n; i++) {
		irq = &c->irq[(c->n_irqs - i) % CAUSE_IRQS];
		if (irq->taken || irq->at > at)
			continue;
		if (at - irq->at > CAUSE_IRQ_NS)
			return false;
		irq->taken = true;
		return true;
	}
	return false;
}

void causes_finish(struct causes *c)
{
	for (uint32_t i = 0; i < c->n_threads; i++)
		for (uint32_t k = c->thread[i].pending; k != CAUSE_NONE; k = c->pending[k].next)
			c->outside++;
}
