/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts as files: which bytes are copied, what is counted, what becomes of damage. */
#include "faulty_io.h"
#include "format/read/chunk.h"
#include "format/codec/record.h"
#include "replay/cut/cut.h"
#include "replay/notes/cut_note.h"
#include "base/map.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 8u
#define EVENTS 200u /* in a chunk */

struct source {
	struct xtr_reader *r;
	const struct xtr_section *s;
	uint8_t *data;
	size_t n;
};

/* A trace of 3 streams with a chunk each in every round; `spoil` may damage its bytes. */
static void source_open(struct source *src, void (*spoil)(struct source *src))
{
	struct xtr_io *io = trace_make(ROUNDS, EVENTS, 9, NULL);
	struct xtr_err err;
	const uint8_t *p = xtr_io_mem_data(io, &src->n);

	src->data = malloc(src->n);
	cr_assert(ne(ptr, src->data, NULL));
	memcpy(src->data, p, src->n);
	xtr_io_close(io);
	src->r = NULL;
	cr_assert(zero(int, trace_read(&src->r, src->data, src->n, &err)));
	src->s = xtr_reader_section(src->r, 0);
	if (!spoil)
		return;
	spoil(src);
	xtr_reader_close(src->r);
	cr_assert(zero(int, trace_read(&src->r, src->data, src->n, &err)));
	src->s = xtr_reader_section(src->r, 0);
}

static void source_close(struct source *src)
{
	xtr_reader_close(src->r);
	free(src->data);
}

/* The k-th EVENTS chunk. */
static const struct xtr_chunk *events_chunk(const struct xtr_section *s, size_t k)
{
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++)
		if (xtr_section_chunk(s, i)->type == XTR_CHUNK_EVENTS && !k--)
			return xtr_section_chunk(s, i);
	return NULL;
}

static struct xtr_reader *cut(const struct source *src, const struct xtr_select *select,
			      struct xtr_cut_result *res)
{
	struct xtr_cut_opts o = { .sz = sizeof(o), .select = *select };
	struct xtr_reader *back = NULL;
	struct xtr_err err;
	struct xtr_io *io;

	cr_assert(zero(int, xtr_io_mem_new(&io)));
	cr_assert(zero(int, xtr_cut(src->r, src->s, io, &o, res)));
	cr_assert(zero(int, xtr_reader_open(&back, io, &err)));
	cr_assert(zero(int, xtr_reader_verify(back, NULL, NULL)));
	cr_assert(zero(sz, xtr_reader_n_problems(back)));
	return back;
}

/* Everything that happened: kept, left out, lost, not to be read. */
static uint64_t happened(const struct xtr_section *s)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);

	return sum->events + sum->filtered + sum->lost + sum->missing;
}

/* Header and payload of both are the same but for their place in the section. */
static bool same_chunk(const struct xtr_reader *ra, const struct xtr_chunk *a,
		       const struct xtr_reader *rb, const struct xtr_chunk *b)
{
	uint8_t *pa = NULL, *pb = NULL;
	size_t ca = 0, cb = 0;
	bool same = a->stream == b->stream && a->stored_len == b->stored_len &&
		    a->codec == b->codec && a->filter == b->filter &&
		    a->n_records == b->n_records && a->ts_min == b->ts_min &&
		    a->ts_max == b->ts_max && a->payload_crc == b->payload_crc;

	cr_assert(zero(int, xtr_reader_stored(ra, a, &pa, &ca, NULL)));
	cr_assert(zero(int, xtr_reader_stored(rb, b, &pb, &cb, NULL)));
	same = same && !memcmp(pa, pb, a->stored_len);
	free(pa);
	free(pb);
	return same;
}

/* How many EVENTS chunks of the cut are in the source byte for byte, in the same order. */
static size_t same_chunks(const struct source *src, const struct xtr_reader *c, size_t *all)
{
	const struct xtr_section *s = xtr_reader_section(c, 0);
	const struct xtr_chunk *a, *b;
	size_t n = 0, k = 0;

	for (*all = 0; (b = events_chunk(s, *all)); ++*all) {
		size_t from = k;

		while ((a = events_chunk(src->s, k)) && !same_chunk(src->r, a, c, b))
			k++;
		n += a != NULL;
		k = a ? k + 1 : from;
	}
	return n;
}

Test(cut_file, without_options_every_chunk_is_copied)
{
	const struct xtr_select none = { 0 };
	struct xtr_cut_result res;
	struct xtr_reader *c;
	struct source src;
	size_t n, all;

	source_open(&src, NULL);
	c = cut(&src, &none, &res);
	n = same_chunks(&src, c, &all);
	cr_assert(eq(sz, all, 3 * (size_t)ROUNDS));
	cr_assert(eq(sz, n, all));
	cr_assert(eq(u64, res.copied, all));
	cr_assert(zero(u64, res.encoded));
	cr_assert(zero(u64, res.filtered));
	cr_assert(eq(u64, happened(xtr_reader_section(c, 0)), happened(src.s)));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(c, 0))->lost, 3));
	cr_assert(
		ne(u64, xtr_section_file_id(xtr_reader_section(c, 0)), xtr_section_file_id(src.s)));
	xtr_reader_close(c);
	source_close(&src);
}

/* Only the chunks that the window begins or ends in are encoded anew. */
Test(cut_file, chunks_inside_the_window_are_copied)
{
	struct xtr_select s = { 0 };
	const struct xtr_section *sc;
	struct xtr_cut_result res;
	struct xtr_reader *c;
	struct source src;
	uint64_t unknown = 0, behind = 0;
	size_t n, all;

	source_open(&src, NULL);
	s.from = events_chunk(src.s, 6)->ts_min + 5000;
	s.to = events_chunk(src.s, 18)->ts_min + 5000;
	c = cut(&src, &s, &res);
	sc = xtr_reader_section(c, 0);
	n = same_chunks(&src, c, &all);
	cr_assert(ge(sz, n, 6), "chunks that lie in the window as a whole");
	cr_assert(eq(u64, res.copied, n), "nothing else is the same by chance");
	cr_assert(eq(u64, res.copied + res.encoded, all));
	cr_assert(eq(u64, res.kept + res.filtered, res.events));
	cr_assert(eq(u64, happened(sc), happened(src.s)));
	for (size_t i = 0; i < xtr_loss_n_entries(xtr_section_loss(sc)); i++) {
		const struct xtr_loss_entry *e = xtr_loss_entry_at(xtr_section_loss(sc), i);

		if (!e->cause && !e->type)
			unknown += e->total;
	}
	for (size_t k = 0; events_chunk(src.s, k); k++)
		behind += events_chunk(src.s, k)->ts_min > s.to ? EVENTS : 0;
	cr_assert(gt(u64, behind, 0));
	cr_assert(eq(u64, unknown, behind), "chunks that were not opened: types are not known");
	xtr_reader_close(c);
	source_close(&src);
}

Test(cut_file, the_cut_says_what_it_is)
{
	struct xtr_select s = { .from = 1050000, .to = 1100000 };
	const struct xtr_section *sc;
	struct xtr_cut_note note;
	struct xtr_cut_result res;
	struct xtr_reader *c;
	struct source src;
	const char *key, *str;
	char want[20];
	uint64_t num;
	bool found = false;

	source_open(&src, NULL);
	snprintf(want, sizeof(want), "%016llx", (unsigned long long)xtr_section_file_id(src.s));
	c = cut(&src, &s, &res);
	sc = xtr_reader_section(c, 0);
	for (size_t i = 0; xtr_meta_config(xtr_section_meta(sc), i, &key, &num, &str); i++)
		found |= !strcmp(key, "cut-of") && !strcmp(str, want);
	cr_assert(found);
	cr_assert(zero(int, xtr_cut_note_read(&note, xtr_section_meta(sc))));
	cr_assert(note.is_cut);
	cr_assert(eq(u64, note.from, s.from));
	cr_assert(eq(u64, note.to, s.to));
	cr_assert(not(note.some_rings));
	cr_assert(eq(str, (char *)xtr_section_end_reason(sc), "end"));
	cr_assert(eq(sz, xtr_tables_n_tasks(xtr_section_tables(sc)), 1));
	cr_assert(eq(sz, xtr_tables_n_rings(xtr_section_tables(sc)), 1));
	cr_assert(eq(sz, xtr_meta_n_events(xtr_section_meta(sc)),
		     xtr_meta_n_events(xtr_section_meta(src.s))));
	xtr_cut_note_free(&note);
	xtr_reader_close(c);
	source_close(&src);
}

/* The gap of the source is at 1,000 to 2,000 ns; events begin at 1 ms. */
Test(cut_file, gaps_of_the_window_are_carried)
{
	const struct {
		struct xtr_select s;
		size_t gaps;
	} cases[] = {
		{ { .from = 0 }, 1 },
		{ { .from = 1050000 }, 1 }, /* the lead-in reaches it */
		{ { .to = 999 }, 0 },
		{ { .from = 3000000000 }, 0 },
	};
	struct source src;

	source_open(&src, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct xtr_cut_result res;
		struct xtr_reader *c = cut(&src, &cases[i].s, &res);
		const struct xtr_loss *l = xtr_section_loss(xtr_reader_section(c, 0));

		cr_assert(eq(sz, xtr_loss_n_gaps(l), cases[i].gaps));
		cr_assert(eq(u64, xtr_loss_get(l, 1, 17, XTR_LOSS_RING_FULL), 3), "all totals");
		xtr_reader_close(c);
	}
	source_close(&src);
}

static void flip(struct source *src)
{
	const struct xtr_chunk *c = events_chunk(src->s, 7);

	src->data[c->offset + XTR_CHUNK_HEADER_SIZE + 3] ^= 1;
}

/* Take a chunk out of the file. */
static void remove_chunk(struct source *src)
{
	const struct xtr_chunk *c = events_chunk(src->s, 7);
	size_t at = (size_t)c->offset, span = (size_t)xtr_chunk_span(c);

	memmove(src->data + at, src->data + at + span, src->n - at - span);
	src->n -= span;
}

/* Break off in the middle of a chunk. */
static void truncate_file(struct source *src)
{
	src->n = (size_t)events_chunk(src->s, 20)->offset + 100;
}

/* A cut of a damaged file is whole, and counts what was to be read of neither. */
Test(cut_file, damage_becomes_loss)
{
	const struct {
		void (*spoil)(struct source *src);
		uint64_t damaged;
		size_t gaps;
	} cases[] = { { flip, EVENTS, 2 }, { remove_chunk, EVENTS, 2 }, { truncate_file, 0, 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct xtr_select none = { 0 };
		const struct xtr_section *sc;
		struct xtr_cut_result res;
		struct xtr_reader *c;
		struct source src;
		uint64_t lost = 0;

		source_open(&src, cases[i].spoil);
		c = cut(&src, &none, &res);
		sc = xtr_reader_section(c, 0);
		for (size_t k = 0; k < xtr_loss_n_entries(xtr_section_loss(sc)); k++) {
			const struct xtr_loss_entry *e = xtr_loss_entry_at(xtr_section_loss(sc), k);

			lost += e->cause == XTR_LOSS_DAMAGED ? e->total : 0;
		}
		cr_assert(eq(u64, res.damaged, cases[i].damaged));
		cr_assert(eq(u64, lost, cases[i].damaged));
		cr_assert(eq(sz, xtr_loss_n_gaps(xtr_section_loss(sc)), cases[i].gaps));
		cr_assert(eq(u64, happened(sc), happened(src.s)));
		cr_assert(eq(u64, xtr_section_summary(sc)->events,
			     xtr_section_summary(src.s)->events -
				     (cases[i].spoil == flip ? EVENTS : 0)));
		cr_assert(xtr_section_summary(sc)->closed);
		xtr_reader_close(c);
		source_close(&src);
	}
}

/* Losses that only headers of chunks tell, as in a file that broke off, are not forgotten. */
Test(cut_file, losses_told_by_headers_alone_are_carried)
{
	struct xtr_select s = { .to = 1 };
	struct xtr_cut_result res;
	struct xtr_reader *c, *r = NULL;
	struct xtr_err err;
	uint8_t rec[24];
	uint64_t seed = 1;
	struct xtr_batch b = { .stream = 4, .recs = rec, .len = 24, .n = 1, .lost_total = 8 };
	struct source src = { 0 };
	struct trace t;
	const uint8_t *p;
	size_t n;

	cr_assert(zero(int, trace_open(&t, NULL, NULL)));
	trace_record(rec, &seed, 100, 16, 24);
	cr_assert(zero(int, xtr_writer_events(t.w, &b)));
	p = xtr_io_mem_data(t.io, &n);
	cr_assert(zero(int, trace_read(&r, p, n, &err)));
	src.r = r;
	src.s = xtr_reader_section(r, 0);
	c = cut(&src, &s, &res);
	cr_assert(zero(u64, res.kept));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(c, 0))->lost, 8));
	cr_assert(eq(u64, xtr_section_summary(xtr_reader_section(c, 0))->filtered, 1));
	xtr_reader_close(c);
	xtr_reader_close(r);
	trace_close(&t, false);
}

Test(cut_file, an_output_that_fails_is_an_error)
{
	struct xtr_cut_opts o = { .sz = sizeof(o) };
	struct faulty f = { .err = -ENOSPC };
	struct xtr_cut_result res;
	struct source src;
	unsigned int calls;
	struct xtr_io *mem;

	source_open(&src, NULL);
	cr_assert(zero(int, xtr_io_mem_new(&mem)));
	cr_assert(zero(int, xtr_cut(src.r, src.s, faulty_open(&f, mem), &o, &res)));
	calls = f.calls;
	xtr_io_close(f.mem);
	cr_assert(gt(int, (int)calls, 20));
	for (unsigned int at = 1; at <= calls; at++) {
		f = (struct faulty){ .err = -ENOSPC, .fail_at = at };
		cr_assert(zero(int, xtr_io_mem_new(&mem)));
		cr_assert(eq(int, xtr_cut(src.r, src.s, faulty_open(&f, mem), &o, &res), -ENOSPC));
		xtr_io_close(f.mem);
	}
	source_close(&src);
}

Test(cut_file, sets_of_ids_keep_ranges)
{
	struct xtr_ids s = { 0 };
	const uint32_t ids[] = { 5, 7, 6, 0, 9, 5, UINT32_MAX, UINT32_MAX - 1, 1 };

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		cr_assert(zero(int, xtr_ids_add(&s, ids[i])));
	cr_assert(eq(sz, s.n, 4), "0-1, 5-7, 9, the last two");
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		cr_assert(xtr_ids_have(&s, ids[i]));
	cr_assert(not(xtr_ids_have(&s, 2)));
	cr_assert(not(xtr_ids_have(&s, 8)));
	cr_assert(not(xtr_ids_have(&s, UINT32_MAX - 2)));
	xtr_ids_free(&s);
}

Test(cut_file, a_note_survives_meta)
{
	struct xtr_cut_note n = { .from = 5, .to = 9, .some_rings = true, .some_pids = true }, back;
	struct xtr_meta *m = xtr_meta_new();

	for (uint32_t i = 0; i < 20000; i += 2) /* more than one text holds */
		cr_assert(zero(int, xtr_ids_add(&n.rings, i)));
	cr_assert(zero(int, xtr_ids_add(&n.batched, 3)));
	cr_assert(zero(int, xtr_cut_note_write(&n, m, 0xabc)));
	cr_assert(zero(int, xtr_cut_note_read(&back, m)));
	cr_assert(back.is_cut);
	cr_assert(back.some_pids);
	cr_assert(zero(sz, back.pids.n));
	cr_assert(eq(sz, back.rings.n, 10000));
	cr_assert(xtr_ids_have(&back.batched, 3));
	cr_assert(not(xtr_ids_have(&back.out_of_order, 3)));
	xtr_cut_note_free(&back);
	xtr_ids_free(&n.rings); /* fewer: what is left of the longer ones does not count */
	cr_assert(zero(int, xtr_ids_add(&n.rings, 4)));
	cr_assert(zero(int, xtr_cut_note_write(&n, m, 0xabc)));
	cr_assert(zero(int, xtr_cut_note_read(&back, m)));
	cr_assert(eq(sz, back.rings.n, 1));
	xtr_cut_note_free(&back);
	cr_assert(zero(int, xtr_meta_set_config_str(m, "cut-rings", "7-3 x")));
	cr_assert(zero(int, xtr_cut_note_read(&back, m)));
	cr_assert(zero(sz, back.rings.n), "nonsense is left out");
	xtr_cut_note_free(&back);
	xtr_cut_note_free(&n);
	xtr_meta_free(m);
}

Test(cut_file, a_key_set_forgets_nothing)
{
	struct xtr_key_set s = { 0 };
	uint32_t wrong = 0;

	cr_assert(not(xtr_key_set_has(&s, 1, 2)));
	cr_assert(zero(int, xtr_key_set_init(&s, 10000)));
	for (uint64_t i = 0; i < 10000; i++)
		xtr_key_set_add(&s, i % 7, i);
	for (uint64_t i = 0; i < 10000; i++)
		cr_assert(xtr_key_set_has(&s, i % 7, i));
	for (uint64_t i = 10000; i < 110000; i++)
		wrong += xtr_key_set_has(&s, i % 7, i);
	cr_assert(lt(u32, wrong, 60), "about 2 in 10,000");
	xtr_key_set_free(&s);
}
