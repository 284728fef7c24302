/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as CBOR: what the walker accepts, libcbor reads to the last byte, and writes again as
 * the same bytes; what it refuses, it refuses at a place within the input or at its end.
 */
#include "fuzz.h"

#include "format/meta/cbor.h"

#include <cbor.h>
#include <string.h>

static void check_round_trip(const uint8_t *data, size_t size)
{
	struct cbor_load_result result;
	cbor_item_t *item = cbor_load(data, size, &result);
	unsigned char *again = NULL;
	size_t cap = 0, n;

	FUZZ_CHECK(item && result.read == size);
	n = cbor_serialize_alloc(item, &again, &cap);
	FUZZ_CHECK(n == size && !memcmp(again, data, n));
	free(again);
	cbor_decref(&item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t bad = SIZE_MAX;

	if (xtr_cbor_check(data, size, &bad))
		check_round_trip(data, size);
	else
		FUZZ_CHECK(bad <= size);
	return 0;
}
