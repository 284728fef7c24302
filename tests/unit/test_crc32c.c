/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/crc32c.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(crc32c, value_of_the_specification)
{
	cr_assert(eq(u32, xtr_crc32c("123456789", 9), 0xe3069283));
	cr_assert(eq(u32, xtr_crc32c_portable("123456789", 9), 0xe3069283));
	cr_assert(eq(u32, xtr_crc32c("", 0), 0));
}

Test(crc32c, both_ways_agree_at_every_length_and_alignment)
{
	uint8_t buf[300];
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof(buf); i++)
		buf[i] = (uint8_t)trace_random(&seed, 256);
	for (size_t from = 0; from < 9; from++)
		for (size_t n = 0; n + from <= sizeof(buf); n++)
			cr_assert(eq(u32, xtr_crc32c(buf + from, n),
				     xtr_crc32c_portable(buf + from, n)));
}

Test(crc32c, every_flipped_bit_changes_it)
{
	uint8_t buf[64] = { 0 };
	uint32_t good = xtr_crc32c(buf, sizeof(buf));

	for (size_t bit = 0; bit < sizeof(buf) * 8; bit++) {
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		cr_assert(ne(u32, xtr_crc32c(buf, sizeof(buf)), good));
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
