/* SPDX-License-Identifier: BSD-2-Clause */
/* From a chunk in the file to its content (spec 4.2, 5). */
#ifndef XTR_DECODE_H
#define XTR_DECODE_H

#include "format/codec/codecs.h"
#include "format/codec/columns.h"
#include "format/codec/filter.h"
#include "format/codec/words.h"
#include "reader.h"

/* Memory for decoding, kept between calls; one for each thread. A zeroed structure is an empty one.
 */
struct xtr_decoder {
	uint8_t *stored, *raw;
	size_t cap_stored, cap_raw;
	struct xtr_filter_dec filter;
	struct xtr_columns_dec columns;
	struct xtr_words_dec words;
	struct xtr_zstd zstd;
	struct xtr_rec_span span; /* of the EVENTS chunk that was decoded last */
};

/* As xtr_reader_decode. */
int xtr_decode(const struct xtr_reader *r, const struct xtr_chunk *c, struct xtr_decoder *d,
	       uint8_t **buf, size_t *cap, struct xtr_err *err);
/* Check only the stored payload's CRC. */
int xtr_decode_crc(const struct xtr_reader *r, const struct xtr_chunk *c, struct xtr_decoder *d,
		   struct xtr_err *err);
void xtr_decoder_free(struct xtr_decoder *d);

#endif /* XTR_DECODE_H */
