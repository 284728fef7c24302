/* SPDX-License-Identifier: BSD-2-Clause */
#include "writer_priv.h"
#include "base/bytes.h"
#include "format/meta/cbor.h"
#include "base/crc32c.h"

#include <errno.h>
#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TABLE_EVERY (64ull << 20) /* bytes, spec 6.4 */
#define ZSTD_LEVEL  1
#define META_EVERY  (256ull << 20) /* bytes, spec 6 */
#define OUT_BYTES   (XTR_CHUNK_HEADER_SIZE + LZ4_COMPRESSBOUND(XTR_RAW_MAX) + 8)

/* What a writer sets, by chunk type (spec 6). */
static const uint8_t props[XTR_CHUNK_TYPES] = {
	[XTR_CHUNK_META] = XTR_PROP_CRITICAL,  [XTR_CHUNK_EVENTS] = XTR_PROP_CRITICAL,
	[XTR_CHUNK_TABLE] = XTR_PROP_CRITICAL, [XTR_CHUNK_CLOCK] = XTR_PROP_SAFE_TO_COPY,
	[XTR_CHUNK_LOSS] = XTR_PROP_CRITICAL,  [XTR_CHUNK_ROUND] = XTR_PROP_SAFE_TO_COPY,
	[XTR_CHUNK_END] = XTR_PROP_CRITICAL,   [XTR_CHUNK_ATTACH] = XTR_PROP_SAFE_TO_COPY,
};

void xtr_writer_opts_init(struct xtr_writer_opts *o)
{
	*o = (struct xtr_writer_opts){
		.sz = sizeof(*o),
		.codec = XTR_CODEC_LZ4,
		.filter = XTR_FILTER_ROWDELTA,
	};
}

void xtr_writer_opts_as(struct xtr_writer_opts *o, uint32_t features)
{
	o->features = features;
	if (!(features & XTR_INCOMPAT_WORDS))
		return;
	o->filter = XTR_FILTER_WORDS;
	if (features & XTR_INCOMPAT_ZSTD)
		o->codec = XTR_CODEC_ZSTD;
}

static int append(struct xtr_writer *w, const void *p, size_t n)
{
	if (!w->err)
		w->err = w->io->ops->append(w->io, p, n);
	if (!w->err)
		w->bytes += n;
	return w->err;
}

static int write_index(struct xtr_writer *w)
{
	struct xtr_chunk c = { .type = XTR_CHUNK_INDEX, .stream = XTR_STREAM_NONE };
	size_t len = xtr_index_finish(&w->index, w->index_at);
	uint64_t at = w->bytes;
	/* Who opens a part of a large file reads every entry: not to be unpacked, unless to be
	 * small. */
	int err = xtr_writer_put(w, &c, w->index.buf, len, w->opts.small);

	if (err)
		return err;
	w->index_at = at;
	w->index_len = c.stored_len;
	return 0;
}

/* By the fastest way that is wanted. In *len what comes out, 0: nothing. */
static int compress_fast(struct xtr_writer *w, struct xtr_chunk *c, const uint8_t *payload,
			 size_t n, uint8_t *to, size_t *len)
{
	int err;

	*len = 0;
	if (w->opts.codec == XTR_CODEC_NONE)
		return 0;
	if (w->opts.codec == XTR_CODEC_ZSTD && c->type == XTR_CHUNK_EVENTS) {
		c->codec = XTR_CODEC_ZSTD;
		err = xtr_zstd_compress(&w->zstd, ZSTD_LEVEL, payload, n, to, n, len);
		return err == -E2BIG ? 0 : err;
	}
	c->codec = XTR_CODEC_LZ4;
	*len = (size_t)LZ4_compress_fast_extState(w->lz4, (const char *)payload, (char *)to, (int)n,
						  LZ4_COMPRESSBOUND(XTR_RAW_MAX), 1);
	return 0;
}

static int compress_small(struct xtr_chunk *c, const uint8_t *payload, size_t n, uint8_t *to,
			  size_t *len)
{
	c->codec = XTR_CODEC_LZ4;
	*len = (size_t)LZ4_compress_HC((const char *)payload, (char *)to, (int)n,
				       LZ4_COMPRESSBOUND(XTR_RAW_MAX), LZ4HC_CLEVEL_MAX);
	return *len ? 0 : -ENOMEM;
}

/*
 * The payload goes to its place in w->out, compressed if that helps. 0 or -ENOMEM: LZ4-HC and zstd
 * allocate, and there is room for whatever comes out of them.
 */
static int place_payload(struct xtr_writer *w, struct xtr_chunk *c, const uint8_t *payload,
			 size_t n, bool compress)
{
	uint8_t *to = w->out + XTR_CHUNK_HEADER_SIZE;
	size_t len = 0;
	int err = 0;

	if (compress && w->opts.small)
		err = compress_small(c, payload, n, to, &len);
	else if (compress)
		err = compress_fast(w, c, payload, n, to, &len);
	if (err)
		return err;
	if (len > 0 && len < n) {
		c->stored_len = (uint32_t)len;
		return 0;
	}
	c->codec = XTR_CODEC_NONE;
	c->stored_len = (uint32_t)n;
	if (n)
		memcpy(to, payload, n);
	return 0;
}

int xtr_writer_put(struct xtr_writer *w, struct xtr_chunk *c, const uint8_t *payload, size_t n,
		   bool compress)
{
	int err = w->err;

	if (err)
		return err;
	if (n > XTR_RAW_MAX)
		return -E2BIG;
	err = place_payload(w, c, payload, n, compress);
	if (err)
		return err;
	c->props |= props[c->type];
	c->raw_len = (uint32_t)n;
	if (c->filter == XTR_FILTER_NONE)
		c->rec_len = c->raw_len;
	c->payload_crc = xtr_crc32c(w->out + XTR_CHUNK_HEADER_SIZE, c->stored_len);
	return xtr_writer_seal(w, c);
}

int xtr_writer_seal(struct xtr_writer *w, struct xtr_chunk *c)
{
	uint64_t at = w->bytes;
	size_t span;
	int err;

	c->file_id = w->opts.file_id;
	c->seq = w->seq;
	xtr_chunk_encode(w->out, c);
	span = (size_t)xtr_chunk_span(c);
	memset(w->out + XTR_CHUNK_HEADER_SIZE + c->stored_len, 0,
	       span - XTR_CHUNK_HEADER_SIZE - c->stored_len);
	err = append(w, w->out, span);
	if (err)
		return err;
	w->seq++;
	if (c->type == XTR_CHUNK_EVENTS && c->ts_max > w->newest)
		w->newest = c->ts_max;
	if (c->type == XTR_CHUNK_INDEX)
		return 0;
	xtr_index_add(&w->index, c, at);
	return w->index.n == XTR_INDEX_EVERY ? write_index(w) : 0;
}

/* A chunk of metadata. */
static int put_simple(struct xtr_writer *w, uint8_t type, const uint8_t *p, size_t n, bool compress)
{
	struct xtr_chunk c = { .type = type, .stream = XTR_STREAM_NONE };

	return xtr_writer_put(w, &c, p, n, compress);
}

/* The same from a buffer, which is released. */
static int put_buf(struct xtr_writer *w, uint8_t type, struct xtr_buf *b, bool compress)
{
	int err = b->err ? b->err : put_simple(w, type, b->p, b->n, compress);

	xtr_buf_free(b);
	return err;
}

static int write_header(struct xtr_writer *w)
{
	struct xtr_file_header h = {
		.major = XTR_MAJOR,
		.minor = XTR_MINOR,
		.header_size = XTR_FILE_HEADER_SIZE,
		.file_id = w->opts.file_id,
		.incompat_flags = w->opts.features,
	};
	uint8_t buf[XTR_FILE_HEADER_SIZE];

	xtr_file_header_encode(buf, &h);
	return append(w, buf, sizeof(buf));
}

static int random_id(uint64_t *id)
{
	while (!*id)
		if (getrandom(id, sizeof(*id), 0) < 0 && errno != EINTR)
			return -errno;
	return 0;
}

/* Options of a caller that knows fewer of them, with defaults for what is 0. */
static int take_opts(struct xtr_writer *w, const struct xtr_writer_opts *opts)
{
	xtr_writer_opts_init(&w->opts);
	if (opts)
		memcpy(&w->opts, opts, opts->sz < sizeof(*opts) ? opts->sz : sizeof(*opts));
	if (!w->opts.table_every)
		w->opts.table_every = TABLE_EVERY;
	if (!w->opts.meta_every)
		w->opts.meta_every = META_EVERY;
	if (w->opts.codec > XTR_CODEC_ZSTD || w->opts.filter > XTR_FILTER_WORDS)
		return -EINVAL;
	if (w->opts.codec == XTR_CODEC_ZSTD) {
		if (!XTR_ZSTD_KNOWN)
			return -EOPNOTSUPP;
		w->opts.features |= XTR_INCOMPAT_ZSTD;
	}
	if (w->opts.filter == XTR_FILTER_WORDS) {
		w->opts.features |= XTR_INCOMPAT_WORDS;
		w->words = xtr_words_enc_new();
		if (!w->words)
			return -ENOMEM;
	}
	if (w->opts.filter == XTR_FILTER_COLUMNS) {
		w->opts.features |= XTR_INCOMPAT_COLUMNS;
		w->columns = xtr_columns_enc_new(w->meta);
		if (!w->columns)
			return -ENOMEM;
	}
	return random_id(&w->opts.file_id);
}

int xtr_writer_open(struct xtr_writer **out, struct xtr_io *io, struct xtr_meta *meta,
		    struct xtr_tables *tables, struct xtr_loss *loss,
		    const struct xtr_writer_opts *opts)
{
	struct xtr_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->io = io;
	w->meta = meta;
	w->tables = tables;
	w->loss = loss;
	w->filter = xtr_filter_enc_new(meta);
	w->lz4 = malloc((size_t)LZ4_sizeofState());
	w->out = malloc(OUT_BYTES);
	err = (w->filter && w->lz4 && w->out ? take_opts(w, opts) : -ENOMEM) ?: write_header(w) ?:
	      xtr_writer_meta(w);
	if (err)
		xtr_writer_free(w);
	else
		*out = w;
	return err;
}

int xtr_writer_meta(struct xtr_writer *w)
{
	uint8_t *buf;
	size_t n;
	int err = w->err ? w->err : xtr_meta_encode(w->meta, &buf, &n);

	if (err)
		return err;
	err = put_simple(w, XTR_CHUNK_META, buf, n, w->opts.small);
	free(buf);
	w->meta_at = w->bytes;
	xtr_filter_enc_reset(w->filter);
	if (w->columns)
		xtr_columns_enc_reset(w->columns);
	return err;
}

static int put_table(void *ctx, const uint8_t *buf, size_t n)
{
	return put_simple(ctx, XTR_CHUNK_TABLE, buf, n, true);
}

int xtr_writer_tables(struct xtr_writer *w)
{
	return w->err ? w->err : xtr_tables_encode(w->tables, false, put_table, w);
}

int xtr_writer_refresh(struct xtr_writer *w)
{
	int err = w->err;

	if (!err && w->bytes - w->meta_at >= w->opts.meta_every)
		err = xtr_writer_meta(w);
	if (err)
		return err;
	if (w->bytes - w->tables_at < w->opts.table_every)
		return xtr_writer_tables(w);
	err = xtr_tables_encode(w->tables, true, put_table, w);
	w->tables_at = w->bytes;
	return err;
}

int xtr_writer_loss(struct xtr_writer *w)
{
	uint8_t *buf;
	size_t n;
	int err = w->err;

	while (!err) {
		err = xtr_loss_encode(w->loss, &buf, &n);
		if (err || !n)
			break;
		err = put_simple(w, XTR_CHUNK_LOSS, buf, n, true);
		free(buf);
	}
	return err;
}

int xtr_writer_clock(struct xtr_writer *w, uint64_t before, uint64_t after,
		     const struct xtr_clock_reading *r, size_t n)
{
	const struct xtr_clock_reading **sorted;
	struct xtr_buf b = { 0 };

	if (before > after)
		return -EINVAL;
	sorted = malloc(n * sizeof(struct xtr_clock_reading *) + 1);
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t j = i;

		for (; j && xtr_enc_key_cmp(sorted[j - 1]->clock, r[i].clock) > 0; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = &r[i];
	}
	xtr_enc_map(&b, 3);
	xtr_enc_pair_uint(&b, "after", after);
	xtr_enc_pair_uint(&b, "before", before);
	xtr_enc_text(&b, "clocks");
	xtr_enc_map(&b, n);
	for (size_t i = 0; i < n; i++)
		xtr_enc_pair_uint(&b, sorted[i]->clock, sorted[i]->ns);
	free(sorted);
	return put_buf(w, XTR_CHUNK_CLOCK, &b, false);
}

int xtr_writer_round(struct xtr_writer *w, uint64_t watermark)
{
	uint8_t buf[8];

	xtr_put_le64(buf, watermark);
	return put_simple(w, XTR_CHUNK_ROUND, buf, sizeof(buf), false);
}

int xtr_writer_attach(struct xtr_writer *w, const char *name, const void *data, size_t n)
{
	size_t len = strlen(name);
	struct xtr_buf b = { 0 };
	uint8_t head[2];

	if (!len || len > 255 || strchr(name, '/') || !xtr_utf8_check((const uint8_t *)name, len))
		return -EINVAL;
	if (n > XTR_RAW_MAX - len - sizeof(head))
		return -E2BIG;
	xtr_put_le16(head, (uint16_t)len);
	xtr_buf_add(&b, head, sizeof(head));
	xtr_buf_add(&b, name, len);
	xtr_buf_add(&b, data, n);
	return put_buf(w, XTR_CHUNK_ATTACH, &b, true);
}

static int write_end(struct xtr_writer *w, const char *reason, const struct xtr_recorder_cost *cost)
{
	struct xtr_buf b = { 0 };

	xtr_enc_map(&b, cost ? 4 : 3);
	xtr_enc_pair_uint(&b, "lost", xtr_loss_total(w->loss));
	xtr_enc_pair_uint(&b, "events", w->events);
	xtr_enc_pair_text(&b, "reason", reason);
	if (cost) {
		xtr_enc_text(&b, "recorder");
		xtr_enc_map(&b, 7);
		xtr_enc_pair_uint(&b, "cpu-ns", cost->cpu_ns);
		xtr_enc_pair_uint(&b, "ring-high", cost->ring_high);
		xtr_enc_pair_uint(&b, "bpf-run-ns", cost->bpf_run_ns);
		xtr_enc_pair_uint(&b, "elapsed-ns", cost->elapsed_ns);
		xtr_enc_pair_uint(&b, "ring-bytes", cost->ring_bytes);
		xtr_enc_pair_uint(&b, "bpf-run-count", cost->bpf_run_cnt);
		xtr_enc_pair_uint(&b, "bpf-run-timed", cost->bpf_timed_cnt);
	}
	return put_buf(w, XTR_CHUNK_END, &b, false);
}

static int write_trailer(struct xtr_writer *w)
{
	struct xtr_trailer t = {
		.index_offset = w->index_at,
		.index_len = w->index_len,
		.chunk_count = w->seq,
		.file_id = w->opts.file_id,
	};
	uint8_t buf[XTR_TRAILER_SIZE];

	xtr_trailer_encode(buf, &t);
	return append(w, buf, sizeof(buf));
}

int xtr_writer_finish(struct xtr_writer *w, const char *reason,
		      const struct xtr_recorder_cost *cost)
{
	int err = xtr_writer_tables(w) ?: xtr_writer_loss(w) ?: xtr_writer_meta(w) ?:
		  write_end(w, reason, cost) ?:
		  write_index(w) ?:
		  write_trailer(w);

	if (!err && w->io->ops->sync)
		err = w->err = w->io->ops->sync(w->io);
	return err;
}

uint64_t xtr_writer_bytes(const struct xtr_writer *w)
{
	return w->bytes;
}

uint64_t xtr_writer_events_written(const struct xtr_writer *w)
{
	return w->events;
}

uint64_t xtr_writer_newest(const struct xtr_writer *w)
{
	return w->newest;
}

void xtr_writer_ends(struct xtr_writer *w, struct xtr_tables *t)
{
	w->tables = t;
	w->opts.meta_every = w->opts.table_every = UINT64_MAX;
}

void xtr_writer_free(struct xtr_writer *w)
{
	if (!w)
		return;
	xtr_map_free(&w->by_stream);
	free(w->streams);
	xtr_filter_enc_free(w->filter);
	xtr_columns_enc_free(w->columns);
	xtr_words_enc_free(w->words);
	xtr_sorter_free(&w->sorter);
	xtr_refs_free(&w->refs);
	xtr_zstd_free(&w->zstd);
	free(w->sorted);
	free(w->sorted_refs);
	free(w->made);
	free(w->lz4);
	free(w->out);
	free(w);
}
