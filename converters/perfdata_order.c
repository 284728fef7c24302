// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records of all CPUs in order of time. perf reads the CPUs' buffers one after the other, and says
 * with FINISHED_ROUND that it has been through them all: what is older than the youngest record of
 * the round before has come then (tools/perf/util/ordered-events.c). What waits lies in blocks of
 * memory; it is sorted by merging its runs, of which each CPU's part of a round is one. Without
 * rounds, or where a round holds more than there is room for, the older half goes.
 */
#include "perfdata_priv.h"

#include "format/buf.h"

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

static size_t run_end(const struct perf_entry *e, size_t from, size_t n)
{
	size_t i = from + 1;

	while (i < n && e[i - 1].ts <= e[i].ts)
		i++;
	return i < n ? i : n;
}

/* The runs [a, b) and [b, c) of `from` become one of `to`; what came first stays first. */
static void merge(const struct perf_entry *from, struct perf_entry *to, size_t a, size_t b,
		  size_t c)
{
	size_t i = a, j = b, k = a;

	while (i < b && j < c)
		to[k++] = from[j].ts < from[i].ts ? from[j++] : from[i++];
	memcpy(to + k, from + i, (b - i) * sizeof(*to));
	k += b - i;
	memcpy(to + k, from + j, (c - j) * sizeof(*to));
}

/* One pass: pairs of runs are merged. Returns how many there are then. */
static size_t pass(struct perf_order *o)
{
	struct perf_entry *swap = o->e;
	size_t runs = 0, cap = o->cap;

	for (size_t a = 0, b, c; a < o->n; a = c, runs++) {
		b = run_end(o->e, a, o->n);
		c = b < o->n ? run_end(o->e, b, o->n) : b;
		merge(o->e, o->tmp, a, b, c);
	}
	o->e = o->tmp;
	o->tmp = swap;
	o->cap = o->cap_tmp;
	o->cap_tmp = cap;
	return runs;
}

static int sort(struct perf_order *o)
{
	if (o->sorted == o->n || run_end(o->e, 0, o->n) == o->n)
		return 0;
	if (xtr_grow_array(&o->tmp, &o->cap_tmp, o->n, sizeof(*o->tmp)))
		return -ENOMEM;
	while (pass(o) > 1)
		;
	return 0;
}

/* The n oldest go. */
static int hand_over(struct perfdata *d, size_t n)
{
	struct perf_order *o = &d->order;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		const struct perf_record r = perf_record_of(d, o->e[i].rec);

		if (o->e[i].ts < o->handed)
			o->late++;
		else
			o->handed = o->e[i].ts;
		err = perf_hand_over(d, o->e[i].ts, &r);
		release(o, o->e[i].rec);
	}
	o->n -= n;
	memmove(o->e, o->e + n, o->n * sizeof(*o->e));
	o->sorted = o->n;
	return err;
}

static size_t not_after(const struct perf_order *o, uint64_t ts)
{
	size_t low = 0, high = o->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (o->e[mid].ts <= ts)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int perf_order_add(struct perfdata *d, uint64_t ts, const struct perf_record *r)
{
	struct perf_order *o = &d->order;
	size_t held = o->held + 2 * o->n * sizeof(*o->e);
	uint8_t *copy;
	int err = 0;

	if (held >= PERF_HELD_BYTES && o->n > 1 && !has_room(o, PREFIX_BYTES + r->n + 7)) {
		err = sort(o);
		if (!err)
			err = hand_over(d, (o->n + 1) / 2);
	}
	if (!err)
		err = keep(o, r, &copy);
	if (!err && xtr_grow_array(&o->e, &o->cap, o->n + 1, sizeof(*o->e)))
		err = -ENOMEM;
	if (err)
		return err;
	o->e[o->n++] = (struct perf_entry){ ts, copy };
	if (ts > o->max_ts)
		o->max_ts = ts;
	return 0;
}

int perf_order_round(struct perfdata *d)
{
	struct perf_order *o = &d->order;
	int err = o->n ? sort(o) : 0;

	o->sorted = o->n;
	if (!err && o->n)
		err = hand_over(d, not_after(o, o->round_ts));
	o->round_ts = o->max_ts;
	return err;
}

int perf_order_all(struct perfdata *d)
{
	int err = d->order.n ? sort(&d->order) : 0;

	return err || !d->order.n ? err : hand_over(d, d->order.n);
}

void perf_order_free(struct perf_order *o)
{
	for (size_t i = 0; i < o->n_blocks; i++)
		free(o->blocks[i].p);
	free(o->blocks);
	free(o->e);
	free(o->tmp);
}
