/* SPDX-License-Identifier: BSD-2-Clause */
/* The new section: chunk by chunk in the order of the old one, so that what a ROUND says holds. */
#include "base/buf.h"
#include "base/bytes.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"
#include "redact_impl.h"
#include "redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS 1000000000ull /* in a second */
#define CLOCK_ZERO \
	(946684800ull * NS) /* 2000-01-01, where the wall clock of a redacted file begins */

struct writing {
	struct xtr_redact *x;
	struct redact_part *p;
	struct xtr_writer *w; /* NULL: nothing is written, only looked at */
	struct xtr_redact_result *res;
	size_t clock; /* snapshots so far */
};

const char *xtr_redact_policy_name(unsigned int policy)
{
	static const char *const names[] = {
		[XTR_REDACT_DEFAULT] = "default",
		[XTR_REDACT_STRICT] = "strict",
	};

	return policy < XTR_REDACT_POLICIES ? names[policy] : NULL;
}

/* --- chunks ----------------------------------------------------------------------------------- */

static int events(struct writing *wr, const struct xtr_chunk *c)
{
	struct xtr_redact *x = wr->x;
	struct xtr_batch b = { .stream = c->stream,
			       .n = c->n_records,
			       .len = c->rec_len,
			       .lost_total = c->lost_total };
	const struct xtr_chunk none = { .type = XTR_CHUNK_EVENTS,
					.props = XTR_PROP_CRITICAL,
					.stream = c->stream };
	struct xtr_err why;
	int err;

	if (!c->n_records)
		return wr->w ? xtr_writer_copy(wr->w, &none, (const uint8_t *)"", c->lost_total)
			     : 0;
	err = xtr_decode(wr->p->r, c, &x->decoder, &x->buf, &x->cap, &why)
		      ?: xtr_grow(&x->out, &x->cap_out, c->rec_len);
	for (size_t at = 0; at < c->rec_len && !err; at += xtr_rec_size(x->buf + at))
		err = redact_record(x, wr->p, x->buf + at, x->out + at);
	wr->res->events += c->n_records;
	b.recs = x->out;
	return err || !wr->w ? err : xtr_writer_events(wr->w, &b);
}

/* The k-th CLOCK is the k-th snapshot. The wall clock begins in 2000; others are as they were. */
static int clock_reading(struct writing *wr, const struct xtr_chunk *c)
{
	const struct xtr_clock_snapshot *k = xtr_section_clock(wr->p->s, wr->clock++);
	struct xtr_clock_reading r[2];
	size_t n = 0;

	(void)c;
	if (!wr->w || !k || wr->x->o.policy == XTR_REDACT_STRICT)
		return 0;
	if (k->boottime)
		r[n++] = (struct xtr_clock_reading){ "boottime", k->boottime };
	if (k->realtime)
		r[n++] = (struct xtr_clock_reading){ "realtime", CLOCK_ZERO + (k->realtime -
									       wr->x->clock_zero) };
	return xtr_writer_clock(wr->w, k->before, k->after, r, n);
}

static int round_mark(struct writing *wr, const struct xtr_chunk *c)
{
	struct xtr_redact *x = wr->x;
	struct xtr_err why;
	int err = wr->w ? xtr_decode(wr->p->r, c, &x->decoder, &x->buf, &x->cap, &why) : 0;

	if (err || !wr->w || c->raw_len != 8)
		return err;
	return xtr_writer_round(wr->w, xtr_le64(x->buf));
}

static int attached(struct writing *wr, const struct xtr_chunk *c)
{
	(void)c;
	wr->res->attachments++;
	return 0;
}

/* META, TABLE, LOSS, INDEX and END are the writer's to write. */
static int (*const handlers[XTR_CHUNK_TYPES])(struct writing *, const struct xtr_chunk *) = {
	[XTR_CHUNK_EVENTS] = events,
	[XTR_CHUNK_CLOCK] = clock_reading,
	[XTR_CHUNK_ROUND] = round_mark,
	[XTR_CHUNK_ATTACH] = attached,
};

static int all_chunks(struct writing *wr, uint64_t done, uint64_t all)
{
	const size_t n = xtr_section_n_chunks(wr->p->s);
	const struct xtr_redact *x = wr->x;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(wr->p->s, i);

		if (c->type >= XTR_CHUNK_TYPES)
			wr->res->chunks++;
		else if (handlers[c->type])
			err = handlers[c->type](wr, c);
		if (x->o.progress)
			x->o.progress(x->o.ctx, done + i, all);
	}
	return err;
}

/* --- a section -------------------------------------------------------------------------------- */

/* As it was encoded before, as far as a writer does that: what was small stays so. */
static void writer_opts(const struct writing *wr, size_t i, struct xtr_writer_opts *o)
{
	const struct xtr_redact *x = wr->x;

	uint32_t features = xtr_section_features(wr->p->s);

	xtr_writer_opts_init(o);
	o->file_id = x->o.file_id ? x->o.file_id + i : 0;
	if (features & XTR_INCOMPAT_COLUMNS) {
		o->filter = XTR_FILTER_COLUMNS;
		o->features = XTR_INCOMPAT_COLUMNS;
		o->small = true;
	} else if (features & XTR_INCOMPAT_WORDS) {
		xtr_writer_opts_as(o, features);
	}
}

/* What a recorder says of its end is one of a few words. */
static const char *end_reason(struct xtr_redact *x, const struct xtr_section *s, int *err)
{
	const char *reason = xtr_section_end_reason(s);

	if (!reason)
		return "not closed cleanly";
	if (strspn(reason, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ- ") ==
		    strlen(reason) &&
	    strlen(reason) < 40)
		return reason;
	if (!*err)
		*err = redact_drop(&x->texts, reason);
	return "ended";
}

static int make_parts(struct xtr_redact *x, struct redact_part *p)
{
	return redact_make_tables(x, p) ?: redact_make_meta(x, p);
}

static uint64_t chunks_before(const struct xtr_redact *x, size_t i)
{
	uint64_t n = 0;

	for (size_t k = 0; k < i; k++)
		n += xtr_section_n_chunks(x->part[k].s);
	return n;
}

/* io NULL: everything but writing. */
static int one_section(struct xtr_redact *x, size_t i, struct xtr_io *io,
		       struct xtr_redact_result *res)
{
	const uint64_t all = chunks_before(x, x->n_parts);
	struct redact_part *p = &x->part[i];
	struct writing wr = { .x = x, .p = p, .res = res };
	struct xtr_writer_opts o;
	const char *reason;
	int err = make_parts(x, p);

	*res = (struct xtr_redact_result){ 0 };
	p->loss = err ? NULL : xtr_loss_copy(xtr_section_loss(p->s), 0, UINT64_MAX);
	if (!err && !p->loss)
		err = -ENOMEM;
	reason = end_reason(x, p->s, &err);
	writer_opts(&wr, i, &o);
	if (!err && io)
		err = xtr_writer_open(&wr.w, io, p->meta, p->tables, p->loss, &o);
	if (!err)
		err = all_chunks(&wr, all + chunks_before(x, i), 2 * all);
	if (!err && wr.w)
		err = xtr_writer_finish(wr.w, reason, xtr_section_end_cost(p->s));
	res->bytes = wr.w ? xtr_writer_bytes(wr.w) : 0;
	res->ids = x->values.n;
	res->texts = x->texts.n;
	xtr_writer_free(wr.w);
	return err;
}

int xtr_redact_section(struct xtr_redact *x, size_t i, struct xtr_io *io,
		       struct xtr_redact_result *res)
{
	int err = one_section(x, i, io, res);

	redact_part_free(&x->part[i]);
	return err;
}

int xtr_redact_collect(struct xtr_redact *x)
{
	struct xtr_redact_result res;
	int err = 0;

	x->pointers = calloc(1, sizeof(*x->pointers));
	if (!x->pointers)
		return -ENOMEM;
	for (size_t i = 0; i < x->n_parts && !err; i++) {
		err = one_section(x, i, NULL, &res);
		redact_part_free(&x->part[i]);
	}
	return err;
}

/* --- all of it -------------------------------------------------------------------------------- */

int xtr_redact_new_set(struct xtr_redact **out, const struct xtr_reader *const *r, size_t n,
		       const struct xtr_redact_opts *opts)
{
	struct xtr_redact *x = calloc(1, sizeof(*x));
	int err;

	*out = x;
	if (!x)
		return -ENOMEM;
	memcpy(&x->o, opts, opts->sz < sizeof(x->o) ? opts->sz : sizeof(x->o));
	if (!xtr_redact_policy_name(x->o.policy))
		return -EINVAL;
	if (n > XTR_REDACT_FILES_MAX)
		return -E2BIG;
	err = redact_values_init(&x->values, x->o.key);
	x->texts.values = &x->values;
	return err ? err : redact_read(x, r, n);
}

int xtr_redact_new(struct xtr_redact **x, const struct xtr_reader *r,
		   const struct xtr_redact_opts *opts)
{
	return xtr_redact_new_set(x, &r, 1, opts);
}

void xtr_redact_free(struct xtr_redact *x)
{
	if (!x)
		return;
	for (size_t i = 0; x->part && i < x->n_parts; i++)
		redact_part_free(&x->part[i]);
	free(x->part);
	redact_texts_free(&x->texts);
	redact_values_free(&x->values);
	xtr_decoder_free(&x->decoder);
	if (x->pointers)
		xtr_map_free(x->pointers);
	free(x->pointers);
	free(x->buf);
	free(x->out);
	free(x);
}

/* --- redact names ----------------------------------------------------------------------------- */

bool xtr_redact_name(const struct xtr_redact *x, size_t i, struct xtr_redact_name *name)
{
	const struct redact_name *one;

	if (i >= x->texts.n)
		return false;
	one = &x->texts.v[i];
	*name = (struct xtr_redact_name){ one->text, one->n, one->label, one->number };
	return true;
}

/* "0000:03:00.0" */
static bool is_pci(const char *s, size_t n)
{
	static const char shape[] = "hhhh:hh:hh.h";

	for (size_t i = 0; i < n && n == sizeof(shape) - 1; i++)
		if (shape[i] == 'h' ? !redact_is_hex(s + i, 1) : s[i] != shape[i])
			return false;
	return n == sizeof(shape) - 1;
}

bool xtr_redact_is_common(const char *text, size_t n)
{
	static const char kernel[] = "vmlinux";

	return is_pci(text, n) || (n == sizeof(kernel) - 1 && !memcmp(text, kernel, n)) ||
	       redact_is_kthread(text, n) || redact_is_driver(text, n);
}
