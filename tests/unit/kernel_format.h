/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoints as kernels describe them, from tests/data/tracefs. */
#ifndef TEST_KERNEL_FORMAT_H
#define TEST_KERNEL_FORMAT_H

#include "recorder/groups/generic.h"

/* The layout of one whose type is 1024; the caller frees it (xtr_generic_free). */
struct xtr_generic *kernel_format(const char *file, const char *system);

#endif /* TEST_KERNEL_FORMAT_H */
