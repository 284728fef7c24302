/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of the kernel or of one module, by the name they have in the source. What the
 * compiler makes of a function stands behind a dot: foo.isra.0, foo.constprop.0 and foo.part.0 are
 * (parts of) foo and count as it; foo.cold is a piece that is jumped to, and never probed.
 */
#ifndef XTR_RECORDER_FUNC_SYMBOLS_H
#define XTR_RECORDER_FUNC_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- func lists ------------------------------------------------------------------------------- */

/*
 * The lines of modules of one of the kernel's long lists of functions, kept in memory: the kernel
 * makes such a list up anew for every reader, which takes it longer than anything else here.
 */
struct xtr_func_list {
	int fd; /* 0: not read yet */
	char path[40];
};

/*
 * A path with the lines of `list` that end with "[MODULE]", read when it is first asked for; the
 * list's own path if that cannot be done. Valid until the list is freed.
 */
const char *xtr_func_list_modules(struct xtr_func_list *l, const char *list);
void xtr_func_list_free(struct xtr_func_list *l);

/* --- func symbols ----------------------------------------------------------------------------- */

struct xtr_func_symbol {
	char *symbol;  /* exact */
	uint32_t base; /* length of the name in the source */
	bool untraced; /* the kernel lets nobody trace it */
	uint64_t addr; /* 0: hidden from this process */
};

struct xtr_func_symbols {
	struct xtr_func_symbol *v; /* in order of name, then symbol; each address once */
	size_t n, cap;
	bool checked; /* untraced is known */
};

/* Length of the name in the source, 0: this symbol is no function to be probed. */
uint32_t xtr_func_base(const char *symbol);

/*
 * Read the functions of a module ("vmlinux": of the kernel itself) from a file as /proc/kallsyms.
 * 0 (also if there are none) or -errno.
 */
int xtr_func_symbols_read(struct xtr_func_symbols *f, const char *kallsyms, const char *module);
/* Mark what is not in the kernel's list of traceable functions, a file as
 * available_filter_functions. 0 or -errno: nothing is marked. */
int xtr_func_symbols_check(struct xtr_func_symbols *f, const char *list, const char *module);
void xtr_func_symbols_free(struct xtr_func_symbols *f);

#endif /* XTR_RECORDER_FUNC_SYMBOLS_H */
