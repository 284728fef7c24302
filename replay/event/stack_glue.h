/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The innermost frames of a recorded stack that are of recording itself: the recorder's BPF
 * program, and what of the kernel ran it. The file keeps them (spec/events.md); what shows whose
 * code it was leaves them out.
 */
#ifndef XTR_STACK_GLUE_H
#define XTR_STACK_GLUE_H

#include "format/meta/tables.h"

/*
 * How many of a stack's n frames, innermost first, are such: the leading run of them. 0 if it is
 * the whole stack, so that something is left.
 */
size_t xtr_stack_glue(const struct xtr_tables *t, const uint32_t *frames, size_t n);

#endif /* XTR_STACK_GLUE_H */
