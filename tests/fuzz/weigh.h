/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What running an input takes: the peak of heap bytes and the processor's time. Linked into the
 * plain programs that are to weigh (make fuzz-weigh); the functions are weak in all others.
 */
#ifndef XTR_FUZZ_WEIGH_H
#define XTR_FUZZ_WEIGH_H

#include <stddef.h>
#include <stdint.h>

struct weight {
	size_t heap;     /* bytes, at most at once, of what was allocated since weigh_begin */
	uint64_t cpu_ns; /* of all threads */
};

__attribute__((weak)) void weigh_begin(void);
__attribute__((weak)) struct weight weigh_end(void);

#endif /* XTR_FUZZ_WEIGH_H */
