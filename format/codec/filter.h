/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The row-delta filter (spec 5.2): each field of a record is written as its difference to the
 * record of the same layout before it. The layouts stand in the payload, so that un-filtering needs
 * no META.
 */
#ifndef XTR_FILTER_H
#define XTR_FILTER_H

#include "format/meta/meta.h"
#include "record.h"

struct xtr_filter_enc;

/* meta says how records are divided into fields; it must outlive the encoder. NULL: no memory. */
struct xtr_filter_enc *xtr_filter_enc_new(const struct xtr_meta *meta);
void xtr_filter_enc_free(struct xtr_filter_enc *e);
/* Forget what was learned from meta: after it has changed. */
void xtr_filter_enc_reset(struct xtr_filter_enc *e);

struct xtr_filtered {
	const uint8_t *data; /* within the encoder, valid until the next call */
	size_t len;          /* bytes, at most XTR_RAW_MAX */
	uint32_t n;          /* records taken, at most XTR_RECORDS_MAX */
	uint64_t ts_last;    /* of the last record taken */
	size_t taken;        /* bytes of records taken, at most max_bytes unless it is one record */
};

/*
 * Filter as many of the n well-formed records as one chunk may hold. out->n is 0 if the first one
 * cannot be filtered (too many fields). 0 or -ENOMEM.
 */
int xtr_filter_encode(struct xtr_filter_enc *e, const uint8_t *recs, uint32_t n, size_t max_bytes,
		      struct xtr_filtered *out);

/* Layouts of a payload, kept between calls. A zeroed structure is an empty one. */
struct xtr_filter_dec {
	struct xtr_filter_layout *layouts;
	size_t cap;
	uint32_t n;
};

/*
 * Un-filter a payload into exactly n records of rec_len bytes in all. 0; -EBADMSG if it is not
 * well-formed; -ENOMEM. *span is set on success.
 */
int xtr_filter_decode(struct xtr_filter_dec *d, const uint8_t *in, size_t len, uint32_t n,
		      uint8_t *out, size_t rec_len, struct xtr_rec_span *span);
void xtr_filter_dec_free(struct xtr_filter_dec *d);

#endif /* XTR_FILTER_H */
