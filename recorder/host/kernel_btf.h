/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel types that the programs are relocated against: those of vmlinux and, where the DRM
 * scheduler is a module, its own. Left to itself libbpf asks the kernel for the modules' types,
 * which takes CAP_SYS_ADMIN (kernel/bpf/syscall.c, bpf_obj_get_next_id); the files in
 * /sys/kernel/btf are readable for everybody.
 */
#ifndef XTR_RECORDER_KERNEL_BTF_H
#define XTR_RECORDER_KERNEL_BTF_H

struct xtr_kernel_btf {
	int fd; /* -1: none */
	char path[64];
};

/* Path for btf_custom_path of libbpf, good until close. 0 or a negative errno. */
int xtr_kernel_btf_open(struct xtr_kernel_btf *b);
void xtr_kernel_btf_close(struct xtr_kernel_btf *b);

#endif /* XTR_RECORDER_KERNEL_BTF_H */
