/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks. Snapshots say what several clocks showed at one instant. A time goes from its clock to
 * the trace's by the shortest way over snapshots, on each step by the last one before the time, or
 * by the first one (docs/concepts/clock-sync of Perfetto says the same).
 */
#include "pftrace_core.h"

#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of ClockSnapshot and ClockSnapshot.Clock */
#define F_CLOCK       1u
#define F_PRIMARY     2u
#define F_ID          1u
#define F_TIME        2u
#define F_INCREMENTAL 3u
#define F_UNIT        4u

#define SET_CLOCKS 32u /* of one snapshot */
#define WAY_MAX    4u  /* steps */
#define NO_CLOCK   PFT_CLOCKS_MAX

static uint64_t key_of(const struct pft_seq *seq, uint32_t id)
{
	bool own = id >= PFT_CLOCK_SEQ_FIRST && id < 2 * PFT_CLOCK_SEQ_FIRST;

	return own && seq ? (uint64_t)seq->id << 32 | id : id;
}

static uint32_t find(const struct pft_clocks *c, uint64_t key)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->clock[i].key == key)
			return i;
	return NO_CLOCK;
}

static uint32_t find_or_add(struct pft_clocks *c, uint64_t key)
{
	uint32_t i = find(c, key);

	if (i != NO_CLOCK || c->n == PFT_CLOCKS_MAX)
		return i;
	c->clock[c->n] = (struct pft_clock){ .key = key };
	return c->n++;
}

static void forget_conversions(struct pft_clocks *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->clock[i].cached = false;
}

/* --- snapshots -------------------------------------------------------------------------------- */

static struct pft_snapshots *set_of(struct pft_clocks *c, const uint8_t *clocks, uint32_t n)
{
	struct pft_snapshots *s;

	for (size_t i = 0; i < c->n_sets; i++)
		if (c->sets[i].n_clocks == n && !memcmp(c->sets[i].clocks, clocks, n))
			return &c->sets[i];
	if (xtr_grow_array(&c->sets, &c->cap_sets, c->n_sets + 1, sizeof(*s)))
		return NULL;
	s = &c->sets[c->n_sets++];
	*s = (struct pft_snapshots){ .n_clocks = n };
	memcpy(s->clocks, clocks, n);
	return s;
}

/* The clock has the properties that it had before, or those that are told now. */
static bool same_clock(struct pft_clock *clock, const struct pft_clock_value *v)
{
	if (!clock->unit) {
		clock->unit = v->unit;
		clock->incremental = v->incremental;
	}
	return clock->unit == v->unit && clock->incremental == v->incremental;
}

/* The clocks and times of a snapshot. False: it makes no sense. */
static bool values_of(struct pft_clocks *c, const struct pft_seq *seq,
		      const struct pft_clock_value *v, size_t n, uint8_t *clocks, int64_t *ns)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t k = find_or_add(c, key_of(seq, v[i].id));
		bool own = v[i].id >= PFT_CLOCK_SEQ_FIRST;

		if (k == NO_CLOCK || memchr(clocks, (int)k, i) || (v[i].incremental && !own))
			return false;
		if (!same_clock(&c->clock[k], &v[i]) ||
		    __builtin_mul_overflow((int64_t)v[i].value, (int64_t)v[i].unit, &ns[i]))
			return false;
		if (v[i].id == c->trace && v[i].unit != 1)
			return false;
		clocks[i] = (uint8_t)k;
	}
	return true;
}

/* A clock that went backwards tells no other's time; the trace's may not. */
static bool goes_on(struct pft_clocks *c, const struct pft_snapshots *s, const int64_t *ns)
{
	const int64_t *last = s->rows ? s->v + (s->rows - 1) * s->n_clocks : ns;

	for (uint32_t i = 0; i < s->n_clocks; i++)
		if (ns[i] < last[i] && c->clock[s->clocks[i]].key == c->trace)
			return false;
	for (uint32_t i = 0; i < s->n_clocks; i++)
		c->clock[s->clocks[i]].backwards |= ns[i] < last[i];
	return true;
}

int pft_clock_add(struct pftrace *p, const struct pft_seq *seq, const struct pft_clock_value *v,
		  size_t n)
{
	struct pft_clocks *c = &p->clocks;
	uint8_t clocks[SET_CLOCKS] = { 0 };
	int64_t ns[SET_CLOCKS];
	struct pft_snapshots *s;

	if (n > SET_CLOCKS || !values_of(c, seq, v, n, clocks, ns) ||
	    c->n_values + n > PFT_CLOCK_VALUES) {
		xtr_import_damage(p->im, "a snapshot of clocks makes no sense");
		return 0;
	}
	s = set_of(c, clocks, (uint32_t)n);
	if (!s || xtr_grow_array(&s->v, &s->cap, (s->rows + 1) * n, sizeof(*s->v)))
		return -ENOMEM;
	if (!goes_on(c, s, ns)) {
		xtr_import_damage(p->im, "a snapshot of clocks makes no sense");
		return 0;
	}
	memcpy(s->v + s->rows++ * n, ns, n * sizeof(*ns));
	c->n_values += n;
	for (size_t i = 0; i < n; i++)
		c->clock[clocks[i]].last = ns[i];
	forget_conversions(c);
	return 0;
}

static struct pft_clock_value read_clock(struct pft_msg m)
{
	struct pft_clock_value v = { .unit = 1 };
	struct pft_field f;

	while (pft_next(&m, &f)) {
		if (f.num == F_ID)
			v.id = (uint32_t)f.v;
		else if (f.num == F_TIME)
			v.value = f.v;
		else if (f.num == F_INCREMENTAL)
			v.incremental = f.v;
		else if (f.num == F_UNIT && f.v)
			v.unit = f.v;
	}
	return v;
}

/* The trace's clock is settled with the first record. */
static void set_primary(struct pft_clocks *c, uint32_t id)
{
	if (!id || id >= PFT_CLOCK_SEQ_FIRST || c->settled || c->chosen || c->trace == id)
		return;
	c->trace = id;
	forget_conversions(c);
}

int pft_clock_snapshot(struct pftrace *p, const struct pft_seq *seq, struct pft_msg m)
{
	struct pft_clock_value v[SET_CLOCKS];
	const struct pft_clock_value *wall = NULL, *trace = NULL;
	struct pft_field f;
	size_t n = 0;
	int err;

	while (pft_next(&m, &f)) {
		if (f.num == F_CLOCK && f.wire == 2 && n < SET_CLOCKS)
			v[n++] = read_clock(pft_sub(&f));
		else if (f.num == F_PRIMARY)
			set_primary(&p->clocks, (uint32_t)f.v);
	}
	if (!n)
		return 0;
	err = pft_clock_add(p, seq, v, n);
	for (size_t i = 0; i < n; i++) {
		wall = v[i].id == PFT_CLOCK_REALTIME ? &v[i] : wall;
		trace = v[i].id == p->clocks.trace ? &v[i] : trace;
	}
	if (wall && trace && !p->clocks.wall) {
		p->clocks.wall = (int64_t)wall->value;
		p->clocks.wall_at = (int64_t)trace->value;
	}
	return err;
}

/* --- conversion ------------------------------------------------------------------------------- */

struct step {
	const struct pft_snapshots *s;
	uint32_t from, to; /* columns */
};

struct way {
	uint32_t n;
	struct step step[WAY_MAX];
};

/* The first way that is found from the clock to the one of the trace, breadth first. */
static bool find_way(const struct pft_clocks *c, uint32_t from, uint32_t to, struct way *way)
{
	struct {
		struct step step;
		uint32_t before, len;
		bool been;
	} node[PFT_CLOCKS_MAX] = { 0 };
	uint32_t queue[PFT_CLOCKS_MAX], n = 0;

	queue[n++] = from;
	node[from].been = true;
	for (uint32_t q = 0; q < n && !node[to].been; q++) {
		const uint32_t at = queue[q];

		for (size_t i = 0; i < c->n_sets && node[at].len < WAY_MAX; i++) {
			const struct pft_snapshots *s = &c->sets[i];
			const uint8_t *col = memchr(s->clocks, (int)at, s->n_clocks);

			if (!col || c->clock[at].backwards || !s->rows)
				continue;
			for (uint32_t k = 0; k < s->n_clocks; k++) {
				const uint32_t next = s->clocks[k];

				if (node[next].been)
					continue;
				node[next].been = true;
				node[next].before = at;
				node[next].len = node[at].len + 1;
				node[next].step =
					(struct step){ s, (uint32_t)(col - s->clocks), k };
				queue[n++] = next;
			}
		}
	}
	way->n = node[to].been ? node[to].len : 0;
	for (uint32_t i = way->n, at = to; i--; at = node[at].before)
		way->step[i] = node[at].step;
	return node[to].been;
}

/* The last row that is not after ns, or the first. */
static size_t row_at(const struct step *st, int64_t ns)
{
	const struct pft_snapshots *s = st->s;
	size_t low = 0, high = s->rows, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->v[mid * s->n_clocks + st->from] <= ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? low - 1 : 0;
}

static int64_t add(int64_t a, int64_t b)
{
	int64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return r;
}

/* Along the way; the clock remembers for which times the result is the same shift. */
static int64_t go(struct pft_clock *clock, const struct way *way, int64_t ns)
{
	int64_t shift = 0, min = INT64_MIN, max = INT64_MAX;

	for (uint32_t i = 0; i < way->n; i++) {
		const struct step *st = &way->step[i];
		const size_t row = row_at(st, add(ns, shift));
		const int64_t *v = st->s->v + row * st->s->n_clocks;
		int64_t bound;

		if (row) {
			bound = add(v[st->from], -shift);
			min = bound > min ? bound : min;
		}
		if (row + 1 < st->s->rows) {
			bound = add(v[st->s->n_clocks + st->from], -shift);
			max = bound < max ? bound : max;
		}
		shift = add(shift,
			    add(v[st->to], v[st->from] == INT64_MIN ? INT64_MAX : -v[st->from]));
	}
	clock->cached = true;
	clock->min = min;
	clock->max = max;
	clock->shift = shift;
	return add(ns, shift);
}

static bool to_ns(struct pft_clock *clock, uint64_t value, int64_t *ns)
{
	if (__builtin_mul_overflow((int64_t)value, (int64_t)(clock->unit ? clock->unit : 1), ns))
		return false;
	if (clock->incremental)
		*ns = clock->last = add(clock->last, *ns);
	return true;
}

static bool convert(struct pft_clocks *c, struct pft_clock *clock, int64_t ns, int64_t *out)
{
	uint32_t to = find(c, c->trace);
	struct way way;

	if (clock->cached && ns >= clock->min && ns < clock->max) {
		*out = add(ns, clock->shift);
		return true;
	}
	if (to == NO_CLOCK || !find_way(c, (uint32_t)(clock - c->clock), to, &way))
		return false;
	*out = go(clock, &way, ns);
	return true;
}

bool pft_time(struct pftrace *p, const struct pft_seq *seq, uint32_t id, uint64_t value,
	      uint64_t *ts)
{
	struct pft_clocks *c = &p->clocks;
	int64_t ns = 0, out = 0;
	uint32_t k;

	if (id == c->trace) {
		*ts = value;
		return value <= INT64_MAX;
	}
	k = find_or_add(c, key_of(seq, id));
	if (k == NO_CLOCK)
		return false;
	if (!to_ns(&c->clock[k], value, &ns) || !convert(c, &c->clock[k], ns, &out) || out < 0) {
		c->clock[k].failed++;
		return false;
	}
	*ts = (uint64_t)out;
	return true;
}

/* --- at the end ------------------------------------------------------------------------------- */

static const struct {
	uint32_t id;
	const char *name;
} names[] = {
	{ 1, "realtime" },    { 2, "realtime-coarse" }, { 3, "mono" },
	{ 4, "mono-coarse" }, { 5, "mono_raw" },        { 6, "boot" },
	{ 9, "tsc" },         { 10, "perf" },
};

static const char *name_of(uint64_t key, char *buf, size_t cap)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].id == key)
			return names[i].name;
	snprintf(buf, cap, "clock-%" PRIu32, (uint32_t)key);
	return buf;
}

void pft_trace_clock(struct pftrace *p, uint32_t clock)
{
	struct pft_clocks *c = &p->clocks;
	const uint32_t before = c->trace;
	uint64_t wall_at;

	set_primary(c, clock);
	if (c->trace == before)
		return;
	if (!pft_time(p, NULL, before, (uint64_t)c->wall_at, &wall_at)) {
		set_primary(c, before);
		return;
	}
	c->wall_at = (int64_t)wall_at;
	c->chosen = true;
}

int pft_clock_tell(struct pftrace *p)
{
	struct pft_clocks *c = &p->clocks;
	char name[32];
	uint64_t failed = 0;
	int err = xtr_import_clock(p->im, name_of(c->trace, name, sizeof(name)));

	if (!err && c->wall > 0 && c->wall_at >= 0)
		err = xtr_import_wall_clock(p->im, (uint64_t)c->wall_at, (uint64_t)c->wall);
	for (uint32_t i = 0; i < c->n; i++) {
		if (!c->clock[i].failed)
			continue;
		failed += c->clock[i].failed;
		xtr_import_damage(p->im,
				  "%" PRIu64 " times on clock %s, which no snapshot relates "
				  "to the trace's",
				  c->clock[i].failed, name_of(c->clock[i].key, name, sizeof(name)));
	}
	return err ? err : pft_note_number(p, "import-times-left-out", failed);
}

void pft_clocks_free(struct pft_clocks *c)
{
	for (size_t i = 0; i < c->n_sets; i++)
		free(c->sets[i].v);
	free(c->sets);
}
