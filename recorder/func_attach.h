/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching to kernel functions, by the best way that this kernel has. */
#ifndef XTR_RECORDER_FUNC_ATTACH_H
#define XTR_RECORDER_FUNC_ATTACH_H

#include "loader.h"

/* Attach all kernel functions of the selection; what became of each is in the probe. 0 or -errno:
 * nothing of a single function's. */
int xtr_funcs_attach(struct xtr_bpf *b, const struct xtr_selection *sel);

#endif /* XTR_RECORDER_FUNC_ATTACH_H */
