/* SPDX-License-Identifier: BSD-2-Clause */
#include "refs.h"
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

/* After so many they are forgotten: there could be 65,536 types of 8,190 sizes. */
#define LAYOUTS_MAX 4096u

static int add(struct xtr_refs *r, uint32_t type, uint32_t size, uint32_t *index)
{
	if (xtr_grow_array(&r->layouts, &r->cap_layouts, r->n_layouts + 1, sizeof(*r->layouts)) ||
	    xtr_map_put(&r->by_key, type, size, r->n_layouts))
		return -ENOMEM;
	*index = r->n_layouts++;
	r->layouts[*index] = (struct xtr_rec_layout){
		.type = (uint16_t)type,
		.size = (uint16_t)size,
		.copy = (uint16_t)(size - XTR_RECORD_HEADER_SIZE),
	};
	return 0;
}

/* The layout of a record. */
static int find(struct xtr_refs *r, const uint8_t *rec, uint32_t *index)
{
	uint32_t type = xtr_rec_type(rec), size = xtr_rec_size(rec);
	uint32_t *recent = &r->recent[(type + size / 8) % XTR_REFS_RECENT];
	const uint64_t *known;

	if (*recent < r->n_layouts && r->layouts[*recent].type == type &&
	    r->layouts[*recent].size == size) {
		*index = *recent;
		return 0;
	}
	known = xtr_map_get(&r->by_key, type, size);
	if (known)
		*index = (uint32_t)*known;
	else if (add(r, type, size, index))
		return -ENOMEM;
	*recent = *index;
	return 0;
}

static int begin(struct xtr_refs *r, uint32_t n)
{
	if (xtr_grow_array(&r->refs, &r->cap, n, sizeof(*r->refs)))
		return -ENOMEM;
	if (r->n_layouts > LAYOUTS_MAX) {
		xtr_map_free(&r->by_key);
		r->n_layouts = 0;
	}
	return 0;
}

int xtr_refs_check(struct xtr_refs *r, const uint8_t *recs, size_t len, uint32_t n,
		   struct xtr_rec_span *span)
{
	struct xtr_rec_span s = xtr_rec_span_begin();
	uint64_t key = UINT64_MAX; /* of the record before: type and size as they stand; none */
	uint32_t layout = 0, size = 0;
	int err = begin(r, n);
	struct xtr_rec_ref *ref = r->refs, *end = ref + (err ? 0 : n);

	for (; ref < end && !err; ref++) {
		uint64_t ts, head;

		if (len < XTR_RECORD_HEADER_SIZE)
			return -EINVAL;
		ts = xtr_rec_ts(recs);
		head = xtr_le64(recs + 8);
		if ((uint32_t)head != key) {
			key = (uint32_t)head;
			size = (uint32_t)key >> 16;
			if (size < XTR_RECORD_HEADER_SIZE || size % 8)
				return -EINVAL;
			err = find(r, recs, &layout);
		}
		if (size > len)
			return -EINVAL;
		xtr_rec_span_add(&s, ts);
		*ref = (struct xtr_rec_ref){
			.ts = ts,
			.payload = recs + XTR_RECORD_HEADER_SIZE,
			.tid = (uint32_t)(head >> 32),
			.layout = layout,
		};
		recs += size;
		len -= size;
	}
	*span = xtr_rec_span_end(&s, n);
	return err ? err : len ? -EINVAL : 0;
}

int xtr_refs_to(struct xtr_refs *r, const uint8_t *recs, uint32_t n)
{
	if (begin(r, n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t layout;

		if (find(r, recs, &layout))
			return -ENOMEM;
		r->refs[i] = (struct xtr_rec_ref){
			.ts = xtr_rec_ts(recs),
			.payload = recs + XTR_RECORD_HEADER_SIZE,
			.tid = xtr_rec_tid(recs),
			.layout = layout,
		};
		recs += xtr_rec_size(recs);
	}
	return 0;
}

void xtr_refs_free(struct xtr_refs *r)
{
	xtr_map_free(&r->by_key);
	free(r->refs);
	free(r->layouts);
	*r = (struct xtr_refs){ 0 };
}
