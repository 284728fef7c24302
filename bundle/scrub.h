/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in a text of this machine: those that are known to be private are replaced wherever they
 * stand as a word, and so are addresses of network cards, UUIDs and the owners of directories in
 * /home, by how they look. Other things that may be private (numbers, names that nobody told) stay.
 */
#ifndef XTR_BUNDLE_SCRUB_H
#define XTR_BUNDLE_SCRUB_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

struct xtr_scrub;

#define XTR_SCRUB_SHORTEST 3u /* bytes of a name that is replaced: shorter ones are in any text */

struct xtr_scrub *xtr_scrub_new(void); /* NULL: no memory */
void xtr_scrub_free(struct xtr_scrub *s);
/* Replace a name by LABEL#NUMBER; of two that begin alike the longer one, of equals the first wins.
 * 0 (too short ones are passed over) or -ENOMEM. */
int xtr_scrub_add(struct xtr_scrub *s, const char *name, size_t n, const char *label,
		  uint32_t number);
/* The text without these, added to out. Errors stay in out. */
void xtr_scrub_text(const struct xtr_scrub *s, const uint8_t *text, size_t n, struct xtr_buf *out);

#endif /* XTR_BUNDLE_SCRUB_H */
