/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel symbols by address. /proc/kallsyms is opened while the privilege to see addresses is
 * there, and read when the first address is asked for.
 */
#ifndef XTR_RECORDER_KALLSYMS_H
#define XTR_RECORDER_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

struct xtr_kallsyms;

/*
 * Address of a symbol; module NULL or "": of the kernel itself. path as in xtr_kallsyms_open. 0 if
 * there is none, or if this process may not see addresses.
 */
uint64_t xtr_kallsyms_address(const char *path, const char *module, const char *symbol);

/* NULL: no memory. Without the privilege nothing will be found. */
struct xtr_kallsyms *xtr_kallsyms_open(const char *path);
/* Read it now instead, where looking up must not take long. */
void xtr_kallsyms_load(struct xtr_kallsyms *k);
void xtr_kallsyms_free(struct xtr_kallsyms *k);
/* The symbol at or before addr; module is "" for the kernel itself. Texts are valid until free. */
bool xtr_kallsyms_find(struct xtr_kallsyms *k, uint64_t addr, const char **symbol,
		       const char **module, uint64_t *offset);

/* Does /proc/kallsyms show this process addresses? */
bool xtr_kallsyms_shown(void);

#endif /* XTR_RECORDER_KALLSYMS_H */
