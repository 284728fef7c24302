/* SPDX-License-Identifier: BSD-2-Clause */
/* Which kernel functions to record: from 'func:MODULE:GLOB[:ret][:args]' to probes. */
#ifndef XTR_RECORDER_FUNC_SELECT_H
#define XTR_RECORDER_FUNC_SELECT_H

#include "func_symbols.h"
#include "function_probe.h"
#include "recorder/recorder.h"

#define XTR_FUNC_PREFIX "func:"

struct xtr_selection;
struct xtr_btf_types;

/* The functions of modules, read once, and the kernel's types. */
struct xtr_funcs;

struct xtr_func_pattern {
	char module[64]; /* "vmlinux": the kernel itself */
	char glob[256];
	bool ret, args;
};

/* Take a pattern apart. 0, or -EINVAL with err filled. */
int xtr_func_pattern(struct xtr_func_pattern *p, const char *text, struct xtr_record_err *err);

/*
 * Add the functions that the pattern means to the selection; what is missing is in it with its
 * reason. 0, or -errno with err filled.
 */
int xtr_func_select(struct xtr_selection *s, const char *pattern, struct xtr_record_err *err);

/*
 * A probe of the first of the names that the module has, with its places and, if ret is wanted, its
 * return value; the caller adds captures and gives it to the selection. If the module has none of
 * them, the probe has state `missing` and says which names were looked for; it is then named by the
 * first one. names ends with NULL. 0 or -errno.
 */
int xtr_func_first(struct xtr_selection *s, const char *module, const char *const *names, bool ret,
		   struct xtr_probe **p);

/* The kernel's types, read once for a selection; NULL: no memory. */
struct xtr_btf_types *xtr_func_types(struct xtr_selection *s);

/*
 * Call fn for each function that the pattern means, in order of name, until it returns non-zero,
 * which is returned. why: it cannot be recorded; else NULL. For 'xtr list'.
 */
int xtr_func_each(const char *pattern,
		  int (*fn)(void *ctx, const char *name, const char *symbol, const char *why),
		  void *ctx, struct xtr_record_err *err);

void xtr_funcs_free(struct xtr_funcs *f);

#endif /* XTR_RECORDER_FUNC_SELECT_H */
