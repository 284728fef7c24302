// SPDX-License-Identifier: BSD-2-Clause
/* Chunks of another section, taken over with their payloads as they are stored. */
#include "base/crc32c.h"
#include "writer_priv.h"

#include <errno.h>
#include <string.h>

/* What the writer does not write anew from META, tables and losses (spec 6, column props). */
static bool may_copy(const struct xtr_chunk *c)
{
	switch (c->type) {
	case XTR_CHUNK_EVENTS:
	case XTR_CHUNK_CLOCK:
	case XTR_CHUNK_ROUND:
	case XTR_CHUNK_ATTACH:
		return true;
	default:
		return c->type >= XTR_CHUNK_TYPES && c->props & XTR_PROP_SAFE_TO_COPY;
	}
}

/* What says nothing about its place in the other section. */
static struct xtr_chunk content_of(const struct xtr_chunk *c)
{
	return (struct xtr_chunk){
		.type = c->type,
		.codec = c->codec,
		.filter = c->filter,
		.props = c->props & (uint8_t)~XTR_PROP_LOSS_BEFORE,
		.stream = c->stream,
		.stored_len = c->stored_len,
		.raw_len = c->raw_len,
		.rec_len = c->rec_len,
		.n_records = c->n_records,
		.ts_min = c->ts_min,
		.ts_max = c->ts_max,
		.payload_crc = c->payload_crc,
	};
}

static int copy_events(struct xtr_writer *w, struct xtr_chunk *c, uint64_t lost_total)
{
	struct xtr_stream_state *s;
	int err = xtr_writer_stream(w, c->stream, &s);

	if (err)
		return err;
	c->first_ordinal = s->ordinal;
	c->lost_total = lost_total > s->lost ? lost_total : s->lost;
	if (c->lost_total > s->lost)
		c->props |= XTR_PROP_LOSS_BEFORE;
	err = xtr_writer_seal(w, c);
	if (err)
		return err;
	s->ordinal += c->n_records;
	s->lost = c->lost_total;
	w->events += c->n_records;
	return 0;
}

int xtr_writer_copy(struct xtr_writer *w, const struct xtr_chunk *from, const uint8_t *stored,
		    uint64_t lost_total)
{
	struct xtr_chunk c = content_of(from);
	int err;

	if (w->err)
		return w->err;
	if (!may_copy(from) || xtr_chunk_features(from) & ~w->opts.features)
		return -EINVAL;
	if (c.stored_len > XTR_STORED_MAX || xtr_crc32c(stored, c.stored_len) != c.payload_crc)
		return -EBADMSG;
	err = xtr_writer_refresh(w);
	if (err)
		return err;
	if (c.stored_len)
		memcpy(w->out + XTR_CHUNK_HEADER_SIZE, stored, c.stored_len);
	return c.type == XTR_CHUNK_EVENTS ? copy_events(w, &c, lost_total) : xtr_writer_seal(w, &c);
}
