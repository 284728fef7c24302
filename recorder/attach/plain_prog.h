/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that copy an event by name straight into its ring: one for each length of the fixed
 * part, made of the pattern xtr_plain (bpf/generic.bpf.h).
 */
#ifndef XTR_RECORDER_PLAIN_H
#define XTR_RECORDER_PLAIN_H

#include "recorder/host/bpfdefs.h"

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_program;

struct xtr_plain {
	int fd[XTR_PLAIN_MAX + 1]; /* by length; 0: not tried, < 0: -errno of the kernel */
};

/*
 * Descriptor of the program for events of cfg, made at the first call; it belongs to p. -ENOENT:
 * such events are not plain; another -errno: the kernel refuses the program.
 */
int xtr_plain_program(struct xtr_plain *p, const struct bpf_program *pattern,
		      const struct xtr_generic_cfg *cfg);
void xtr_plain_close(struct xtr_plain *p);

/*
 * Make n instructions of the pattern those of a program for `fixed` bytes, 1 to XTR_PLAIN_MAX.
 * 0, or -EINVAL: it is not the pattern.
 */
int xtr_plain_patch(struct bpf_insn *v, size_t n, uint32_t fixed);

#endif /* XTR_RECORDER_PLAIN_H */
