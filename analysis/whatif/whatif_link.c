/* SPDX-License-Identifier: BSD-2-Clause */
/* Who waits for whom: jobs of one queue in order, and the fences that jobs waited for. */
#include "whatif_impl.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

static int by_coming(const void *pa, const void *pb, void *ctx)
{
	const struct whatif_job *job = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	uint64_t x = whatif_comes(&job[a]), y = whatif_comes(&job[b]);

	return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

static int by_queue(const void *pa, const void *pb, void *ctx)
{
	const struct whatif_job *job = ctx;
	const struct whatif_job *a = &job[*(const uint32_t *)pa], *b = &job[*(const uint32_t *)pb];
	uint64_t x = whatif_comes(a), y = whatif_comes(b);

	if (a->name.ctx != b->name.ctx)
		return a->name.ctx < b->name.ctx ? -1 : 1;
	if (x != y)
		return x < y ? -1 : 1;
	return (a->name.seqno > b->name.seqno) - (a->name.seqno < b->name.seqno);
}

/* A queue hands its jobs over in the order in which they came. Those that never ran do not count.
 */
static void link_queues(struct xtr_whatif *w)
{
	uint32_t last = WHATIF_NONE;

	qsort_r(w->order, w->n, sizeof(*w->order), by_queue, w->job);
	for (size_t i = 0; i < w->n; i++) {
		uint32_t k = w->order[i];

		if (!w->job[k].run_ns || whatif_has(&w->job[k], WHATIF_NO_QUEUE))
			continue;
		if (last != WHATIF_NONE && w->job[last].name.ctx == w->job[k].name.ctx)
			w->job[last].next = k;
		last = k;
	}
}

/* --- names ------------------------------------------------------------------------------------ */

/* Jobs by name: a table of their numbers alone, as names are in the jobs. */
struct names {
	uint32_t *slot;
	size_t mask;
};

static size_t home(const struct names *t, const struct xtr_job_name *name)
{
	return (size_t)xtr_hash_bytes(name, sizeof(*name)) & t->mask;
}

/* The slot that has the job of that name, or where it would be. */
static uint32_t *find(const struct xtr_whatif *w, const struct names *t,
		      const struct xtr_job_name *name)
{
	size_t i = home(t, name);

	while (t->slot[i] != WHATIF_NONE && !xtr_job_name_same(&w->job[t->slot[i]].name, name))
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

/* Of several with one name the first is meant. */
static int make_names(const struct xtr_whatif *w, struct names *t)
{
	size_t size = 16;

	while (size < 2 * w->n)
		size *= 2;
	t->mask = size - 1;
	t->slot = malloc(size * sizeof(*t->slot));
	if (!t->slot)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		t->slot[i] = WHATIF_NONE;
	for (size_t i = 0; i < w->n; i++) {
		uint32_t *slot = find(w, t, &w->job[i].name);

		if (*slot == WHATIF_NONE)
			*slot = (uint32_t)i;
	}
	return 0;
}

/* A fence of which no job in the trace tells when it was signalled was when the wait ended. */
static void link_dep(struct xtr_whatif *w, const struct names *t, uint32_t i)
{
	struct whatif_dep *d = &w->dep[i];
	struct whatif_job *owner = &w->job[d->owner];
	uint32_t of = *find(w, t, &(struct xtr_job_name){ d->ctx, d->seqno });
	bool tells = of != WHATIF_NONE && (d->scheduled ? w->job[of].run_ns : w->job[of].done_ns);

	if (!tells) {
		if (d->until_ns <= owner->run_ns && d->until_ns > owner->fence_ns)
			owner->fence_ns = d->until_ns;
		d->owner = WHATIF_NONE;
		return;
	}
	d->next = w->job[of].deps;
	w->job[of].deps = i;
}

int whatif_link(struct xtr_whatif *w)
{
	struct names names;

	w->order = malloc((w->n + 1) * sizeof(*w->order));
	if (!w->order || make_names(w, &names))
		return -ENOMEM;
	for (size_t i = 0; i < w->n; i++)
		w->order[i] = (uint32_t)i;
	for (size_t i = 0; i < w->n_deps; i++)
		link_dep(w, &names, (uint32_t)i);
	free(names.slot);
	link_queues(w);
	qsort_r(w->order, w->n, sizeof(*w->order), by_coming, w->job);
	return 0;
}
