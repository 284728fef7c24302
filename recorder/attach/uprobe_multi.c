// SPDX-License-Identifier: BSD-2-Clause
/*
 * libbpf 1.1 does not know these attachments, so the programs are loaded a second time from the
 * instructions that it has made, and the system call is made here.
 */
#include "uprobe_multi.h"
#include "function_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* include/uapi/linux/bpf.h of Linux 6.6 */
#define TRACE_UPROBE_MULTI  ((enum bpf_attach_type)48)
#define UPROBE_MULTI_RETURN 1

struct link_create {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t n, uprobe_flags, pid, pad;
};

int xtr_uprobe_multi_load(const struct xtr_bpf *b, bool ret)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = TRACE_UPROBE_MULTI);
	const struct bpf_program *p = xtr_probe_program(b, ret ? XTR_PROG_RET : XTR_PROG_ENTRY);
	int fd;

	if (!p)
		return -ENOENT;
	fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, ret ? "xtr_api_ret" : "xtr_api_entry",
			   "Dual BSD/GPL", bpf_program__insns(p), bpf_program__insn_cnt(p), &opts);
	return fd < 0 ? -errno : fd;
}

int xtr_uprobe_multi_attach(int prog, bool ret, const char *path, const uint64_t *offsets,
			    const uint64_t *cookies, uint32_t n)
{
	const struct link_create attr = {
		.prog_fd = (uint32_t)prog,
		.attach_type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)cookies,
		.n = n,
		.uprobe_flags = ret ? UPROBE_MULTI_RETURN : 0,
	};
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}
