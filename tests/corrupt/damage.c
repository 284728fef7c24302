/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damages copies of whole files in memory and holds each against what parts/judge.h demands.
 *
 * usage: damage truncations FILE...      every length
 *        damage flips FILE...            every bit
 *        damage regions SEED N FILE...   N regions of each file zeroed, removed, doubled, swapped
 *                                        or written to another place; files of one section
 *        damage forged FILE...           chunks of each file, and forged ones, inside payloads,
 * with every length, and every bit flipped of what holds them EVERY=K in the environment: only each
 * K-th case of the first two (for builds that are slow). Prints one line for each broken demand, at
 * most 20, then `CASES cases, BROKEN broken`.
 */
#include "parts/forge.h"
#include "parts/judge.h"
#include "format/xtr_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t n_cases, n_broken;
static size_t every = 1;

static void one(struct truth *t, const struct damage *d, const char *what, size_t a, size_t b)
{
	const char *why = judge(t, d);

	n_cases++;
	if (!why)
		return;
	if (n_broken++ < 20)
		printf("FAIL %s: %s %zu %zu: %s\n", t->name, what, a, b, why);
}

/* Every length but those in [skip, skip_to). */
static void truncations(struct truth *t, size_t skip, size_t skip_to)
{
	for (size_t n = n_cases % every; n < t->n; n += every) {
		if (n >= skip && n < skip_to)
			continue;
		/* A copy of this size, so that a sanitizer sees a read past the end. */
		uint8_t *copy = must(malloc(n + !n));
		const struct damage d = { .data = copy,
					  .n = n,
					  .piece = { { 0, 0, n } },
					  .n_pieces = 1,
					  .from = n,
					  .to = t->n,
					  .merge = n % 8 == 0 };

		memcpy(copy, t->data, n);
		one(t, &d, "cut at", n, 0);
		free(copy);
	}
}

static void flips(struct truth *t)
{
	uint8_t *copy = must(malloc(t->n));

	memcpy(copy, t->data, t->n);
	for (size_t bit = n_cases % every; bit < t->n * 8; bit += every) {
		const struct damage d = { .data = copy,
					  .n = t->n,
					  .piece = { { 0, 0, t->n } },
					  .n_pieces = 1,
					  .from = bit / 8,
					  .to = bit / 8 + 1,
					  .merge = bit % 16 == 3,
					  .named = true };

		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		one(t, &d, "flip of bit", bit, 0);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(copy);
}

/* --- regions ---------------------------------------------------------------------------------- */

/* The damaged file is put together from parts of the whole one, and of zeros or random bytes. */
struct builder {
	const struct truth *t;
	uint8_t *data; /* twice the size of the file */
	struct damage d;
};

static void put(struct builder *b, size_t from, size_t len)
{
	b->d.piece[b->d.n_pieces++] = (struct piece){ b->d.n, from, len };
	memcpy(b->data + b->d.n, b->t->data + from, len);
	b->d.n += len;
}

/* Not of the file: zeros, or anything. */
static void put_other(struct builder *b, size_t len, uint64_t *state)
{
	for (size_t i = 0; i < len; i++)
		b->data[b->d.n + i] = state ? (uint8_t)draw(state, 256) : 0;
	b->d.n += len;
}

struct region {
	size_t a, b; /* [a, b) of the file */
	size_t c, e; /* another one behind it: b <= c < e */
};

/* Of whole sectors, or of any bytes. */
static struct region choose(const struct truth *t, uint64_t *state)
{
	size_t unit = draw(state, 2) ? 512 : 1, units = t->n / unit;
	size_t most = unit == 1 ? 2000 : 6;
	struct region r;

	r.a = draw(state, units);
	r.b = r.a + 1 + draw(state, most < units - r.a ? most : units - r.a);
	r.c = r.b < units ? r.b + draw(state, units - r.b) : units;
	r.e = r.c < units ? r.c + 1 + draw(state, most < units - r.c ? most : units - r.c) : units;
	r.a *= unit;
	r.b *= unit;
	r.c *= unit;
	r.e *= unit;
	return r;
}

static void zeroed(struct builder *b, const struct region *r, uint64_t *state)
{
	(void)state;
	put(b, 0, r->a);
	put_other(b, r->b - r->a, NULL);
	put(b, r->b, b->t->n - r->b);
}

static void garbled(struct builder *b, const struct region *r, uint64_t *state)
{
	put(b, 0, r->a);
	put_other(b, r->b - r->a, state);
	put(b, r->b, b->t->n - r->b);
}

static void removed(struct builder *b, const struct region *r, uint64_t *state)
{
	(void)state;
	put(b, 0, r->a);
	put(b, r->b, b->t->n - r->b);
	b->d.may_hide =
		true; /* by chance a chunk begins where the one that lost bytes should end */
}

static void doubled(struct builder *b, const struct region *r, uint64_t *state)
{
	(void)state;
	put(b, 0, r->b);
	put(b, r->a, b->t->n - r->a);
}

/* Two neighbours. */
static void swapped(struct builder *b, const struct region *r, uint64_t *state)
{
	size_t end = r->b + (r->b - r->a);

	(void)state;
	if (end > b->t->n)
		end = b->t->n;
	put(b, 0, r->a);
	put(b, r->b, end - r->b);
	put(b, r->a, r->b - r->a);
	put(b, end, b->t->n - end);
	b->d.to = end;
	b->d.may_hide = true;
}

/* Two that lie apart: what is between them stays, but stands behind the later one. */
static void exchanged(struct builder *b, const struct region *r, uint64_t *state)
{
	(void)state;
	put(b, 0, r->a);
	put(b, r->c, r->e - r->c);
	put(b, r->b, r->c - r->b);
	put(b, r->a, r->b - r->a);
	put(b, r->e, b->t->n - r->e);
	b->d.moved = b->d.may_hide = true;
}

/* A write that went to the wrong place: a later part stands over an earlier one, too. */
static void misplaced(struct builder *b, const struct region *r, uint64_t *state)
{
	(void)state;
	put(b, 0, r->a);
	put(b, r->c, r->e - r->c);
	put(b, r->b, b->t->n - r->b);
	b->d.moved = b->d.may_hide = true;
}

/* Older bytes over later ones, as of a block that was never written. */
static void stale(struct builder *b, const struct region *r, uint64_t *state)
{
	size_t n = r->b - r->a < r->e - r->c ? r->b - r->a : r->e - r->c;

	(void)state;
	put(b, 0, r->c);
	put(b, r->a, n);
	put(b, r->c + n, b->t->n - r->c - n);
	b->d.from = r->c;
	b->d.to = r->c + n;
}

static const struct {
	const char *name;
	void (*build)(struct builder *b, const struct region *r, uint64_t *state);
} kinds[] = {
	{ "zeroed", zeroed },   { "garbled", garbled },     { "removed", removed },
	{ "doubled", doubled }, { "swapped", swapped },     { "exchanged", exchanged },
	{ "stale", stale },     { "misplaced", misplaced },
};

static void regions(struct truth *t, uint64_t state, size_t n)
{
	struct builder b = { .t = t, .data = must(malloc(2 * t->n + 8192)) };

	if (t->n_sections != 1) {
		fprintf(stderr, "%s: more than one section\n", t->name);
		exit(2);
	}
	for (size_t i = 0; i < n; i++) {
		struct region r = choose(t, &state);
		size_t kind = draw(&state, sizeof(kinds) / sizeof(kinds[0]));

		b.d = (struct damage){
			.data = b.data, .from = r.a, .to = r.b, .merge = i % 4 == 0
		};
		kinds[kind].build(&b, &r, &state);
		one(t, &b.d, kinds[kind].name, r.a, r.b);
	}
	free(b.data);
}

/* --- forged chunks ---------------------------------------------------------------------------- */

/* Where the chunk with what is forged begins and ends: the first one that is not small. */
static void outer(const struct truth *t, size_t *from, size_t *to)
{
	const struct xtr_chunk *c = NULL;

	for (size_t i = 1; i < t->n_chunks; i++) {
		bool big = t->chunk[i].c.type == XTR_CHUNK_ATTACH ||
			   (t->chunk[i].c.type == XTR_CHUNK_EVENTS && t->chunk[i].c.n_records == 1);

		if (big && !c)
			c = &t->chunk[i].c;
	}
	*from = c ? (size_t)c->offset : 0;
	*to = c ? (size_t)c->offset + truth_span(c) : 0;
}

static void flip_in(struct truth *t, size_t from, size_t to)
{
	uint8_t *copy = must(malloc(t->n));

	memcpy(copy, t->data, t->n);
	for (size_t bit = from * 8; bit < to * 8; bit += every) {
		const struct damage d = { .data = copy,
					  .n = t->n,
					  .piece = { { 0, 0, t->n } },
					  .n_pieces = 1,
					  .from = bit / 8,
					  .to = bit / 8 + 1,
					  .merge = true,
					  .named = true };

		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		one(t, &d, "flip of bit", bit, 0);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(copy);
}

/*
 * A chunk that holds chunks of its own file is not told from a torn one (specification 4.1, rule 4)
 * if the header behind it is not whole: it is lost with that one's chunk.
 */
static size_t skip_to(enum forged kind, size_t to)
{
	bool own = kind == FORGED_OWN_COPY || kind == FORGED_OWN_EARLIER;

	return own ? (to + 7) / 8 * 8 + XTR_CHUNK_HEADER_SIZE : 0;
}

static void forged(const struct truth *other)
{
	for (enum forged kind = 0; kind < FORGED_KINDS; kind++) {
		size_t n, from, to;
		uint8_t *data = forge(other, kind, &n);
		bool header = kind != FORGED_OWN_LATER && kind != FORGED_OTHER_FILE;
		struct truth t;

		truth_load(&t, forged_name(kind), data, n); /* as it is: no problem, nothing more */
		outer(&t, &from, &to);
		if (header)
			flip_in(&t, from, from + XTR_CHUNK_HEADER_SIZE);
		flip_in(&t, from + XTR_CHUNK_HEADER_SIZE, to < from + 400 ? to : from + 400);
		if (header)
			truncations(&t, to + 1, skip_to(kind, to));
		truth_free(&t);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "", *e = getenv("EVERY");
	bool is_regions = !strcmp(mode, "regions");

	if (e && atol(e) > 0)
		every = (size_t)atol(e);
	if ((!is_regions && strcmp(mode, "flips") && strcmp(mode, "truncations") &&
	     strcmp(mode, "forged")) ||
	    (is_regions && argc < 5)) {
		fputs("usage: damage truncations|flips|forged FILE... | regions SEED N FILE...\n",
		      stderr);
		return 2;
	}
	for (int i = is_regions ? 4 : 2; i < argc; i++) {
		struct truth t;

		truth_load_file(&t, argv[i]);
		if (is_regions)
			regions(&t, strtoull(argv[2], NULL, 0) + (uint64_t)i,
				strtoull(argv[3], NULL, 0));
		else if (!strcmp(mode, "forged"))
			forged(&t);
		else if (*mode == 'f')
			flips(&t);
		else
			truncations(&t, 0, 0);
		truth_free(&t);
	}
	printf("%" PRIu64 " cases, %" PRIu64 " broken\n", n_cases, n_broken);
	return n_broken != 0;
}
