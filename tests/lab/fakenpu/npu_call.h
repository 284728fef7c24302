/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a function of the stand-in tells the truth about itself: NPU_CALL(name) as its first
 * statement keeps one record in the log, begun there and ended when the function's scope is left.
 */
#ifndef NPU_CALL_H
#define NPU_CALL_H

#include <linux/linkage.h>
#include <linux/types.h>
#include <linux/version.h>

/* Which of the two drivers to play: the one of this kernel, or of the next that has one. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define NPU_NEW 1
#endif

#include "npu_functions.h"

#define NPU_ARGS 4

enum npu_func {
#define NPU_ENUM(name, suffix, returns, ...) NPU_F_##name,
	NPU_FUNCTIONS(NPU_ENUM)
#undef NPU_ENUM
	NPU_FUNCS
};

/* One call. Times are CLOCK_MONOTONIC ns; end_ns is 0 while the call lasts. */
struct npu_rec {
	u64 begin_ns;
	u64 end_ns;
	u64 arg[NPU_ARGS];
	s64 ret;
	pid_t pid;
	pid_t tid;
	u16 func;
	u16 cpu;
	u8 context; /* 0 task, 1 softirq, 2 hardirq */
};

/* The part of a call that its function holds. */
struct npu_call {
	struct npu_rec *rec; /* NULL when the log is full */
	u64 arg[NPU_ARGS];
	s64 ret;
};

struct npu_call npu_call_begin(enum npu_func func);
void npu_call_end(struct npu_call *call);
/* Counts a call that is too frequent for a record. */
void npu_call_count(enum npu_func func);

/* Neither inlined nor cloned, and called with the arguments that it declares. */
#define NPU_FN noinline __attribute__((noipa))
#define NPU_CALL(name)                                                    \
	struct npu_call npu_call __attribute__((cleanup(npu_call_end))) = \
		npu_call_begin(NPU_F_##name)
#define NPU_ARG(n, value) (npu_call.arg[n] = (u64)(value))
/* The value of a return statement. */
#define NPU_RET(value) (npu_call.ret = (value))

#endif
