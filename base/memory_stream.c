/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory_stream.h"

#include <errno.h>

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
