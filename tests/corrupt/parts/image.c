/* SPDX-License-Identifier: BSD-2-Clause */
#include "image.h"

#include <string.h>

#define HEAD 4096u /* bytes: the largest sector, with the file header */

static uint8_t *bytes(const struct damage *d)
{
	return (uint8_t *)d->data; /* the caller's own */
}

/* What was synced; zeros behind it. */
static void begin(const struct crash *c, struct damage *d)
{
	memcpy(bytes(d), c->log->data, c->durable);
	memset(bytes(d) + c->durable, 0, c->end - c->durable);
	d->n = c->end;
	d->safe = c->durable;
	d->from = d->to = 0; /* every chunk that is there has to be shown */
	d->moved = d->may_hide = false;
	d->piece[0] = (struct piece){ 0, 0, c->end };
	d->n_pieces = 1;
}

static void keep(const struct crash *c, struct damage *d, size_t from, size_t to)
{
	memcpy(bytes(d) + from, c->log->data + from, to - from);
}

static void garble(struct damage *d, size_t from, size_t to, uint64_t *state)
{
	for (size_t i = from; i < to; i++)
		bytes(d)[i] = (uint8_t)draw(state, 256);
}

/*
 * Never a file header: a deleted trace's would begin a section. And as long as this file's own may
 * be destroyed with its sector, nothing else says which of the two traces this is: then anything.
 */
static void stale(const struct crash *c, struct damage *d, size_t from, size_t to, uint64_t *state)
{
	size_t n = to - from, room = c->old->n - HEAD;

	if (c->durable < HEAD || n > room) {
		garble(d, from, to, state);
		return;
	}
	memcpy(bytes(d) + from, c->old->data + HEAD + draw(state, (room - n) / 8 + 1) * 8, n);
}

/* Sectors that begin inside of a write. */
static size_t tears(const struct op *o)
{
	return (o->at + o->n - 1) / IMAGE_SECTOR - o->at / IMAGE_SECTOR;
}

static size_t tear(const struct op *o, size_t sectors)
{
	return sectors ? (o->at / IMAGE_SECTOR + sectors) * IMAGE_SECTOR : o->at;
}

static void put(const struct crash *c, const struct op *o, enum fate fate, uint64_t *state,
		struct damage *d)
{
	size_t end = o->at + o->n, at = tear(o, draw(state, tears(o) + 1));

	switch (fate) {
	case FATE_KEPT:
		keep(c, d, o->at, end);
		break;
	case FATE_RANDOM:
		garble(d, o->at, end, state);
		break;
	case FATE_STALE:
		stale(c, d, o->at, end, state);
		break;
	case FATE_SPOILT:
		garble(d, at, end, state);
		/* fall through */
	case FATE_TORN:
		keep(c, d, o->at, at);
		break;
	default:
		break;
	}
}

void image_by_writes(const struct crash *c, const uint8_t *fate, uint64_t *state, struct damage *d)
{
	bool open = true; /* nothing stands behind yet */

	begin(c, d);
	for (size_t i = c->last; i-- > c->first;) {
		const struct op *o = &c->log->op[i];

		put(c, o, fate[i - c->first], state, d);
		if (open && fate[i - c->first] == FATE_DROPPED && draw(state, 2))
			d->n = o->at;
		else
			open = false;
	}
}

size_t image_tears(const struct crash *c)
{
	return tears(&c->log->op[c->last - 1]) + 1;
}

void image_torn(const struct crash *c, size_t sectors, bool zeros, struct damage *d)
{
	size_t at = tear(&c->log->op[c->last - 1], sectors);

	begin(c, d);
	keep(c, d, c->durable, at);
	if (!zeros)
		d->n = at;
}

size_t image_sectors(const struct crash *c)
{
	return (c->end - 1) / IMAGE_SECTOR - c->durable / IMAGE_SECTOR + 1;
}

/* Of a sector what was written to it before the file was `until` bytes long. */
static void sector_until(const struct crash *c, struct damage *d, size_t at, size_t size,
			 size_t until)
{
	size_t to = at + size < until ? at + size : until;

	if (at < to)
		keep(c, d, at, to);
}

void image_by_bits(const struct crash *c, uint64_t kept, struct damage *d)
{
	begin(c, d);
	for (size_t i = 0; i < image_sectors(c); i++)
		if (kept >> i & 1)
			sector_until(c, d, (c->durable / IMAGE_SECTOR + i) * IMAGE_SECTOR,
				     IMAGE_SECTOR, c->end);
}

/* How long the file was after some of the writes. */
static size_t some_length(const struct crash *c, uint64_t *state)
{
	const struct op *o = &c->log->op[c->first + draw(state, c->last - c->first)];

	return o->at + o->n;
}

/* A disk may destroy a sector that it writes to, and with it what was there before. */
static void spoil(const struct crash *c, struct damage *d, size_t at, size_t size, uint64_t *state)
{
	size_t to = at + size < c->end ? at + size : c->end;
	size_t from = at < c->durable && draw(state, 4) ? c->durable : at;

	if (from < d->safe)
		d->safe = from;
	if (draw(state, 2))
		garble(d, from, to, state);
	else
		stale(c, d, from, to, state);
}

/* Sectors that were swapped stay where they are: what a piece says of them holds. */
static bool was_swapped(const struct damage *d, size_t at, size_t size)
{
	for (unsigned int i = 1; i < d->n_pieces; i++)
		if (d->piece[i].at < at + size && at < d->piece[i].at + size)
			return true;
	return false;
}

static void swap(const struct crash *c, struct damage *d, size_t size, uint64_t *state)
{
	size_t first = (c->durable + size - 1) / size, n = d->n / size - first;
	size_t a, b;

	if (d->n / size < first + 2 || d->n_pieces > 3)
		return;
	a = (first + draw(state, n)) * size;
	b = (first + draw(state, n)) * size;
	if (a == b || was_swapped(d, a, size) || was_swapped(d, b, size))
		return;
	for (size_t i = 0; i < size; i++) {
		uint8_t x = bytes(d)[a + i];

		bytes(d)[a + i] = bytes(d)[b + i];
		bytes(d)[b + i] = x;
	}
	d->piece[d->n_pieces++] = (struct piece){ a, b, size };
	d->piece[d->n_pieces++] = (struct piece){ b, a, size };
	d->moved = d->may_hide = true;
}

void image_by_sectors(const struct crash *c, uint64_t *state, struct damage *d)
{
	size_t size = draw(state, 3) ? IMAGE_SECTOR : 4096;
	uint64_t lost = 1 + draw(state, 9), spoilt = draw(state, 3); /* of ten */

	begin(c, d);
	for (size_t at = c->durable / size * size; at < c->end; at += size) {
		uint64_t what = draw(state, 10);

		if (what < spoilt)
			spoil(c, d, at, size, state);
		else if (what < lost)
			sector_until(c, d, at, size, draw(state, 2) ? some_length(c, state) : 0);
		else
			sector_until(c, d, at, size, c->end);
	}
	switch (draw(state, 4)) {
	case 0:
		d->n = some_length(c, state);
		break;
	case 1:
		d->n = (c->durable / size + draw(state, image_sectors(c)) + 1) * size;
		break;
	default:
		break;
	}
	if (d->n > c->end)
		d->n = c->end;
	if (d->n < c->durable)
		d->n = c->durable;
	for (uint64_t i = draw(state, 4); i > 1; i--)
		swap(c, d, size, state);
}
