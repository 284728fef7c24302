// SPDX-License-Identifier: BSD-2-Clause
/*
 * LZ4_decompress_safe (seen in 1.9.4) takes a match at offset 0 and copies what happens to lie in
 * the output buffer: bytes of another chunk, shown as if they were of this one. So the sequences
 * are walked first, which reads one token and one offset of each.
 */
#include "lz4check.h"

#define TOKEN_MAX \
	15u /* a length of 15 goes on in the bytes that follow, up to one that is not 255 */

static bool whole_length(const uint8_t **p, const uint8_t *end, size_t *len)
{
	uint8_t byte = 255;

	if (*len < TOKEN_MAX)
		return true;
	while (byte == 255) {
		if (*p == end)
			return false;
		byte = *(*p)++;
		*len += byte; /* no overflow: at most 255 times the bytes of the block */
	}
	return true;
}

bool xtr_lz4_offsets_are_right(const uint8_t *block, size_t n)
{
	const uint8_t *p = block, *end = block + n;

	while (p < end) {
		uint8_t token = *p++;
		size_t literals = token >> 4, match = token & TOKEN_MAX;

		if (!whole_length(&p, end, &literals) || literals > (size_t)(end - p))
			return false;
		p += literals;
		if (p == end)
			return true; /* the last sequence has no match */
		if (end - p < 2 || (p[0] == 0 && p[1] == 0))
			return false;
		p += 2;
		if (!whole_length(&p, end, &match))
			return false;
	}
	return false;
}
