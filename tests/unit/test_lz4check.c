/* SPDX-License-Identifier: BSD-2-Clause */
#include "format/codec/codecs.h"

#include <criterion/criterion.h>
#include <lz4.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* "abc", a match of 9 bytes at the offset given, and 5 literals: 17 bytes. */
#define BLOCK(low, high)                                                      \
	{                                                                     \
		0x35, 'a', 'b', 'c', low, high, 0x50, '1', '2', '3', '4', '5' \
	}

Test(lz4check, takes_offsets_above_0)
{
	static const uint8_t blocks[][12] = { BLOCK(1, 0), BLOCK(3, 0), BLOCK(0, 1),
					      BLOCK(255, 255) };

	for (size_t i = 0; i < COUNT(blocks); i++)
		cr_assert(xtr_lz4_offsets_are_right(blocks[i], 12), "block %zu", i);
}

Test(lz4check, finds_offset_0)
{
	static const uint8_t block[] = BLOCK(0, 0);

	cr_assert_not(xtr_lz4_offsets_are_right(block, sizeof(block)));
}

Test(lz4check, finds_offset_0_behind_long_lengths)
{
	uint8_t block[1024] = { 0xff, 255, 30 }; /* 15 + 255 + 30 literals */
	size_t n = 3 + 300;

	block[n++] = 1; /* a match at offset 1 of 19 + 255 + 7 bytes */
	block[n++] = 0;
	block[n++] = 255;
	block[n++] = 7;
	block[n++] = 0x01; /* no literals, and a match of 5 bytes at offset 0 */
	block[n] = 0;
	block[n + 1] = 0;
	block[n + 2] = 0x50;
	cr_assert_not(xtr_lz4_offsets_are_right(block, n + 8));
	block[n] = 2;
	cr_assert(xtr_lz4_offsets_are_right(block, n + 8));
}

Test(lz4check, refuses_cut_blocks)
{
	static const uint8_t block[] = BLOCK(3, 0);

	for (size_t n = 0; n < sizeof(block); n++)
		/* After the literals a block may end. */
		cr_assert_eq(xtr_lz4_offsets_are_right(block, n), n == 4, "%zu bytes", n);
}

Test(lz4check, takes_what_liblz4_writes)
{
	char in[20000], out[LZ4_COMPRESSBOUND(sizeof(in))];

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (char)(i * i / 7 % 61);
	for (int n = 0; n < (int)sizeof(in); n = n * 3 / 2 + 1) {
		int len = LZ4_compress_default(in, out, n, (int)sizeof(out));

		cr_assert_gt(len, 0);
		cr_assert(xtr_lz4_offsets_are_right((uint8_t *)out, (size_t)len), "%d bytes", n);
	}
}
