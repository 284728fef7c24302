/* SPDX-License-Identifier: BSD-2-Clause */
#include "crc32c.h"
#include "bytes.h"

#include <pthread.h>

#define POLY 0x82f63b78u /* 0x1EDC6F41 reflected */

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

/* tables[k][b]: the CRC of byte b followed by k zero bytes. */
static void make_tables(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLY : crc >> 1;
		tables[0][b] = crc;
	}
	for (int k = 1; k < 8; k++)
		for (int b = 0; b < 256; b++)
			tables[k][b] = tables[k - 1][b] >> 8 ^ tables[0][tables[k - 1][b] & 0xff];
}

uint32_t xtr_crc32c_portable(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint32_t crc = UINT32_MAX;

	pthread_once(&tables_once, make_tables);
	for (; n >= 8; n -= 8, p += 8) {
		uint64_t w = xtr_le64(p) ^ crc;

		crc = 0;
		for (int k = 0; k < 8; k++)
			crc ^= tables[7 - k][w >> 8 * k & 0xff];
	}
	for (; n; n--, p++)
		crc = crc >> 8 ^ tables[0][(crc ^ *p) & 0xff];
	return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t crc = UINT32_MAX;

	for (; n >= 8; n -= 8, p += 8)
		crc = __builtin_ia32_crc32di(crc, xtr_le64(p));
	for (; n; n--, p++)
		crc = __builtin_ia32_crc32qi((uint32_t)crc, *p);
	return ~(uint32_t)crc;
}
#endif

uint32_t xtr_crc32c(const void *data, size_t n)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(data, n)
						: xtr_crc32c_portable(data, n);
#else
	return xtr_crc32c_portable(data, n);
#endif
}
