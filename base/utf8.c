/* SPDX-License-Identifier: BSD-2-Clause */
#include "utf8.h"

#include <stdint.h>
#include <string.h>

/*
 * RFC 3629 section 4 as a table: lead byte range, range of the second byte, length. All later
 * bytes are 80..BF.
 */
static const struct {
	unsigned char lo, hi, lo2, hi2, len;
} forms[] = {
	{ 0x00, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t xtr_utf8_len(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t i, k;

	if (!n)
		return 0;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (p[0] < forms[i].lo || p[0] > forms[i].hi)
			continue;
		if (forms[i].len == 1)
			return 1;
		if (n < forms[i].len || p[1] < forms[i].lo2 || p[1] > forms[i].hi2)
			return 0;
		for (k = 2; k < forms[i].len; k++)
			if (p[k] < 0x80 || p[k] > 0xbf)
				return 0;
		return forms[i].len;
	}
	return 0;
}

#define EACH 0x0101010101010101ull /* one in each byte */

/* A bit 7 for a byte that is zero, and maybe for bytes above one: 0 if there is none. */
static uint64_t zero_bytes(uint64_t w)
{
	return (w - EACH) & ~w & 0x80 * EACH;
}

static const uint8_t special[256] = { [0 ... 0x1f] = 1, [0x7f ... 0xff] = 1, ['\\'] = 1 };

/* Eight bytes at a time, as long as nothing in them needs a closer look. */
size_t xtr_utf8_plain(const char *s, size_t n, char but)
{
	size_t i;
	uint64_t w;

	for (i = 0; n - i >= sizeof(w); i += sizeof(w)) {
		memcpy(&w, s + i, sizeof(w));
		if ((w & 0x80 * EACH) | ((w - 0x20 * EACH) & ~w & 0x80 * EACH) |
		    zero_bytes(w ^ 0x7f * EACH) | zero_bytes(w ^ '\\' * EACH) |
		    zero_bytes(w ^ (uint8_t)but * EACH))
			break;
	}
	for (; i < n; i++)
		if (special[(uint8_t)s[i]] || s[i] == but)
			break;
	return i;
}

bool xtr_utf8_is_control(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;

	switch (len) {
	case 1:
		return p[0] < 0x20 || p[0] == 0x7f;
	case 2:
		return p[0] == 0xc2 && p[1] < 0xa0;
	case 3:
		return p[0] == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
					(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9));
	default:
		return false;
	}
}
