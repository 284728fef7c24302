/* SPDX-License-Identifier: BSD-2-Clause */
/* Attaching the loaded programs, switching them on and off. */
#ifndef XTR_RECORDER_ATTACH_H
#define XTR_RECORDER_ATTACH_H

#include "loader.h"

/*
 * Attach all that is loaded; each result is noted (xtr_bpf.results). Returns the number of hooks
 * attached, or -errno. Programs do nothing until xtr_bpf_run.
 */
int xtr_bpf_attach(struct xtr_bpf *b, const struct xtr_selection *sel);
void xtr_bpf_run(struct xtr_bpf *b);
/* Switch off and detach; when it returns no program runs any more. */
void xtr_bpf_halt(struct xtr_bpf *b);
/* Keep a descriptor that holds an attachment: it is closed with the links. 0, or -ENOMEM: it was
 * closed. */
int xtr_bpf_hold(struct xtr_bpf *b, int fd);
/* Close all links, without more. */
void xtr_bpf_detach(struct xtr_bpf *b);

#endif /* XTR_RECORDER_ATTACH_H */
