/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One CPU's data: pages of the ring buffer one after the other, or pieces of several pages that
 * were compressed each. What cannot be read is damage, and a loss of unknown size between the
 * events before and behind it.
 */
#include "tracedat_priv.h"
#include "converters/in/core/inflate.h"

#include "base/bytes.h"
#include "base/checked.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The loss lies between the last event and the one that begins at `until`; 0: nothing follows. One
 * before the first event is kept until it is known when the trace begins.
 */
static int lose(struct dat_cpu *c, uint64_t until, uint64_t count)
{
	uint64_t first = c->last_ts;

	if (!first && until) {
		c->ahead = xtr_sat_add(c->ahead, count);
		c->ahead_unsure |= !count;
		return 0;
	}
	if (!until)
		until = first;
	if (first > until)
		first = until;
	return xtr_import_lost(c->d->im, c->cpu, dat_time(c->d, first), dat_time(c->d, until),
			       count);
}

static void note_damage(const struct dat_cpu *c, const char *what)
{
	xtr_import_damage(c->d->im, "CPU %u: %s at byte %" PRIu64, c->cpu, what, c->at);
}

/* Room for n bytes, within what all CPUs may hold. 0, or -errno after a message. */
static int hold(struct dat_cpu *c, uint8_t **buf, size_t *cap, size_t n)
{
	uint8_t *more;

	if (n <= *cap)
		return 0;
	if (n - *cap > DAT_DATA_BYTES - c->d->held)
		return xtr_import_fail(c->d->im, -EFBIG,
				       "pages of %zu bytes for %zu CPUs need too much memory", n,
				       c->d->n_cpus);
	more = realloc(*buf, n);
	if (!more)
		return -ENOMEM;
	c->d->held += n - *cap;
	*buf = more;
	*cap = n;
	return 0;
}

static int read_file(struct dat_cpu *c, uint8_t *buf, uint32_t n)
{
	int err = c->d->io->ops->read_at(c->d->io, c->at, buf, n);

	if (err)
		return xtr_import_fail(c->d->im, err, "cannot read at byte %" PRIu64 ": %s", c->at,
				       strerror(-err));
	c->at += n;
	c->d->done += n;
	xtr_import_progress(c->d->im, c->d->done, c->d->size);
	return 0;
}

static uint32_t number(const struct dat_cpu *c, const uint8_t *p)
{
	uint32_t v = xtr_le32(p);

	return c->d->big ? __builtin_bswap32(v) : v;
}

/* The rest of this CPU's data cannot be read. */
static int give_up(struct dat_cpu *c, const char *what)
{
	note_damage(c, what);
	c->over = true;
	return lose(c, 0, 0);
}

static int inflate_piece(struct dat_cpu *c, uint32_t packed, uint32_t n)
{
	size_t got;
	int err = hold(c, &c->buf, &c->cap, n) ?: hold(c, &c->raw, &c->cap_raw, packed) ?:
		  read_file(c, c->raw, packed);

	if (err)
		return err;
	err = xtr_inflate(c->d->codec, c->raw, packed, c->buf, n, &got);
	if (err == -EBADMSG) {
		note_damage(c, "compressed data is damaged");
		return lose(c, 0, 0);
	}
	if (err)
		return err;
	c->buf_n = (uint32_t)got;
	return 0;
}

/* The next compressed piece; buf_n stays 0 if it cannot be read. */
static int next_piece(struct dat_cpu *c)
{
	uint8_t head[8];
	uint32_t packed, n;
	int err;

	c->buf_n = c->buf_at = 0;
	if (!c->pieces || c->end == c->at) {
		c->over = true;
		return c->pieces ? give_up(c, "compressed data ends early") : 0;
	}
	c->pieces--;
	if (c->end - c->at < sizeof(head))
		return give_up(c, "compressed data ends early");
	err = read_file(c, head, sizeof(head));
	if (err)
		return err;
	packed = number(c, head);
	n = number(c, head + 4);
	if (!n || n > DAT_CHUNK_MAX || packed > DAT_CHUNK_MAX || packed > c->end - c->at)
		return give_up(c, "compressed data has a wrong length");
	return inflate_piece(c, packed, n);
}

/* The next page's bytes; n 0: there is none now (c->over), or it could not be read. */
static int next_bytes(struct dat_cpu *c, const uint8_t **p, uint32_t *n)
{
	uint64_t left;
	int err;

	*n = 0;
	if (c->packed) {
		err = c->buf_at >= c->buf_n ? next_piece(c) : 0;
		if (err || c->buf_at >= c->buf_n)
			return err;
		left = c->buf_n - c->buf_at;
		*n = left < c->page_size ? (uint32_t)left : c->page_size;
		*p = c->buf + c->buf_at;
		c->buf_at += *n;
		return 0;
	}
	left = c->end - c->at;
	c->over = left == 0;
	*n = left < c->page_size ? (uint32_t)left : c->page_size;
	if (!*n)
		return 0;
	err = hold(c, &c->buf, &c->cap, c->page_size);
	*p = c->buf;
	return err ? err : read_file(c, c->buf, *n);
}

static int next_page(struct dat_cpu *c)
{
	const uint8_t *p;
	uint32_t n;
	int err = next_bytes(c, &p, &n);

	if (err || !n)
		return err;
	if (!dat_page_begin(&c->page, &c->d->layout, p, n)) {
		note_damage(c, "a page's header is wrong");
		return lose(c, c->page.ts, 0);
	}
	if (!c->page.lost)
		return 0;
	c->told_lost = xtr_sat_add(c->told_lost, c->page.missed ? c->page.missed : 1);
	return lose(c, c->page.ts, c->page.missed);
}

int dat_cpu_next(struct dat_cpu *c)
{
	int err = 0, got = 0;

	c->have = false;
	while (!err && !c->have) {
		got = dat_page_next(&c->page, &c->d->layout, &c->ev);
		if (got > 0) {
			c->have = true;
			c->last_ts = c->ev.ts;
			break;
		}
		if (got < 0) {
			note_damage(c, "an event's length is wrong");
			c->page.at = c->page.end;
			err = lose(c, c->page.ts, 0);
		}
		if (!err && c->over)
			break;
		if (!err)
			err = next_page(c);
	}
	return err;
}

void dat_cpu_free(struct dat_cpu *c)
{
	free(c->buf);
	free(c->raw);
}
