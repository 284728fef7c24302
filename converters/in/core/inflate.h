/* SPDX-License-Identifier: BSD-2-Clause */
/* Decompression of whole blocks, as far as the libraries were there when xtr was built. */
#ifndef XTR_INFLATE_H
#define XTR_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Decompress the n bytes at src, all of them, into dst, which has room for cap bytes. codec:
 * "none", "zlib" or "zstd". *got: bytes written. 0; -EBADMSG: not well-formed, or more than cap
 * bytes; -ENOMEM; -EPROTONOSUPPORT: no such codec; -EOPNOTSUPP: xtr was built without it.
 */
int xtr_inflate(const char *codec, const uint8_t *src, size_t n, uint8_t *dst, size_t cap,
		size_t *got);

/* 0, -EPROTONOSUPPORT or -EOPNOTSUPP, as above. */
int xtr_inflate_knows(const char *codec);

#endif /* XTR_INFLATE_H */
