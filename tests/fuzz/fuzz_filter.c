/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a row-delta payload: records(2) record-bytes/8(2) payload. What is accepted are whole
 * records; filtered and un-filtered again they are the same.
 */
#include "fuzz.h"

#include "format/codec/filter.h"

#include <string.h>

static void check_round_trip(struct xtr_filter_dec *d, const uint8_t *recs, uint32_t n, size_t len)
{
	struct xtr_meta *meta = xtr_meta_new();
	struct xtr_filter_enc *e = meta ? xtr_filter_enc_new(meta) : NULL;
	struct xtr_filtered f = { 0 };
	struct xtr_rec_span span;
	uint8_t *again;

	FUZZ_CHECK(e && !xtr_filter_encode(e, recs, n, len, &f));
	FUZZ_CHECK(f.n <= n && f.taken <= len);
	again = malloc(f.taken ? f.taken : 1);
	FUZZ_CHECK(again && !xtr_filter_decode(d, f.data, f.len, f.n, again, f.taken, &span));
	FUZZ_CHECK(!memcmp(again, recs, f.taken));
	free(again);
	xtr_filter_enc_free(e);
	xtr_meta_free(meta);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_filter_dec d = { 0 };
	struct xtr_rec_span span;
	uint32_t n = size < 4 ? 0 : xtr_le16(data);
	size_t len = size < 4 ? 0 : (size_t)xtr_le16(data + 2) * 8;
	uint8_t *recs = malloc(len ? len : 1);

	FUZZ_CHECK(recs);
	if (size >= 4 && !xtr_filter_decode(&d, data + 4, size - 4, n, recs, len, &span)) {
		FUZZ_CHECK(xtr_records_check(recs, len, n, &span));
		check_round_trip(&d, recs, n, len);
	}
	xtr_filter_dec_free(&d);
	free(recs);
	return 0;
}
