/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pattern is loaded with the other programs, so that it is relocated, and never attached. The
 * kernel compares the highest byte that a program reads of the event's record with its length
 * (perf_event_set_bpf_prog), so each length needs a program of its own.
 */
#include "plain_prog.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOAD(width)  (BPF_LDX | BPF_MEM | (width))
#define STORE(width) (BPF_STX | BPF_MEM | (width))
#define FROM         8  /* bytes of the kernel's record before its fields */
#define TO           16 /* bytes of ours */

static bool is_size(const struct bpf_insn *v)
{
	return (v->code == (BPF_ALU64 | BPF_MOV | BPF_K) ||
		v->code == (BPF_ALU | BPF_MOV | BPF_K)) &&
	       v->dst_reg == 2 && v->imm == XTR_PLAIN_STAND_IN;
}

static bool is_copy(const struct bpf_insn *v)
{
	return v[0].code == LOAD(BPF_DW) && v[0].dst_reg == 1 && v[0].off == FROM &&
	       v[1].code == STORE(BPF_DW) && v[1].src_reg == 1 && v[1].off == TO;
}

/* Where the copies begin; n: nowhere. */
static size_t find_copies(const struct bpf_insn *v, size_t n)
{
	for (size_t at = 0; at + 2 * XTR_PLAIN_COPIES <= n; at++) {
		size_t k = 0;

		while (k < XTR_PLAIN_COPIES && is_copy(&v[at + 2 * k]))
			k++;
		if (k == XTR_PLAIN_COPIES)
			return at;
	}
	return n;
}

/*
 * Copies of the largest width first: so each is aligned. The first into a word stores all of it: 0
 * behind what it copies. What is left of them does nothing.
 */
static void put_copies(struct bpf_insn *v, uint32_t fixed)
{
	static const struct {
		uint8_t width, code;
	} widths[] = { { 8, BPF_DW }, { 4, BPF_W }, { 2, BPF_H }, { 1, BPF_B } };
	uint32_t at = 0, k = 0;

	for (uint32_t i = 0; at < fixed; k++) {
		while (widths[i].width > fixed - at)
			i++;
		v[2 * k].code = LOAD(widths[i].code);
		v[2 * k].off = (__s16)(FROM + at);
		v[2 * k + 1].code = STORE(at % 8 ? widths[i].code : BPF_DW);
		v[2 * k + 1].off = (__s16)(TO + at);
		at += widths[i].width;
	}
	for (uint32_t i = 2 * k; i < 2 * XTR_PLAIN_COPIES; i++)
		v[i] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
}

int xtr_plain_patch(struct bpf_insn *v, size_t n, uint32_t fixed)
{
	size_t copies = find_copies(v, n), size = n;

	for (size_t i = 0; i < n; i++) {
		if (!is_size(&v[i]))
			continue;
		if (size < n)
			return -EINVAL;
		size = i;
	}
	if (!fixed || fixed > XTR_PLAIN_MAX || copies == n || size == n)
		return -EINVAL;
	v[size].imm = (__s32)(TO + ((fixed + 7) & ~7u));
	put_copies(v + copies, fixed);
	return 0;
}

static int load(const struct bpf_program *pattern, uint32_t fixed)
{
	size_t n = bpf_program__insn_cnt(pattern);
	struct bpf_insn *v = calloc(n, sizeof(*v));
	int fd;

	if (!v)
		return -ENOMEM;
	memcpy(v, bpf_program__insns(pattern), n * sizeof(*v));
	fd = xtr_plain_patch(v, n, fixed);
	if (!fd)
		fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "xtr_plain", "Dual BSD/GPL", v, n,
				   NULL);
	free(v);
	return fd;
}

int xtr_plain_program(struct xtr_plain *p, const struct bpf_program *pattern,
		      const struct xtr_generic_cfg *cfg)
{
	int *fd;

	if (cfg->n_strs || cfg->sample || cfg->stack || !cfg->fixed || cfg->fixed > XTR_PLAIN_MAX)
		return -ENOENT;
	fd = &p->fd[cfg->fixed];
	if (!*fd)
		*fd = load(pattern, cfg->fixed);
	return *fd;
}

void xtr_plain_close(struct xtr_plain *p)
{
	for (size_t i = 0; i <= XTR_PLAIN_MAX; i++) {
		if (p->fd[i] > 0)
			close(p->fd[i]);
		p->fd[i] = 0;
	}
}
