// SPDX-License-Identifier: BSD-2-Clause
#include "textin.h"

#include <ctype.h>
#include <string.h>

void textin_spaces(struct textin_at *a)
{
	while (a->p < a->end && (*a->p == ' ' || *a->p == '\t'))
		a->p++;
}

bool textin_char(struct textin_at *a, char c)
{
	if (a->p == a->end || *a->p != c)
		return false;
	a->p++;
	return true;
}

bool textin_text(struct textin_at *a, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(a->end - a->p) < n || memcmp(a->p, text, n) != 0)
		return false;
	a->p += n;
	return true;
}

bool textin_name(struct textin_at *a, const char **name, size_t *len)
{
	const char *p = a->p;

	if (p == a->end || !(isalpha((unsigned char)*p) || *p == '_'))
		return false;
	while (p < a->end && (isalnum((unsigned char)*p) || *p == '_' || *p == '.'))
		p++;
	*name = a->p;
	*len = (size_t)(p - a->p);
	a->p = p;
	return true;
}

bool textin_u64(struct textin_at *a, uint64_t *v)
{
	const char *p = a->p;
	uint64_t n = 0;

	for (; p < a->end && isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	if (p == a->p)
		return false;
	*v = n;
	a->p = p;
	return true;
}

bool textin_u32(struct textin_at *a, uint32_t *v)
{
	struct textin_at b = *a;
	uint64_t n;

	if (!textin_u64(&b, &n) || n > UINT32_MAX)
		return false;
	*v = (uint32_t)n;
	*a = b;
	return true;
}

static unsigned int hex_digit(char c)
{
	if (isdigit((unsigned char)c))
		return (unsigned int)(c - '0');
	return (unsigned int)(tolower((unsigned char)c) - 'a') + 10;
}

bool textin_hex(struct textin_at *a, uint64_t *v)
{
	struct textin_at b = *a;
	const char *first;
	uint64_t n = 0;

	if (!textin_text(&b, "0x"))
		textin_text(&b, "0X");
	for (first = b.p; b.p < b.end && isxdigit((unsigned char)*b.p); b.p++) {
		if (n >> 60)
			return false;
		n = n << 4 | hex_digit(*b.p);
	}
	if (b.p == first)
		return false;
	*v = n;
	*a = b;
	return true;
}

bool textin_time(struct textin_at *a, uint64_t *ns, unsigned int *digits)
{
	struct textin_at b = *a;
	const char *first;
	uint64_t s, part;

	*digits = 0;
	if (!textin_u64(&b, &s))
		return false;
	if (b.p == b.end || *b.p != '.') {
		*ns = s;
		*a = b;
		return true;
	}
	first = ++b.p;
	if (!textin_u64(&b, &part) || b.p - first > 9)
		return false;
	*digits = (unsigned int)(b.p - first);
	for (unsigned int i = *digits; i < 9; i++)
		part *= 10;
	if (__builtin_mul_overflow(s, (uint64_t)1000000000, &s) ||
	    __builtin_add_overflow(s, part, ns))
		return false;
	*a = b;
	return true;
}
