// SPDX-License-Identifier: BSD-2-Clause
/* Records that perf itself writes between those of the kernel. */
#include "perfdata_priv.h"

#include <errno.h>
#include <stdio.h>

#define UPDATE_NAME 2u /* EVENT_UPDATE's type: the event's name follows */

static void malformed(struct perfdata *d, const char *what)
{
	xtr_import_damage(d->im, "%s of perf is not well-formed", what);
}

/* struct perf_record_header_attr: an attr, then ids. */
static int attr_record(struct perfdata *d, const struct perf_record *r)
{
	const uint8_t *p = r->p + PERF_HEADER_SIZE, *end = r->p + r->n;
	size_t n = r->n - PERF_HEADER_SIZE, size, index;
	int err;

	if (n < 64) {
		malformed(d, "an attribute");
		return 0;
	}
	size = perf_u32(d, p + 4);
	size = size < 64 ? 64 : size < n ? size : n;
	err = perf_add_attr(d, p, size, &index);
	for (p += size; !err && end - p >= 8; p += 8)
		err = perf_add_id(d, perf_u64(d, p), index);
	return err;
}

/* A size u32, then so many bytes behind the record, in multiples of 8. */
static int tracing_data(struct perfdata *d, const struct perf_record *r, uint64_t at,
			uint64_t *behind)
{
	uint64_t n;

	if (r->n < 12 || !at) {
		malformed(d, "a description of events");
		return 0;
	}
	n = perf_u32(d, r->p + 8);
	*behind = (n + 7) & ~(uint64_t)7;
	return perf_take_feature(d, 1, at + r->n, n);
}

/* AUXTRACE: data of hardware tracing behind it. */
static int auxtrace(struct perfdata *d, const struct perf_record *r, uint64_t *behind)
{
	if (r->n < 16) {
		malformed(d, "a trace of hardware");
		return 0;
	}
	*behind = perf_u64(d, r->p + 8);
	if (*behind < UINT64_MAX - d->aux_bytes)
		d->aux_bytes += *behind;
	return 0;
}

/* nr u64, then id, index, cpu, tid of each. */
static int id_index(struct perfdata *d, const struct perf_record *r)
{
	uint64_t n = r->n >= 16 ? perf_u64(d, r->p + 8) : 0, cpu;
	const uint8_t *p = r->p + 16;
	int err = 0;

	for (; !err && n && r->p + r->n - p >= 32; n--, p += 32) {
		cpu = perf_u64(d, p + 16);
		if (cpu < XTR_IMPORT_CPUS && d->id_cpus.n < PERF_IDS_MAX)
			err = xtr_map_put(&d->id_cpus, perf_u64(d, p), 0, cpu);
	}
	return err;
}

/* type u64, id u64, then what the type says. */
static void event_update(struct perfdata *d, const struct perf_record *r)
{
	const uint64_t *i;
	struct perf_attr *a;

	if (r->n <= 24 || perf_u64(d, r->p + 8) != UPDATE_NAME)
		return;
	i = xtr_map_get(&d->ids, perf_u64(d, r->p + 16), 0);
	a = i ? &d->attrs[*i] : NULL;
	if (!a || a->named)
		return;
	snprintf(a->name, sizeof(a->name), "%.*s", (int)(r->n - 24), (const char *)r->p + 24);
	a->named = a->name[0];
}

int perf_take_meta(struct perfdata *d, const struct perf_record *r, uint64_t at, uint64_t *behind)
{
	switch (r->type) {
	case PERF_R_ROUND:
		return perf_order_round(d);
	case PERF_R_ATTR:
		/* In a file they stand in its head. */
		return d->pipe ? attr_record(d, r) : 0;
	case PERF_R_TRACING_DATA:
		return tracing_data(d, r, at, behind);
	case PERF_R_FEATURE:
		if (r->n < 16 || !at)
			return 0;
		return perf_take_feature(d, (unsigned int)perf_u64(d, r->p + 8), at + 16,
					 r->n - 16);
	case PERF_R_AUXTRACE:
		return auxtrace(d, r, behind);
	case PERF_R_ID_INDEX:
		return id_index(d, r);
	case PERF_R_EVENT_UPDATE:
		event_update(d, r);
		return 0;
	default:
		if (r->type < PERF_TYPES)
			d->left_out[r->type]++;
		return 0;
	}
}
