/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fences that were made (init) or given to the hardware (emit), and not signalled yet.
 *
 * A driver may make a fence before it knows what it will be called. Contexts are counted from 1
 * (dma_fence_context_alloc), so a fence of context 0 has no name that is its own: i915 makes its
 * requests so (__i915_request_ctor) and names them later, without an event. A fence of a context
 * may be made with number 0 and get another when it is emitted (virtio_gpu_fence_alloc,
 * virtio_gpu_fence_emit); yet 0 may be its number (host1x_fence_create). So an emit or a signal of
 * a number that was not heard of takes one of the context's fences with number 0 away.
 */
#include "fences_impl.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

#define NONE XTR_MAP_NONE

static void unlink_open(struct fences *f, uint32_t i)
{
	struct fence_open *o = &f->open[i];

	if (o->prev != NONE)
		f->open[o->prev].next = o->next;
	else
		f->first_open = o->next;
	if (o->next != NONE)
		f->open[o->next].prev = o->prev;
	else
		f->last_open = o->prev;
	xtr_map_del(&f->by_fence, o->ctx, o->seqno);
	o->next = f->free_open;
	f->free_open = i;
}

static int64_t new_open(struct fences *f)
{
	uint32_t i;

	if (f->free_open == NONE && f->n_open == FENCES_OPEN_MAX) {
		unlink_open(f, f->first_open);
		f->unfollowed++;
	}
	i = f->free_open;
	if (i != NONE) {
		f->free_open = f->open[i].next;
		return i;
	}
	if (fences_grow((void **)&f->open, f->n_open, &f->cap_open, sizeof(*f->open)))
		return -ENOMEM;
	return f->n_open++;
}

/* One of those without a number has this one now, or has ended as what it was called. */
static void take_unnumbered(struct fences *f, struct fence_context *c, uint64_t seqno)
{
	uint32_t i;

	if (!c->unnumbered)
		return;
	c->numbers_later |= seqno != 0;
	if (--c->unnumbered)
		return;
	i = xtr_map_index(&f->by_fence, c->ctx, 0);
	if (i != NONE)
		unlink_open(f, i);
}

/* An emit after the init of the same fence adds nothing. */
int fences_begin(struct fences *f, uint32_t context, const struct xtr_bind *b,
		 const struct xtr_event *ev)
{
	uint64_t ctx = xtr_bind_u64(b, FENCES_CTX, ev), seqno = xtr_bind_u64(b, FENCES_SEQNO, ev);
	uint32_t at = xtr_map_index(&f->by_fence, ctx, seqno);
	int64_t i;

	if (!ctx || (at != NONE && b->role == FENCES_EMIT))
		return 0;
	if (b->role == FENCES_EMIT)
		take_unnumbered(f, &f->context[context], seqno);
	else
		f->context[context].unnumbered += !seqno;
	if (at != NONE)
		unlink_open(f, at);
	i = new_open(f);
	if (i < 0 || xtr_map_put(&f->by_fence, ctx, seqno, (uint32_t)i))
		return -ENOMEM;
	f->open[i] = (struct fence_open){ .ctx = ctx,
					  .seqno = seqno,
					  .since_ns = ev->ts,
					  .context = context,
					  .tid = ev->tid,
					  .prev = f->last_open,
					  .next = NONE,
					  .emitted = b->role == FENCES_EMIT };
	if (f->last_open != NONE)
		f->open[f->last_open].next = (uint32_t)i;
	else
		f->first_open = (uint32_t)i;
	f->last_open = (uint32_t)i;
	return 0;
}

void fences_end(struct fences *f, uint32_t context, const struct xtr_bind *b,
		const struct xtr_event *ev)
{
	struct fence_context *c = &f->context[context];
	uint64_t ns, seqno = xtr_bind_u64(b, FENCES_SEQNO, ev);
	uint32_t i;

	if (!f->by_fence.n)
		return;
	i = xtr_map_index(&f->by_fence, c->ctx, seqno);
	/* Of several with number 0 nobody can tell which it was. */
	if (i == NONE || (!seqno && c->unnumbered > 1)) {
		take_unnumbered(f, c, seqno);
		return;
	}
	c->unnumbered -= !seqno && c->unnumbered;
	if (b->role == FENCES_DESTROY) {
		f->destroyed++;
	} else {
		ns = ev->ts - f->open[i].since_ns;
		c->lives++;
		c->life_ns += ns;
		c->life_max_ns = ns > c->life_max_ns ? ns : c->life_max_ns;
	}
	unlink_open(f, i);
}

/* --- at the end ------------------------------------------------------------------------------- */

/*
 * A job that was not run has two of them: its scheduled fence says nothing beside the finished one.
 */
static void pair(struct fences *f, uint32_t i)
{
	struct fence_open *o = &f->open[i];
	uint32_t k = NONE;

	/* Without a number nobody waits for it. */
	o->listed = o->seqno || !f->context[o->context].numbers_later;
	if (f->source[f->context[o->context].source].kind == FENCE_SCHEDULED)
		k = xtr_map_index(&f->by_fence, o->ctx + 1, o->seqno);
	if (k == NONE)
		return;
	o->listed = false;
	f->open[k].waits_to_run = true;
}

static int finding(const struct fences *f, const struct fence_open *first, uint64_t n,
		   const uint64_t *ns)
{
	const struct fence_source *s = &f->source[f->context[first->context].source];
	uint64_t age = f->end_ns - first->since_ns;
	struct xtr_finding one = {
		.id = "unsignalled-fences",
		.notable = true,
		.at_ns = first->since_ns,
		.evidence = { { "fences", n },
			      { "oldest_context", first->ctx },
			      { "oldest_seqno", first->seqno },
			      { "oldest_age_ns", age },
			      { "limit_ns", FENCES_UNSIGNALLED_NS } },
		.n_evidence = 5,
	};
	char count[XTR_TEXT_NUMBER], t[XTR_TEXT_NUMBER], source[160];

	while (one.n_events < XTR_FINDING_EVENTS_MAX && one.n_events + 1 < n) {
		one.event_ns[one.n_events] = ns[one.n_events + 1];
		one.n_events++;
	}
	snprintf(one.text, sizeof(one.text),
		 "%s %s not signalled; the oldest, of %.100s, is %s old", xtr_text_count(count, n),
		 n == 1 ? "fence was" : "fences were",
		 fences_source_text(s, source, sizeof(source)), xtr_text_ns(t, age));
	return xtr_findings_add(f->o->findings, &one);
}

int fences_unsignalled(struct fences *f)
{
	const struct fence_open *first = NULL;
	uint64_t old = 0, ns[XTR_FINDING_EVENTS_MAX + 1];

	f->list = calloc(FENCES_LIST_MAX, sizeof(*f->list));
	if (!f->list)
		return -ENOMEM;
	for (uint32_t i = f->first_open; i != NONE; i = f->open[i].next)
		pair(f, i);
	for (uint32_t i = f->first_open; i != NONE; i = f->open[i].next) {
		struct fence_open *o = &f->open[i];
		struct fence_source *s = &f->source[f->context[o->context].source];

		if (!o->listed)
			continue;
		f->unsignalled++;
		s->unsignalled++;
		if (f->n_list < FENCES_LIST_MAX)
			f->list[f->n_list++] = i;
		o->unsure = xtr_gaps_overlap(&f->gaps, o->since_ns, f->end_ns);
		if (s->lasting || o->unsure || f->end_ns - o->since_ns <= FENCES_UNSIGNALLED_NS)
			continue;
		if (old <= XTR_FINDING_EVENTS_MAX)
			ns[old] = o->since_ns;
		if (!old++)
			first = o;
	}
	return first && f->o->times ? finding(f, first, old, ns) : 0;
}
