/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching to functions of libraries. */
#ifndef XTR_RECORDER_API_ATTACH_H
#define XTR_RECORDER_API_ATTACH_H

#include "loader.h"

/*
 * Attach the selection's functions of libraries by the kernel's uprobes; what became of each is in
 * the probe, what was not found in b's results. 0 or -ENOMEM.
 */
int xtr_api_probes_attach(struct xtr_bpf *b, const struct xtr_selection *sel);

/* --- uprobe multi ----------------------------------------------------------------------------- */

/*
 * Many uprobes of one file by one attachment (Linux 6.6). What it is for: the kernel waits for all
 * CPUs whenever an attachment ends, a tenth of a second each.
 */

#endif /* XTR_RECORDER_API_ATTACH_H */
