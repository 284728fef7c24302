/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes as a payload by words: records(2) record-bytes/8(2) payload. What is accepted are whole
 * records; filtered and un-filtered again they are the same.
 */
#include "fuzz.h"

#include "format/codec/refs.h"
#include "format/codec/words.h"

#include <errno.h>
#include <string.h>

static void check_round_trip(struct xtr_words_enc *e, struct xtr_words_dec *d, struct xtr_refs *r,
			     const uint8_t *recs, uint32_t n, size_t len)
{
	uint8_t *again = malloc(len + 1);
	struct xtr_rec_span span;

	FUZZ_CHECK(again);
	while (n) {
		struct xtr_filtered f;

		FUZZ_CHECK(!xtr_refs_to(r, recs, n));
		FUZZ_CHECK(!xtr_words_encode(e, r->layouts, r->n_layouts, r->refs, n, len, &f));
		FUZZ_CHECK(f.n && f.n <= n && f.taken <= len && f.len <= XTR_RAW_MAX);
		FUZZ_CHECK(!xtr_words_decode(d, f.data, f.len, f.n, again, f.taken, &span));
		FUZZ_CHECK(!memcmp(again, recs, f.taken));
		recs += f.taken;
		n -= f.n;
	}
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct xtr_words_enc *e;
	struct xtr_words_dec d = { 0 };
	struct xtr_refs r = { 0 };
	struct xtr_rec_span span;
	uint32_t n = size < 4 ? 0 : xtr_le16(data);
	size_t len = size < 4 ? 0 : (size_t)xtr_le16(data + 2) * 8;
	uint8_t *recs = malloc(len ? len : 1);

	e = e ? e : xtr_words_enc_new();
	FUZZ_CHECK(recs && e);
	if (size >= 4 && !xtr_words_decode(&d, data + 4, size - 4, n, recs, len, &span)) {
		FUZZ_CHECK(xtr_records_check(recs, len, n, &span));
		check_round_trip(e, &d, &r, recs, n, len);
	}
	xtr_words_dec_free(&d);
	xtr_refs_free(&r);
	free(recs);
	return 0;
}
