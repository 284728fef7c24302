/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a TABLE: what is accepted encodes again, and reads back with the same tasks and
 * rings. */
#include "fuzz.h"

#include "format/meta/tables.h"

static int put(void *ctx, const uint8_t *buf, size_t n)
{
	struct xtr_err err;

	return xtr_tables_merge(ctx, buf, n, &err);
}

static void check_round_trip(struct xtr_tables *t)
{
	struct xtr_tables *copy = xtr_tables_new();

	FUZZ_CHECK(copy);
	FUZZ_CHECK(!xtr_tables_encode(t, true, put, copy));
	FUZZ_CHECK(xtr_tables_n_tasks(copy) == xtr_tables_n_tasks(t));
	FUZZ_CHECK(xtr_tables_n_rings(copy) == xtr_tables_n_rings(t));
	xtr_tables_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_tables *t = xtr_tables_new();
	struct xtr_err err = { 0 };

	FUZZ_CHECK(t);
	if (!xtr_tables_merge(t, data, size, &err))
		check_round_trip(t);
	else
		FUZZ_CHECK(err.problem == XTR_P_CBOR || err.problem == XTR_P_TABLE);
	xtr_tables_free(t);
	return 0;
}
