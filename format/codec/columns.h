/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The columns filter (spec 5.3): the records of a chunk are taken apart into one column for each
 * field of each layout, each written in the way that makes it shortest. Slower to write than
 * row-delta and smaller: for files that are packed, not for recording.
 */
#ifndef XTR_COLUMNS_H
#define XTR_COLUMNS_H

#include "format/meta/meta.h"
#include "record.h"

/* Memory for decoding, kept between calls. A zeroed structure is an empty one. */
struct xtr_columns_dec {
	struct columns_dec *d;
};

/*
 * Un-filter a payload into exactly n records of rec_len bytes in all. 0; -EBADMSG if it is not
 * well-formed; -ENOMEM. *span is set on success.
 */
int xtr_columns_decode(struct xtr_columns_dec *d, const uint8_t *in, size_t len, uint32_t n,
		       uint8_t *out, size_t rec_len, struct xtr_rec_span *span);
void xtr_columns_dec_free(struct xtr_columns_dec *d);

struct xtr_columns_enc;

/* meta says how records are divided into fields; it must outlive the encoder. NULL: no memory. */
struct xtr_columns_enc *xtr_columns_enc_new(const struct xtr_meta *meta);
void xtr_columns_enc_free(struct xtr_columns_enc *e);

/* Forget what was learned from meta: after it has changed. */
void xtr_columns_enc_reset(struct xtr_columns_enc *e);

/*
 * Filter n well-formed records, 1 to XTR_RECORDS_MAX of rec_len bytes in all, at most XTR_REC_MAX.
 * *out lies in the encoder, valid until the next call. 0; -E2BIG: more than XTR_RAW_MAX bytes come
 * out, fewer records may do; -EOPNOTSUPP: some record cannot be laid out; -ENOMEM.
 */
int xtr_columns_encode(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n, size_t rec_len,
		       const uint8_t **out, size_t *len);

/*
 * The same for a recorder, many times as fast: how the columns are written best is remembered from
 * chunk to chunk, and looked at anew now and then.
 */
int xtr_columns_encode_fast(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n,
			    size_t rec_len, const uint8_t **out, size_t *len);

#endif /* XTR_COLUMNS_H */
