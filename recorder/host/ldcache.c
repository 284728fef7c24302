/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * glibc sysdeps/generic/dl-cache.h: a header and fixed-size entries, with offsets of texts from the
 * header's start. Caches of glibc before 2.32 begin with the tables of an older format, which are
 * stepped over.
 */
#include "ldcache.h"
#include "library_search.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"

struct old_header {
	char magic[12];
	uint32_t n;
};

struct old_entry {
	uint32_t flags, key, value;
};

struct new_header {
	char magic[20];
	uint32_t n, string_bytes;
	uint32_t flags, extension, unused[3];
};

struct new_entry {
	uint32_t flags, key, value, os_version;
	uint64_t hwcap;
};

/* Where the new header stands, or n. */
static size_t header_at(const char *text, size_t n)
{
	struct old_header h;
	uint64_t at;

	if (n < sizeof(h) || memcmp(text, OLD_MAGIC, strlen(OLD_MAGIC)))
		return 0;
	memcpy(&h, text, sizeof(h));
	at = sizeof(h) + (uint64_t)h.n * sizeof(struct old_entry);
	at = (at + 7) & ~7ull;
	return at < n ? (size_t)at : n;
}

/* A text that ends within the n bytes, or NULL. */
static const char *text_at(const char *text, size_t n, uint32_t at)
{
	return at < n && memchr(text + at, 0, n - at) ? text + at : NULL;
}

int xtr_ldcache_each(const char *text, size_t n, const char *name,
		     int (*each)(void *ctx, const char *path), void *ctx)
{
	size_t at = header_at(text, n);
	const char *key, *value;
	struct new_header h;
	struct new_entry e;
	int err = 0;

	text += at;
	n -= at;
	if (n < sizeof(h) || memcmp(text, NEW_MAGIC, strlen(NEW_MAGIC)))
		return -EBADMSG;
	memcpy(&h, text, sizeof(h));
	if (h.n > (n - sizeof(h)) / sizeof(e))
		return -EBADMSG;
	for (uint32_t i = 0; i < h.n && !err; i++) {
		memcpy(&e, text + sizeof(h) + i * sizeof(e), sizeof(e));
		key = text_at(text, n, e.key);
		value = text_at(text, n, e.value);
		if (!key || !value)
			return -EBADMSG;
		if (xtr_library_named(key, name))
			err = each(ctx, value);
	}
	return err;
}
