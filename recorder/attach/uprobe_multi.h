/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many uprobes of one file by one attachment (Linux 6.6). What it is for: the kernel waits for all
 * CPUs whenever an attachment ends, a tenth of a second each.
 */
#ifndef XTR_RECORDER_UPROBE_MULTI_H
#define XTR_RECORDER_UPROBE_MULTI_H

#include "loader.h"

/*
 * Load the program for entries, or for returns, as one for such attachments. Its descriptor is the
 * caller's; -errno: this kernel has none.
 */
int xtr_uprobe_multi_load(const struct xtr_bpf *b, bool ret);
/*
 * Attach it at n offsets of the file, each with its cookie. Returns the attachment's descriptor, or
 * -errno: then nothing is attached.
 */
int xtr_uprobe_multi_attach(int prog, bool ret, const char *path, const uint64_t *offsets,
			    const uint64_t *cookies, uint32_t n);

#endif /* XTR_RECORDER_UPROBE_MULTI_H */
