/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a LOSS payload, twice: totals are cumulative, so the second time changes no total.
 */
#include "fuzz.h"

#include "format/meta/loss.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_loss *l = xtr_loss_new();
	struct xtr_err err = { 0 };
	uint64_t total;

	FUZZ_CHECK(l);
	if (!xtr_loss_merge(l, data, size, &err)) {
		total = xtr_loss_total(l);
		FUZZ_CHECK(!xtr_loss_merge(l, data, size, &err));
		FUZZ_CHECK(xtr_loss_total(l) == total);
		for (size_t i = 1; i < xtr_loss_n_gaps(l); i++)
			FUZZ_CHECK(xtr_loss_gap_at(l, i - 1)->first <=
				   xtr_loss_gap_at(l, i)->first);
	} else {
		FUZZ_CHECK(err.problem == XTR_P_CBOR || err.problem == XTR_P_LOSS);
	}
	xtr_loss_free(l);
	return 0;
}
