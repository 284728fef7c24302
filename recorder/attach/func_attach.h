/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaching to kernel functions, by the best way that this kernel has:
 *
 * kprobe.session  one link for all functions, entry and return together
 * kprobe.multi    one link for the entries of all functions, one for their returns
 * kprobe          a probe for each entry and each return, made through tracefs, or, where that
 *                 cannot be written, through perf, which counts nothing
 */
#ifndef XTR_RECORDER_FUNC_ATTACH_H
#define XTR_RECORDER_FUNC_ATTACH_H

#include "kprobe_events.h"
#include "loader.h"
#include "function_load.h"

/* A link to many functions. */
struct xtr_func_link {
	int fd;
	enum xtr_probe_prog prog;
	uint32_t slot;          /* of the only function, 0: it has more */
	uint64_t missed_before; /* when recording began */
};

struct xtr_func_links {
	struct xtr_func_link v[4];
	size_t n;
	struct xtr_kprobe_events *kprobes; /* NULL: none were made */
	uint64_t *hits, *before;           /* of kprobes, by slot; before: not run by then */
};

/* Attach all kernel functions of the selection; what became of each is in the probe. 0 or -errno:
 * nothing of a single function's. */
int xtr_funcs_attach(struct xtr_bpf *b, const struct xtr_selection *sel);
/* Remove what is left when the links are closed. */
void xtr_funcs_detach(struct xtr_bpf *b);

/* Calls that the kernel did not let the programs see: note what there was before recording; at its
 * end, add them to b->not_run, by slot, 0 where it is not known which function. */
void xtr_funcs_begin(struct xtr_bpf *b);
void xtr_funcs_count_misses(struct xtr_bpf *b, const struct xtr_selection *sel);
/* Does the kernel count what it skips of links to many functions (since Linux 6.7)? */
bool xtr_funcs_counted(void);

#endif /* XTR_RECORDER_FUNC_ATTACH_H */
