/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a payload in columns: records(2) record-bytes/8(2) payload. What is accepted are whole
 * records; filtered by either encoder and un-filtered again they are the same.
 */
#include "fuzz.h"

#include "format/codec/columns.h"

#include <errno.h>
#include <string.h>

typedef int encode_fn(struct xtr_columns_enc *e, const uint8_t *recs, uint32_t n, size_t rec_len,
		      const uint8_t **out, size_t *len);

/* With what the encoder knows from the call before, if there was one. */
static void check_round_trip(struct xtr_columns_enc *e, encode_fn *encode,
			     struct xtr_columns_dec *d, const uint8_t *recs, uint32_t n, size_t len)
{
	uint8_t *again = malloc(len);
	struct xtr_rec_span span;
	const uint8_t *p;
	size_t raw;
	int err = encode(e, recs, n, len, &p, &raw);

	FUZZ_CHECK(again && (!err || err == -EOPNOTSUPP));
	FUZZ_CHECK(err || !xtr_columns_decode(d, p, raw, n, again, len, &span));
	FUZZ_CHECK(err || !memcmp(again, recs, len));
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct xtr_columns_enc *e;
	struct xtr_columns_dec d = { 0 };
	struct xtr_rec_span span;
	uint32_t n = size < 4 ? 0 : xtr_le16(data);
	size_t len = size < 4 ? 0 : (size_t)xtr_le16(data + 2) * 8;
	uint8_t *recs = malloc(len ? len : 1);

	e = e ? e : xtr_columns_enc_new(xtr_meta_none());
	FUZZ_CHECK(recs && e);
	xtr_columns_enc_reset(e);
	if (size >= 4 && !xtr_columns_decode(&d, data + 4, size - 4, n, recs, len, &span)) {
		FUZZ_CHECK(xtr_records_check(recs, len, n, &span));
		if (n) {
			check_round_trip(e, xtr_columns_encode_fast, &d, recs, n, len);
			check_round_trip(e, xtr_columns_encode_fast, &d, recs, n, len);
			check_round_trip(e, xtr_columns_encode, &d, recs, n, len);
		}
	}
	xtr_columns_dec_free(&d);
	free(recs);
	return 0;
}
