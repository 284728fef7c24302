/* SPDX-License-Identifier: BSD-2-Clause */
#include "record.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

struct xtr_sort_key {
	uint64_t ts;
	size_t off; /* bytes; of references an index */
};

bool xtr_records_check(const uint8_t *recs, size_t len, uint32_t n, struct xtr_rec_span *span)
{
	struct xtr_rec_span s = xtr_rec_span_begin();
	size_t off = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t size;

		if (len - off < XTR_RECORD_HEADER_SIZE)
			return false;
		size = xtr_rec_size(recs + off);
		if (size < XTR_RECORD_HEADER_SIZE || size % 8 || size > len - off)
			return false;
		xtr_rec_span_add(&s, xtr_rec_ts(recs + off));
		off += size;
	}
	*span = xtr_rec_span_end(&s, n);
	return off == len;
}

bool xtr_rec_layout_is_right(const struct xtr_rec_layout *l)
{
	return l->size >= XTR_RECORD_HEADER_SIZE && l->size % 8 == 0 &&
	       l->copy <= l->size - XTR_RECORD_HEADER_SIZE;
}

void xtr_rec_make(uint8_t *rec, const struct xtr_rec_layout *l, const struct xtr_rec_ref *ref)
{
	uint32_t end = XTR_RECORD_HEADER_SIZE + l->copy;

	xtr_put_le64(rec, ref->ts);
	xtr_put_le64(rec + 8, l->type | (uint64_t)l->size << 16 | (uint64_t)ref->tid << 32);
	if (l->copy)
		memcpy(rec + XTR_RECORD_HEADER_SIZE, ref->payload, l->copy);
	memset(rec + end, 0, l->size - end);
}

/* The end of the run of rising keys that starts at i. */
static size_t run_end(const struct xtr_sort_key *k, size_t i, size_t n)
{
	for (i++; i < n && k[i].ts >= k[i - 1].ts; i++)
		;
	return i;
}

/* Merge from[a, b) and from[b, c) to to[a, c); of equal keys the left one comes first. */
static void merge_runs(const struct xtr_sort_key *from, struct xtr_sort_key *to, size_t a, size_t b,
		       size_t c)
{
	size_t i = a, j = b;

	for (size_t k = a; k < c; k++) {
		if (i < b && (j >= c || from[i].ts <= from[j].ts))
			to[k] = from[i++];
		else
			to[k] = from[j++];
	}
}

/*
 * Natural merge sort: events arrive almost in order (an interrupt between clock and ring swaps
 * two), so there are few runs. Returns the half that holds the result.
 */
static const struct xtr_sort_key *sort_keys(struct xtr_sort_key *k, struct xtr_sort_key *tmp,
					    size_t n)
{
	while (run_end(k, 0, n) < n) {
		struct xtr_sort_key *swap = k;

		for (size_t a = 0; a < n;) {
			size_t b = run_end(k, a, n);
			size_t c = b < n ? run_end(k, b, n) : n;

			merge_runs(k, tmp, a, b, c);
			a = c;
		}
		k = tmp;
		tmp = swap;
	}
	return k;
}

int xtr_records_sort(struct xtr_sorter *s, const uint8_t *recs, uint32_t n, uint8_t *out)
{
	const struct xtr_sort_key *k;
	size_t off = 0;

	if (xtr_grow_array(&s->keys, &s->cap, (size_t)n * 2, sizeof(*s->keys)))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		s->keys[i] = (struct xtr_sort_key){ .ts = xtr_rec_ts(recs + off), .off = off };
		off += xtr_rec_size(recs + off);
	}
	k = sort_keys(s->keys, s->keys + n, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = xtr_rec_size(recs + k[i].off);

		memcpy(out, recs + k[i].off, size);
		out += size;
	}
	return 0;
}

int xtr_refs_sort(struct xtr_sorter *s, const struct xtr_rec_ref *refs, uint32_t n,
		  struct xtr_rec_ref *out)
{
	const struct xtr_sort_key *k;

	if (xtr_grow_array(&s->keys, &s->cap, (size_t)n * 2, sizeof(*s->keys)))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		s->keys[i] = (struct xtr_sort_key){ .ts = refs[i].ts, .off = i };
	k = sort_keys(s->keys, s->keys + n, n);
	for (uint32_t i = 0; i < n; i++)
		out[i] = refs[k[i].off];
	return 0;
}

void xtr_sorter_free(struct xtr_sorter *s)
{
	free(s->keys);
	*s = (struct xtr_sorter){ 0 };
}
