/* SPDX-License-Identifier: BSD-2-Clause */
#include "tracedat_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* No fault of the file's: it is told as what it is when all is over. */
static void note(struct dat_in *in, int err)
{
	in->failed = true;
	if (!*in->err)
		*in->err = err;
}

static bool take(struct dat_in *in, void *buf, uint64_t n)
{
	int err;

	if (in->failed || n > in->end - in->at) {
		in->failed = true;
		memset(buf, 0, (size_t)n);
		return false;
	}
	err = in->io ? in->io->ops->read_at(in->io, in->at, buf, (size_t)n) : 0;
	if (err) {
		note(in, err);
		memset(buf, 0, (size_t)n);
		return false;
	}
	if (!in->io)
		memcpy(buf, in->mem + in->at, (size_t)n);
	in->at += n;
	return true;
}

uint64_t dat_uint(struct dat_in *in, unsigned int bytes)
{
	uint8_t b[8];
	uint64_t v = 0;

	take(in, b, bytes);
	for (unsigned int i = 0; i < bytes; i++)
		v |= (uint64_t)b[in->big ? bytes - 1 - i : i] << (8 * i);
	return v;
}

bool dat_text(struct dat_in *in, char *buf, size_t cap)
{
	size_t n = 0;
	char c;

	buf[0] = 0;
	while (take(in, &c, 1)) {
		if (n < cap - 1) {
			buf[n++] = c;
			buf[n] = 0;
		}
		if (!c)
			return true;
	}
	return false;
}

char *dat_bytes(struct dat_in *in, uint64_t n)
{
	char *p;

	if (in->failed || n > DAT_META_BYTES || n > in->end - in->at) {
		in->failed = true;
		return NULL;
	}
	p = malloc((size_t)n + 1);
	if (!p) {
		note(in, -ENOMEM);
		return NULL;
	}
	if (!take(in, p, n)) {
		free(p);
		return NULL;
	}
	p[n] = 0;
	return p;
}

void dat_skip(struct dat_in *in, uint64_t n)
{
	if (in->failed || n > in->end - in->at)
		in->failed = true;
	else
		in->at += n;
}
