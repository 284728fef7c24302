/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of all CPUs in order of time. perf reads the CPUs' buffers one after the other, and says
 * with FINISHED_ROUND that it has been through them all: what is older than the youngest record of
 * the round before has come then (tools/perf/util/ordered-events.c). What waits lies in blocks of
 * memory; it is sorted by merging its runs, of which each CPU's part of a round is one. Without
 * rounds, or where a round holds more than there is room for, the older half goes.
 */
#include "perfdata_priv.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

#define BLOCK_BYTES  ((size_t)256 << 10)
#define PREFIX_BYTES 8u /* before each record: the number of its block */

/* --- room ------------------------------------------------------------------------------------- */

static int another_block(struct perf_order *o)
{
	struct perf_block *b;

	for (size_t i = 0; i < o->n_blocks; i++) {
		if (!o->blocks[i].live) {
			o->blocks[i].used = 0;
			o->current = i;
			return 0;
		}
	}
	if (xtr_grow_array(&o->blocks, &o->cap_blocks, o->n_blocks + 1, sizeof(*b)))
		return -ENOMEM;
	b = &o->blocks[o->n_blocks];
	*b = (struct perf_block){ .p = malloc(BLOCK_BYTES) };
	if (!b->p)
		return -ENOMEM;
	o->current = o->n_blocks++;
	o->held += BLOCK_BYTES;
	return 0;
}

static bool has_room(const struct perf_order *o, size_t n)
{
	return o->n_blocks && o->blocks[o->current].used + n <= BLOCK_BYTES;
}

/* A copy of the record that stays until it is released. */
static int keep(struct perf_order *o, const struct perf_record *r, uint8_t **copy)
{
	size_t n = PREFIX_BYTES + (((size_t)r->n + 7) & ~(size_t)7);
	uint64_t number;
	struct perf_block *b;
	int err = has_room(o, n) ? 0 : another_block(o);

	if (err)
		return err;
	b = &o->blocks[o->current];
	number = o->current;
	memcpy(b->p + b->used, &number, sizeof(number));
	*copy = b->p + b->used + PREFIX_BYTES;
	memcpy(*copy, r->p, r->n);
	b->used += (uint32_t)n;
	b->live++;
	return 0;
}

static void release(struct perf_order *o, const uint8_t *rec)
{
	uint64_t number;

	memcpy(&number, rec - PREFIX_BYTES, sizeof(number));
	o->blocks[number].live--;
}

/* --- order ------------------------------------------------------------------------------------ */

static int sort(struct perf_order *o)
{
	return o->sorted == o->list.n ? 0 : xtr_timed_sort(&o->list);
}

static uint8_t *record_of(const struct xtr_timed *e)
{
	return (uint8_t *)(uintptr_t)e->what;
}

/* The n oldest go. */
static int hand_over(struct perfdata *d, size_t n)
{
	struct perf_order *o = &d->order;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		const struct perf_record r = perf_record_of(d, record_of(&o->list.e[i]));

		if (o->list.e[i].ts < o->handed)
			o->late++;
		else
			o->handed = o->list.e[i].ts;
		err = perf_hand_over(d, o->list.e[i].ts, &r);
		release(o, record_of(&o->list.e[i]));
	}
	o->list.n -= n;
	memmove(o->list.e, o->list.e + n, o->list.n * sizeof(*o->list.e));
	o->sorted = o->list.n;
	return err;
}

static size_t not_after(const struct perf_order *o, uint64_t ts)
{
	size_t low = 0, high = o->list.n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (o->list.e[mid].ts <= ts)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int perf_order_add(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	struct perf_order *o = &d->order;
	size_t held = o->held + 2 * o->list.n * sizeof(*o->list.e);
	uint8_t *copy;
	int err = 0;

	if (held >= PERF_HELD_BYTES && o->list.n > 1 && !has_room(o, PREFIX_BYTES + r->n + 7)) {
		err = sort(o) ?: hand_over(d, (o->list.n + 1) / 2);
	}
	err = err ?: keep(o, r, &copy) ?: xtr_timed_add(&o->list, ts, (uintptr_t)copy);
	if (err)
		return err;
	if (ts > o->max_ts)
		o->max_ts = ts;
	return 0;
}

int perf_order_round(struct perfdata *d)
{
	struct perf_order *o = &d->order;
	int err = o->list.n ? sort(o) : 0;

	o->sorted = o->list.n;
	if (!err && o->list.n)
		err = hand_over(d, not_after(o, o->round_ts));
	o->round_ts = o->max_ts;
	return err;
}

int perf_order_all(struct perfdata *d)
{
	int err = d->order.list.n ? sort(&d->order) : 0;

	return err || !d->order.list.n ? err : hand_over(d, d->order.list.n);
}

void perf_order_free(struct perf_order *o)
{
	for (size_t i = 0; i < o->n_blocks; i++)
		free(o->blocks[i].p);
	free(o->blocks);
	xtr_timed_free(&o->list);
}
