/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a bundle: a trace comes out that is no larger than the limits, or a line that is
 * printable says why not. What a stranger could make of it once it was unpacked is the tar: so the
 * bytes are also a tar, which is packed here.
 */
#include "fuzz.h"

#include "bundle/open.h"

#include <errno.h>
#include <string.h>

/* A frame of zstd with blocks that are not compressed (RFC 8878, 3.1.1). */
static uint8_t *frame(const uint8_t *data, size_t size, size_t *n)
{
	static const uint8_t head[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x58 };
	const size_t block = 64 << 10;
	uint8_t *out = malloc(sizeof(head) + size + 3 * (size / block + 1)), *p = out;

	if (!out)
		return NULL;
	memcpy(p, head, sizeof(head));
	p += sizeof(head);
	for (size_t at = 0, len; at <= size; at += len + !len) {
		uint32_t bits;

		len = size - at < block ? size - at : block;
		bits = (uint32_t)len << 3 | (at + len == size);
		*p++ = (uint8_t)bits;
		*p++ = (uint8_t)(bits >> 8);
		*p++ = (uint8_t)(bits >> 16);
		memcpy(p, data + at, len);
		p += len;
		if (at + len == size)
			break;
	}
	*n = (size_t)(p - out);
	return out;
}

static void open_bytes(const uint8_t *data, size_t size)
{
	struct xtr_io *io, *trace = NULL;
	struct xtr_bundle_err err;
	uint64_t n;
	int ret;

	if (xtr_io_mem_view(data, size, &io))
		return;
	if (xtr_bundle_is(io)) {
		ret = xtr_bundle_open_trace(io, &trace, &err);
		FUZZ_CHECK(ret <= 0 && (ret == 0) == (trace != NULL));
		FUZZ_CHECK(ret != -EBADMSG || (err.not_ours && err.what[0]));
		for (const char *s = err.what; *s; s++)
			FUZZ_CHECK(*s >= ' ' && *s <= '~');
		if (!ret) {
			FUZZ_CHECK(!trace->ops->size(trace, &n) &&
				   n <= size * XTR_BUNDLE_GROWTH + XTR_BUNDLE_TRACE_MORE);
			xtr_io_close(trace);
		}
	}
	xtr_io_close(io);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n;
	uint8_t *packed = frame(data, size, &n);

	open_bytes(data, size);
	if (packed)
		open_bytes(packed, n);
	free(packed);
	return 0;
}
