/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mutator that knows the file format (spec 3, 4). Blind mutation of an .xtr file stops at its
 * first checksum; so after mutating, the checksums of the file header, of all chunks and of the
 * trailer are made right again ("sealed") and the code behind them is reached. One input in eight
 * stays unsealed, to fuzz the resynchronisation as well. Input that is no .xtr file is mutated as
 * plain bytes.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "base/crc32c.h"
#include "format/xtr_format.h"

#include <lz4.h>
#include <stdbool.h>
#include <string.h>

struct view { /* of the whole file */
	uint8_t *p;
	size_t n, max;
};

static bool at_chunk(const struct view *v, size_t off)
{
	return off + XTR_CHUNK_HEADER_SIZE <= v->n && xtr_le32(v->p + off) == XTR_CHUNK_SYNC;
}

/* Bytes of the chunk with padding, or 0 if it does not fit. */
static size_t chunk_len(const struct view *v, size_t off)
{
	size_t stored = xtr_le32(v->p + off + 24);
	size_t len = (XTR_CHUNK_HEADER_SIZE + stored + 7) & ~(size_t)7;

	return stored <= v->n && len <= v->n - off ? len : 0;
}

/* The next chunk at or after off, at a multiple of 8; v->n if there is none. */
static size_t next_chunk(const struct view *v, size_t off)
{
	for (off = (off + 7) & ~(size_t)7; off < v->n; off += 8)
		if (at_chunk(v, off))
			return off;
	return v->n;
}

static void seal_chunk(struct view *v, size_t off)
{
	uint8_t *h = v->p + off;

	memcpy(h + 8, v->p + 16, 8); /* file_id */
	if (chunk_len(v, off))
		xtr_put_le32(h + 72, xtr_crc32c(h + XTR_CHUNK_HEADER_SIZE, xtr_le32(h + 24)));
	xtr_put_le32(h + 76, xtr_crc32c(h, 76));
}

/* Give every header its right checksum; renumber gives the chunks running sequence numbers too. */
static void seal(struct view *v, bool renumber)
{
	size_t off = XTR_FILE_HEADER_SIZE, len;
	uint32_t seq = 0;

	if (v->n < XTR_FILE_HEADER_SIZE)
		return;
	xtr_put_le32(v->p + 60, xtr_crc32c(v->p, 60));
	while ((off = next_chunk(v, off)) < v->n) {
		if (renumber)
			xtr_put_le32(v->p + off + 16, seq++);
		seal_chunk(v, off);
		len = chunk_len(v, off);
		off += len ? len : 8;
	}
	if (v->n >= XTR_TRAILER_SIZE && xtr_le32(v->p + v->n - 4) == XTR_TRAILER_MAGIC)
		xtr_put_le32(v->p + v->n - 8, xtr_crc32c(v->p + v->n - 32, 24));
}

static size_t pick_chunk(const struct view *v, unsigned int pick)
{
	size_t off = next_chunk(v, XTR_FILE_HEADER_SIZE), n = 0, len;

	for (; off < v->n; off = next_chunk(v, off + (len ? len : 8))) {
		len = chunk_len(v, off);
		n++;
	}
	if (!n)
		return v->n;
	off = next_chunk(v, XTR_FILE_HEADER_SIZE);
	for (n = pick % n; n--; off = next_chunk(v, off + (len ? len : 8)))
		len = chunk_len(v, off);
	return off;
}

/* Replace len bytes at off by n others. */
static bool splice(struct view *v, size_t off, size_t len, const uint8_t *with, size_t n)
{
	if (v->n - len + n > v->max)
		return false;
	memmove(v->p + off + n, v->p + off + len, v->n - off - len);
	if (n)
		memcpy(v->p + off, with, n);
	v->n = v->n - len + n;
	return true;
}

/* Mutate what is inside one chunk: decompress, mutate, store uncompressed. */
static void mutate_payload(struct view *v, unsigned int seed)
{
	static uint8_t buf[XTR_CHUNK_HEADER_SIZE + XTR_RAW_MAX + 8];
	uint8_t *raw = buf + XTR_CHUNK_HEADER_SIZE;
	size_t off = pick_chunk(v, seed >> 8), len = off < v->n ? chunk_len(v, off) : 0, n;
	int got;

	if (!len)
		return;
	memcpy(buf, v->p + off, XTR_CHUNK_HEADER_SIZE);
	n = xtr_le32(buf + 24);
	if (n > XTR_RAW_MAX)
		return;
	memcpy(raw, v->p + off + XTR_CHUNK_HEADER_SIZE, n);
	if (buf[5] == XTR_CODEC_LZ4) {
		got = LZ4_decompress_safe((char *)v->p + off + XTR_CHUNK_HEADER_SIZE, (char *)raw,
					  (int)n, XTR_RAW_MAX);
		n = got > 0 ? (size_t)got : n;
	}
	n = LLVMFuzzerMutate(raw, n, XTR_RAW_MAX);
	memset(raw + n, 0, 8);
	buf[5] = XTR_CODEC_NONE;
	xtr_put_le32(buf + 24, (uint32_t)n);
	xtr_put_le32(buf + 28, (uint32_t)n);
	if (buf[6] == XTR_FILTER_NONE)
		xtr_put_le32(buf + 68, (uint32_t)n);
	splice(v, off, len, buf, (XTR_CHUNK_HEADER_SIZE + n + 7) & ~(size_t)7);
}

static void mutate_header(struct view *v, unsigned int seed)
{
	size_t off = pick_chunk(v, seed >> 8);

	if (off < v->n)
		LLVMFuzzerMutate(v->p + off + 4, XTR_CHUNK_HEADER_SIZE - 4,
				 XTR_CHUNK_HEADER_SIZE - 4);
}

/* Copy one chunk behind another one. */
static void duplicate_chunk(struct view *v, unsigned int seed)
{
	static uint8_t buf[1 << 16];
	size_t from = pick_chunk(v, seed >> 8), to = pick_chunk(v, seed >> 16);
	size_t len = from < v->n ? chunk_len(v, from) : 0;

	if (!len || len > sizeof(buf))
		return;
	memcpy(buf, v->p + from, len);
	splice(v, to, 0, buf, len);
}

static void remove_chunk(struct view *v, unsigned int seed)
{
	size_t off = pick_chunk(v, seed >> 8);

	if (off < v->n)
		splice(v, off, chunk_len(v, off), NULL, 0);
}

static void mutate_bytes(struct view *v, unsigned int seed)
{
	(void)seed;
	v->n = LLVMFuzzerMutate(v->p, v->n, v->max);
}

static void (*const mutations[])(struct view *v, unsigned int seed) = {
	mutate_payload, mutate_payload, mutate_header, duplicate_chunk, remove_chunk, mutate_bytes,
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct view v = { data, size, max };

	if (size < XTR_FILE_HEADER_SIZE || memcmp(data, XTR_MAGIC, 4) != 0)
		return LLVMFuzzerMutate(data, size, max);
	mutations[seed % (sizeof(mutations) / sizeof(mutations[0]))](&v, seed);
	if ((seed >> 24) % 8)
		seal(&v, (seed >> 27) % 2);
	return v.n;
}
