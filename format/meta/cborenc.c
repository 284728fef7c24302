// SPDX-License-Identifier: BSD-2-Clause
#include "cborenc.h"
#include "cborcheck.h"

#include <cbor.h>
#include <string.h>

#define HEAD_MAX 9u /* bytes of the longest head */

typedef size_t encode_fn(size_t n, unsigned char *buf, size_t size);

static void head(struct xtr_buf *b, encode_fn *encode, size_t n)
{
	uint8_t *p = xtr_buf_room(b, HEAD_MAX);

	if (p)
		b->n += encode(n, p, HEAD_MAX);
}

void xtr_enc_uint(struct xtr_buf *b, uint64_t v)
{
	uint8_t *p = xtr_buf_room(b, HEAD_MAX);

	if (p)
		b->n += cbor_encode_uint(v, p, HEAD_MAX);
}

void xtr_enc_map(struct xtr_buf *b, size_t pairs)
{
	head(b, cbor_encode_map_start, pairs);
}

void xtr_enc_array(struct xtr_buf *b, size_t n)
{
	head(b, cbor_encode_array_start, n);
}

void xtr_enc_bool(struct xtr_buf *b, bool v)
{
	uint8_t *p = xtr_buf_room(b, HEAD_MAX);

	if (p)
		b->n += cbor_encode_bool(v, p, HEAD_MAX);
}

void xtr_enc_bytes(struct xtr_buf *b, const void *p, size_t n)
{
	head(b, cbor_encode_bytestring_start, n);
	xtr_buf_add(b, p, n);
}

void xtr_enc_string(struct xtr_buf *b, const void *p, size_t n)
{
	bool text = xtr_utf8_check(p, n);

	head(b, text ? cbor_encode_string_start : cbor_encode_bytestring_start, n);
	xtr_buf_add(b, p, n);
}

/* Names come from the kernel and the user: nearly always ASCII, but nothing makes sure of it. */
static void put_replaced(struct xtr_buf *b, const char *s, size_t n)
{
	uint8_t *p;

	head(b, cbor_encode_string_start, n);
	p = xtr_buf_room(b, n);
	if (!p)
		return;
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)s[i] < 0x80 ? (uint8_t)s[i] : '?';
	b->n += n;
}

void xtr_enc_text(struct xtr_buf *b, const char *s)
{
	uint8_t *p;

	if (s && xtr_utf8_check((const uint8_t *)s, strlen(s))) {
		head(b, cbor_encode_string_start, strlen(s));
		xtr_buf_add(b, s, strlen(s));
	} else if (s) {
		put_replaced(b, s, strlen(s));
	} else {
		p = xtr_buf_room(b, HEAD_MAX);
		if (p)
			b->n += cbor_encode_null(p, HEAD_MAX);
	}
}

void xtr_enc_pair_text(struct xtr_buf *b, const char *key, const char *s)
{
	xtr_enc_text(b, key);
	xtr_enc_text(b, s);
}

void xtr_enc_pair_uint(struct xtr_buf *b, const char *key, uint64_t v)
{
	xtr_enc_text(b, key);
	xtr_enc_uint(b, v);
}

int xtr_enc_key_cmp(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);

	return na != nb ? (na < nb ? -1 : 1) : memcmp(a, b, na);
}
