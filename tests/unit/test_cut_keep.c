/* SPDX-License-Identifier: BSD-2-Clause */
/* Which events and which other chunks a cut keeps: one small recording with one of each kind. */
#include "bpf_types.h"
#include "base/bytes.h"
#include "format/read/chunk.h"
#include "format/codec/record.h"
#include "replay/cut/cut.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN     10000000000ull /* ns */
#define MS        1000000ull
#define EV_SWITCH 1024u /* an event without a type of its own */

/* Ring 1 (gfx) runs job 11:1 of process 100, ring 2 (copy) job 21:1 of process 200. */
struct rec {
	uint64_t ts;
	uint16_t type, size;
	uint32_t tid;
	uint64_t a, b;
	uint32_t more[8];
};

struct recording {
	struct trace t;
	uint8_t buf[8192];
	size_t len;
	uint32_t n, ops, other_ops;
};

static void put(struct recording *r, uint64_t ms, uint16_t type, uint16_t size, uint32_t tid,
		uint64_t ctx, uint64_t seqno, uint32_t at32)
{
	struct rec e = {
		.ts = BEGIN + ms * MS, .type = type, .size = size, .tid = tid, .a = ctx, .b = seqno
	};

	/* queue has its ring behind client_id; what the others have at 32 is their ring, or ops */
	e.more[type == XTR_EV_JOB_QUEUE ? 2 : 0] = at32;
	memcpy(r->buf + r->len, &e, size);
	r->len += size;
	r->n++;
}

static void job(struct recording *r, uint64_t ms, uint64_t ctx, uint32_t ring, uint32_t tid)
{
	put(r, ms, XTR_EV_JOB_QUEUE, 64, tid, ctx, 1, ring);
	put(r, ms + 1, XTR_EV_JOB_RUN, 48, 1, ctx, 1, ring);
	put(r, ms + 1, XTR_EV_FENCE_SIGNALED, 40, 200, ctx - 1, 1, r->ops); /* scheduled */
	put(r, ms + 3, XTR_EV_JOB_DONE, 40, 200, ctx, 1, ring);
	put(r, ms + 3, XTR_EV_FENCE_SIGNALED, 40, 100, ctx, 1, r->ops);
}

static void define(struct recording *r)
{
	const struct xtr_event_desc ev = { .type = EV_SWITCH,
					   .name = "sched:sched_switch",
					   .size = 32 };
	const struct xtr_ring rings[] = { { .id = 1, .since = 1 }, { .id = 2, .since = 1 } };
	const char *const names[] = { "gfx", "copy" };

	cr_assert(zero(int, xtr_meta_add_event(r->t.meta, &ev)));
	for (uint32_t i = 0; i < 2; i++) {
		struct xtr_ring ring = rings[i];
		struct xtr_task task = { .tid = 100 + 100 * i, .pid = 100 + 100 * i };

		xtr_tables_intern(r->t.tables, names[i], strlen(names[i]), &ring.name);
		cr_assert(zero(int, xtr_tables_add_ring(r->t.tables, &ring)));
		cr_assert(zero(int, xtr_tables_add_task(r->t.tables, &task)));
	}
	xtr_tables_intern(r->t.tables, "drm_sched_fence_ops_finished", 28, &r->ops);
	xtr_tables_intern(r->t.tables, "i915_fence_ops", 14, &r->other_ops);
}

static void clock_at(struct recording *r, uint64_t ms)
{
	const struct xtr_clock_reading wall = { "realtime", 1000 };

	cr_assert(zero(int,
		       xtr_writer_clock(r->t.w, BEGIN + ms * MS, BEGIN + ms * MS + 5, &wall, 1)));
}

static struct xtr_reader *record(void)
{
	struct recording *r = calloc(1, sizeof(*r));
	struct xtr_reader *reader = NULL;
	struct xtr_batch b = { .recs = r->buf };
	struct xtr_err err;

	cr_assert(zero(int, trace_open(&r->t, NULL, NULL)));
	define(r);
	job(r, 10, 11, 1, 100);
	job(r, 20, 21, 2, 200);
	put(r, 30, EV_SWITCH, 32, 100, 0, 0, 0);
	put(r, 31, EV_SWITCH, 32, 200, 0, 0, 0);
	put(r, 32, EV_SWITCH, 32, 0, 0, 0, 0);
	put(r, 33, XTR_EV_FENCE_WAIT_START, 40, 100, 21, 1, r->ops); /* 100 waits for 200's job */
	put(r, 34, XTR_EV_FENCE_WAIT_START, 40, 200, 11, 1, r->ops); /* 200 waits for 100's job */
	put(r, 35, XTR_EV_FENCE_SIGNALED, 40, 200, 70, 1, r->other_ops);
	put(r, 36, XTR_EV_FENCE_SIGNALED, 40, 100, 78, 1, r->other_ops);
	b.len = r->len;
	b.n = r->n;
	clock_at(r, 0);
	clock_at(r, 5);
	cr_assert(zero(int, xtr_writer_events(r->t.w, &b)));
	cr_assert(zero(int, xtr_writer_round(r->t.w, BEGIN)));
	cr_assert(zero(int, xtr_writer_round(r->t.w, BEGIN + 40 * MS)));
	clock_at(r, 25);
	clock_at(r, 40);
	clock_at(r, 50);
	cr_assert(zero(int, xtr_writer_attach(r->t.w, "note.txt", "hello", 5)));
	cr_assert(zero(int, xtr_writer_finish(r->t.w, "end", NULL)));
	cr_assert(zero(int, xtr_reader_open(&reader, r->t.io, &err)));
	trace_close(&r->t, true);
	free(r);
	return reader;
}

/* The times of the events that are kept (ms, each once), as "10 11 13"; the reader too. */
static struct xtr_reader *cut(const struct xtr_reader *r, const struct xtr_select *sel, char *times)
{
	struct xtr_cut_opts o = { .sz = sizeof(o), .select = *sel };
	struct xtr_cut_result res;
	struct xtr_reader *back = NULL;
	struct xtr_err err;
	uint8_t *buf = NULL;
	size_t cap = 0;
	struct xtr_io *io;

	cr_assert(zero(int, xtr_io_mem_new(&io)));
	cr_assert(zero(int, xtr_cut(r, xtr_reader_section(r, 0), io, &o, &res)));
	cr_assert(zero(int, xtr_reader_open(&back, io, &err)));
	cr_assert(zero(int, xtr_reader_verify(back, NULL, NULL)));
	cr_assert(zero(sz, xtr_reader_n_problems(back)));
	*times = '\0';
	for (size_t i = 0; i < xtr_section_n_chunks(xtr_reader_section(back, 0)); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(xtr_reader_section(back, 0), i);
		uint64_t last = 0;

		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		cr_assert(zero(int, xtr_reader_decode(back, c, &buf, &cap, NULL)));
		for (size_t at = 0; at < c->rec_len; at += xtr_rec_size(buf + at)) {
			uint64_t ms = (xtr_rec_ts(buf + at) - BEGIN) / MS;

			if (ms != last)
				times += sprintf(times, "%s%u", last ? " " : "", (unsigned int)ms);
			last = ms;
		}
	}
	free(buf);
	return back;
}

static void check(const struct xtr_select *sel, const char *want)
{
	struct xtr_reader *r = record(), *c;
	char times[256];

	c = cut(r, sel, times);
	cr_assert(eq(str, times, (char *)want));
	xtr_reader_close(c);
	xtr_reader_close(r);
}

static const char *const gfx[] = { "gfx" };
static const uint32_t pid[] = { 100 };

/* Jobs of the ring with their fences, whoever's thread; what is of no ring stays, too. */
Test(cut_keep, of_a_ring)
{
	check(&(struct xtr_select){ .rings = gfx, .n_rings = 1 }, "10 11 13 30 31 32 34 35 36");
}

/* Jobs of the process with their fences; else what its threads did, waits for others' jobs too. */
Test(cut_keep, of_a_process)
{
	check(&(struct xtr_select){ .pids = pid, .n_pids = 1 }, "10 11 13 30 33 34 36");
}

Test(cut_keep, of_a_window)
{
	check(&(struct xtr_select){ .from = BEGIN + 13 * MS, .to = BEGIN + 30 * MS },
	      "10 11 13 20 21 23 30");
	check(&(struct xtr_select){ .from = BEGIN + 14 * MS, .to = BEGIN + 30 * MS },
	      "20 21 23 30");
	check(&(struct xtr_select){ .to = BEGIN + 12 * MS }, "10 11");
}

Test(cut_keep, of_both)
{
	check(&(struct xtr_select){ .from = BEGIN + 22 * MS, .pids = pid, .n_pids = 1 },
	      "30 33 36");
	check(&(struct xtr_select){ .rings = gfx, .n_rings = 1, .pids = pid, .n_pids = 1 },
	      "10 11 13 30 33 34 36");
}

/* Clock readings in the window and the nearest on either side; one ROUND; what is attached. */
Test(cut_keep, other_chunks)
{
	const struct xtr_select sel = { .from = BEGIN + 20 * MS, .to = BEGIN + 33 * MS };
	struct xtr_reader *r = record(), *c;
	size_t types[XTR_CHUNK_TYPES] = { 0 };
	const struct xtr_section *s;
	char times[256];

	c = cut(r, &sel, times);
	s = xtr_reader_section(c, 0);
	for (size_t i = 0; i < xtr_section_n_chunks(s); i++)
		types[xtr_section_chunk(s, i)->type]++;
	cr_assert(eq(sz, types[XTR_CHUNK_ATTACH], 1));
	cr_assert(eq(sz, types[XTR_CHUNK_ROUND], 1));
	cr_assert(eq(sz, xtr_section_n_clocks(s), 4), "the lead-in counts: all but the last");
	cr_assert(eq(u64, xtr_section_clock(s, 3)->before, BEGIN + 40 * MS));
	cr_assert(eq(u64, xtr_section_clock(s, 3)->realtime, 1000));
	xtr_reader_close(c);
	xtr_reader_close(r);
}
