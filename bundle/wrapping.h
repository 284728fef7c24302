/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of wrappings (wrapping.c), for what unwraps them. */
#ifndef XTR_BUNDLE_WRAPPING_H
#define XTR_BUNDLE_WRAPPING_H

#include "unwrap.h"

enum wrapping_kind {
	WRAPPING_GZIP,
	WRAPPING_XZ,
	WRAPPING_ZSTD,
	WRAPPING_BZIP2,
	WRAPPING_ZIP,
};

struct wrapping {
	struct xtr_wrapping w; /* first: one is the other */
	const char *magic;     /* the first n_magic bytes */
	size_t n_magic;
	enum wrapping_kind kind;
};

extern const struct wrapping wrappings[];

#endif /* XTR_BUNDLE_WRAPPING_H */
