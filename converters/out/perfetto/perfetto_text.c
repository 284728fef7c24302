/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts in packets, and hashes of texts and numbers. */
#include "perfetto.h"

#include "base/text.h"

#include <stdarg.h>
#include <string.h>

uint64_t pf_hash(uint64_t a, uint64_t b)
{
	uint64_t h = a * 0x9e3779b97f4a7c15u ^ b;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

/* FNV-1a. */
uint64_t pf_hash_text(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h;
}

/* Room for n bytes and a NUL, or NULL. */
static char *arena(struct pf *pf, size_t n)
{
	char *p = pf->arena + pf->arena_used;

	if (n >= PF_ARENA - pf->arena_used)
		return NULL;
	pf->arena_used += n + 1;
	return p;
}

static bool is_clean(const char *s, size_t n)
{
	size_t len;

	for (size_t i = xtr_utf8_plain(s, n, '\\'); i < n;
	     i += xtr_utf8_plain(s + i, n - i, '\\')) {
		len = xtr_utf8_len(s + i, n - i);
		if (!len || !s[i])
			return false;
		i += len;
	}
	return !s[n];
}

/* What is no character becomes U+FFFD; what is too long for the arena is cut. */
const char *pf_text(struct pf *pf, const char *s, size_t n)
{
	size_t i = 0, len, used = 0, room;
	char *p;

	if (is_clean(s, n))
		return s;
	room = n > (PF_ARENA - 1) / 3 ? PF_ARENA - 1 : n * 3;
	if (room > PF_ARENA - 1 - pf->arena_used)
		room = PF_ARENA - 1 - pf->arena_used;
	p = arena(pf, room);
	if (!p)
		return "";
	for (; i < n && used + 4 <= room + 1; i += len) {
		len = s[i] ? xtr_utf8_len(s + i, n - i) : 0;
		memcpy(p + used, len ? s + i : "\xef\xbf\xbd", len ? len : 3);
		used += len ? len : 3;
		len = len ? len : 1;
	}
	p[used] = '\0';
	return p;
}

const char *pf_chars(struct pf *pf, const uint8_t *p, size_t n)
{
	char *copy;

	n = strnlen((const char *)p, n);
	copy = arena(pf, n);
	if (!copy)
		return "";
	memcpy(copy, p, n);
	copy[n] = '\0';
	return pf_text(pf, copy, n);
}

const char *pf_textf(struct pf *pf, const char *format, ...)
{
	char text[512];
	char *p;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(text))
		n = sizeof(text) - 1;
	p = arena(pf, (size_t)n);
	if (!p)
		return "";
	memcpy(p, text, (size_t)n);
	p[n] = '\0';
	return pf_text(pf, p, (size_t)n);
}
