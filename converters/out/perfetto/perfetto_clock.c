/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfetto_clock.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#define NOT_READ UINT64_MAX /* as an error: there was no reading of the clock yet */

static uint64_t distance(uint64_t a, uint64_t b)
{
	uint64_t d = a - b;

	return d < 1ull << 63 ? d : -d;
}

/* Both readings' errors explain at most this much. */
static bool same(uint64_t a, uint64_t a_error, uint64_t b, uint64_t b_error)
{
	if (a_error == NOT_READ || b_error == NOT_READ)
		return true;
	return distance(a, b) <= PF_CLOCK_JUMP_NS + a_error / 2 + b_error / 2;
}

static int add_span(struct pf_clock *c, const struct pf_clock_span *s)
{
	int err = xtr_grow_array(&c->span, &c->cap, c->n + 1, sizeof(*c->span));

	if (!err)
		c->span[c->n++] = *s;
	return err;
}

/* What one reading says; clocks that it lacks are as before. */
static struct pf_clock_span span_of(const struct pf_clock *c, const struct xtr_clock_snapshot *r)
{
	uint64_t error = r->after - r->before, middle = r->before + error / 2;
	struct pf_clock_span s = { .boot_error = NOT_READ, .real_error = NOT_READ };

	if (c->n)
		s = c->span[c->n - 1];
	s.from = r->before;
	s.same_boot = false;
	if (r->boottime) {
		s.boot = r->boottime - middle;
		s.boot_error = error;
	}
	if (r->realtime) {
		s.real = r->realtime - middle;
		s.real_error = error;
	}
	return s;
}

/* Into the present span if it says the same: the quicker reading is the better one. */
static int add_reading(struct pf_clock *c, const struct xtr_clock_snapshot *r)
{
	struct pf_clock_span s, *last = c->n ? &c->span[c->n - 1] : NULL;
	bool boot_same, real_same;

	if (r->after < r->before)
		return 0;
	s = span_of(c, r);
	c->boot_known |= r->boottime != 0;
	c->real_known |= r->realtime != 0;
	if (!last)
		return add_span(c, &s);
	boot_same = same(s.boot, s.boot_error, last->boot, last->boot_error);
	real_same = same(s.real, s.real_error, last->real, last->real_error);
	if (boot_same && s.boot_error < last->boot_error) {
		last->boot = s.boot;
		last->boot_error = s.boot_error;
	}
	if (real_same && s.real_error < last->real_error) {
		last->real = s.real;
		last->real_error = s.real_error;
	}
	if (boot_same && real_same)
		return 0;
	if (boot_same) {
		s.boot = last->boot;
		s.boot_error = last->boot_error;
		s.same_boot = true;
	}
	if (real_same)
		s.real = last->real;
	return add_span(c, &s);
}

/* A better reading holds for all spans of the same offset: no time changes where only the wall
 * clock was set. */
static void spread_back(struct pf_clock *c)
{
	for (size_t i = c->n; i > 1; i--)
		if (c->span[i - 1].same_boot)
			c->span[i - 2].boot = c->span[i - 1].boot;
}

/* A suspend moves BOOTTIME and the wall clock alike: between these two nothing changes. */
static void keep_wall(struct pf_clock *c)
{
	const struct pf_clock_span *a;
	struct pf_clock_span *b;

	for (size_t i = 1; i < c->n; i++) {
		a = &c->span[i - 1];
		b = &c->span[i];
		if (same(a->real - a->boot, a->real_error, b->real - b->boot, b->real_error))
			b->real = b->boot + (a->real - a->boot);
	}
}

int pf_clock_init(struct pf_clock *c, const struct xtr_section *s, uint64_t base)
{
	const char *name = xtr_meta_clock(xtr_section_meta(s));
	const struct pf_clock_span none = { 0 };
	int err = 0;

	*c = (struct pf_clock){ .base = base, .monotonic = !strcmp(name, "monotonic") };
	for (size_t i = 0; i < xtr_section_n_clocks(s) && !err; i++)
		err = add_reading(c, xtr_section_clock(s, i));
	if (!err && !c->n)
		err = add_span(c, &none);
	if (err)
		return err;
	spread_back(c);
	keep_wall(c);
	if (!strcmp(name, "boottime"))
		c->boot_known = true;
	return 0;
}

void pf_clock_free(struct pf_clock *c)
{
	free(c->span);
	*c = (struct pf_clock){ 0 };
}

void pf_clock_align(struct pf_clock *c, uint64_t boot)
{
	uint64_t mine = c->span[0].boot;

	if (distance(mine, boot) > PF_CLOCK_JUMP_NS)
		return;
	for (size_t i = 0; i < c->n && c->span[i].boot == mine; i++) {
		c->span[i].boot = boot;
		c->span[i].real += boot - mine;
	}
}

uint64_t pf_clock_one_wall(struct pf_clock *c, uint64_t wall)
{
	uint64_t mine = c->span[0].real - c->span[0].boot;

	if (distance(mine, wall) > PF_CLOCK_JUMP_NS)
		wall = mine;
	for (size_t i = 0; i < c->n; i++)
		c->span[i].real = c->span[i].boot + wall;
	return wall;
}

/* The span that holds at ts; before the first one's begin it is the first. */
static size_t span_at(const struct pf_clock *c, uint64_t ts)
{
	size_t lo = 0, hi = c->n, mid;

	while (hi - lo > 1) {
		mid = lo + (hi - lo) / 2;
		if (c->span[mid].from <= ts)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

uint64_t pf_clock_boot(const struct pf_clock *c, uint64_t ts)
{
	return ts + c->span[span_at(c, ts)].boot;
}
