/* SPDX-License-Identifier: BSD-2-Clause */
/* References to records, checked on the way as xtr_records_check does it. */
#include "format/codec/refs.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#define N 40u

/* Records of two layouts, mixed. Returns their bytes. */
static size_t make(uint8_t *recs)
{
	size_t len = 0;

	for (uint32_t i = 0; i < N; i++) {
		uint32_t size = i % 3 ? 24 : 40;

		memset(recs + len, (int)i, size);
		xtr_put_le64(recs + len, 1000 + i);
		xtr_put_le64(recs + len + 8,
			     (1024u + i % 3) | (uint64_t)size << 16 | (uint64_t)i << 32);
		len += size;
	}
	return len;
}

Test(refs, good_records)
{
	struct xtr_refs r = { .n_layouts = 0 };
	uint8_t recs[N * 40], one[40];
	size_t len = make(recs), at = 0;
	struct xtr_rec_span span;

	cr_assert_eq(xtr_refs_check(&r, recs, len, N, &span), 0);
	cr_expect(span.sorted && span.ts_min == 1000 && span.ts_max == 1000 + N - 1);
	cr_expect_eq(r.n_layouts, 3);
	for (uint32_t i = 0; i < N; i++) {
		const struct xtr_rec_layout *l = &r.layouts[r.refs[i].layout];

		xtr_rec_make(one, l, &r.refs[i]);
		cr_expect_arr_eq(one, recs + at, l->size);
		at += l->size;
	}
	cr_expect_eq(xtr_refs_check(&r, recs, 0, 0, &span), 0);
	cr_expect_eq(span.ts_max, 0);
	xtr_refs_free(&r);
}

/* Each byte of the headers set to each of some values: both checks say the same. */
Test(refs, what_is_no_record_is_refused_alike)
{
	struct xtr_refs r = { .n_layouts = 0 };
	uint8_t recs[N * 40];
	const size_t len = make(recs);
	static const uint8_t values[] = { 0, 1, 8, 16, 24, 32, 255 };
	struct xtr_rec_span want = { 0 }, span;
	uint32_t refused = 0;

	for (size_t at = 0; at < len; at++) {
		for (size_t k = 0; k < sizeof(values); k++) {
			uint8_t was = recs[at];
			bool right;
			int err;

			recs[at] = values[k];
			right = xtr_records_check(recs, len, N, &want);
			err = xtr_refs_check(&r, recs, len, N, &span);
			cr_assert_eq(err, right ? 0 : -EINVAL, "byte %zu set to %u", at, values[k]);
			if (right)
				cr_assert(want.ts_min == span.ts_min &&
					  want.ts_max == span.ts_max && want.sorted == span.sorted);
			refused += !right;
			recs[at] = was;
		}
	}
	cr_expect_gt(refused, 100);
	for (size_t cut = 0; cut < len; cut++)
		cr_assert_eq(xtr_refs_check(&r, recs, cut, N, &span), -EINVAL);
	cr_assert_eq(xtr_refs_check(&r, recs, len, N - 1, &span), -EINVAL);
	xtr_refs_free(&r);
}
