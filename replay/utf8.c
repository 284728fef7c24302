/* SPDX-License-Identifier: BSD-2-Clause */
#include "utf8.h"

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
