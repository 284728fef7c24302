/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a trace of Perfetto. */
#include "imported.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("perfetto", data, size);
	return 0;
}
