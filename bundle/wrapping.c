/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwrap.h"

#include <string.h>

/* RFC 1952, 2.3.1 (and deflate, the one method); the .xz format 1.2.0, 2.1.1.1; RFC 8878, 3.1.1;
 * bzip2's header; APPNOTE 4.3.7 and, for an empty archive, 4.3.16. */
const struct wrapping wrappings[] = {
	{ { "gzip", "gunzip" }, "\x1f\x8b\x08", 3, WRAPPING_GZIP },
	{ { "xz", "unxz" },
	  "\xfd"
	  "7zXZ\0",
	  6,
	  WRAPPING_XZ },
	{ { "zstd", "unzstd" }, "\x28\xb5\x2f\xfd", 4, WRAPPING_ZSTD },
	{ { "bzip2", "bunzip2" }, "BZh", 3, WRAPPING_BZIP2 },
	{ { "zip", "unzip" }, "PK\3\4", 4, WRAPPING_ZIP },
	{ { "zip", "unzip" }, "PK\5\6", 4, WRAPPING_ZIP },
};

const struct xtr_wrapping *xtr_wrapping_of(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < sizeof(wrappings) / sizeof(wrappings[0]); i++) {
		const struct wrapping *w = &wrappings[i];

		if (n >= w->n_magic && !memcmp(head, w->magic, w->n_magic))
			return &w->w;
	}
	return NULL;
}

uint64_t xtr_unwrap_limit(uint64_t size)
{
	return size > (UINT64_MAX - XTR_UNWRAP_MORE) / XTR_UNWRAP_GROWTH
		       ? UINT64_MAX
		       : size * XTR_UNWRAP_GROWTH + XTR_UNWRAP_MORE;
}
