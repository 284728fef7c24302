/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each filter and codec makes of the events of a trace, as the recorder would write them:
 * bytes and CPU time per event, in memory, one thread.
 *
 *     codecs [-r ROUNDS] [-f FILTER] [-n EVENTS] FILE
 *
 * The records of each stream are encoded in chunks of at most CHUNK_BYTES, decoded again and
 * compared. Times are those of the fastest of ROUNDS rounds; without -f all filters take part. -n
 * takes so many events of the file, the first ones. Prints a row each: filter, codec, bytes per
 * event, ns per event of filtering, compressing, decompressing, un-filtering.
 */
#include "format/codec/codecs.h"
#include "format/codec/columns.h"
#include "format/codec/filter.h"
#include "format/codec/words.h"
#include "format/read/reader.h"

#include <errno.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)512 << 10)
#define OUT_BYTES   LZ4_COMPRESSBOUND(XTR_RAW_MAX)
#define STREAMS     4096
#define LAYOUTS     65536

/* The records of a stream. */
struct records {
	uint8_t *recs;
	size_t len, cap;
	uint32_t *at; /* offsets */
	size_t n, cap_at;
};

struct bench {
	struct xtr_reader *reader;
	const struct xtr_meta *meta;
	struct records streams[STREAMS];
	uint64_t events;
	struct xtr_rec_layout layouts[LAYOUTS];
	uint32_t n_layouts;
	struct xtr_rec_ref refs[XTR_RECORDS_MAX];
	struct xtr_filter_enc *rows;
	struct xtr_columns_enc *columns;
	struct xtr_words_enc *words;
	struct xtr_filter_dec rows_dec;
	struct xtr_columns_dec columns_dec;
	struct xtr_words_dec words_dec;
	struct xtr_zstd zstd;
	uint8_t stored[OUT_BYTES], raw[XTR_RAW_MAX], back[XTR_REC_MAX];
};

struct cost {
	double filter, compress, decompress, unfilter; /* ns of all events */
	uint64_t bytes;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double since(double start)
{
	return now_ns() - start;
}

/* --- filters ---------------------------------------------------------------------------------- */

/* As many records as a chunk takes. */
static void take(const uint8_t *recs, uint32_t n, struct xtr_filtered *out)
{
	*out = (struct xtr_filtered){ .data = recs };
	while (out->n < n && out->n < XTR_RECORDS_MAX &&
	       out->taken + xtr_rec_size(recs + out->taken) <= CHUNK_BYTES) {
		out->taken += xtr_rec_size(recs + out->taken);
		out->n++;
	}
	out->len = out->taken;
}

static int none(struct bench *b, const uint8_t *recs, uint32_t n, struct xtr_filtered *out)
{
	(void)b;
	take(recs, n, out);
	return 0;
}

static int rows(struct bench *b, const uint8_t *recs, uint32_t n, struct xtr_filtered *out)
{
	return xtr_filter_encode(b->rows, recs, n, CHUNK_BYTES, out);
}

static int columns(struct bench *b, const uint8_t *recs, uint32_t n, struct xtr_filtered *out)
{
	take(recs, n, out);
	return xtr_columns_encode_fast(b->columns, recs, out->n, out->taken, &out->data, &out->len);
}

static uint32_t layout_of(struct bench *b, const uint8_t *rec)
{
	uint16_t type = (uint16_t)xtr_rec_type(rec), size = (uint16_t)xtr_rec_size(rec);
	uint32_t i = 0;

	while (i < b->n_layouts && (b->layouts[i].type != type || b->layouts[i].size != size))
		i++;
	if (i == b->n_layouts && i < LAYOUTS)
		b->layouts[b->n_layouts++] =
			(struct xtr_rec_layout){ type, size,
						 (uint16_t)(size - XTR_RECORD_HEADER_SIZE) };
	return i;
}

static int words(struct bench *b, const uint8_t *recs, uint32_t n, struct xtr_filtered *out)
{
	(void)recs;
	return xtr_words_encode(b->words, b->layouts, b->n_layouts, b->refs, n, CHUNK_BYTES, out);
}

/* The references that words() takes: making them is not a part of filtering. */
static void refer(struct bench *b, const uint8_t *recs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++, recs += xtr_rec_size(recs))
		b->refs[i] = (struct xtr_rec_ref){
			.ts = xtr_rec_ts(recs),
			.payload = recs + XTR_RECORD_HEADER_SIZE,
			.tid = xtr_rec_tid(recs),
			.layout = layout_of(b, recs),
		};
}

static int un_rows(struct bench *b, const uint8_t *in, size_t len, const struct xtr_filtered *f)
{
	struct xtr_rec_span s;

	return xtr_filter_decode(&b->rows_dec, in, len, f->n, b->back, f->taken, &s);
}

static int un_columns(struct bench *b, const uint8_t *in, size_t len, const struct xtr_filtered *f)
{
	struct xtr_rec_span s;

	return xtr_columns_decode(&b->columns_dec, in, len, f->n, b->back, f->taken, &s);
}

static int un_words(struct bench *b, const uint8_t *in, size_t len, const struct xtr_filtered *f)
{
	struct xtr_rec_span s;

	return xtr_words_decode(&b->words_dec, in, len, f->n, b->back, f->taken, &s);
}

static int un_none(struct bench *b, const uint8_t *in, size_t len, const struct xtr_filtered *f)
{
	(void)f;
	memcpy(b->back, in, len);
	return 0;
}

static const struct filter {
	const char *name;
	int (*encode)(struct bench *b, const uint8_t *recs, uint32_t n, struct xtr_filtered *out);
	int (*decode)(struct bench *b, const uint8_t *in, size_t len, const struct xtr_filtered *f);
} filters[] = {
	{ "none", none, un_none },
	{ "row-delta", rows, un_rows },
	{ "columns", columns, un_columns },
	{ "words", words, un_words },
};
#define N_FILTERS (sizeof(filters) / sizeof(filters[0]))

/* --- codecs ----------------------------------------------------------------------------------- */

static int lz4(struct bench *b, int level, const struct xtr_filtered *f, size_t *len)
{
	int n = LZ4_compress_default((const char *)f->data, (char *)b->stored, (int)f->len,
				     (int)OUT_BYTES);

	(void)level;
	*len = (size_t)n;
	return n > 0 ? 0 : -EIO;
}

static int un_lz4(struct bench *b, size_t len, size_t raw_len)
{
	return LZ4_decompress_safe((const char *)b->stored, (char *)b->raw, (int)len,
				   (int)raw_len) == (int)raw_len
		       ? 0
		       : -EIO;
}

static int zstd(struct bench *b, int level, const struct xtr_filtered *f, size_t *len)
{
	return xtr_zstd_compress(&b->zstd, level, f->data, f->len, b->stored, OUT_BYTES, len);
}

static int un_zstd(struct bench *b, size_t len, size_t raw_len)
{
	return xtr_zstd_decompress(&b->zstd, b->stored, len, b->raw, raw_len);
}

static int store(struct bench *b, int level, const struct xtr_filtered *f, size_t *len)
{
	(void)level;
	memcpy(b->stored, f->data, f->len);
	*len = f->len;
	return 0;
}

static int un_store(struct bench *b, size_t len, size_t raw_len)
{
	(void)raw_len;
	memcpy(b->raw, b->stored, len);
	return 0;
}

static const struct codec {
	const char *name;
	int (*encode)(struct bench *b, int level, const struct xtr_filtered *f, size_t *len);
	int (*decode)(struct bench *b, size_t len, size_t raw_len);
	int level;
} codecs[] = {
	{ "none", store, un_store, 0 },
	{ "lz4", lz4, un_lz4, 0 },
	{ "zstd -1", zstd, un_zstd, 1 },
	{ "zstd -3", zstd, un_zstd, 3 },
};
#define N_CODECS (sizeof(codecs) / sizeof(codecs[0]))

/* --- all events ------------------------------------------------------------------------------- */

static int one_chunk(struct bench *b, const struct filter *f, const struct codec *c,
		     const uint8_t *recs, uint32_t left, struct xtr_filtered *out,
		     struct cost *cost)
{
	double start = now_ns();
	size_t len;
	int err = f->encode(b, recs, left, out);

	cost->filter += since(start);
	start = now_ns();
	if (!err)
		err = c->encode(b, c->level, out, &len);
	cost->compress += since(start);
	if (err)
		return err;
	cost->bytes += len < out->len ? len : out->len;
	start = now_ns();
	err = c->decode(b, len, out->len);
	cost->decompress += since(start);
	start = now_ns();
	if (!err)
		err = f->decode(b, b->raw, out->len, out);
	cost->unfilter += since(start);
	return !err && memcmp(b->back, recs, out->taken) ? -EBADMSG : err;
}

static int one_stream(struct bench *b, const struct filter *f, const struct codec *c,
		      const struct records *r, struct cost *cost)
{
	for (size_t i = 0; i < r->n;) {
		size_t left = r->n - i < XTR_RECORDS_MAX ? r->n - i : XTR_RECORDS_MAX;
		const uint8_t *recs = r->recs + r->at[i];
		struct xtr_filtered out;
		int err;

		if (f->encode == words)
			refer(b, recs, (uint32_t)left);
		err = one_chunk(b, f, c, recs, (uint32_t)left, &out, cost);
		if (err)
			return err;
		i += out.n;
	}
	return 0;
}

static int one_way(struct bench *b, const struct filter *f, const struct codec *c, unsigned long n)
{
	struct cost best = { 1e300, 1e300, 1e300, 1e300, 0 };
	double per = (double)b->events;

	while (n--) {
		struct cost cost = { 0 };

		for (size_t i = 0; i < STREAMS; i++) {
			int err = one_stream(b, f, c, &b->streams[i], &cost);

			if (err)
				return err;
		}
		best.filter = cost.filter < best.filter ? cost.filter : best.filter;
		best.compress = cost.compress < best.compress ? cost.compress : best.compress;
		best.decompress =
			cost.decompress < best.decompress ? cost.decompress : best.decompress;
		best.unfilter = cost.unfilter < best.unfilter ? cost.unfilter : best.unfilter;
		best.bytes = cost.bytes;
	}
	printf("%s\t%s\t%.3f\t%.2f\t%.2f\t%.2f\t%.2f\n", f->name, c->name, (double)best.bytes / per,
	       best.filter / per, best.compress / per, best.decompress / per, best.unfilter / per);
	return 0;
}

/* --- input ------------------------------------------------------------------------------------ */

static int add(struct records *r, const uint8_t *recs, size_t len, uint32_t n)
{
	if (r->cap - r->len < len) {
		r->cap = (r->len + len) * 2;
		r->recs = realloc(r->recs, r->cap);
	}
	if (r->cap_at - r->n < n) {
		r->cap_at = (r->n + n) * 2;
		r->at = realloc(r->at, r->cap_at * sizeof(*r->at));
	}
	if (!r->recs || !r->at || r->len + len > UINT32_MAX)
		return -ENOMEM;
	memcpy(r->recs + r->len, recs, len);
	for (uint32_t i = 0; i < n; i++) {
		r->at[r->n++] = (uint32_t)r->len;
		r->len += xtr_rec_size(r->recs + r->len);
	}
	return 0;
}

static int load(struct bench *b, const char *path, uint64_t events)
{
	const struct xtr_section *s;
	uint8_t *buf = NULL;
	size_t cap = 0;
	struct xtr_err err;
	int ret = xtr_reader_open_path(&b->reader, path, &err);

	if (ret)
		return ret;
	s = xtr_reader_section(b->reader, 0);
	b->meta = xtr_section_meta(s);
	for (size_t i = 0; !ret && i < xtr_section_n_chunks(s) && b->events < events; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);

		if (c->type != XTR_CHUNK_EVENTS || c->stream >= STREAMS)
			continue;
		ret = xtr_reader_decode(b->reader, c, &buf, &cap, &err);
		if (!ret)
			ret = add(&b->streams[c->stream], buf, c->rec_len, c->n_records);
		b->events += c->n_records;
	}
	free(buf);
	b->rows = xtr_filter_enc_new(b->meta);
	b->columns = xtr_columns_enc_new(b->meta);
	b->words = xtr_words_enc_new();
	return ret || !b->events || !b->rows || !b->columns || !b->words ? -1 : 0;
}

static void unload(struct bench *b)
{
	for (size_t i = 0; i < STREAMS; i++) {
		free(b->streams[i].recs);
		free(b->streams[i].at);
	}
	xtr_filter_enc_free(b->rows);
	xtr_columns_enc_free(b->columns);
	xtr_words_enc_free(b->words);
	xtr_filter_dec_free(&b->rows_dec);
	xtr_columns_dec_free(&b->columns_dec);
	xtr_words_dec_free(&b->words_dec);
	xtr_zstd_free(&b->zstd);
	xtr_reader_close(b->reader);
}

static int measure(struct bench *b, unsigned long rounds, const char *only)
{
	for (size_t f = 0; f < N_FILTERS; f++)
		for (size_t c = 0; c < N_CODECS; c++) {
			int err;

			if (only && strcmp(only, filters[f].name))
				continue;
			err = one_way(b, &filters[f], &codecs[c], rounds);
			if (err == -EOPNOTSUPP)
				continue; /* built without zstd */
			if (err) {
				fprintf(stderr, "codecs: %s, %s: %s\n", filters[f].name,
					codecs[c].name, strerror(-err));
				return 1;
			}
		}
	return 0;
}

int main(int argc, char **argv)
{
	static struct bench b;
	unsigned long rounds = 3;
	uint64_t events = UINT64_MAX;
	const char *only = NULL;
	int opt, ret;

	while ((opt = getopt(argc, argv, "r:f:n:")) != -1) {
		if (opt == 'f')
			only = optarg;
		else if (opt == 'n')
			events = strtoull(optarg, NULL, 10);
		else
			rounds = opt == 'r' ? strtoul(optarg, NULL, 10) : 0;
	}
	if (optind + 1 != argc || !rounds)
		return 2;
	if (load(&b, argv[optind], events)) {
		fprintf(stderr, "codecs: '%s': no events to be read\n", argv[optind]);
		return 1;
	}
	ret = measure(&b, rounds, only);
	unload(&b);
	return ret;
}
