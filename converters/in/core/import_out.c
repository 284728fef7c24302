/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records are gathered per CPU and written in batches. The section begins with the first batch, so
 * that facts which a parser learns before its first event are in the first META already.
 */
#include "import_priv.h"

#include "base/buf.h"
#include "base/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPU_BYTES   ((size_t)256 << 10) /* of one CPU, then they are written */
#define ALL_BYTES   ((size_t)32 << 20)  /* of all CPUs */
#define TEXT_MAX    4096u               /* bytes of one text */
#define TEXTS_BYTES ((size_t)48 << 20)  /* of all texts, about */
#define RINGS_MAX   4096u
/* META is one chunk (1 MiB) of at most 65,536 items; names of values get no more than half. */
#define META_ITEMS ((size_t)60000)
#define META_BYTES ((size_t)900 << 10)

static int open_writer(struct xtr_import *im)
{
	const struct xtr_clock_reading wall = { "realtime", im->wall };
	int err;

	im->meta_new = false;
	err = xtr_writer_open(&im->writer, im->out, im->meta, im->tables, im->loss, NULL);
	return err || !im->wall ? err
				: xtr_writer_clock(im->writer, im->wall_at, im->wall_at, &wall, 1);
}

static int flush_cpu(struct xtr_import *im, uint32_t cpu)
{
	struct import_cpu *c = &im->cpus[cpu];
	struct xtr_batch b = {
		.stream = cpu, .recs = c->buf, .len = c->n, .n = c->records, .lost_total = c->lost
	};
	int err = 0;

	if (!c->records)
		return 0;
	if (!im->writer)
		err = open_writer(im);
	else if (im->meta_new)
		err = xtr_writer_meta(im->writer);
	im->meta_new = false;
	if (!err)
		err = xtr_writer_events(im->writer, &b);
	im->buffered -= c->n;
	c->n = c->records = 0;
	return err;
}

int import_flush(struct xtr_import *im)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < im->n_cpus; i++)
		err = flush_cpu(im, i);
	return err;
}

bool import_any(const struct xtr_import *im)
{
	return im->writer || im->buffered;
}

int import_finish(struct xtr_import *im)
{
	int err = import_flush(im);

	if (!err && !im->writer)
		err = open_writer(im);
	if (!err)
		err = xtr_writer_finish(im->writer, "imported", NULL);
	if (im->writer)
		im->res->events = xtr_writer_events_written(im->writer);
	return err;
}

int import_cpu_at(struct xtr_import *im, uint32_t cpu, struct import_cpu **c)
{
	if (cpu >= im->n_cpus) {
		if (xtr_grow_array(&im->cpus, &im->cap_cpus, cpu + 1, sizeof(**c)))
			return -ENOMEM;
		memset(im->cpus + im->n_cpus, 0, (cpu + 1 - im->n_cpus) * sizeof(**c));
		im->n_cpus = cpu + 1;
	}
	*c = &im->cpus[cpu];
	return 0;
}

int import_refuse(struct xtr_import *im, const struct xtr_import_at *at)
{
	struct import_cpu *c = &im->no_cpu;
	int err = 0;

	if (at->cpu < XTR_IMPORT_CPUS)
		err = import_cpu_at(im, at->cpu, &c);
	if (!err)
		c->lost++;
	return err;
}

int import_put(struct xtr_import *im, const struct xtr_import_at *at, uint32_t type, uint8_t *rec,
	       uint32_t size)
{
	struct import_cpu *c;
	int err;

	if (at->cpu >= XTR_IMPORT_CPUS)
		return import_refuse(im, at);
	xtr_put_le64(rec, at->ts);
	xtr_put_le16(rec + 8, (uint16_t)type);
	xtr_put_le16(rec + 10, (uint16_t)size);
	xtr_put_le32(rec + 12, at->tid);
	err = import_cpu_at(im, at->cpu, &c) ?: xtr_grow(&c->buf, &c->cap, c->n + size);
	if (err)
		return err;
	memcpy(c->buf + c->n, rec, size);
	c->n += size;
	c->records++;
	im->buffered += size;
	if (c->n >= CPU_BYTES)
		return flush_cpu(im, at->cpu);
	return im->buffered >= ALL_BYTES ? import_flush(im) : 0;
}

/* --- what events refer to --------------------------------------------------------------------- */

int import_map_put(struct xtr_map *m, uint64_t a, uint64_t b, uint64_t value)
{
	return xtr_map_put_most(m, IMPORT_MAP_MAX, a, b, value);
}

int import_intern(struct xtr_import *im, const void *text, size_t n, uint32_t *id)
{
	static const char too_many[] = "(too many texts)";
	int err;

	if (im->text_bytes > TEXTS_BYTES) {
		text = too_many;
		n = sizeof(too_many) - 1;
	}
	if (n > TEXT_MAX)
		n = TEXT_MAX;
	err = xtr_tables_intern(im->tables, text, n, id);
	if (!err && *id > im->last_string) {
		im->last_string = *id;
		im->text_bytes += n + 128;
	}
	return err;
}

int import_ring(struct xtr_import *im, uint64_t ts, const char *name, size_t name_len,
		const char *dev, size_t dev_len, uint32_t *id)
{
	struct xtr_ring ring = { .since = ts };
	const uint64_t *known;
	int err = 0;

	*id = 0;
	if (name_len)
		err = import_intern(im, name, name_len, &ring.name);
	if (!err && dev_len)
		err = import_intern(im, dev, dev_len, &ring.device);
	if (err || !ring.name)
		return err;
	known = xtr_map_get(&im->rings, ring.name, ring.device);
	if (known) {
		*id = (uint32_t)*known;
		return 0;
	}
	if (im->n_rings >= RINGS_MAX)
		return 0;
	/* Id 0 is the empty text of a device that is not known. */
	if (!ring.device)
		err = import_intern(im, "", 0, &ring.device);
	ring.id = ++im->n_rings;
	err = err ?: xtr_tables_add_ring(im->tables, &ring) ?:
	      xtr_map_put(&im->rings, ring.name, dev_len ? ring.device : 0, ring.id);
	*id = ring.id;
	return err;
}

int import_another_ring(struct xtr_import *im, uint64_t ts, uint32_t like, uint32_t *id)
{
	const struct xtr_ring *other = xtr_tables_ring(im->tables, like);
	struct xtr_ring ring;

	*id = like;
	if (!other || im->n_rings >= RINGS_MAX)
		return 0;
	ring = *other;
	ring.id = *id = ++im->n_rings;
	ring.since = ts;
	return xtr_tables_add_ring(im->tables, &ring);
}

/* --- event types ------------------------------------------------------------------------------ */

/* About what an event takes in META, with and without the names of values. */
static void cost_of(const struct xtr_event_desc *d, bool names, size_t *items, size_t *bytes)
{
	*items += 24 + 8 * (size_t)d->n_fields;
	*bytes += 160 + 3 * strlen(d->name);
	for (uint32_t i = 0; i < d->n_fields; i++) {
		*bytes += strlen(d->fields[i].name) + 24;
		for (uint32_t k = 0; names && k < d->fields[i].n_names; k++) {
			*items += 2;
			*bytes += strlen(d->fields[i].names[k].name) + 12;
		}
	}
}

static void drop_names(const struct xtr_event_desc *d)
{
	for (uint32_t i = 0; i < d->n_fields; i++) {
		struct xtr_field *f = (struct xtr_field *)&d->fields[i];

		for (uint32_t k = 0; k < f->n_names; k++)
			free((char *)f->names[k].name);
		free((struct xtr_value_name *)f->names);
		f->names = NULL;
		f->n_names = 0;
		f->names_kind = XTR_NAMES_NONE;
	}
}

/* Is there room in META? The caller's description loses its names of values if they are too many.
 */
static bool reserve(struct xtr_import *im, const struct xtr_event_desc *d, bool own_names)
{
	size_t items = im->meta_items, bytes = im->meta_bytes;

	cost_of(d, true, &items, &bytes);
	if (own_names && (items > META_ITEMS / 2 || bytes > META_BYTES / 2)) {
		drop_names(d);
		items = im->meta_items;
		bytes = im->meta_bytes;
		cost_of(d, false, &items, &bytes);
	}
	if (items > META_ITEMS || bytes > META_BYTES)
		return false;
	im->meta_items = items;
	im->meta_bytes = bytes;
	return true;
}

static int add_described(struct xtr_import *im, struct xtr_event_desc *desc, const char *target)
{
	struct xtr_provider p = { .id = im->next_provider,
				  .name = desc->name,
				  .attach = "import",
				  .target = target,
				  .state = XTR_PROVIDER_ATTACHED };
	int err = xtr_meta_add_provider(im->meta, &p);

	desc->provider = p.id;
	if (!err)
		err = xtr_meta_add_event(im->meta, desc);
	im->next_provider++;
	im->meta_new = true;
	return err;
}

static void clean_texts(struct xtr_event_desc *desc)
{
	import_clean((char *)desc->name);
	for (uint32_t i = 0; i < desc->n_fields; i++) {
		import_clean((char *)desc->fields[i].name);
		for (uint32_t k = 0; k < desc->fields[i].n_names; k++)
			import_clean((char *)desc->fields[i].names[k].name);
	}
}

int import_add_type_of(struct xtr_import *im, struct xtr_event_desc *desc, const char *target)
{
	clean_texts(desc);
	if (im->next_type > UINT16_MAX || !reserve(im, desc, true))
		return -E2BIG;
	desc->type = im->next_type++;
	return add_described(im, desc, target);
}

int import_add_type(struct xtr_import *im, struct xtr_event_desc *desc)
{
	const char *colon = strchr(desc->name, ':');

	return import_add_type_of(im, desc, colon ? colon + 1 : desc->name);
}

/* What no trace of tracepoints holds, or what stands behind the record only in imported ones. */
#define FENCE_FIELD(field, as)                                                                   \
	{                                                                                        \
		.name = #field, .offset = XTR_REC_AT(import_fence, field),                       \
		.size = XTR_REC_BYTES(import_fence, field), .repr = (as), .sens = XTR_SENS_PLAIN \
	}
static const struct xtr_field fence_fields[] = {
	FENCE_FIELD(driver, XTR_REPR_STRID),
	FENCE_FIELD(timeline, XTR_REPR_STRID),
	FENCE_FIELD(stack, XTR_REPR_STACK),
};

static bool can_fill(enum xtr_event_type type, const struct xtr_field *f)
{
	if (type >= XTR_EV_FENCE_INIT)
		return strcmp(f->name, "ops") != 0 && strcmp(f->name, "error") != 0;
	return type != XTR_EV_JOB_DONE ||
	       (f->offset < IMPORT_DONE_SIZE && strcmp(f->name, "hw_job_count") != 0);
}

int import_add_native(struct xtr_import *im, const struct import_event_map *map)
{
	const struct xtr_event_desc *builtin = xtr_builtin_event(map->type);
	struct xtr_event_desc desc = *builtin;
	struct xtr_field fields[16];
	uint32_t n = 0;

	if (im->native[map->type])
		return 0;
	im->native[map->type] = true;
	for (uint32_t i = 0; i < builtin->n_fields; i++)
		if (can_fill(map->type, &builtin->fields[i]))
			fields[n++] = builtin->fields[i];
	if (map->type >= XTR_EV_FENCE_INIT) {
		fields[n++] = fence_fields[0];
		fields[n++] = fence_fields[1];
		desc.size = IMPORT_FENCE_SIZE;
	}
	if (import_fence_has_stack(im, map->type)) {
		fields[n++] = fence_fields[2];
		desc.size = IMPORT_FENCE_STACK_SIZE;
	}
	if (map->type == XTR_EV_JOB_DONE)
		desc.size = IMPORT_DONE_SIZE;
	desc.fields = fields;
	desc.n_fields = n;
	reserve(im, &desc, false); /* there is always room for the few of them */
	return add_described(im, &desc, map->event);
}
