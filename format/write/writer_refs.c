/* SPDX-License-Identifier: BSD-2-Clause */
/* Records that are referred to: to EVENTS chunks by words, without being put together before. */
#include "base/buf.h"
#include "writer_priv.h"

#include <errno.h>

/*
 * Bytes of records in one chunk, about: see writer_events.c. The planes of a larger one are a few
 * percent smaller.
 */
#define CHUNK_BYTES ((size_t)1 << 20)

/* Fewer records are smaller row by row: each plane takes a byte or two of its own. */
#define WORDS_MIN 64u

/* Of *n references the first ones, as many as a chunk takes, as records. 0 or -ENOMEM. */
static int make_records(struct xtr_writer *w, const struct xtr_ref_batch *b, size_t *n, size_t *len)
{
	size_t room = 0, i;

	for (i = 0; i < *n; i++) {
		uint32_t size = b->layouts[b->refs[i].layout].size;

		if (i && room + size > CHUNK_BYTES)
			break;
		room += size;
	}
	if (xtr_grow(&w->made, &w->cap_made, room))
		return -ENOMEM;
	*n = i;
	*len = 0;
	for (i = 0; i < *n; i++) {
		const struct xtr_rec_layout *l = &b->layouts[b->refs[i].layout];

		xtr_rec_make(w->made + *len, l, &b->refs[i]);
		*len += l->size;
	}
	return 0;
}

/* The same by rows, columns or as they are. */
static int put_made(struct xtr_writer *w, const struct xtr_ref_batch *b, size_t *n,
		    struct xtr_stream_state *s)
{
	struct xtr_batch made = { .stream = b->stream, .lost_total = b->lost_total };
	int err = make_records(w, b, n, &made.len);

	made.n = (uint32_t)*n;
	return err ? err : xtr_writer_records(w, &made, w->made, s);
}

/* As many of the references as go into one chunk. */
static int put_chunk(struct xtr_writer *w, const struct xtr_ref_batch *b,
		     struct xtr_stream_state *s, size_t *n)
{
	uint32_t max = b->n < XTR_RECORDS_MAX ? (uint32_t)b->n : XTR_RECORDS_MAX;
	struct xtr_chunk c = { .stream = b->stream, .filter = XTR_FILTER_WORDS };
	struct xtr_filtered f = { .n = max };
	int err;

	*n = max;
	if (w->words && max >= WORDS_MIN) {
		err = xtr_words_encode(w->words, b->layouts, b->n_layouts, b->refs, max,
				       CHUNK_BYTES, &f);
		if (err)
			return err;
		*n = f.n;
		c.rec_len = (uint32_t)f.taken;
		if (f.len < f.taken)
			return xtr_writer_put_events(w, &c, &f, b->refs->ts, b->lost_total, s,
						     true);
	}
	return put_made(w, b, n, s);
}

int xtr_writer_words(struct xtr_writer *w, const struct xtr_ref_batch *b,
		     struct xtr_stream_state *s)
{
	struct xtr_ref_batch left = *b;

	while (left.n) {
		size_t n;
		int err = put_chunk(w, &left, s, &n);

		if (err)
			return err;
		left.refs += n;
		left.n -= n;
	}
	return 0;
}

/* Whether all is right with them, and in *sorted whether they are in order of time. */
static bool check(const struct xtr_rec_layout *layouts, uint32_t n_layouts,
		  const struct xtr_rec_ref *refs, uint32_t n, bool *sorted)
{
	for (uint32_t i = 0; i < n_layouts; i++)
		if (!xtr_rec_layout_is_right(&layouts[i]))
			return false;
	*sorted = true;
	for (uint32_t i = 0; i < n; i++) {
		if (refs[i].layout >= n_layouts)
			return false;
		*sorted &= !i || refs[i].ts >= refs[i - 1].ts;
	}
	return true;
}

int xtr_writer_refs(struct xtr_writer *w, uint32_t stream, const struct xtr_rec_layout *layouts,
		    uint32_t n_layouts, const struct xtr_rec_ref *refs, uint32_t n,
		    uint64_t lost_total)
{
	struct xtr_ref_batch b = {
		.stream = stream,
		.layouts = layouts,
		.n_layouts = n_layouts,
		.refs = refs,
		.n = n,
		.lost_total = lost_total,
	};
	struct xtr_stream_state *s;
	bool sorted;
	int err;

	if (w->err)
		return w->err;
	if (!check(layouts, n_layouts, refs, n, &sorted))
		return -EINVAL;
	if (!n)
		return 0;
	err = xtr_writer_stream(w, stream, &s);
	if (!err && !sorted) {
		err = xtr_grow_array(&w->sorted_refs, &w->cap_sorted_refs, n,
				     sizeof(*w->sorted_refs));
		if (!err)
			err = xtr_refs_sort(&w->sorter, refs, n, w->sorted_refs);
		b.refs = w->sorted_refs;
	}
	if (!err)
		err = xtr_writer_refresh(w);
	return err ? err : xtr_writer_words(w, &b, s);
}
