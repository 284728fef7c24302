/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that occur in a trace (devices, places, contexts), numbered in order of appearance. */
#ifndef XTR_LABEL_H
#define XTR_LABEL_H

#include <stddef.h>
#include <stdint.h>

#define XTR_LABEL_LEN 64u /* bytes kept of a name, with the NUL */

struct xtr_labels { /* all zero: empty */
	char (*name)[XTR_LABEL_LEN];
	uint32_t n;
	uint32_t last; /* the one that was asked for last */
};

/*
 * The number of this name (n bytes; NULL: "(unknown)"). Of max names the last one is "(others)",
 * which stands for all further ones. -ENOMEM.
 */
int64_t xtr_label(struct xtr_labels *l, const char *s, size_t n, uint32_t max);
void xtr_labels_free(struct xtr_labels *l);

#endif /* XTR_LABEL_H */
