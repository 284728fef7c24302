/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel's types say of a function: its arguments and what it returns. */
#ifndef XTR_RECORDER_FUNC_ARGS_H
#define XTR_RECORDER_FUNC_ARGS_H

#include "btf_types.h"
#include "function_probe.h"

struct btf;

/*
 * Have the return value of `function` recorded (ret), and its arguments as they are at entry
 * (args): those that are passed in registers, by name, as wide and signed as they are, pointers as
 * kernel addresses. Where its types are unknown arguments are arg0 to arg5 and `ret` is s64. types
 * may be NULL. 0, -ENOMEM, or what xtr_probe_want_ret and xtr_probe_capture return.
 */
int xtr_func_describe(struct xtr_probe *p, struct xtr_btf_types *types, const char *function,
		      bool ret, bool args);
/* The same from given types; btf NULL: unknown. */
int xtr_func_describe_btf(struct xtr_probe *p, const struct btf *btf, const char *function,
			  bool ret, bool args);

#endif /* XTR_RECORDER_FUNC_ARGS_H */
