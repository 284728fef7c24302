/* SPDX-License-Identifier: BSD-2-Clause */
/* Checking what opening leaves unread: events, round marks, attached files, unknown chunks, the
 * index. */
#include "base/bytes.h"
#include "format/meta/cbor.h"
#include "index.h"
#include "reader_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct verify {
	struct xtr_reader *r;
	const struct xtr_section *s;
	struct xtr_decoder d;
	uint8_t *buf;
	size_t cap;
	size_t last_index; /* of the INDEX chunk before, or SIZE_MAX */
};

static bool round_is_right(const struct xtr_chunk *c)
{
	return c->raw_len == 8;
}

/* Spec 6: name length, name, bytes. */
static bool attach_is_right(const uint8_t *p, size_t n)
{
	size_t len = n >= 2 ? xtr_le16(p) : 0;

	return len && len <= 255 && len <= n - 2 && xtr_utf8_check(p + 2, len) &&
	       !memchr(p + 2, '/', len);
}

/*
 * Spec 7: the payload is well-formed and, unless damage explains it, lists exactly the chunks since
 * the INDEX before.
 */
static bool index_is_right(struct verify *v, size_t i)
{
	const struct xtr_section *s = v->s;
	size_t from = v->last_index == SIZE_MAX ? 0 : v->last_index + 1;
	uint64_t prev, want = 0;
	uint32_t n;

	if (!xtr_index_parse(v->buf, s->chunks[i].raw_len, &prev, &n))
		return false;
	if (s->damaged)
		return true;
	if (v->last_index != SIZE_MAX)
		want = s->chunks[v->last_index].offset - s->offset;
	if (prev != want || n != i - from)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		const struct xtr_chunk *c = &s->chunks[from + k];

		if (!xtr_index_entry_is(v->buf, k, c, c->offset - s->offset))
			return false;
	}
	return true;
}

static int note(struct verify *v, enum xtr_problem_code code, const struct xtr_chunk *c)
{
	return xtr_reader_note(v->r, code, c->offset, c->seq);
}

static int verify_chunk(struct verify *v, size_t i)
{
	const struct xtr_chunk *c = &v->s->chunks[i];
	struct xtr_err err = { 0 };
	int ret;

	ret = c->type < XTR_CHUNK_TYPES ? xtr_decode(v->r, c, &v->d, &v->buf, &v->cap, &err)
					: xtr_decode_crc(v->r, c, &v->d, &err);
	if (ret)
		return ret == -EBADMSG ? note(v, err.problem, c) : ret;
	switch (c->type) {
	case XTR_CHUNK_ROUND:
		return round_is_right(c) ? 0 : note(v, XTR_P_ROUND, c);
	case XTR_CHUNK_ATTACH:
		return attach_is_right(v->buf, c->raw_len) ? 0 : note(v, XTR_P_ATTACH, c);
	case XTR_CHUNK_INDEX:
		return index_is_right(v, i) ? 0 : note(v, XTR_P_INDEX, c);
	default:
		return 0;
	}
}

static int verify_trailer(struct verify *v)
{
	const struct xtr_section *s = v->s;
	uint64_t offset = 0;
	uint32_t len = 0;

	if (!s->has_trailer || s->damaged)
		return 0;
	if (v->last_index != SIZE_MAX) {
		offset = s->chunks[v->last_index].offset - s->offset;
		len = s->chunks[v->last_index].stored_len;
	}
	if (s->trailer.index_offset == offset && s->trailer.index_len == len &&
	    s->trailer.chunk_count == s->n_chunks)
		return 0;
	return xtr_reader_note(v->r, XTR_P_INDEX, s->trailer_offset, 0);
}

static int verify_chunks(struct verify *v, void (*progress)(void *, uint64_t, uint64_t), void *ctx)
{
	int err = 0;

	v->last_index = SIZE_MAX;
	for (size_t i = 0; !err && i < v->s->n_chunks; i++) {
		if (progress)
			progress(ctx, v->s->chunks[i].offset, v->r->size);
		err = verify_chunk(v, i);
		if (v->s->chunks[i].type == XTR_CHUNK_INDEX)
			v->last_index = i;
	}
	return err ? err : verify_trailer(v);
}

int xtr_verify_section(struct xtr_reader *r, const struct xtr_section *s)
{
	struct verify v = { .r = r, .s = s };
	int err = verify_chunks(&v, NULL, NULL);

	xtr_decoder_free(&v.d);
	free(v.buf);
	return err;
}

int xtr_reader_verify(struct xtr_reader *r,
		      void (*progress)(void *ctx, uint64_t done, uint64_t all), void *ctx)
{
	struct verify v = { .r = r };
	int err = 0;

	for (size_t i = 0; !err && i < r->n_sections; i++) {
		v.s = r->sections[i];
		err = verify_chunks(&v, progress, ctx);
	}
	xtr_decoder_free(&v.d);
	free(v.buf);
	xtr_reader_sort_problems(r);
	if (!err && progress)
		progress(ctx, r->size, r->size);
	return err;
}
