/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel says of its own functions and structures (BTF): which argument has a name, where
 * a member lies. Types of a module are read when they are first asked for.
 */
#ifndef XTR_RECORDER_BTF_TYPES_H
#define XTR_RECORDER_BTF_TYPES_H

#include "function_probe.h"

struct btf;
struct xtr_btf_types;

/* NULL: no memory. */
struct xtr_btf_types *xtr_btf_types_new(void);
void xtr_btf_types_free(struct xtr_btf_types *t);

/*
 * Number of the argument of this name, from 0. module NULL: the kernel itself. -ENOENT: there is no
 * such argument, or no such function in the module; -ENODATA: nothing is known of the module.
 */
int xtr_btf_argument(struct xtr_btf_types *t, const char *module, const char *function,
		     const char *name);
/* Offset of a member in bytes, also of one in an unnamed union or structure; -ENOENT also if it is
 * a bit field. */
int xtr_btf_member(struct xtr_btf_types *t, const char *module, const char *structure,
		   const char *name);

/* --- func args -------------------------------------------------------------------------------- */

/* What the kernel's types say of a function: its arguments and what it returns. */
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

#endif /* XTR_RECORDER_BTF_TYPES_H */
