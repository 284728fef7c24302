/* SPDX-License-Identifier: BSD-2-Clause */
/* Event records (spec 5): their header, checking a run of them, sorting them by time. */
#ifndef XTR_RECORD_H
#define XTR_RECORD_H

#include "base/bytes.h"
#include "format/xtr_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t xtr_rec_ts(const uint8_t *rec)
{
	return xtr_le64(rec);
}

static inline uint32_t xtr_rec_type(const uint8_t *rec)
{
	return xtr_le16(rec + 8);
}

static inline uint32_t xtr_rec_size(const uint8_t *rec)
{
	return xtr_le16(rec + 10);
}

static inline uint32_t xtr_rec_tid(const uint8_t *rec)
{
	return xtr_le32(rec + 12);
}

/* What a run of records spans. Without records ts_min and ts_max are 0. */
struct xtr_rec_span {
	uint64_t ts_min, ts_max;
	bool sorted; /* the time stamps do not decrease */
};

/* Of no record yet; with one more; of the n that there were. */
static inline struct xtr_rec_span xtr_rec_span_begin(void)
{
	return (struct xtr_rec_span){ .ts_min = UINT64_MAX, .sorted = true };
}

static inline void xtr_rec_span_add(struct xtr_rec_span *s, uint64_t ts)
{
	s->ts_min = ts < s->ts_min ? ts : s->ts_min;
	s->sorted &= ts >= s->ts_max; /* the latest is the one before, as long as they are sorted */
	s->ts_max = ts > s->ts_max ? ts : s->ts_max;
}

static inline struct xtr_rec_span xtr_rec_span_end(const struct xtr_rec_span *s, uint32_t n)
{
	return n ? *s : (struct xtr_rec_span){ .sorted = true };
}

/* True if recs are exactly n well-formed records of len bytes in all. *span is set then. */
bool xtr_records_check(const uint8_t *recs, size_t len, uint32_t n, struct xtr_rec_span *span);

/* Records of one type and size, as those who filter them say it. */
struct xtr_rec_layout {
	uint16_t type;
	uint16_t size; /* bytes of a record, its header included: a multiple of 8, 16 or more */
	uint16_t copy; /* bytes that stand at payload, at most size - 16; what is left is zero */
};

/* A record that stands in pieces. */
struct xtr_rec_ref {
	uint64_t ts;            /* ns */
	const uint8_t *payload; /* layout.copy bytes, at any alignment */
	uint32_t tid;
	uint32_t layout; /* index in the layouts that go with it */
};

bool xtr_rec_layout_is_right(const struct xtr_rec_layout *l);
/* The record of a reference, l->size bytes. */
void xtr_rec_make(uint8_t *rec, const struct xtr_rec_layout *l, const struct xtr_rec_ref *ref);

/* Memory for sorting, kept between calls. A zeroed structure is an empty one. */
struct xtr_sorter {
	struct xtr_sort_key *keys; /* two halves */
	size_t cap;                /* keys, both halves together */
};

/*
 * Copy n well-formed records, 1 or more, to out in order of time; those of equal time keep their
 * order. 0 or -ENOMEM.
 */
int xtr_records_sort(struct xtr_sorter *s, const uint8_t *recs, uint32_t n, uint8_t *out);
/* The same of references. */
int xtr_refs_sort(struct xtr_sorter *s, const struct xtr_rec_ref *refs, uint32_t n,
		  struct xtr_rec_ref *out);
void xtr_sorter_free(struct xtr_sorter *s);

#endif /* XTR_RECORD_H */
