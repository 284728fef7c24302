/* SPDX-License-Identifier: BSD-2-Clause */
#include "inflate.h"

#include <errno.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>

static int inflate_zlib(const uint8_t *src, size_t n, uint8_t *dst, size_t cap, size_t *got)
{
	uLongf len = cap;
	uLong used = n;
	int err = uncompress2(dst, &len, src, &used);

	*got = len;
	if (err == Z_MEM_ERROR)
		return -ENOMEM;
	return err == Z_OK ? 0 : -EBADMSG;
}
#else
#define inflate_zlib NULL
#endif

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

static int inflate_zstd(const uint8_t *src, size_t n, uint8_t *dst, size_t cap, size_t *got)
{
	size_t rc = ZSTD_decompress(dst, cap, src, n);

	if (ZSTD_isError(rc))
		return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
	*got = rc;
	return 0;
}
#else
#define inflate_zstd NULL
#endif

static int inflate_none(const uint8_t *src, size_t n, uint8_t *dst, size_t cap, size_t *got)
{
	if (n > cap)
		return -EBADMSG;
	memcpy(dst, src, n);
	*got = n;
	return 0;
}

static const struct codec {
	const char *name;
	int (*inflate)(const uint8_t *src, size_t n, uint8_t *dst, size_t cap, size_t *got);
} codecs[] = {
	{ "none", inflate_none },
	{ "zlib", inflate_zlib },
	{ "zstd", inflate_zstd },
};

static const struct codec *find(const char *name)
{
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (!strcmp(codecs[i].name, name))
			return &codecs[i];
	return NULL;
}

int xtr_inflate_knows(const char *name)
{
	const struct codec *c = find(name);

	if (!c)
		return -EPROTONOSUPPORT;
	return c->inflate ? 0 : -EOPNOTSUPP;
}

int xtr_inflate(const char *name, const uint8_t *src, size_t n, uint8_t *dst, size_t cap,
		size_t *got)
{
	const struct codec *c = find(name);
	int err = xtr_inflate_knows(name);

	*got = 0;
	return err ? err : c->inflate(src, n, dst, cap, got);
}
