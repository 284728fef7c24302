/* SPDX-License-Identifier: BSD-2-Clause */
#include "pack_job.h"
#include "format/read/chunk.h"
#include "base/crc32c.h"

#include <errno.h>
#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>

int pack_job_init(struct pack_job *j, const struct xtr_reader *r, const struct xtr_meta *meta,
		  const struct xtr_pack_opts *o)
{
	*j = (struct pack_job){
		.r = r,
		.o = o,
		.columns = xtr_columns_enc_new(meta),
		.lz4 = malloc((size_t)LZ4_sizeofStateHC()),
	};
	return j->columns && j->lz4 ? 0 : -ENOMEM;
}

void pack_job_free(struct pack_job *j)
{
	xtr_columns_enc_free(j->columns);
	xtr_decoder_free(&j->decoder);
	free(j->lz4);
	free(j->member);
	free(j->recs);
	free(j->one);
	xtr_buf_free(&j->out);
	free(j->part);
}

/* --- from the file ---------------------------------------------------------------------------- */

static int decode_all(struct pack_job *j)
{
	size_t at = 0;

	if (xtr_grow(&j->recs, &j->cap_recs, j->rec_len + 1))
		return -ENOMEM;
	for (size_t i = 0; i < j->n_members; i++) {
		const struct xtr_chunk *c = j->member[i];
		struct xtr_err err;
		int ret = xtr_decode(j->r, c, &j->decoder, &j->one, &j->cap_one, &err);

		if (ret)
			return ret;
		memcpy(j->recs + at, j->one, c->rec_len);
		at += c->rec_len;
	}
	return 0;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/*
 * Compress a payload to the end of j->out; *len is 0 if that makes it no smaller. Both libraries
 * allocate; there is room for whatever comes out of LZ4, so that it says nothing else.
 */
static int compress(struct pack_job *j, const uint8_t *p, size_t n, size_t *len)
{
	const size_t cap = (size_t)LZ4_COMPRESSBOUND(XTR_RAW_MAX);
	uint8_t *room = xtr_buf_room(&j->out, cap);
	int err = 0;

	*len = 0;
	if (!room)
		return -ENOMEM;
	if (j->o->codec == XTR_CODEC_ZSTD) {
		err = xtr_zstd_compress(&j->decoder.zstd, j->o->level, p, n, room, n, len);
	} else {
		*len = (size_t)LZ4_compress_HC_extStateHC(j->lz4, (const char *)p, (char *)room,
							  (int)n, (int)cap, j->o->level);
		err = *len ? 0 : -ENOMEM;
	}
	if (err == -E2BIG || *len >= n)
		*len = 0;
	return err == -E2BIG ? 0 : err;
}

/* A chunk of n records, with this payload. */
static int add_part(struct pack_job *j, enum xtr_filter filter, const uint8_t *payload, size_t len,
		    uint32_t n, size_t rec_len)
{
	struct pack_part *part;
	size_t packed;
	int err = compress(j, payload, len, &packed)
			  ?: xtr_grow_array(&j->part, &j->cap_parts, j->n_parts + 1,
					    sizeof(*j->part));

	if (err)
		return err;
	part = &j->part[j->n_parts++];
	*part = (struct pack_part){
		.at = j->out.n,
		.c = {
			.type = XTR_CHUNK_EVENTS,
			.codec = packed ? (uint8_t)j->o->codec : XTR_CODEC_NONE,
			.filter = (uint8_t)filter,
			.props = XTR_PROP_CRITICAL | (j->member[0]->props & XTR_PROP_SORTED),
			.stream = j->member[0]->stream,
			.stored_len = (uint32_t)(packed ? packed : len),
			.raw_len = (uint32_t)len,
			.rec_len = (uint32_t)rec_len,
			.n_records = n,
		},
	};
	if (!packed)
		memcpy(j->out.p + j->out.n, payload, len);
	j->out.n += part->c.stored_len;
	part->c.payload_crc = xtr_crc32c(j->out.p + part->at, part->c.stored_len);
	return 0;
}

static void set_span(struct xtr_chunk *c, const uint8_t *recs, size_t len, uint32_t n)
{
	struct xtr_rec_span span;

	xtr_records_check(recs, len, n, &span);
	c->ts_min = span.ts_min;
	c->ts_max = span.ts_max;
}

/* Pack n records, as several chunks where they are too many for one. */
static int pack(struct pack_job *j, const uint8_t *recs, size_t len, uint32_t n)
{
	const uint8_t *payload;
	size_t raw, half = 0;
	int err = xtr_columns_encode(j->columns, recs, n, len, &payload, &raw);

	if (!err)
		err = add_part(j, XTR_FILTER_COLUMNS, payload, raw, n, len);
	else if (err == -EOPNOTSUPP && len <= XTR_RAW_MAX)
		err = add_part(j, XTR_FILTER_NONE, recs, len, n, len);
	else if (err == -EOPNOTSUPP || (err == -E2BIG && n > 1)) {
		for (uint32_t i = 0; i < n / 2; i++)
			half += xtr_rec_size(recs + half);
		return pack(j, recs, half, n / 2) ?: pack(j, recs + half, len - half, n - n / 2);
	}
	if (!err)
		set_span(&j->part[j->n_parts - 1].c, recs, len, n);
	return err;
}

/* Whether the members may stay as they are, and take no more bytes so. */
static bool is_better_kept(const struct pack_job *j)
{
	size_t before = 0, after = 0;

	for (size_t i = 0; i < j->n_members; i++) {
		if (j->member[i]->codec == XTR_CODEC_ZSTD && j->o->codec != XTR_CODEC_ZSTD)
			return false;
		before += xtr_chunk_span(j->member[i]);
	}
	for (size_t i = 0; i < j->n_parts; i++)
		after += xtr_chunk_span(&j->part[i].c);
	return before <= after;
}

void pack_job_run(struct pack_job *j)
{
	j->n_parts = 0;
	j->out.n = 0;
	j->keep = false;
	j->err = decode_all(j);
	if (!j->err)
		j->err = pack(j, j->recs, j->rec_len, j->n);
	if (!j->err)
		j->keep = is_better_kept(j);
}
