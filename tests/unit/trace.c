/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int describe(struct trace *t)
{
	const struct xtr_system sys = { "6.18", "#1", "x86_64", 4, 4096, NULL, NULL, NULL };
	const uint8_t boot[16] = { 1 };
	int err = xtr_meta_set_writer(t->meta, "test", "1");

	if (!err)
		err = xtr_meta_set_clock(t->meta, "monotonic", boot, 1);
	if (!err)
		err = xtr_meta_set_system(t->meta, &sys);
	for (size_t i = 0; !err && i < xtr_builtin_event_count; i++)
		err = xtr_meta_add_event(t->meta, &xtr_builtin_events[i]);
	return err;
}

int trace_open(struct trace *t, struct xtr_io *io, const struct xtr_writer_opts *opts)
{
	int err = 0;

	*t = (struct trace){ .io = io };
	if (!io)
		err = xtr_io_mem_new(&t->io);
	t->meta = xtr_meta_new();
	t->tables = xtr_tables_new();
	t->loss = xtr_loss_new();
	if (!err && (!t->meta || !t->tables || !t->loss))
		err = -ENOMEM;
	if (!err)
		err = describe(t);
	return err ? err : xtr_writer_open(&t->w, t->io, t->meta, t->tables, t->loss, opts);
}

void trace_close(struct trace *t, bool keep_io)
{
	xtr_writer_free(t->w);
	xtr_meta_free(t->meta);
	xtr_tables_free(t->tables);
	xtr_loss_free(t->loss);
	if (!keep_io)
		xtr_io_close(t->io);
}

uint64_t trace_random(uint64_t *state, uint64_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 20) % n;
}

static void put(uint8_t *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

void trace_record(uint8_t *p, uint64_t *state, uint64_t ts, uint32_t type, uint32_t size)
{
	put(p, ts, 8);
	put(p + 8, type, 2);
	put(p + 10, size, 2);
	put(p + 12, trace_random(state, 100), 4);
	for (uint32_t i = 16; i < size; i += 4) /* small numbers, and now and then a large one */
		put(p + i,
		    trace_random(state, 9) ? trace_random(state, 50)
					   : trace_random(state, UINT32_MAX),
		    4);
}

int trace_events(struct trace *t, uint64_t *state, uint32_t stream, uint64_t *ts, uint32_t n,
		 bool unordered)
{
	uint8_t *recs = malloc((size_t)n * 256 + 1), *p = recs; /* no built-in event is longer */
	struct xtr_batch b = { .stream = stream, .recs = recs, .n = n };
	int err;

	if (!recs)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct xtr_event_desc *ev =
			&xtr_builtin_events[trace_random(state, xtr_builtin_event_count)];
		uint64_t early = unordered && i % 50 == 49 ? 1500 : 0;

		*ts += trace_random(state, 1000);
		trace_record(p, state, *ts - early, ev->type, ev->size);
		p += ev->size;
	}
	b.len = (size_t)(p - recs);
	err = xtr_writer_events(t->w, &b);
	free(recs);
	return err;
}

static int fill_tables(struct trace *t)
{
	struct xtr_task task = {
		.tid = 7, .pid = 7, .since = 5, .comm = 0, .flags = XTR_TASK_KTHREAD
	};
	struct xtr_ring ring = { 1, 5, 0xabc, 0, 0, 4 };
	int err = xtr_tables_intern(t->tables, "gpu0", 4, &ring.device);

	if (!err)
		err = xtr_tables_intern(t->tables, "\xff\xfe", 2, &ring.name);
	task.comm = ring.device;
	if (!err)
		err = xtr_tables_add_task(t->tables, &task);
	return err ? err : xtr_tables_add_ring(t->tables, &ring);
}

struct xtr_io *trace_make(uint32_t rounds, uint32_t n, uint64_t seed,
			  const struct xtr_writer_opts *opts)
{
	struct xtr_gap gap = { 1, 1000, 2000, 3 };
	uint64_t ts[3] = { 1000000, 1000000, 1000000 };
	struct trace t;
	int err = trace_open(&t, NULL, opts);

	if (!err)
		err = fill_tables(&t);
	if (!err)
		err = xtr_loss_set(t.loss, 1, 17, XTR_LOSS_RING_FULL, 3);
	if (!err)
		err = xtr_loss_add_gap(t.loss, &gap);
	for (uint32_t i = 0; !err && i < rounds; i++) {
		for (uint32_t s = 0; !err && s < 3; s++)
			err = trace_events(&t, &seed, s, &ts[s], n, true);
		if (!err)
			err = xtr_writer_round(t.w, ts[0]);
		if (!err)
			err = xtr_writer_loss(t.w);
	}
	if (!err)
		err = xtr_writer_attach(t.w, "note.txt", "hello", 5);
	if (!err)
		err = xtr_writer_finish(t.w, "end", NULL);
	trace_close(&t, !err);
	return err ? NULL : t.io;
}

size_t trace_problems(const struct xtr_reader *r, enum xtr_problem_code code)
{
	size_t n = 0;

	for (size_t i = 0; i < xtr_reader_n_problems(r); i++)
		n += xtr_reader_problem(r, i)->code == code;
	return n;
}

int trace_read(struct xtr_reader **r, const uint8_t *data, size_t n, struct xtr_err *err)
{
	struct xtr_io *io;
	int ret = xtr_io_mem_new(&io);

	if (ret)
		return ret;
	ret = io->ops->append(io, data, n);
	if (!ret)
		return xtr_reader_open(r, io, err);
	xtr_io_close(io);
	return ret;
}

size_t trace_mixed(uint8_t *recs, uint64_t seed, uint32_t n)
{
	const uint32_t odd[] = { 16, 24, 48, 520, 1016, 4000 };
	uint64_t ts = 1000;
	size_t len = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct xtr_event_desc *ev =
			&xtr_builtin_events[trace_random(&seed, xtr_builtin_event_count)];
		uint32_t type = ev->type, size = ev->size;

		if (!trace_random(&seed, 10)) {
			type = 2000 + (uint32_t)trace_random(&seed, 3);
			size = odd[trace_random(&seed, sizeof(odd) / sizeof(odd[0]))];
		} else if (!trace_random(&seed, 10)) {
			size += 8; /* longer or shorter than META says */
		} else if (!trace_random(&seed, 10)) {
			size -= size < 32 ? 8 : 16; /* a record has at least its header */
		}
		ts += trace_random(&seed, 5000) - (trace_random(&seed, 20) ? 0 : 4000);
		trace_record(recs + len, &seed, ts, type, size);
		len += size;
	}
	return len;
}

struct xtr_reader *trace_read_back(struct xtr_io *io)
{
	struct xtr_reader *r = NULL;
	struct xtr_err err;
	size_t n;
	const uint8_t *p = xtr_io_mem_data(io, &n);

	if (trace_read(&r, p, n, &err) || xtr_reader_verify(r, NULL, NULL))
		abort();
	return r;
}
