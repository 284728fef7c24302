/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs made of the pattern for events by name: what they copy, and what is no pattern. */
#include "recorder/attach/plain_prog.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define BEFORE 5 /* instructions around those that are replaced */
#define N      (BEFORE + 2 * XTR_PLAIN_COPIES + 3)

/* The parts of xtr_plain that matter, as clang makes them. */
static void make_pattern(struct bpf_insn *v)
{
	memset(v, 0, N * sizeof(*v));
	for (int i = 0; i < N; i++)
		v[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3 };
	v[1].dst_reg = 2;
	v[1].imm = 40; /* the size of another record */
	v[3].dst_reg = 2;
	v[3].imm = XTR_PLAIN_STAND_IN;
	for (int i = 0; i < XTR_PLAIN_COPIES; i++) {
		v[BEFORE + 2 * i] = (struct bpf_insn){
			.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 1, .src_reg = 8, .off = 8
		};
		v[BEFORE + 2 * i + 1] = (struct bpf_insn){
			.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = 6, .src_reg = 1, .off = 16
		};
	}
}

static uint32_t width_of(const struct bpf_insn *v)
{
	switch (BPF_SIZE(v->code)) {
	case BPF_DW:
		return 8;
	case BPF_W:
		return 4;
	case BPF_H:
		return 2;
	default:
		return 1;
	}
}

/* Bytes that a pair of load and store copies, behind `at`; 0: it is none. */
static uint32_t copied(const struct bpf_insn *v, uint32_t at)
{
	uint32_t width = width_of(v);

	if (v->code == (BPF_JMP | BPF_JA))
		return 0;
	cr_assert(eq(int, BPF_CLASS(v[0].code), BPF_LDX));
	cr_assert(eq(int, BPF_CLASS(v[1].code), BPF_STX));
	cr_assert(eq(u32, width_of(&v[1]), at % 8 ? width : 8), "the rest of a word is not 0");
	cr_assert(eq(u32, (uint32_t)v[0].off, at + 8));
	cr_assert(eq(u32, (uint32_t)v[1].off, at + 16));
	cr_assert(zero(u32, (uint32_t)v[0].off % width), "not aligned");
	cr_assert(eq(int, v[0].src_reg, 8));
	cr_assert(eq(int, v[1].dst_reg, 6));
	return width;
}

Test(plain, each_length_is_copied_once_and_no_byte_more)
{
	for (uint32_t fixed = 1; fixed <= XTR_PLAIN_MAX; fixed++) {
		struct bpf_insn v[N];
		uint32_t at = 0, n;

		make_pattern(v);
		cr_assert(zero(int, xtr_plain_patch(v, N, fixed)));
		cr_assert(eq(int, v[1].imm, 40));
		cr_assert(eq(int, v[3].imm, 16 + (int)((fixed + 7) / 8 * 8)));
		for (int i = 0; i < XTR_PLAIN_COPIES; i++) {
			n = copied(&v[BEFORE + 2 * i], at);
			cr_assert(eq(int, n == 0, at == fixed), "%u bytes: a hole", fixed);
			at += n;
		}
		cr_assert(eq(u32, at, fixed));
		for (int i = 0; i < 2 * XTR_PLAIN_COPIES; i++) {
			const struct bpf_insn *one = &v[BEFORE + i];

			if (one->code == (BPF_JMP | BPF_JA))
				cr_assert(zero(int, one->off), "a jump somewhere");
		}
		cr_assert(eq(int, v[N - 1].code, BPF_ALU64 | BPF_MOV | BPF_K));
	}
}

Test(plain, what_is_not_the_pattern_is_refused)
{
	struct bpf_insn v[N], kept[N];

	make_pattern(v);
	memcpy(kept, v, sizeof(v));
	cr_assert(eq(int, xtr_plain_patch(v, N, 0), -EINVAL));
	cr_assert(eq(int, xtr_plain_patch(v, N, XTR_PLAIN_MAX + 1), -EINVAL));
	cr_assert(eq(int, xtr_plain_patch(v, N - 4, 8), -EINVAL), "a copy is missing");
	cr_assert(zero(int, memcmp(v, kept, sizeof(v))), "changed all the same");
	v[3].imm = 40;
	cr_assert(eq(int, xtr_plain_patch(v, N, 8), -EINVAL), "no size");
	v[1].imm = v[3].imm = XTR_PLAIN_STAND_IN;
	cr_assert(eq(int, xtr_plain_patch(v, N, 8), -EINVAL), "two sizes");
	make_pattern(v);
	v[BEFORE + 7].off = 24;
	cr_assert(eq(int, xtr_plain_patch(v, N, 8), -EINVAL), "another store");
}

Test(plain, events_with_text_or_samples_have_no_program)
{
	struct xtr_plain p = { { 0 } };
	struct xtr_generic_cfg text = { .fixed = 8, .n_strs = 1 },
			       sample = { .fixed = 8, .sample = 1 },
			       large = { .fixed = XTR_PLAIN_MAX + 1 }, empty = { .fixed = 0 };

	cr_assert(eq(int, xtr_plain_program(&p, NULL, &text), -ENOENT));
	cr_assert(eq(int, xtr_plain_program(&p, NULL, &sample), -ENOENT));
	cr_assert(eq(int, xtr_plain_program(&p, NULL, &large), -ENOENT));
	cr_assert(eq(int, xtr_plain_program(&p, NULL, &empty), -ENOENT));
	p.fd[8] = -EACCES; /* refused before: not tried again */
	cr_assert(eq(int, xtr_plain_program(&p, NULL, &(struct xtr_generic_cfg){ .fixed = 8 }),
		     -EACCES));
	xtr_plain_close(&p);
	cr_assert(zero(int, p.fd[8]));
}
