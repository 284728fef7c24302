/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed.h"
#include "replay/views/dump_view.h"

#include <errno.h>
#include <stdlib.h>

static bool wanted(const struct xtr_feed *f, enum xtr_relation_id id)
{
	return f->want & 1u << id;
}

unsigned int xtr_feed_wants(uint32_t want)
{
	return (want & 1u << XTR_REL_CALLS ? XTR_EXPORT_CALLS : 0) |
	       (want & 1u << XTR_REL_EVENTS ? XTR_EXPORT_EVENTS : 0);
}

const struct xtr_relation *xtr_feed_table(const struct xtr_export_opts *o)
{
	return o->table ? xtr_relation_by_name(o->table) : &xtr_relations[XTR_REL_JOBS];
}

uint32_t xtr_feed_table_bit(const struct xtr_export_opts *o)
{
	const struct xtr_relation *rel = xtr_feed_table(o);

	return rel ? 1u << (rel - xtr_relations) : 0;
}

#define NAME(id, name, columns, help) " " name

const char *xtr_feed_why_not(const struct xtr_export_opts *o)
{
	uint32_t bit = xtr_feed_table_bit(o);

	if (!bit)
		return "no such table; there are:" XTR_RELATIONS(NAME);
	if (o->jobs_only && xtr_feed_wants(bit))
		return "--jobs-only leaves out the table that --table asks for";
	return NULL;
}

static int clean_cell(struct xtr_utf8 *u, struct xtr_cell *c)
{
	if (c->kind != XTR_CELL_TEXT)
		return 0;
	c->s = xtr_text_utf8(u, c->s, &c->n);
	return c->s ? 0 : -ENOMEM;
}

/* f->row as the exporter gets it. */
static int put(struct xtr_feed *f, enum xtr_relation_id id)
{
	int err = 0;

	if (!f->times)
		xtr_row_without_times(&xtr_relations[id], &f->row);
	for (size_t i = 0; i < xtr_relations[id].n && !err; i++)
		err = clean_cell(&f->clean[i], &f->row.cell[i]);
	return err ? err : f->put(f, id, &f->row);
}

struct static_row {
	struct xtr_feed *f;
	enum xtr_relation_id id;
};

static int put_static(void *ctx, const struct xtr_row *row)
{
	const struct static_row *s = ctx;

	/* Cells may point into the row's own text, which stays where it is. */
	for (size_t i = 0; i < xtr_relations[s->id].n; i++)
		s->f->row.cell[i] = row->cell[i];
	return put(s->f, s->id);
}

static int know_rings(struct xtr_feed *f)
{
	int err = 0;

	xtr_map_free(&f->ring);
	f->ring = (struct xtr_map){ 0 };
	f->last_ring = UINT64_MAX;
	for (size_t i = 0; i < xtr_model_n_rings(f->origin.rings) && !err; i++)
		err = xtr_map_put(&f->ring, xtr_model_ring(f->origin.rings, i)->id, 0, 0);
	return err;
}

int xtr_feed_section(void *feed, const struct xtr_export_section *s)
{
	struct xtr_feed *f = feed;
	struct static_row one = { .f = f };
	int err;

	xtr_origin_init(&f->origin, s->section);
	f->origin.rings = s->rings;
	f->origin.index = s->index;
	f->origin.from = s->from;
	f->origin.to = s->to;
	f->tables = s->tables;
	f->times = xtr_meta_has_times(s->meta);
	xtr_row_origin(f->origin_cell, &f->origin);
	err = clean_cell(&f->clean_host, &f->origin_cell[0]) ?: know_rings(f);
	for (one.id = 0; one.id < XTR_REL_COUNT && !err; one.id++)
		if (wanted(f, one.id))
			err = xtr_rows(one.id, &f->origin, put_static, &one);
	return err;
}

/* The pass that looks for rings does not see those whose jobs were queued only. */
static int put_new_ring(struct xtr_feed *f, const struct xtr_model_ring *r)
{
	if (r->id == f->last_ring)
		return 0;
	f->last_ring = r->id;
	if (xtr_map_index(&f->ring, r->id, 0) != XTR_MAP_NONE)
		return 0;
	if (xtr_map_put(&f->ring, r->id, 0, 0))
		return -ENOMEM;
	xtr_row_ring(&f->row, r);
	return put(f, XTR_REL_RINGS);
}

int xtr_feed_job(void *feed, const struct xtr_job *j)
{
	struct xtr_feed *f = feed;
	int err = wanted(f, XTR_REL_RINGS) ? put_new_ring(f, j->ring) : 0;

	if (!err && wanted(f, XTR_REL_JOBS)) {
		xtr_row_job(&f->row, f->tables, j);
		err = put(f, XTR_REL_JOBS);
	}
	for (uint32_t i = 0; i < j->n_deps && !err && wanted(f, XTR_REL_DEPS); i++) {
		xtr_row_dep(&f->row, j, &j->deps[i]);
		err = put(f, XTR_REL_DEPS);
	}
	return err;
}

/* JSON text goes to f->fields, in memory that is used again for the next one. */
static int begin_fields(struct xtr_feed *f, struct xtr_json *json)
{
	if (!f->json)
		f->json = xtr_memory_stream(&f->fields);
	if (!f->json)
		return -ENOMEM;
	f->fields.n = 0;
	xtr_json_init(json, f->json, false);
	return 0;
}

static int end_fields(struct xtr_feed *f)
{
	return xtr_memory_flush(f->json, &f->fields);
}

int xtr_feed_call(void *feed, const struct xtr_call *c)
{
	struct xtr_feed *f = feed;
	bool captures = c->entry.desc || c->exit.desc;
	struct xtr_json json;
	int err = begin_fields(f, &json);

	if (!err && captures)
		xtr_dump_captured(&json, f->tables, c);
	if (!err)
		err = end_fields(f);
	if (err)
		return err;
	xtr_row_call(&f->row, f->tables, c, captures ? (const char *)f->fields.p : NULL,
		     captures ? f->fields.n : 0);
	return put(f, XTR_REL_CALLS);
}

int xtr_feed_gap(void *feed, const struct xtr_gap *gap)
{
	struct xtr_feed *f = feed;
	if (!wanted(f, XTR_REL_GAPS))
		return 0;
	xtr_row_gap(&f->row, gap);
	return put(f, XTR_REL_GAPS);
}

int xtr_feed_event(void *feed, const struct xtr_event *ev)
{
	struct xtr_feed *f = feed;
	struct xtr_json json;
	int err = begin_fields(f, &json);

	if (!err) {
		xtr_dump_fields(&json, f->tables, ev);
		err = end_fields(f);
	}
	if (err)
		return err;
	xtr_row_event(&f->row, f->tables, ev, (const char *)f->fields.p, f->fields.n);
	return put(f, XTR_REL_EVENTS);
}

void xtr_feed_free(struct xtr_feed *f)
{
	for (size_t i = 0; i < XTR_ROW_MAX; i++)
		free(f->clean[i].p);
	free(f->clean_host.p);
	xtr_map_free(&f->ring);
	if (f->json)
		fclose(f->json);
	xtr_buf_free(&f->fields);
}
