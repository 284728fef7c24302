/* SPDX-License-Identifier: BSD-2-Clause */
#include "digits.h"

#include <string.h>

/* "00" to "99". */
static const char pairs[200] = {
#define TEN(t) t, '0', t, '1', t, '2', t, '3', t, '4', t, '5', t, '6', t, '7', t, '8', t, '9',
	TEN('0') TEN('1') TEN('2') TEN('3') TEN('4') TEN('5') TEN('6') TEN('7') TEN('8') TEN('9')
#undef TEN
};

static const uint64_t power[XTR_DIGITS_MAX] = {
	1u,
	10u,
	100u,
	1000u,
	10000u,
	100000u,
	1000000u,
	10000000u,
	100000000u,
	1000000000u,
	10000000000u,
	100000000000u,
	1000000000000u,
	10000000000000u,
	100000000000000u,
	1000000000000000u,
	10000000000000000u,
	100000000000000000u,
	1000000000000000000u,
	10000000000000000000u,
};

/* 1233 / 4096 is a little more than log 2: right, or one too few. */
unsigned int xtr_digits_count(uint64_t v)
{
	unsigned int bits = 64u - (unsigned int)__builtin_clzll(v | 1), n = bits * 1233 >> 12;

	return n + ((v | 1) >= power[n]);
}

char *xtr_digits_padded(char *p, uint64_t v, unsigned int n)
{
	char *end = p + n;

	p = end;
	for (; n >= 2; n -= 2, v /= 100) {
		p -= 2;
		memcpy(p, &pairs[2 * (v % 100)], 2);
	}
	if (n)
		*--p = (char)('0' + v % 10);
	return end;
}

char *xtr_digits_put(char *p, uint64_t v)
{
	return xtr_digits_padded(p, v, xtr_digits_count(v));
}
