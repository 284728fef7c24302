/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A growing byte buffer. The first failure sticks (err), so that a row of appends needs one check
 * at its end.
 */
#ifndef XTR_BUF_H
#define XTR_BUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct xtr_buf {
	uint8_t *p;
	size_t n, cap; /* bytes */
	int err;       /* 0 or -ENOMEM */
};

/* Room for n more bytes at b->p + b->n, or NULL. */
uint8_t *xtr_buf_room(struct xtr_buf *b, size_t n);
void xtr_buf_add(struct xtr_buf *b, const void *data, size_t n);
void xtr_buf_free(struct xtr_buf *b);

/* Grow a malloc'ed area of *cap bytes to at least need; the contents are kept. 0 or -ENOMEM. */
int xtr_grow(void *area, size_t *cap, size_t need);
/* The same for an array: *cap and need count elements of size bytes. */
int xtr_grow_array(void *area, size_t *cap, size_t need, size_t size);

/*
 * A copy of at most n bytes, up to the first NUL, terminated; NULL: no memory. s need not be
 * terminated, which sanitizers that check strings strictly do not allow strndup.
 */
char *xtr_copy_text(const char *s, size_t n);

/* --- memory stream ---------------------------------------------------------------------------- */

/*
 * A stream into memory, as open_memstream(3), but one that tells of a lack of memory: that one says
 * nothing where the text cannot grow, neither by ferror nor by fclose.
 */
/*
 * What is written comes into b, which is overwritten as an empty one, must outlive the stream and
 * is the caller's to free; seen there after a flush. NULL: no memory.
 */
FILE *xtr_memory_stream(struct xtr_buf *b);
/* Flush. 0, or -ENOMEM if anything that was written is missing. */
int xtr_memory_flush(FILE *f, const struct xtr_buf *b);
/* Flush, add a NUL, close. The text, malloc'ed, with b empty again; NULL: no memory. */
char *xtr_memory_text(FILE *f, struct xtr_buf *b);

#endif /* XTR_BUF_H */
