/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/model/job_source.h"
#include "driver_sources.h"
#include "source_table.h"

#include <errno.h>
#include <stdlib.h>

static const struct xtr_job_source *const all[] = { &xtr_source_told,    &xtr_source_sched,
						    &xtr_source_amdxdna, &xtr_source_i915,
						    &xtr_source_ivpu,    &xtr_source_table };

#define SOURCES (sizeof(all) / sizeof(all[0]))

/* Several sources may look at one type, such as fences. */
struct binding {
	uint32_t source, role;
	uint32_t next; /* of the same type, or XTR_MAP_NONE */
};

struct xtr_job_sources {
	void *self[SOURCES];
	bool told;        /* only the first source tells of jobs */
	uint32_t opening; /* source that is binding now */
	struct binding *binding;
	uint32_t *type; /* without repetition */
	uint32_t n_bindings, cap_bindings, n_types, cap_types;
	struct xtr_map by_type; /* type -> first binding */
};

static int grow(void **array, uint32_t *cap, uint32_t n, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 16;
	void *p;

	if (n < *cap)
		return 0;
	p = realloc(*array, more * size);
	if (!p)
		return -ENOMEM;
	*array = p;
	*cap = more;
	return 0;
}

int xtr_source_bind(const struct xtr_source_env *env, const struct xtr_event_desc *d, uint32_t role)
{
	struct xtr_job_sources *s = env->sources;
	uint32_t first = d ? xtr_map_index(&s->by_type, d->type, 0) : XTR_MAP_NONE;

	if (!d)
		return 0;
	if (grow((void **)&s->binding, &s->cap_bindings, s->n_bindings, sizeof(*s->binding)) ||
	    grow((void **)&s->type, &s->cap_types, s->n_types, sizeof(*s->type)) ||
	    xtr_map_put(&s->by_type, d->type, 0, s->n_bindings))
		return -ENOMEM;
	s->binding[s->n_bindings++] = (struct binding){ s->opening, role, first };
	if (first == XTR_MAP_NONE)
		s->type[s->n_types++] = d->type;
	return 0;
}

struct xtr_job_step *xtr_steps_add(struct xtr_job_steps *s, enum xtr_step_kind kind)
{
	struct xtr_job_step *step = &s->step[s->n < XTR_STEPS_MAX ? s->n++ : XTR_STEPS_MAX - 1];

	*step = (struct xtr_job_step){ .kind = kind };
	return step;
}

int xtr_job_sources_open(struct xtr_job_sources **out, const struct xtr_meta *meta,
			 const struct xtr_tables *tables, struct xtr_rings *rings)
{
	struct xtr_source_env env = { .meta = meta, .tables = tables, .rings = rings };
	struct xtr_job_sources *s;
	int err = 0;

	*out = NULL;
	/* Without times there is nothing that a job could be said to have. */
	if (!meta || !xtr_meta_has_times(meta))
		return 0;
	s = env.sources = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->told = source_told_all(meta);
	for (s->opening = 0; s->opening < (s->told ? 1 : SOURCES) && !err; s->opening++)
		err = all[s->opening]->open(&s->self[s->opening], &env);
	if (err || !s->n_bindings) {
		xtr_job_sources_close(s);
		return err;
	}
	*out = s;
	return 0;
}

void xtr_job_sources_close(struct xtr_job_sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < SOURCES; i++)
		if (s->self[i])
			all[i]->close(s->self[i]);
	xtr_map_free(&s->by_type);
	free(s->binding);
	free(s->type);
	free(s);
}

bool xtr_job_sources_told(const struct xtr_job_sources *s)
{
	return s && s->told;
}

const uint32_t *xtr_job_sources_types(const struct xtr_job_sources *s, size_t *n)
{
	*n = s ? s->n_types : 0;
	return s ? s->type : NULL;
}

/* The binding whose source takes the record, or NULL. */
static const struct binding *find(const struct xtr_job_sources *s, uint32_t type,
				  const uint8_t *rec, uint32_t size)
{
	uint32_t i = s ? xtr_map_index(&s->by_type, type, 0) : XTR_MAP_NONE;

	for (; i != XTR_MAP_NONE; i = s->binding[i].next) {
		const struct binding *b = &s->binding[i];

		if (all[b->source]->takes(s->self[b->source], b->role, rec, size))
			return b;
	}
	return NULL;
}

bool xtr_job_sources_take(const struct xtr_job_sources *s, uint32_t type, const uint8_t *rec,
			  uint32_t size)
{
	return find(s, type, rec, size);
}

/* What no source takes, some may want to see. */
static void watch(const struct xtr_job_sources *s, const struct xtr_event *ev)
{
	uint32_t i = xtr_map_index(&s->by_type, ev->type, 0);

	for (; i != XTR_MAP_NONE; i = s->binding[i].next) {
		const struct binding *b = &s->binding[i];

		if (all[b->source]->watch)
			all[b->source]->watch(s->self[b->source], b->role, ev);
	}
}

int xtr_job_sources_event(struct xtr_job_sources *s, const struct xtr_event *ev,
			  struct xtr_job_steps *steps)
{
	const struct binding *b = find(s, ev->type, ev->rec, ev->size);

	steps->n = 0;
	if (!b && s)
		watch(s, ev);
	if (!b)
		return 0;
	return all[b->source]->event(s->self[b->source], b->role, ev, steps) ?: 1;
}
