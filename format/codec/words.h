/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words filter (spec 5.4): of a record's payload only the words of 4 bytes that differ from the
 * record of the same layout before it are kept, in planes of bytes: one for each byte of each word.
 * It knows no fields and does no arithmetic, and leaves to the codec what codecs do well: for
 * recording.
 */
#ifndef XTR_WORDS_H
#define XTR_WORDS_H

#include "filter.h"
#include "record.h"

struct xtr_words_enc;

struct xtr_words_enc *xtr_words_enc_new(void); /* NULL: no memory */
void xtr_words_enc_free(struct xtr_words_enc *e);

/*
 * Filter as many of the n records, 1 or more, as one chunk may hold: the first, and then as many as
 * take max_bytes together. The payloads have to stay in place until it returns. out->taken is what
 * they take as records. 0, -ENOMEM, or -EINVAL: a layout that is none, or an index beyond
 * n_layouts.
 */
int xtr_words_encode(struct xtr_words_enc *e, const struct xtr_rec_layout *layouts,
		     uint32_t n_layouts, const struct xtr_rec_ref *refs, uint32_t n,
		     size_t max_bytes, struct xtr_filtered *out);

/* Memory for decoding, kept between calls. A zeroed structure is an empty one. */
struct xtr_words_dec {
	struct words_dec *d;
};

/*
 * Un-filter a payload into exactly n records of rec_len bytes in all. 0; -EBADMSG if it is not
 * well-formed; -ENOMEM. *span is set on success.
 */
int xtr_words_decode(struct xtr_words_dec *d, const uint8_t *in, size_t len, uint32_t n,
		     uint8_t *out, size_t rec_len, struct xtr_rec_span *span);
void xtr_words_dec_free(struct xtr_words_dec *d);

#endif /* XTR_WORDS_H */
