/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocations that fail. The unit test programs are linked so that the allocations of the code
 * under test, libcbor's decoding, what LZ4-HC and zstd allocate, and the starting of threads come
 * here first (the Makefile's UNIT_WRAP); other ones inside of libraries do not.
 */
#ifndef TEST_OOM_H
#define TEST_OOM_H

#include <stdbool.h>

/* The n-th of them from now on fails, 1 being the next; all later ones too if `sticky`. */
void oom_at(unsigned int n, bool sticky);
/* None fails any more. How many did since oom_at. */
unsigned int oom_end(void);

/*
 * Calls f(arg), which returns 0 or -errno, with the first, the second, ... allocation failing,
 * until none was left to fail; then again with all later ones failing too. Asserts 0 where none
 * failed, else -ENOMEM, but for at most `spare` times where the code could do without. Returns how
 * many failures were tried. What f leaves behind is found by AddressSanitizer.
 */
unsigned int oom_each(int (*f)(void *), void *arg, unsigned int spare);

#endif /* TEST_OOM_H */
