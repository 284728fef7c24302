/* SPDX-License-Identifier: BSD-2-Clause */
/* In which group a job or call is: what of it names the group. */
#include "diff_impl.h"
#include "replay/event/process.h"
#include "replay/model/ring.h"
#include "replay/redact/redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int new_group(struct xtr_diff *d, enum xtr_diff_by by, const char *name, uint64_t mapping,
		     uint64_t hash, uint32_t next)
{
	struct diff_group *g;

	if (d->n_groups == d->cap_groups) {
		uint32_t cap = d->cap_groups ? d->cap_groups * 2 : 64;

		g = realloc(d->group, cap * sizeof(*g));
		if (!g)
			return -ENOMEM;
		d->group = g;
		d->cap_groups = cap;
	}
	g = &d->group[d->n_groups];
	*g = (struct diff_group){
		.by = by, .name = strdup(name), .mapping = mapping, .hash = hash, .next = next
	};
	if (!g->name)
		return -ENOMEM;
	if (xtr_map_put(&d->by_name, hash, by, d->n_groups)) {
		free(g->name);
		return -ENOMEM;
	}
	g->count.by = by;
	d->n_groups++;
	d->n_by[by]++;
	return 0;
}

/*
 * Index of the group with this name; DIFF_NONE: there are too many; -ENOMEM. A name that redacting
 * made is the same only if it is of the same mapping.
 */
static int64_t group_named(struct xtr_diff *d, enum xtr_diff_by by, const char *name)
{
	const size_t len = strlen(name);
	uint64_t mapping = d->mapping && xtr_redact_is_made(name, len) ? d->mapping : 0;
	uint64_t hash = xtr_hash_bytes(name, len) ^ mapping;
	uint32_t first = xtr_map_index(&d->by_name, hash, by), i;

	_Static_assert(XTR_MAP_NONE == DIFF_NONE, "one value for none");
	for (i = first; i != DIFF_NONE; i = d->group[i].next)
		if (d->group[i].mapping == mapping && !strcmp(d->group[i].name, name))
			return i;
	if (d->n_by[by] >= XTR_DIFF_GROUPS_MAX)
		return DIFF_NONE;
	return new_group(d, by, name, mapping, hash, first) ? -ENOMEM : (int64_t)d->n_groups - 1;
}

/* A name of two parts; what does not fit is cut off. */
static void join(char buf[XTR_DIFF_NAME_MAX], const char *a, const char *between, const char *b)
{
	snprintf(buf, XTR_DIFF_NAME_MAX, "%s%s%s", a, *a && *b ? between : "", b);
	if (!*buf)
		snprintf(buf, XTR_DIFF_NAME_MAX, "(unknown)");
}

static void name_of_ring(char buf[XTR_DIFF_NAME_MAX], const struct xtr_model_ring *ring)
{
	join(buf, ring->device_name, "/", *ring->name ? ring->name : "(unknown)");
}

/* As its first thread is called at a time, if the trace knows it; else as the thread is. */
static void name_of_process(const struct xtr_diff *d, char buf[XTR_DIFF_NAME_MAX], uint64_t process,
			    uint32_t comm, uint64_t at)
{
	const char *s = NULL;
	size_t n;

	if (d->tables)
		s = xtr_tables_string(d->tables, xtr_process_comm(d->tables, process, at, comm),
				      &n);
	join(buf, s ? s : "", "", "");
}

bool diff_id_of_job(const struct xtr_job *j, enum xtr_diff_by by, uint64_t *id)
{
	switch (by) {
	case XTR_DIFF_DEVICE:
		*id = j->ring->device;
		return true;
	case XTR_DIFF_RING:
		*id = j->ring->index;
		return true;
	case XTR_DIFF_PROCESS:
		*id = xtr_process(j->pid, j->nth);
		return j->queue_ns && (j->pid || j->comm);
	default:
		return false;
	}
}

int64_t diff_group_of_job(struct xtr_diff *d, const struct xtr_job *j, enum xtr_diff_by by,
			  uint64_t id)
{
	uint64_t and = (uint64_t)(by == XTR_DIFF_PROCESS ? j->comm : 0) << 32 | by;
	uint32_t known = xtr_map_index(&d->by_id, id, and);
	char name[XTR_DIFF_NAME_MAX];
	int64_t i;

	if (known != XTR_MAP_NONE)
		return known;
	if (by == XTR_DIFF_DEVICE)
		join(name, j->ring->device_name, "", "");
	else if (by == XTR_DIFF_RING)
		name_of_ring(name, j->ring);
	else
		name_of_process(d, name, id, j->comm, j->queue_ns);
	i = group_named(d, by, name);
	if (i >= 0 && i != DIFF_NONE && xtr_map_put(&d->by_id, id, and, (uint32_t)i))
		return -ENOMEM;
	return i;
}

static void name_of_call(char buf[XTR_DIFF_NAME_MAX], const struct xtr_call *c)
{
	char name[XTR_DIFF_NAME_MAX];

	join(name, c->module ? c->module : "", ":", c->name);
	join(buf, xtr_call_kind_name(c->kind), " ", name);
}

/* "game: syscall ioctl" */
static void name_of_process_call(const struct xtr_diff *d, char buf[XTR_DIFF_NAME_MAX],
				 const struct xtr_call *c)
{
	char process[XTR_DIFF_NAME_MAX], name[XTR_DIFF_NAME_MAX];

	name_of_process(d, process, xtr_process(c->pid, c->nth), c->comm,
			c->begin_ns ? c->begin_ns : c->end_ns);
	name_of_call(name, c);
	join(buf, process, ": ", name);
}

int64_t diff_group_of_call(struct xtr_diff *d, enum xtr_diff_by by, const struct xtr_call *c)
{
	char name[XTR_DIFF_NAME_MAX];

	if (by == XTR_DIFF_CALL)
		name_of_call(name, c);
	else
		name_of_process_call(d, name, c);
	return group_named(d, by, name);
}
