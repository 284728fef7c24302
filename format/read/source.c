// SPDX-License-Identifier: BSD-2-Clause
#include "base/buf.h"
#include "base/checked.h"
#include "reader_priv.h"

#include <stdlib.h>

int xtr_window_get(const struct xtr_reader *r, struct xtr_window *w, uint64_t off, size_t n,
		   size_t ahead, const uint8_t **p)
{
	size_t len = n > ahead ? n : ahead;
	int err;

	*p = NULL;
	if (!xtr_fits(off, n, r->size))
		return 0;
	if (r->map) {
		*p = r->map + off;
		return 0;
	}
	if (off < w->off || !xtr_fits(off - w->off, n, w->n)) {
		if (len > r->size - off)
			len = (size_t)(r->size - off);
		err = xtr_grow(&w->buf, &w->cap, len + 1);
		if (!err) {
			w->n = 0;
			err = r->io->ops->read_at(r->io, off, w->buf, len);
		}
		if (err)
			return err;
		w->off = off;
		w->n = len;
	}
	*p = w->buf + (off - w->off);
	return 0;
}

void xtr_window_free(struct xtr_window *w)
{
	free(w->buf);
	*w = (struct xtr_window){ 0 };
}
