/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz targets share. A target is a property that holds for any bytes: it must not crash,
 * leak, hang or break a FUZZ_CHECK. The same targets run under libFuzzer (make fuzz) and, with
 * standalone.c, as plain regression programs over tests/fuzz/corpus (make check).
 */
#ifndef XTR_FUZZ_H
#define XTR_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
/* Given by libFuzzer, or by standalone.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* A promise of the code under test; it stays in force whatever NDEBUG says. */
#define FUZZ_CHECK(cond)                                                                           \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif /* XTR_FUZZ_H */
