/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks that stand in the wrong place. A reader takes chunks as they come and ignores each that
 * does not follow (spec 4.1): after a part of the file that was moved forward these may be many
 * good ones. Here all of them are put in the order of their numbers, and are read as if they had
 * stood like that.
 */
#include "base/buf.h"
#include "format/read/reader_priv.h"
#include "recover_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int chunk_cmp(const void *pa, const void *pb)
{
	const struct xtr_chunk *a = pa, *b = pb;

	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

struct picking {
	const struct xtr_reader *r;
	struct xtr_decoder d;
	uint8_t *buf;
	size_t cap;
};

/* 1: the payload is right, as far as that can be told without its meaning; 0: not; or -errno. */
static int is_good(struct picking *p, const struct xtr_chunk *c)
{
	struct xtr_err why;
	int err = c->type < XTR_CHUNK_TYPES ? xtr_decode(p->r, c, &p->d, &p->buf, &p->cap, &why)
					    : xtr_decode_crc(p->r, c, &p->d, &why);

	return err == -EBADMSG ? 0 : err ? err : 1;
}

/* Of chunks with one number the first good one, or the first. */
static int pick(struct picking *p, const struct xtr_chunk *c, size_t n, size_t *best)
{
	*best = 0;
	for (size_t i = 0; i < n && n > 1; i++) {
		int err = is_good(p, &c[i]);

		if (err < 0)
			return err;
		if (err) {
			*best = i;
			return 0;
		}
	}
	return 0;
}

/* What an old reader must not skip is not for this one. */
static bool is_known(const struct xtr_chunk *c)
{
	return c->type < XTR_CHUNK_TYPES || !(c->props & XTR_PROP_CRITICAL);
}

static int add_all(struct rec_order *o, struct picking *p, const struct xtr_chunk *c, size_t n)
{
	int err = 0;

	for (size_t i = 0, k; i < n && !err; i += k) {
		size_t best;

		for (k = 1; i + k < n && c[i + k].seq == c[i].seq;)
			k++;
		err = pick(p, c + i, k, &best);
		if (!err && is_known(&c[i + best]))
			err = xtr_section_add(o->r, o->s, &c[i + best]);
	}
	return err;
}

/* All chunks of the sections, sorted. */
static struct xtr_chunk *sorted(struct xtr_section *const *s, size_t n_sections, size_t *n)
{
	struct xtr_chunk *c = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < n_sections; i++) {
		size_t more = s[i]->n_chunks + s[i]->n_strays;

		if (xtr_grow_array(&c, &cap, *n + more + 1, sizeof(*c))) {
			free(c);
			return NULL;
		}
		if (s[i]->n_chunks)
			memcpy(c + *n, s[i]->chunks, s[i]->n_chunks * sizeof(*c));
		if (s[i]->n_strays)
			memcpy(c + *n + s[i]->n_chunks, s[i]->strays, s[i]->n_strays * sizeof(*c));
		*n += more;
	}
	if (*n)
		qsort(c, *n, sizeof(*c), chunk_cmp);
	return c;
}

static int load(struct rec_order *o, const struct xtr_reader *r, struct xtr_section *const *s,
		size_t n_sections)
{
	struct picking p = { .r = r };
	size_t n;
	struct xtr_chunk *c = sorted(s, n_sections, &n);
	int err = (c ? 0 : -ENOMEM) ?: add_all(o, &p, c, n) ?: xtr_section_load(o->r, o->s) ?:
		  xtr_verify_section(o->r, o->s);

	if (!err)
		xtr_reader_sort_problems(o->r);
	xtr_decoder_free(&p.d);
	free(p.buf);
	free(c);
	return err;
}

int rec_order_init(struct rec_order *o, const struct xtr_reader *r, struct xtr_section *const *s,
		   size_t n)
{
	if (n == 1 && !s[0]->n_strays)
		return 0;
	o->r = calloc(1, sizeof(*o->r));
	o->s = xtr_section_new();
	if (!o->r || !o->s)
		return -ENOMEM;
	*o->r = (struct xtr_reader){ .io = r->io, .size = r->size, .map = r->map };
	o->s->offset = s[0]->offset;
	o->s->end = s[n - 1]->end;
	o->s->file_id = s[0]->file_id;
	o->s->header_size = s[0]->header_size;
	o->s->compat_flags = s[0]->compat_flags;
	o->s->minor = s[0]->minor;
	return load(o, r, s, n);
}

void rec_order_free(struct rec_order *o)
{
	xtr_section_free(o->s);
	if (o->r)
		free(o->r->problems);
	free(o->r);
}
