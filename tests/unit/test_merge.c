/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "base/crc32c.h"
#include "format/read/merge.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>

struct seen {
	uint64_t ts, hash;
	uint32_t stream, type;
};

struct list {
	struct seen *v;
	size_t n, gaps, damaged;
};

static uint64_t hash(const uint8_t *p, size_t n)
{
	uint64_t h = 14695981039346656037u;

	while (n--)
		h = (h ^ *p++) * 1099511628211u;
	return h;
}

static struct xtr_reader *reader(struct xtr_io *io)
{
	struct xtr_reader *r = NULL;

	cr_assert(eq(int, xtr_reader_open(&r, io, NULL), 0));
	return r;
}

static struct list merged(const struct xtr_reader *r, const struct xtr_merge_opts *o)
{
	struct list l = { .v = malloc(200000 * sizeof(struct seen)) };
	struct xtr_merge *m;
	struct xtr_event ev;
	struct xtr_err err;
	int ret;

	cr_assert(eq(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), o), 0));
	while ((ret = xtr_merge_next(m, &ev, &err)) == 1 || ret == -EBADMSG) {
		if (ret < 0)
			l.damaged++;
		else if (ev.gap)
			l.gaps++;
		else
			l.v[l.n++] =
				(struct seen){ ev.ts, hash(ev.rec, ev.size), ev.stream, ev.type };
	}
	cr_assert(eq(int, ret, 0));
	cr_assert(eq(int, (int)xtr_merge_permille(m), 1000));
	xtr_merge_close(m);
	return l;
}

/* The same by batches, with some single events between them. */
static struct list merged_by_batches(const struct xtr_reader *r, const struct xtr_merge_opts *o)
{
	struct list l = { .v = malloc(200000 * sizeof(struct seen)) };
	const struct xtr_event *ev;
	struct xtr_event one;
	struct xtr_merge *m;
	struct xtr_err err;
	size_t n, calls = 0;
	int ret;

	cr_assert(eq(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), o), 0));
	for (;; calls++) {
		if (calls % 3) {
			ret = xtr_merge_next_batch(m, &ev, &n, &err);
		} else {
			ret = xtr_merge_next(m, &one, &err);
			ev = &one;
			n = 1;
		}
		if (ret == -EBADMSG)
			l.damaged++;
		else if (ret != 1)
			break;
		for (size_t i = 0; ret == 1 && i < n; i++) {
			if (ev[i].gap)
				l.gaps++;
			else
				l.v[l.n++] = (struct seen){ ev[i].ts, hash(ev[i].rec, ev[i].size),
							    ev[i].stream, ev[i].type };
		}
		cr_assert(ret != 1 || n);
	}
	cr_assert(eq(int, ret, 0));
	cr_assert(eq(int, xtr_merge_next_batch(m, &ev, &n, &err), 0), "the end stays the end");
	cr_assert(eq(int, (int)xtr_merge_permille(m), 1000));
	xtr_merge_close(m);
	return l;
}

/* The order of merge.h: time, then stream; within a stream the place (the sort is stable). */
static int seen_cmp(const struct seen *a, const struct seen *b)
{
	if (a->ts != b->ts)
		return a->ts < b->ts ? -1 : 1;
	return a->stream < b->stream ? -1 : a->stream > b->stream;
}

static void insertion_sort(struct seen *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct seen s = v[i];
		size_t j = i;

		for (; j && seen_cmp(&v[j - 1], &s) > 0; j--)
			v[j] = v[j - 1];
		v[j] = s;
	}
}

/* All events by decoding chunk after chunk, then sorting: what the merge must give. */
static struct list sorted(const struct xtr_reader *r)
{
	struct list l = { .v = malloc(200000 * sizeof(struct seen)) };
	const struct xtr_section *s = xtr_reader_section(r, 0);
	uint8_t *buf = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < xtr_section_n_chunks(s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(s, i);
		struct xtr_err err;

		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		cr_assert(eq(int, xtr_reader_decode(r, c, &buf, &cap, &err), 0));
		for (size_t at = 0; at < c->rec_len; at += xtr_le16(buf + at + 10))
			l.v[l.n++] = (struct seen){ xtr_le64(buf + at),
						    hash(buf + at, xtr_le16(buf + at + 10)),
						    c->stream, xtr_le16(buf + at + 8) };
	}
	free(buf);
	insertion_sort(l.v, l.n);
	return l;
}

static void check_same(const struct list *a, const struct list *b)
{
	cr_assert(eq(sz, a->n, b->n));
	for (size_t i = 0; i < a->n; i++)
		cr_assert(a->v[i].ts == b->v[i].ts && a->v[i].stream == b->v[i].stream &&
				  a->v[i].hash == b->v[i].hash,
			  "event %zu", i);
}

Test(merge, every_way_gives_the_order_of_a_sort)
{
	struct xtr_reader *r = reader(trace_make(30, 200, 5, NULL));
	struct list want = sorted(r);

	for (unsigned int threads = 0; threads < 4; threads++) {
		const size_t memory[] = { 0, 100, 3000, 40000 };

		for (size_t i = 0; i < 4; i++) {
			struct xtr_merge_opts o = { .sz = sizeof(o),
						    .threads = threads,
						    .memory = memory[i] };
			struct list got = merged(r, &o);

			check_same(&got, &want);
			cr_assert(eq(sz, got.gaps, 1));
			free(got.v);
			got = merged_by_batches(r, &o);
			check_same(&got, &want);
			cr_assert(eq(sz, got.gaps, 1));
			free(got.v);
		}
	}
	free(want.v);
	xtr_reader_close(r);
}

/* Clear SORTED, and mix the records of unfiltered chunks, so that the merge has to sort. */
Test(merge, unsorted_chunks_are_sorted)
{
	struct xtr_writer_opts o;
	struct list want, got;
	struct xtr_reader *r;
	struct xtr_io *io;
	struct trace t;
	uint8_t recs[24 * 100];
	uint64_t seed = 1;
	struct xtr_batch b = { .recs = recs, .len = sizeof(recs), .n = 100 };
	size_t n;
	uint8_t *p;

	xtr_writer_opts_init(&o);
	o.filter = XTR_FILTER_NONE;
	o.codec = XTR_CODEC_NONE;
	cr_assert(eq(int, trace_open(&t, NULL, &o), 0));
	for (b.stream = 0; b.stream < 3; b.stream++) {
		for (uint32_t i = 0; i < 100; i++)
			trace_record(recs + 24 * i, &seed, 1000 + i / 3, 16, 24);
		cr_assert(eq(int, xtr_writer_events(t.w, &b), 0));
	}
	cr_assert(eq(int, xtr_writer_finish(t.w, "end", NULL), 0));
	io = t.io;
	trace_close(&t, true);
	p = (uint8_t *)(uintptr_t)xtr_io_mem_data(io, &n);
	for (size_t at = 64; at + 80 <= n; at += 8) {
		struct xtr_chunk c;

		if (!xtr_chunk_parse(p + at, &c) || c.type != XTR_CHUNK_EVENTS)
			continue;
		for (uint32_t i = 0; i < 100; i++) { /* rotate by 37 places of time */
			uint64_t ts = 1000 + (i + 37) % 100 / 3;

			xtr_put_le64(p + at + 80 + 24 * i, ts);
		}
		c.props &= (uint8_t)~XTR_PROP_SORTED;
		c.payload_crc = xtr_crc32c(p + at + 80, c.stored_len);
		xtr_chunk_encode(p + at, &c);
	}
	r = reader(io);
	cr_assert(eq(int, xtr_reader_verify(r, NULL, NULL), 0));
	cr_assert(zero(sz, xtr_reader_n_problems(r)));
	want = sorted(r);
	for (unsigned int threads = 0; threads < 2; threads++) {
		struct xtr_merge_opts mo = { .sz = sizeof(mo),
					     .threads = threads,
					     .memory = threads ? 0 : 1000 };

		got = merged(r, &mo);
		check_same(&got, &want);
		free(got.v);
	}
	free(want.v);
	xtr_reader_close(r);
}

Test(merge, ranges_and_types_choose)
{
	struct xtr_reader *r = reader(trace_make(10, 200, 5, NULL));
	struct list all = sorted(r);
	uint64_t from = all.v[all.n / 3].ts, to = all.v[all.n / 2].ts;
	const uint32_t types[] = { XTR_EV_JOB_RUN, XTR_EV_FENCE_INIT };
	struct xtr_merge_opts o = {
		.sz = sizeof(o), .from = from, .to = to, .types = types, .n_types = 2, .threads = 1
	};
	struct list got = merged(r, &o), want = { .v = malloc(all.n * sizeof(struct seen)) };

	for (size_t i = 0; i < all.n; i++)
		if (all.v[i].ts >= from && all.v[i].ts <= to &&
		    (all.v[i].type == types[0] || all.v[i].type == types[1]))
			want.v[want.n++] = all.v[i];
	cr_assert(gt(sz, want.n, 10));
	check_same(&got, &want);
	cr_assert(zero(sz, got.gaps), "the gap lies before the range");
	free(got.v);
	got = merged_by_batches(r, &o);
	check_same(&got, &want);
	free(got.v);
	free(want.v);
	free(all.v);
	xtr_reader_close(r);
}

Test(merge, damaged_chunks_are_told_and_skipped)
{
	struct xtr_io *io = trace_make(10, 100, 5, NULL);
	struct xtr_reader *r;
	struct list got;
	size_t n, chunks = 0;
	uint8_t *p = (uint8_t *)(uintptr_t)xtr_io_mem_data(io, &n);

	for (size_t at = 64; at + 80 <= n; at += 8) {
		struct xtr_chunk c;

		if (xtr_chunk_parse(p + at, &c) && c.type == XTR_CHUNK_EVENTS && chunks++ % 7 == 3)
			p[at + 85] ^= 1;
	}
	r = reader(io);
	for (unsigned int threads = 0; threads < 3; threads++) {
		struct xtr_merge_opts o = { .sz = sizeof(o),
					    .threads = threads,
					    .memory = threads == 2 ? 500 : 0 };

		got = merged(r, &o);
		cr_assert(eq(sz, got.damaged, 4));
		cr_assert(eq(sz, got.n, 3000 - 4 * 100));
		for (size_t i = 1; i < got.n; i++)
			cr_assert(le(int, seen_cmp(&got.v[i - 1], &got.v[i]), 0));
		free(got.v);
		got = merged_by_batches(r, &o);
		cr_assert(eq(sz, got.damaged, 4));
		cr_assert(eq(sz, got.n, 3000 - 4 * 100));
		free(got.v);
	}
	xtr_reader_close(r);
}

/* The last batches that were given are as they were, with their records. */
Test(merge, batches_are_kept)
{
	const struct xtr_merge_opts o = { .sz = sizeof(o), .threads = 2, .keep = 3 };
	struct xtr_reader *r = reader(trace_make(30, 900, 5, NULL));
	const struct xtr_event *ev[5];
	uint64_t sum[5], now;
	struct xtr_merge *m;
	struct xtr_err err;
	size_t n[5], given = 0;

	cr_assert(eq(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), &o), 0));
	cr_assert(xtr_merge_keeps(m));
	for (; xtr_merge_next_batch(m, &ev[given % 5], &n[given % 5], &err) == 1; given++) {
		sum[given % 5] = 0;
		for (size_t k = given > 3 ? given - 3 : 0; k <= given; k++) {
			now = 0;
			for (size_t i = 0; i < n[k % 5]; i++)
				if (!ev[k % 5][i].gap)
					now += hash(ev[k % 5][i].rec, ev[k % 5][i].size);
			if (k == given)
				sum[k % 5] = now;
			cr_assert(eq(u64, now, sum[k % 5]), "batch %zu after %zu", k, given);
		}
	}
	cr_assert(gt(sz, given, 10));
	xtr_merge_close(m);
	xtr_reader_close(r);
}

/* Where the caller's thread makes the batches, or memory is short, they are not. */
Test(merge, not_every_merge_keeps_batches)
{
	const struct xtr_merge_opts o[] = {
		{ .sz = sizeof(o[0]), .threads = 1 },
		{ .sz = sizeof(o[0]), .keep = 3 },
		{ .sz = sizeof(o[0]), .threads = 1, .keep = 3, .memory = 100 },
	};
	struct xtr_reader *r = reader(trace_make(30, 200, 5, NULL));
	struct xtr_merge *m;

	for (size_t i = 0; i < sizeof(o) / sizeof(o[0]); i++) {
		cr_assert(eq(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), &o[i]), 0));
		cr_expect(zero(int, xtr_merge_keeps(m)));
		xtr_merge_close(m);
	}
	xtr_reader_close(r);
}

Test(merge, it_can_be_closed_at_any_time)
{
	struct xtr_reader *r = reader(trace_make(30, 200, 5, NULL));

	for (size_t stop = 0; stop < 3000; stop += 300) {
		struct xtr_merge_opts o = { .sz = sizeof(o), .threads = 2 };
		struct xtr_event ev;
		struct xtr_merge *m;

		cr_assert(eq(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), &o), 0));
		for (size_t i = 0; i < stop; i++)
			cr_assert(eq(int, xtr_merge_next(m, &ev, NULL), 1));
		xtr_merge_close(m);
	}
	xtr_reader_close(r);
}

/* A section without events is at its end at once. */
Test(merge, nothing_is_merged_at_once)
{
	struct xtr_reader *r = reader(trace_make(0, 0, 5, NULL));
	struct list got;
	struct xtr_merge *m;

	cr_assert(zero(int, xtr_merge_open(&m, r, xtr_reader_section(r, 0), NULL)));
	cr_assert(eq(u32, xtr_merge_permille(m), 1000));
	xtr_merge_close(m);
	xtr_merge_close(NULL);
	got = merged(r, NULL);
	cr_assert(zero(sz, got.n));
	cr_assert(eq(sz, got.gaps, 1), "the gap is there all the same");
	free(got.v);
	xtr_reader_close(r);
}
