/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a perf.data. */
#include "imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("perfdata", data, size);
	return 0;
}
