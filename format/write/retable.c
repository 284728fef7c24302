/* SPDX-License-Identifier: BSD-2-Clause */
#include "retable.h"
#include "format/read/chunk.h"
#include "writer.h"

#include <errno.h>
#include <stdlib.h>

struct retable {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	struct xtr_retable_result *res;
	struct xtr_writer *w;
	struct xtr_meta *meta;
	struct xtr_loss *loss;
	uint8_t *buf;
	size_t cap;
};

/* META, TABLE, LOSS, INDEX and END are the writer's to write. */
static bool is_copied(struct retable *t, const struct xtr_chunk *c)
{
	switch (c->type) {
	case XTR_CHUNK_EVENTS:
	case XTR_CHUNK_ROUND:
	case XTR_CHUNK_CLOCK:
	case XTR_CHUNK_ATTACH:
		return true;
	default:
		if (c->type < XTR_CHUNK_TYPES)
			return false;
		if (c->props & XTR_PROP_SAFE_TO_COPY)
			return true;
		t->res->left_out++;
		return false;
	}
}

static int copy(struct retable *t, const struct xtr_chunk *c)
{
	const bool events = c->type == XTR_CHUNK_EVENTS;
	struct xtr_err err;
	int ret = xtr_reader_stored(t->r, c, &t->buf, &t->cap, &err);

	t->res->events += events ? c->n_records : 0;
	return ret ? ret : xtr_writer_copy(t->w, c, t->buf, events ? c->lost_total : 0);
}

static int start(struct retable *t, struct xtr_tables *tables, struct xtr_io *io, uint64_t file_id)
{
	struct xtr_writer_opts o;
	int err;

	t->meta = xtr_meta_new();
	t->loss = xtr_loss_copy(xtr_section_loss(t->s), 0, UINT64_MAX);
	err = t->meta && t->loss ? xtr_meta_copy(t->meta, xtr_section_meta(t->s)) : -ENOMEM;
	if (err)
		return err;
	xtr_writer_opts_init(&o);
	xtr_writer_opts_as(&o, xtr_section_features(t->s));
	o.file_id = file_id;
	return xtr_writer_open(&t->w, io, t->meta, tables, t->loss, &o);
}

int xtr_retable(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_tables *tables,
		struct xtr_io *io, uint64_t file_id, struct xtr_retable_result *res)
{
	struct retable t = { .r = r, .s = s, .res = res };
	const char *reason = xtr_section_end_reason(s);
	int err;

	*res = (struct xtr_retable_result){ 0 };
	err = start(&t, tables, io, file_id);
	for (size_t i = 0; i < xtr_section_n_chunks(s) && !err; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);

		if (is_copied(&t, c))
			err = copy(&t, c);
	}
	if (!err)
		err = xtr_writer_finish(t.w, reason ? reason : "not closed cleanly",
					xtr_section_end_cost(s));
	xtr_writer_free(t.w);
	xtr_meta_free(t.meta);
	xtr_loss_free(t.loss);
	free(t.buf);
	return err;
}
