/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks in memory of a fixed size: what comes out is what went in, for any sizes. */
#include "recorder/flight/chunk_ring.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define SIZE    ((size_t)1 << 16)
#define LONGEST 9000u
#define MOST    4096u /* chunks that the model holds */

/* The same as a plain list: number and length of each chunk. */
struct model {
	uint64_t number[MOST];
	uint32_t len[MOST];
	size_t n, cost;
};

static uint8_t byte_of(uint64_t number, uint32_t i)
{
	return (uint8_t)(number * 31 + i * 7);
}

static bool put(struct xtr_chunk_ring *r, uint64_t number, uint32_t len)
{
	static uint8_t data[LONGEST];
	const struct xtr_chunk c = { .ts_min = number, .stored_len = len, .type = 2 };

	for (uint32_t i = 0; i < len; i++)
		data[i] = byte_of(number, i);
	return xtr_chunk_ring_put(r, &c, data);
}

static void model_put(struct model *m, uint64_t number, uint32_t len)
{
	cr_assert_lt(m->n, MOST);
	m->number[m->n] = number;
	m->len[m->n++] = len;
	m->cost += xtr_chunk_ring_cost(len);
}

static void model_drop(struct model *m)
{
	m->cost -= xtr_chunk_ring_cost(m->len[0]);
	m->n--;
	memmove(m->number, m->number + 1, m->n * sizeof(*m->number));
	memmove(m->len, m->len + 1, m->n * sizeof(*m->len));
}

static void check(const struct xtr_chunk_ring *r, const struct model *m)
{
	struct xtr_chunk_walk w = { 0 };
	const struct xtr_chunk *c;
	const uint8_t *p;
	size_t i = 0;

	cr_assert_eq(r->n, m->n);
	for (; (c = xtr_chunk_ring_next(r, &w, &p)); i++) {
		cr_assert_lt(i, m->n);
		cr_assert_eq(c->ts_min, m->number[i]);
		cr_assert_eq(c->stored_len, m->len[i]);
		for (uint32_t k = 0; k < c->stored_len; k++)
			cr_assert_eq(p[k], byte_of(m->number[i], k));
	}
	cr_assert_eq(i, m->n);
	cr_assert_geq(r->used, m->cost);
	cr_assert_leq(r->used, r->size);
	if (m->n)
		cr_assert_eq(xtr_chunk_ring_oldest(r)->ts_min, m->number[0]);
	else
		cr_assert_null(xtr_chunk_ring_oldest(r));
}

/* As the recorder does: the oldest go until there is room. */
static void random_sizes(unsigned int seed, uint32_t longest)
{
	struct xtr_chunk_ring r;
	static struct model m;
	uint64_t number = 0;

	srand(seed);
	memset(&m, 0, sizeof(m));
	cr_assert_eq(xtr_chunk_ring_open(&r, SIZE), 0);
	for (int step = 0; step < 3000; step++) {
		uint32_t len = (uint32_t)rand() % (longest + 1);

		while (!put(&r, number, len)) {
			cr_assert_gt(m.n, 0, "an empty ring has room");
			xtr_chunk_ring_drop(&r);
			model_drop(&m);
		}
		model_put(&m, number++, len);
		for (int k = rand() % 40 ? 0 : rand() % 30; k && m.n; k--) {
			xtr_chunk_ring_drop(&r);
			model_drop(&m);
		}
		if (step % 16 == 0)
			check(&r, &m);
		cr_assert_eq(r.first + r.n, number);
	}
	check(&r, &m);
	xtr_chunk_ring_close(&r);
}

Test(chunk_ring, any_sizes)
{
	for (unsigned int seed = 1; seed <= 4; seed++) {
		random_sizes(seed, LONGEST);
		random_sizes(seed, 200);
		random_sizes(seed, 0);
	}
}

Test(chunk_ring, is_filled_to_the_last_byte)
{
	const uint32_t len = (uint32_t)(SIZE / 4 - xtr_chunk_ring_cost(0));
	struct xtr_chunk_ring r;

	cr_assert_eq(xtr_chunk_ring_open(&r, SIZE), 0);
	cr_assert_leq(len, 20000);
	cr_assert_eq(xtr_chunk_ring_cost(len), SIZE / 4);
	for (uint64_t i = 0; i < 40; i++) {
		const struct xtr_chunk c = { .ts_min = i, .stored_len = len };
		uint8_t *data = calloc(1, len);

		cr_assert_eq(xtr_chunk_ring_put(&r, &c, data), i < 4);
		if (i >= 4) {
			xtr_chunk_ring_drop(&r);
			cr_assert(xtr_chunk_ring_put(&r, &c, data));
		}
		free(data);
		cr_assert_eq(r.used, (i < 4 ? i + 1 : 4) * SIZE / 4);
	}
	cr_assert_eq(xtr_chunk_ring_oldest(&r)->ts_min, 36);
	xtr_chunk_ring_close(&r);
}

Test(chunk_ring, what_is_too_large_is_refused)
{
	const struct xtr_chunk c = { .stored_len = SIZE };
	struct xtr_chunk_ring r;
	uint8_t *data = calloc(1, SIZE);

	cr_assert_eq(xtr_chunk_ring_open(&r, SIZE), 0);
	cr_assert_not(xtr_chunk_ring_put(&r, &c, data));
	cr_assert_eq(r.n, 0);
	cr_assert(put(&r, 0, 100));
	xtr_chunk_ring_drop(&r);
	cr_assert_eq(r.used, 0);
	free(data);
	xtr_chunk_ring_close(&r);
	xtr_chunk_ring_close(&r);
}
