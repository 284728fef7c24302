/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs that are in order already are put on few piles, which are merged at once. What makes more
 * piles than PILES is merged in pairs.
 */
#include "timed.h"

#include "base/buf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PILES 64u

int xtr_timed_add(struct xtr_timed_list *l, uint64_t ts, uint64_t what)
{
	if (xtr_grow_array(&l->e, &l->cap, l->n + 1, sizeof(*l->e)))
		return -ENOMEM;
	l->e[l->n++] = (struct xtr_timed){ ts, what };
	return 0;
}

static size_t run_end(const struct xtr_timed_list *l, size_t from)
{
	size_t i = from + 1;

	while (i < l->n && l->e[i - 1].ts <= l->e[i].ts)
		i++;
	return i < l->n ? i : l->n;
}

static void swap(struct xtr_timed_list *l)
{
	struct xtr_timed *e = l->e;
	size_t cap = l->cap;

	l->e = l->tmp;
	l->cap = l->cap_tmp;
	l->tmp = e;
	l->cap_tmp = cap;
}

/* The runs [a, b) and [b, c) of e become one of tmp; what came first stays first. */
static void merge(struct xtr_timed_list *l, size_t a, size_t b, size_t c)
{
	const struct xtr_timed *from = l->e;
	struct xtr_timed *to = l->tmp;
	size_t i = a, j = b, k = a;

	while (i < b && j < c)
		to[k++] = from[j].ts < from[i].ts ? from[j++] : from[i++];
	memcpy(to + k, from + i, (b - i) * sizeof(*to));
	k += b - i;
	memcpy(to + k, from + j, (c - j) * sizeof(*to));
}

/* Pairs of runs are merged. Returns how many there are then. */
static size_t pass(struct xtr_timed_list *l)
{
	size_t runs = 0;

	for (size_t a = 0, b, c; a < l->n; a = c, runs++) {
		b = run_end(l, a);
		c = b < l->n ? run_end(l, b) : b;
		merge(l, a, b, c);
	}
	swap(l);
	return runs;
}

/* Runs that follow each other, each a part of e; `next` is an index + 1. */
struct part {
	uint32_t from, to, next;
};

struct pile {
	uint32_t first, last; /* parts */
	uint32_t at;          /* entry that is on top when piles are merged, in part `first` */
};

struct piles {
	struct part *parts;
	size_t n_parts, cap;
	struct pile pile[PILES];
	uint32_t n;
};

/* The pile whose last entry is not behind ts, and of these the youngest one; PILES: none. */
static uint32_t pile_for(const struct xtr_timed_list *l, const struct piles *s, uint64_t ts)
{
	uint64_t best = 0;
	uint32_t found = PILES;

	for (uint32_t i = 0; i < s->n; i++) {
		const uint64_t last = l->e[s->parts[s->pile[i].last].to - 1].ts;

		if (last <= ts && (found == PILES || last > best)) {
			best = last;
			found = i;
		}
	}
	return found;
}

/* 1: there are too many piles. */
static int put_on_piles(struct xtr_timed_list *l, struct piles *s)
{
	for (size_t from = 0, to; from < l->n; from = to) {
		const uint32_t part = (uint32_t)s->n_parts, pile = pile_for(l, s, l->e[from].ts);

		to = run_end(l, from);
		if (pile == PILES && s->n == PILES)
			return 1;
		if (xtr_grow_array(&s->parts, &s->cap, s->n_parts + 1, sizeof(*s->parts)))
			return -ENOMEM;
		s->parts[s->n_parts++] = (struct part){ (uint32_t)from, (uint32_t)to, 0 };
		if (pile == PILES) {
			s->pile[s->n++] = (struct pile){ part, part, (uint32_t)from };
			continue;
		}
		s->parts[s->pile[pile].last].next = part + 1;
		s->pile[pile].last = part;
	}
	return 0;
}

/* Is the top of a before that of b? Of equal ones what was added first is. */
static bool on_top(const struct xtr_timed_list *l, const struct pile *a, const struct pile *b)
{
	const struct xtr_timed *x = &l->e[a->at], *y = &l->e[b->at];

	return x->ts != y->ts ? x->ts < y->ts : a->at < b->at;
}

/* The top of a pile is taken. False: the pile is empty. */
static bool take_top(const struct piles *s, struct pile *p)
{
	if (++p->at < s->parts[p->first].to)
		return true;
	if (!s->parts[p->first].next)
		return false;
	p->first = s->parts[p->first].next - 1;
	p->at = s->parts[p->first].from;
	return true;
}

/* The first of n piles goes down to its place in the heap. */
static void sink_pile(const struct xtr_timed_list *l, struct pile *p, uint32_t n, uint32_t i)
{
	const struct pile moved = p[i];

	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && on_top(l, &p[child + 1], &p[child]))
			child++;
		if (!on_top(l, &p[child], &moved))
			break;
		p[i] = p[child];
	}
	p[i] = moved;
}

static void merge_piles(struct xtr_timed_list *l, struct piles *s)
{
	size_t k = 0;

	for (uint32_t i = s->n / 2; i--;)
		sink_pile(l, s->pile, s->n, i);
	while (s->n) {
		l->tmp[k++] = l->e[s->pile[0].at];
		if (!take_top(s, &s->pile[0]))
			s->pile[0] = s->pile[--s->n];
		if (s->n)
			sink_pile(l, s->pile, s->n, 0);
	}
	swap(l);
}

int xtr_timed_sort(struct xtr_timed_list *l)
{
	struct piles s = { 0 };
	int err;

	if (!l->n || run_end(l, 0) == l->n)
		return 0;
	if (xtr_grow_array(&l->tmp, &l->cap_tmp, l->n, sizeof(*l->tmp)))
		return -ENOMEM;
	err = put_on_piles(l, &s);
	if (!err)
		merge_piles(l, &s);
	free(s.parts);
	if (err <= 0)
		return err;
	while (pass(l) > 1)
		;
	return 0;
}

void xtr_timed_free(struct xtr_timed_list *l)
{
	free(l->e);
	free(l->tmp);
	*l = (struct xtr_timed_list){ 0 };
}
