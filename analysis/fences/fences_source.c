/* SPDX-License-Identifier: BSD-2-Clause */
/* Where fences come from: contexts, their drivers and timelines. */
#include "fences_impl.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int fences_grow(void **array, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 16;
	void *p;

	if (n < *cap)
		return 0;
	p = reallocarray(*array, more, size);
	if (!p)
		return -ENOMEM;
	*array = p;
	*cap = more;
	return 0;
}

uint32_t fences_find_context(struct fences *f, uint64_t ctx)
{
	uint32_t i = xtr_map_index(&f->by_ctx, ctx, 0), at = ctx % FENCES_LAST;

	if (i != XTR_MAP_NONE) {
		f->last_context[at].ctx = ctx;
		f->last_context[at].index = i + 1;
	}
	return i;
}

int64_t fences_context(struct fences *f, uint64_t ctx)
{
	uint32_t i = fences_known_context(f, ctx);

	if (i != XTR_MAP_NONE)
		return i;
	if (f->n_contexts == FENCES_CONTEXTS_MAX)
		return FENCES_CONTEXTS_MAX;
	if (fences_grow((void **)&f->context, f->n_contexts, &f->cap_contexts,
			sizeof(*f->context)) ||
	    xtr_map_put(&f->by_ctx, ctx, 0, f->n_contexts))
		return -ENOMEM;
	f->context[f->n_contexts] = (struct fence_context){ .ctx = ctx };
	return f->n_contexts++;
}

/* --- what events tell ------------------------------------------------------------------------- */

/*
 * What the kernel calls the timeline, or driver, of a fence that is signalled: i915 since always
 * (i915_fence_get_timeline_name), all drivers since 7.0 (dma_fence_timeline_name).
 */
static bool tells_nothing(const char *s, size_t n)
{
	static const char *const names[] = { "signaled", "signaled-timeline", "detached-driver" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (n == strlen(names[i]) && !memcmp(s, names[i], n))
			return true;
	return !n;
}

static void learn(const struct fences *f, uint32_t *id, const struct xtr_bind *b, uint32_t field,
		  const struct xtr_event *ev)
{
	uint64_t v;
	size_t n;
	const char *s;

	if (*id || !xtr_bind_get(b, field, ev, &v) || !v)
		return;
	s = xtr_bind_text(b, field, ev, f->o->tables, &n);
	if (s && !tells_nothing(s, n))
		*id = (uint32_t)v;
}

void fences_learn_names(struct fences *f, struct fence_context *c, const struct xtr_bind *b,
			const struct xtr_event *ev)
{
	learn(f, &c->ops, b, FENCES_OPS, ev);
	learn(f, &c->driver, b, FENCES_DRIVER, ev);
	learn(f, &c->timeline, b, FENCES_TIMELINE, ev);
	c->names_known = (c->ops || !f->tells_ops) && (c->driver || !f->tells_driver) &&
			 (c->timeline || !f->tells_timeline);
}

void fences_learn_owner(struct fence_context *c, uint64_t process, uint32_t comm)
{
	if (!process && !comm)
		return;
	c->several |=
		(c->process || c->comm) && (process ? c->process != process : c->comm != comm);
	c->process = process;
	c->comm = comm;
}

/* Index of the context, as fences_context. */
static int64_t learn_one(struct fences *f, uint64_t ctx, uint32_t ring, uint64_t process,
			 uint32_t comm, enum fence_kind kind)
{
	int64_t i = fences_context(f, ctx);
	struct fence_context *c;

	if (i < 0 || i == FENCES_CONTEXTS_MAX)
		return i;
	c = &f->context[i];
	if (kind != FENCE_OTHER)
		c->kind = kind;
	if (ring)
		c->ring = ring;
	fences_learn_owner(c, process, comm);
	return i;
}

/* What a job says is nearly always what the last one of its context said. */
static bool is_known(struct fences *f, uint64_t ctx, uint32_t ring, uint64_t process, uint32_t comm)
{
	uint32_t i = fences_known_context(f, ctx);
	const struct fence_context *c, *s;

	if (i == XTR_MAP_NONE || !f->context[i].scheduled)
		return false;
	c = &f->context[i];
	s = &f->context[c->scheduled];
	return c->ring == ring && c->process == process && c->comm == comm &&
	       c->kind == FENCE_FINISHED && s->ring == ring && s->process == process &&
	       s->comm == comm && s->kind == FENCE_SCHEDULED;
}

int fences_learn_job(struct fences *f, uint64_t ctx, uint32_t ring, uint64_t process, uint32_t comm)
{
	int64_t i, k;

	if (!ring) {
		i = learn_one(f, ctx, 0, process, comm, FENCE_OTHER);
		return i < 0 ? (int)i : 0;
	}
	if ((process || comm) && is_known(f, ctx, ring, process, comm))
		return 0;
	i = learn_one(f, ctx, ring, process, comm, FENCE_FINISHED);
	k = i < 0 || !ctx ? i : learn_one(f, ctx - 1, ring, process, comm, FENCE_SCHEDULED);
	if (i < 0 || k < 0)
		return (int)(i < 0 ? i : k);
	if (ctx && i != FENCES_CONTEXTS_MAX && k != FENCES_CONTEXTS_MAX)
		f->context[i].scheduled = (uint32_t)k;
	return 0;
}

/* --- sources ---------------------------------------------------------------------------------- */

static void copy_string(const struct fences *f, uint32_t id, char *buf, size_t cap)
{
	size_t n = 0;
	const char *s = f->o->tables ? xtr_tables_string(f->o->tables, id, &n) : NULL;

	if (s)
		xtr_text_name(buf, cap, s, n);
}

/* "i915" of i915_fence_ops: what stands before "_fence"; else all of it. */
static void driver_of_ops(char *buf, size_t cap, const char *ops)
{
	const char *end = strstr(ops, "_fence");
	size_t n = end && end != ops && strncmp(ops, "dma_fence", 9) ? (size_t)(end - ops)
								     : strlen(ops);

	snprintf(buf, cap, "%.*s", (int)n, ops);
}

/* Fences that stay open by design: a container's, and those that a driver signals to evict. */
static bool is_lasting(const char *ops, const char *timeline)
{
	static const char *const names[] = { "amdkfd_fence_ops",     "dma_fence_array_ops",
					     "dma_fence_chain_ops",  "dma_fence_stub_ops",
					     "xe_preempt_fence_ops", "preempt_fence_ops" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(ops, names[i]))
			return true;
	return !strcmp(timeline, "unbound");
}

static void describe(const struct fences *f, const struct fence_context *c, struct fence_source *s)
{
	char ops[64] = "";

	*s = (struct fence_source){ .kind = c->kind };
	copy_string(f, c->ops, ops, sizeof(ops));
	copy_string(f, c->driver, s->driver, sizeof(s->driver));
	copy_string(f, c->timeline, s->timeline, sizeof(s->timeline));
	if (!*s->driver)
		driver_of_ops(s->driver, sizeof(s->driver), ops);
	if (c->ring && c->kind != FENCE_OTHER)
		fences_ring_text(f, c->ring, s->timeline, sizeof(s->timeline));
	if (c->ring && !*s->driver)
		strcpy(s->driver, "drm_sched");
	if (!s->kind && strstr(ops, "_scheduled"))
		s->kind = FENCE_SCHEDULED;
	else if (!s->kind && strstr(ops, "_finished"))
		s->kind = FENCE_FINISHED;
	s->lasting = is_lasting(ops, s->timeline);
}

/* FNV-1a; sources that collide are shown as one. */
static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3ull;
	return (h ^ 0xff) * 0x100000001b3ull;
}

static int64_t source_of(struct fences *f, const struct fence_source *s)
{
	uint64_t h = hash(hash(0xcbf29ce484222325ull + s->kind, s->driver), s->timeline);
	uint32_t i = xtr_map_index(&f->by_source, h, s->lasting);

	if (i != XTR_MAP_NONE)
		return i;
	if (f->n_sources == FENCES_SOURCES_MAX)
		return FENCES_SOURCES_MAX - 1;
	if (xtr_map_put(&f->by_source, h, s->lasting, f->n_sources))
		return -ENOMEM;
	i = f->n_sources++;
	f->source[i] = *s;
	if (f->n_sources == FENCES_SOURCES_MAX)
		f->source[i] = (struct fence_source){ .driver = "(others)" };
	return i;
}

int fences_sources(struct fences *f)
{
	struct fence_source one;
	int64_t k;

	f->source = calloc(FENCES_SOURCES_MAX, sizeof(*f->source));
	if (!f->source)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_contexts; i++) {
		struct fence_context *c = &f->context[i];
		struct fence_source *s;

		describe(f, c, &one);
		k = source_of(f, &one);
		if (k < 0)
			return (int)k;
		c->source = (uint32_t)k;
		s = &f->source[k];
		s->contexts++;
		s->inits += c->inits;
		s->emits += c->emits;
		s->signals += c->signals;
		s->life_ns += c->life_ns;
		s->lives += c->lives;
		if (c->life_max_ns > s->life_max_ns)
			s->life_max_ns = c->life_max_ns;
	}
	return 0;
}

char *fences_source_text(const struct fence_source *s, char *buf, size_t cap)
{
	static const char *const kinds[] = { "", " (scheduled)", "" };

	snprintf(buf, cap, "%s%s%s%s", *s->driver ? s->driver : "(not told)",
		 *s->timeline ? ":" : "", s->timeline, kinds[s->kind]);
	return buf;
}
