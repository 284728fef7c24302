/* SPDX-License-Identifier: BSD-2-Clause */
#include "buf.h"
#include "checked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int xtr_grow_array(void *area, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 16, bytes;
	void *old, *p;

	if (need <= *cap)
		return 0;
	while (n < need)
		if (!xtr_mul_size(n, 2, &n))
			return -ENOMEM;
	if (!xtr_mul_size(n, size, &bytes))
		return -ENOMEM;
	memcpy(&old, area, sizeof(old));
	p = realloc(old, bytes);
	if (!p)
		return -ENOMEM;
	memcpy(area, &p, sizeof(p));
	*cap = n;
	return 0;
}

int xtr_grow(void *area, size_t *cap, size_t need)
{
	return xtr_grow_array(area, cap, need, 1);
}

uint8_t *xtr_buf_room(struct xtr_buf *b, size_t n)
{
	size_t need;

	if (b->err)
		return NULL;
	if (!xtr_add_size(b->n, n, &need) || xtr_grow(&b->p, &b->cap, need)) {
		b->err = -ENOMEM;
		return NULL;
	}
	return b->p + b->n;
}

void xtr_buf_add(struct xtr_buf *b, const void *data, size_t n)
{
	/* Nothing has no place in an empty buffer. */
	uint8_t *p = n ? xtr_buf_room(b, n) : NULL;

	if (!p)
		return;
	memcpy(p, data, n);
	b->n += n;
}

void xtr_buf_free(struct xtr_buf *b)
{
	free(b->p);
	*b = (struct xtr_buf){ 0 };
}

char *xtr_copy_text(const char *s, size_t n)
{
	const char *end = n ? memchr(s, '\0', n) : NULL;
	size_t len = end ? (size_t)(end - s) : n;
	char *copy = malloc(len + 1);

	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

/* --- memory stream ---------------------------------------------------------------------------- */

static ssize_t add(void *cookie, const char *p, size_t n)
{
	struct xtr_buf *b = cookie;

	xtr_buf_add(b, p, n);
	return b->err ? 0 : (ssize_t)n; /* fopencookie(3): 0 is an error */
}

FILE *xtr_memory_stream(struct xtr_buf *b)
{
	*b = (struct xtr_buf){ 0 };
	return fopencookie(b, "w", (cookie_io_functions_t){ .write = add });
}

int xtr_memory_flush(FILE *f, const struct xtr_buf *b)
{
	return fflush(f) || ferror(f) || b->err ? -ENOMEM : 0;
}

char *xtr_memory_text(FILE *f, struct xtr_buf *b)
{
	char *text;
	int err;

	fputc('\0', f);
	err = xtr_memory_flush(f, b);
	fclose(f);
	if (err)
		xtr_buf_free(b);
	text = (char *)b->p;
	*b = (struct xtr_buf){ 0 };
	return text;
}
