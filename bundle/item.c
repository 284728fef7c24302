/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void xtr_bundle_free(struct xtr_bundle *b)
{
	for (size_t i = 0; i < b->n; i++)
		xtr_io_close(b->v[i].io);
	free(b->v);
	*b = (struct xtr_bundle){ 0 };
}

static struct xtr_bundle_item *add(struct xtr_bundle *b, const struct xtr_bundle_source *s,
				   const char *name, const char *from)
{
	struct xtr_bundle_item *item;

	if (xtr_grow_array(&b->v, &b->cap, b->n + 1, sizeof(*b->v)))
		return NULL;
	item = &b->v[b->n++];
	*item = (struct xtr_bundle_item){ .source = s };
	snprintf(item->name, sizeof(item->name), "%s", name);
	snprintf(item->from, sizeof(item->from), "%s", from);
	return item;
}

static int memory_file(const uint8_t *p, size_t n, struct xtr_io **io)
{
	int err = xtr_io_mem_new(io);

	return err || !n ? err : (*io)->ops->append(*io, p, n);
}

int xtr_bundle_add_text(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
			const char *from, const struct xtr_buf *text)
{
	struct xtr_bundle_item *item = add(b, s, name, from);
	const struct xtr_buf *t = text;
	struct xtr_buf clean = { 0 };
	int err;

	if (!item)
		return -ENOMEM;
	if (b->scrub && s && s->machine) {
		xtr_scrub_text(b->scrub, text->p, text->n, &clean);
		t = &clean;
	}
	err = t->err ? t->err : memory_file(t->p, t->n, &item->io);
	item->size = t->n;
	xtr_buf_free(&clean);
	return err;
}

int xtr_bundle_add_file(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
			const char *from, struct xtr_io *io, uint64_t size)
{
	struct xtr_bundle_item *item = add(b, s, name, from);

	if (!item) {
		xtr_io_close(io);
		return -ENOMEM;
	}
	item->io = io;
	item->size = size;
	item->raw = s->machine;
	return 0;
}

int xtr_bundle_absent(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
		      const char *from, const char *fmt, ...)
{
	struct xtr_bundle_item *item = add(b, s, name, from);
	va_list ap;

	if (!item)
		return -ENOMEM;
	va_start(ap, fmt);
	vsnprintf(item->why, sizeof(item->why), fmt, ap);
	va_end(ap);
	return 0;
}

int xtr_bundle_unread(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
		      const char *from, int err)
{
	int ret = xtr_bundle_absent(b, s, name, from, "cannot be read: %s", strerror(-err));

	if (!ret)
		b->v[b->n - 1].there = true;
	return ret;
}

void xtr_bundle_drop(struct xtr_bundle_item *item, const char *why)
{
	xtr_io_close(item->io);
	item->io = NULL;
	item->there = true;
	snprintf(item->why, sizeof(item->why), "%s", why);
}
