/* SPDX-License-Identifier: BSD-2-Clause */
/* One section: its chunks in order, and everything in them that is not events. */
#include "base/buf.h"
#include "base/checked.h"
#include "format/meta/cbor.h"
#include "format/meta/tables_priv.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct xtr_section *xtr_section_new(void)
{
	return calloc(1, sizeof(struct xtr_section));
}

void xtr_section_free(struct xtr_section *s)
{
	if (!s)
		return;
	xtr_meta_free(s->meta);
	xtr_tables_free(s->tables);
	xtr_loss_free(s->loss);
	xtr_map_free(&s->by_stream);
	free(s->streams);
	free(s->chunks);
	free(s->strays);
	free(s->clocks);
	free(s->end_reason);
	free(s);
}

static int stream_info(struct xtr_section *s, uint32_t stream, struct xtr_stream_info **info)
{
	const uint64_t *i = xtr_map_get(&s->by_stream, stream, 0);

	if (i) {
		*info = &s->streams[*i];
		return 0;
	}
	if (xtr_grow_array(&s->streams, &s->cap_streams, s->n_streams + 1, sizeof(**info)) ||
	    xtr_map_put(&s->by_stream, stream, 0, s->n_streams))
		return -ENOMEM;
	*info = &s->streams[s->n_streams++];
	**info = (struct xtr_stream_info){ 0 };
	return 0;
}

int xtr_section_add_stream(struct xtr_section *s, uint32_t stream)
{
	struct xtr_stream_info *info;

	return stream_info(s, stream, &info);
}

/* Ordinals tell how many events stood in missing chunks (spec 4.1). */
static int account(struct xtr_reader *r, struct xtr_section *s, const struct xtr_chunk *c)
{
	struct xtr_section_summary *sum = &s->summary;
	struct xtr_stream_info *info;
	int err = stream_info(s, c->stream, &info);

	if (err)
		return err;
	if (c->first_ordinal < info->next_ordinal ||
	    (c->first_ordinal > info->next_ordinal && info->holes == s->holes))
		err = xtr_reader_note(r, XTR_P_ORDINAL, c->offset, c->seq);
	else
		sum->missing = xtr_sat_add(sum->missing, c->first_ordinal - info->next_ordinal);
	info->next_ordinal = c->first_ordinal + c->n_records;
	info->holes = s->holes;
	if (c->lost_total > info->lost_total)
		info->lost_total = c->lost_total;
	if (c->n_records) {
		if (!sum->events || c->ts_min < sum->ts_min)
			sum->ts_min = c->ts_min;
		if (c->ts_max > sum->ts_max)
			sum->ts_max = c->ts_max;
	}
	sum->events += c->n_records;
	sum->event_bytes += xtr_chunk_span(c);
	return err;
}

/* A chunk that is out of order, or there twice: kept for xtr_recover alone. */
static int stray(struct xtr_reader *r, struct xtr_section *s, const struct xtr_chunk *c)
{
	int err = xtr_grow_array(&s->strays, &s->cap_strays, s->n_strays + 1, sizeof(*s->strays));

	if (err)
		return err;
	s->strays[s->n_strays++] = *c;
	s->damaged = true;
	return xtr_reader_note(r, XTR_P_CHUNK_ORDER, c->offset, c->seq);
}

int xtr_section_add(struct xtr_reader *r, struct xtr_section *s, const struct xtr_chunk *c)
{
	uint64_t expected = s->n_chunks ? (uint64_t)s->chunks[s->n_chunks - 1].seq + 1 : 0;
	int err = 0;

	if (c->seq < expected)
		return stray(r, s, c);
	if (c->type >= XTR_CHUNK_TYPES && c->props & XTR_PROP_CRITICAL && !s->refused) {
		s->refused = true;
		s->refusal = (struct xtr_problem){ XTR_P_UNKNOWN_CRITICAL, c->seq, c->offset };
	}
	if (c->seq > expected) {
		s->damaged = true;
		s->holes++;
		err = xtr_reader_note(r, XTR_P_MISSING_CHUNKS, c->offset, c->seq);
	}
	if (!err)
		err = xtr_grow_array(&s->chunks, &s->cap_chunks, s->n_chunks + 1,
				     sizeof(*s->chunks));
	if (err)
		return err;
	s->chunks[s->n_chunks++] = *c;
	s->has_end |= c->type == XTR_CHUNK_END;
	return c->type == XTR_CHUNK_EVENTS ? account(r, s, c) : 0;
}

static int take_meta(struct xtr_section *s, const uint8_t *p, size_t n, struct xtr_err *err)
{
	int ret;

	if (!s->meta)
		s->meta = xtr_meta_new();
	ret = s->meta ? xtr_meta_merge(s->meta, p, n, err) : -ENOMEM;
	s->has_meta |= !ret;
	return ret;
}

static int take_table(struct xtr_section *s, const uint8_t *p, size_t n, struct xtr_err *err)
{
	if (!s->tables)
		s->tables = xtr_tables_new();
	return s->tables ? xtr_tables_merge(s->tables, p, n, err) : -ENOMEM;
}

static int take_loss(struct xtr_section *s, const uint8_t *p, size_t n, struct xtr_err *err)
{
	if (!s->loss)
		s->loss = xtr_loss_new();
	return s->loss ? xtr_loss_merge(s->loss, p, n, err) : -ENOMEM;
}

/* The readings of a CLOCK; false if they break the grammar. */
static bool get_clock(const cbor_item_t *map, struct xtr_clock_snapshot *c)
{
	const cbor_item_t *clocks = xtr_cbor_key(map, "clocks");
	const struct cbor_pair *pairs;

	if (!xtr_cbor_u64(xtr_cbor_key(map, "before"), &c->before) ||
	    !xtr_cbor_u64(xtr_cbor_key(map, "after"), &c->after) || c->before > c->after ||
	    !xtr_cbor_is_text_map(clocks))
		return false;
	pairs = cbor_map_handle(clocks);
	for (size_t i = 0; i < cbor_map_size(clocks); i++) {
		uint64_t ns;

		if (!xtr_cbor_u64(pairs[i].value, &ns))
			return false;
		if (xtr_cbor_key_is(pairs[i].key, "boottime"))
			c->boottime = ns;
		else if (xtr_cbor_key_is(pairs[i].key, "realtime"))
			c->realtime = ns;
	}
	return true;
}

static int take_clock(struct xtr_section *s, const uint8_t *p, size_t n, struct xtr_err *err)
{
	struct xtr_clock_snapshot c = { 0 };
	cbor_item_t *map;
	int ret = xtr_cbor_load(p, n, XTR_P_CLOCK, &map, err);

	if (ret)
		return ret;
	if (!get_clock(map, &c))
		ret = xtr_cbor_broken(XTR_P_CLOCK, err);
	cbor_decref(&map);
	if (!ret)
		ret = xtr_grow_array(&s->clocks, &s->cap_clocks, s->n_clocks + 1, sizeof(c));
	if (!ret)
		s->clocks[s->n_clocks++] = c;
	return ret;
}

/* The recorder's cost; false if it breaks the grammar. */
static bool get_cost(const cbor_item_t *map, struct xtr_recorder_cost *c)
{
	const struct {
		const char *key;
		uint64_t *v;
	} keys[] = {
		{ "cpu-ns", &c->cpu_ns },
		{ "ring-bytes", &c->ring_bytes },
		{ "ring-high", &c->ring_high },
		{ "bpf-run-ns", &c->bpf_run_ns },
		{ "bpf-run-count", &c->bpf_run_cnt },
		{ "bpf-run-timed", &c->bpf_timed_cnt },
		{ "elapsed-ns", &c->elapsed_ns },
	};

	if (!xtr_cbor_is_text_map(map))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const cbor_item_t *item = xtr_cbor_key(map, keys[i].key);

		if (item && !xtr_cbor_u64(item, keys[i].v))
			return false;
	}
	return true;
}

static int get_end(struct xtr_section *s, const cbor_item_t *map, struct xtr_err *err)
{
	const cbor_item_t *reason = xtr_cbor_key(map, "reason");
	const cbor_item_t *recorder = xtr_cbor_key(map, "recorder");
	struct xtr_recorder_cost cost = { 0 };
	uint64_t events, lost;
	char *text;

	if (!xtr_cbor_u64(xtr_cbor_key(map, "events"), &events) ||
	    !xtr_cbor_u64(xtr_cbor_key(map, "lost"), &lost) || !xtr_cbor_is_text(reason) ||
	    (recorder && !get_cost(recorder, &cost)))
		return xtr_cbor_broken(XTR_P_END, err);
	text = xtr_cbor_strdup(reason);
	if (!text)
		return -ENOMEM;
	free(s->end_reason);
	s->end_reason = text;
	s->end_events = events;
	s->end_lost = lost;
	s->has_cost = recorder != NULL;
	s->cost = cost;
	return 0;
}

static int take_end(struct xtr_section *s, const uint8_t *p, size_t n, struct xtr_err *err)
{
	cbor_item_t *map;
	int ret = xtr_cbor_load(p, n, XTR_P_END, &map, err);

	if (ret)
		return ret;
	ret = get_end(s, map, err);
	cbor_decref(&map);
	return ret;
}

typedef int take_fn(struct xtr_section *s, const uint8_t *p, size_t n, struct xtr_err *err);

/* Chunks that are loaded on opening; the others wait until somebody decodes them. */
static take_fn *const takes[XTR_CHUNK_TYPES] = {
	[XTR_CHUNK_META] = take_meta,   [XTR_CHUNK_TABLE] = take_table,
	[XTR_CHUNK_CLOCK] = take_clock, [XTR_CHUNK_LOSS] = take_loss,
	[XTR_CHUNK_END] = take_end,
};

int xtr_section_take(struct xtr_section *s, uint8_t type, const uint8_t *p, size_t n,
		     struct xtr_err *err)
{
	return takes[type](s, p, n, err);
}

bool xtr_section_wants(uint8_t type)
{
	return type < XTR_CHUNK_TYPES && takes[type];
}

static void sum_up(struct xtr_section *s)
{
	const struct xtr_loss *loss = xtr_section_loss(s);
	struct xtr_section_summary *sum = &s->summary;
	uint64_t lost = 0;

	sum->streams = (uint32_t)s->n_streams;
	sum->closed = s->has_end;
	for (size_t i = 0; i < s->n_streams; i++)
		lost = xtr_sat_add(lost, s->streams[i].lost_total);
	sum->lost = xtr_loss_total(loss);
	if (lost > sum->lost)
		sum->lost = lost;
	if (s->end_lost > sum->lost)
		sum->lost = s->end_lost;
	if (s->end_events > sum->events && s->end_events - sum->events > sum->missing)
		sum->missing = s->end_events - sum->events;
	sum->filtered = xtr_loss_of(loss, XTR_LOSS_FILTERED);
	sum->aged = xtr_loss_of(loss, XTR_LOSS_AGED);
}

/*
 * Everything was read: bring it in order, and let go of what was only needed on the way. A file may
 * hold a section every 64 bytes, so a section holds no more than what stood in it.
 */
static int settle(struct xtr_section *s)
{
	int err = s->tables ? xtr_tables_settle(s->tables) : 0;
	struct xtr_chunk *chunks =
		s->n_chunks ? realloc(s->chunks, s->n_chunks * sizeof(*chunks)) : NULL;

	if (chunks) {
		s->chunks = chunks;
		s->cap_chunks = s->n_chunks;
	}
	if (s->meta)
		xtr_meta_settle(s->meta);
	if (s->loss)
		xtr_loss_settle(s->loss);
	sum_up(s);
	xtr_map_free(&s->by_stream);
	free(s->streams);
	s->streams = NULL;
	s->n_streams = s->cap_streams = 0;
	return err;
}

int xtr_section_load(struct xtr_reader *r, struct xtr_section *s)
{
	struct xtr_decoder d = { 0 };
	uint8_t *buf = NULL;
	size_t cap = 0;
	int err = 0, unsettled;

	for (size_t i = 0; !err && i < s->n_chunks; i++) {
		const struct xtr_chunk *c = &s->chunks[i];
		take_fn *take = c->type < XTR_CHUNK_TYPES ? takes[c->type] : NULL;
		struct xtr_err why = { 0 };

		if (!take)
			continue;
		err = xtr_decode(r, c, &d, &buf, &cap, &why) ?: take(s, buf, c->raw_len, &why);
		if (err == -EBADMSG)
			err = xtr_reader_note(r, why.problem, c->offset, c->seq);
	}
	xtr_decoder_free(&d);
	free(buf);
	if (!err && !s->has_meta)
		err = xtr_reader_note(r, XTR_P_NO_META, s->offset, 0);
	if (!err && !s->has_end)
		err = xtr_reader_note(r, XTR_P_NO_END, s->end, 0);
	unsettled = settle(s);
	return err ? err : unsettled;
}

/* --- source ----------------------------------------------------------------------------------- */

int xtr_window_get(const struct xtr_reader *r, struct xtr_window *w, uint64_t off, size_t n,
		   size_t ahead, const uint8_t **p)
{
	size_t len = n > ahead ? n : ahead;
	int err;

	*p = NULL;
	if (!xtr_fits(off, n, r->size))
		return 0;
	if (r->map) {
		*p = r->map + off;
		return 0;
	}
	if (off < w->off || !xtr_fits(off - w->off, n, w->n)) {
		if (len > r->size - off)
			len = (size_t)(r->size - off);
		err = xtr_grow(&w->buf, &w->cap, len + 1);
		if (!err) {
			w->n = 0;
			err = r->io->ops->read_at(r->io, off, w->buf, len);
		}
		if (err)
			return err;
		w->off = off;
		w->n = len;
	}
	*p = w->buf + (off - w->off);
	return 0;
}

void xtr_window_free(struct xtr_window *w)
{
	free(w->buf);
	*w = (struct xtr_window){ 0 };
}
