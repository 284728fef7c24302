/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records one after the other, from a part of the file or from what it holds compressed. Compressed
 * data is one zstd stream over all such records, decompressed piece by piece.
 */
#include "perfdata_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define WINDOW ((size_t)1 << 20) /* bytes of the file */

static int take_kernel_record(struct perfdata *d, const struct perf_record *r)
{
	uint64_t ts = perf_time_of(d, r);

	/* What perf wrote for processes that were there before has no time. */
	if (!ts || ts == UINT64_MAX)
		return perf_hand_over(d, 0, r);
	return perf_order_add(d, ts, r);
}

/* --- compressed ------------------------------------------------------------------------------- */

#ifdef HAVE_ZSTD
#define ZSTD_ROOM (4u * PERF_RECORD_MAX)

struct perf_zstd {
	ZSTD_DCtx *z;
	bool broken;
	size_t n; /* bytes in buf: the begin of a record, or more */
	uint8_t buf[ZSTD_ROOM];
};

void perf_zstd_free(struct perf_zstd *z)
{
	if (z)
		ZSTD_freeDCtx(z->z);
	free(z);
}

/* The rest of the stream cannot be read. */
static int give_up(struct perfdata *d, const char *what)
{
	d->zstd->broken = true;
	d->cut = true;
	xtr_import_damage(d->im, "%s", what);
	return 0;
}

static int make_zstd(struct perfdata *d)
{
	d->zstd = calloc(1, sizeof(*d->zstd));
	if (!d->zstd)
		return -ENOMEM;
	d->zstd->z = ZSTD_createDCtx();
	return d->zstd->z ? 0 : -ENOMEM;
}

/* The whole records of what was decompressed; what is left of one waits for more. */
static int take_decompressed(struct perfdata *d)
{
	struct perf_zstd *z = d->zstd;
	size_t at = 0;
	uint64_t behind = 0;
	int err = 0;

	while (!err && z->n - at >= PERF_HEADER_SIZE) {
		const struct perf_record r = perf_record_of(d, z->buf + at);

		if (r.n < PERF_HEADER_SIZE)
			return give_up(d, "compressed data holds no records");
		if (r.n > z->n - at)
			break;
		if (r.type <= PERF_R_KERNEL_LAST)
			err = take_kernel_record(d, &r);
		else if (r.type != PERF_R_COMPRESSED && r.type != PERF_R_COMPRESSED2)
			err = perf_take_meta(d, &r, 0, &behind);
		at += r.n;
	}
	z->n -= at;
	memmove(z->buf, z->buf + at, z->n);
	return err;
}

static int take_compressed(struct perfdata *d, const uint8_t *p, size_t n)
{
	ZSTD_inBuffer in = { p, n, 0 };
	int err = d->zstd ? 0 : make_zstd(d);

	while (!err && !d->zstd->broken) {
		ZSTD_outBuffer out = { d->zstd->buf, ZSTD_ROOM, d->zstd->n };
		size_t rc = ZSTD_decompressStream(d->zstd->z, &out, &in);

		if (ZSTD_isError(rc))
			return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation
				       ? -ENOMEM
				       : give_up(d, "compressed data is damaged");
		d->zstd->n = out.pos;
		err = take_decompressed(d);
		/* Whatever is left in the decoder comes out as long as there is no room. */
		if (in.pos == in.size && out.pos < ZSTD_ROOM)
			break;
	}
	return err;
}
#else
void perf_zstd_free(struct perf_zstd *z)
{
	(void)z;
}

static int take_compressed(struct perfdata *d, const uint8_t *p, size_t n)
{
	(void)p;
	(void)n;
	return xtr_import_fail(d->im, -EPROTONOSUPPORT,
			       "compressed with zstd, and xtr was built without it: 'perf inject "
			       "-i FILE -o OUTPUT' writes it uncompressed");
}
#endif

/* --- the file --------------------------------------------------------------------------------- */

struct window {
	uint8_t *buf;
	size_t n, pos;
	uint64_t at, end; /* of buf's first byte; of the part, in the file */
};

/* Bytes at w->pos, as many as there are up to `want`. */
static int fill(struct perfdata *d, struct window *w, size_t want, size_t *have)
{
	size_t more;
	int err;

	*have = w->n - w->pos;
	if (*have >= want || w->at + w->n >= w->end)
		return 0;
	memmove(w->buf, w->buf + w->pos, *have);
	w->at += w->pos;
	w->pos = 0;
	w->n = *have;
	more = WINDOW - w->n;
	if (more > w->end - w->at - w->n)
		more = (size_t)(w->end - w->at - w->n);
	err = d->io->ops->read_at(d->io, w->at + w->n, w->buf + w->n, more);
	if (err)
		return xtr_import_fail(d->im, err, "cannot read at byte %" PRIu64 ": %s",
				       w->at + w->n, strerror(-err));
	w->n += more;
	*have = w->n;
	xtr_import_progress(d->im, w->at, d->size);
	return 0;
}

static void skip(struct window *w, uint64_t n)
{
	const uint64_t to = w->at + w->pos + n;

	if (to <= w->at + w->n) {
		w->pos += (size_t)n;
		return;
	}
	w->at = to;
	w->n = w->pos = 0;
}

static int compressed_record(struct perfdata *d, const struct perf_record *r)
{
	uint64_t n = r->n - PERF_HEADER_SIZE;

	if (r->type == PERF_R_COMPRESSED)
		return take_compressed(d, r->p + PERF_HEADER_SIZE, (size_t)n);
	if (n < 8 || perf_u64(d, r->p + 8) > n - 8) {
		xtr_import_damage(d->im, "compressed data has a wrong length");
		return 0;
	}
	return take_compressed(d, r->p + 16, (size_t)perf_u64(d, r->p + 8));
}

static int take_record(struct perfdata *d, const struct perf_record *r, uint64_t at,
		       uint64_t *behind)
{
	*behind = 0;
	if (r->type <= PERF_R_KERNEL_LAST)
		return take_kernel_record(d, r);
	if (r->type == PERF_R_COMPRESSED || r->type == PERF_R_COMPRESSED2)
		return compressed_record(d, r);
	return perf_take_meta(d, r, at, behind);
}

static void note_cut(struct perfdata *d, const char *what, uint64_t at)
{
	xtr_import_damage(d->im, "%s at byte %" PRIu64, what, at);
	d->cut = true;
}

static int read_window(struct perfdata *d, struct window *w)
{
	struct perf_record r;
	uint64_t at, behind;
	size_t have;
	int err;

	for (;;) {
		at = w->at + w->pos;
		err = fill(d, w, PERF_RECORD_MAX, &have);
		if (err || !have)
			return err;
		if (have < PERF_HEADER_SIZE) {
			note_cut(d, "the file ends in a record", at);
			return 0;
		}
		r = perf_record_of(d, w->buf + w->pos);
		if (r.n < PERF_HEADER_SIZE || r.n > have) {
			note_cut(d,
				 r.n > have ? "the file ends in a record"
					    : "a record's length is wrong",
				 at);
			return 0;
		}
		err = take_record(d, &r, at, &behind);
		if (err)
			return err;
		if (behind > w->end - at - r.n) {
			note_cut(d, "the file ends in a record", at);
			return 0;
		}
		skip(w, r.n + behind);
	}
}

int perf_read_records(struct perfdata *d, uint64_t at, uint64_t end)
{
	struct window w = { .buf = malloc(WINDOW), .at = at, .end = end };
	int err = w.buf ? read_window(d, &w) : -ENOMEM;

	free(w.buf);
	return err;
}
