/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as META: what is accepted encodes again, and its encoding reads and encodes as itself.
 */
#include "fuzz.h"

#include "format/meta/meta.h"

#include <string.h>

static void check_round_trip(const struct xtr_meta *m)
{
	uint8_t *a = NULL, *b = NULL;
	size_t na = 0, nb = 0;
	struct xtr_meta *copy = xtr_meta_new();
	struct xtr_err err;

	FUZZ_CHECK(copy);
	if (!xtr_meta_encode(m, &a, &na)) {
		FUZZ_CHECK(!xtr_meta_merge(copy, a, na, &err));
		FUZZ_CHECK(!xtr_meta_encode(copy, &b, &nb));
		FUZZ_CHECK(na == nb && !memcmp(a, b, na));
	}
	free(a);
	free(b);
	xtr_meta_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_meta *m = xtr_meta_new();
	struct xtr_err err = { 0 };
	int rc;

	FUZZ_CHECK(m);
	rc = xtr_meta_merge(m, data, size, &err);
	if (!rc)
		check_round_trip(m);
	else
		FUZZ_CHECK(err.problem == XTR_P_CBOR || err.problem == XTR_P_META);
	xtr_meta_free(m);
	return 0;
}
