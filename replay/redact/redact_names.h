/* SPDX-License-Identifier: BSD-2-Clause */
/* What redacting has replaced, for texts of other origin that have the same names in them. */
#ifndef XTR_REDACT_NAMES_H
#define XTR_REDACT_NAMES_H

#include "redact.h"

struct xtr_redact_name {
	const char *text; /* what it was; n bytes and a NUL, valid until the next section is made */
	size_t n;
	const char *label; /* of what it became: LABEL#NUMBER; "dropped": it was left out */
	uint32_t number;
};

/* The i-th text that was replaced or left out so far; false past the last. */
bool xtr_redact_name(const struct xtr_redact *x, size_t i, struct xtr_redact_name *name);
/*
 * Is a text what drivers and the kernel call things (a PCI address, "vmlinux", "i915",
 * "kworker/0:1")? A program that is called so has another name after redacting; the text stays
 * where it is the kernel's, which tells nobody.
 */
bool xtr_redact_is_common(const char *text, size_t n);

#endif /* XTR_REDACT_NAMES_H */
