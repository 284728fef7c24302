/* SPDX-License-Identifier: BSD-2-Clause */
#include "oplog.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct oplog *l, bool sync, size_t n)
{
	if (l->n_ops == l->cap_ops) {
		l->cap_ops = 2 * l->cap_ops + 16;
		l->op = must(realloc(l->op, l->cap_ops * sizeof(*l->op)));
	}
	l->op[l->n_ops++] = (struct op){ sync, l->n, n };
}

static void grow(struct oplog *l, size_t n)
{
	if (l->n + n <= l->cap)
		return;
	l->cap = 2 * (l->n + n);
	l->data = must(realloc(l->data, l->cap));
}

static int append(struct xtr_io *io, const void *buf, size_t n)
{
	struct oplog *l = (struct oplog *)io;

	grow(l, n);
	note(l, false, n);
	memcpy(l->data + l->n, buf, n);
	l->n += n;
	return 0;
}

static int sync_all(struct xtr_io *io)
{
	note((struct oplog *)io, true, 0);
	return 0;
}

static int leave(struct xtr_io *io)
{
	(void)io;
	return 0;
}

static const struct xtr_io_ops ops = { .append = append, .sync = sync_all, .close = leave };

void oplog_init(struct oplog *l)
{
	*l = (struct oplog){ .io = { &ops } };
	grow(l, 4096);
}

void oplog_free(struct oplog *l)
{
	free(l->data);
	free(l->op);
}

static bool next(struct oplog *l, FILE *f, int kind)
{
	uint8_t raw[8];
	size_t n = 0;

	if (kind == 'S') {
		note(l, true, 0);
		return true;
	}
	if (kind != 'W' || fread(raw, sizeof(raw), 1, f) != 1)
		return false;
	for (int i = 7; i >= 0; i--)
		n = n << 8 | raw[i];
	if (n > 1u << 30)
		return false;
	grow(l, n);
	if (fread(l->data + l->n, 1, n, f) != n)
		return false;
	note(l, false, n);
	l->n += n;
	return true;
}

void oplog_load(struct oplog *l, const char *path)
{
	FILE *f = fopen(path, "rb");
	bool good = f;
	int kind;

	oplog_init(l);
	while (good && (kind = getc(f)) != EOF)
		good = next(l, f, kind);
	if (!good) {
		fprintf(stderr, "%s: no notes of writes\n", path);
		exit(2);
	}
	fclose(f);
}
