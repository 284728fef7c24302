/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each allocation of format/ fails in turn: the caller is told -ENOMEM, nothing crashes, nothing is
 * left behind (which AddressSanitizer checks), and what was there before is still there.
 */
#include "base/bytes.h"
#include "format/codec/codecs.h"
#include "format/read/merge.h"
#include "format/meta/tpformat.h"
#include "oom.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- writer ---------------------------------------------------------------------------------- */

static int write_all(void *arg)
{
	struct xtr_io *io = trace_make(1, 8, 3, arg);

	return io ? xtr_io_close(io) : -ENOMEM;
}

Test(oom, writing_a_trace)
{
	struct xtr_writer_opts o;

	xtr_writer_opts_init(&o);
	cr_assert(ge(u32, oom_each(write_all, &o, 0), 100));
	o.codec = XTR_CODEC_NONE;
	o.filter = XTR_FILTER_NONE;
	o.table_every = 1;
	o.meta_every = 1;
	cr_assert(ge(u32, oom_each(write_all, &o, 0), 100));
}

static int write_rest(void *arg)
{
	const struct xtr_clock_reading clocks[] = { { "realtime", 5 }, { "boottime", 4 } };
	const struct xtr_recorder_cost cost = { 1, 2, 3, 4, 5, 6, 7 };
	struct trace t;
	int err = trace_open(&t, NULL, arg);

	if (!err)
		err = xtr_writer_clock(t.w, 1, 2, clocks, 2);
	if (!err)
		err = xtr_writer_attach(t.w, "name", "bytes", 5);
	if (!err)
		err = xtr_writer_finish(t.w, "end", &cost);
	trace_close(&t, false);
	return err;
}

Test(oom, writing_clocks_attachments_and_the_end)
{
	cr_assert(ge(u32, oom_each(write_rest, NULL, 0), 50));
}

/* Enough records for columns, and for words. */
static int write_columns(void *arg)
{
	uint64_t seed = 1, ts = 5;
	struct trace t;
	int err = trace_open(&t, NULL, arg);

	if (!err)
		err = trace_events(&t, &seed, 0, &ts, 100, false);
	if (!err)
		err = xtr_writer_finish(t.w, "end", NULL);
	trace_close(&t, false);
	return err;
}

Test(oom, writing_columns)
{
	struct xtr_writer_opts o;

	xtr_writer_opts_init(&o);
	o.filter = XTR_FILTER_COLUMNS;
	cr_assert(ge(u32, oom_each(write_columns, &o, 0), 100));
	o.small = true;
	cr_assert(ge(u32, oom_each(write_columns, &o, 0), 100));
}

Test(oom, writing_words)
{
	struct xtr_writer_opts o;

	xtr_writer_opts_init(&o);
	o.filter = XTR_FILTER_WORDS;
	cr_assert(ge(u32, oom_each(write_columns, &o, 0), 100));
	o.codec = XTR_ZSTD_KNOWN ? XTR_CODEC_ZSTD : XTR_CODEC_NONE;
	cr_assert(ge(u32, oom_each(write_columns, &o, 0), 100));
}

/* References that have to be sorted, and put together, first. */
static int write_refs(void *arg)
{
	const struct xtr_rec_layout layout = { 2000, 24, 8 };
	struct xtr_rec_ref refs[2] = { { .ts = 2, .payload = (const uint8_t *)"12345678" },
				       { .ts = 1, .payload = (const uint8_t *)"12345678" } };
	struct trace t;
	int err = trace_open(&t, NULL, arg);

	if (!err)
		err = xtr_writer_refs(t.w, 1, &layout, 1, refs, 2, 0);
	trace_close(&t, false);
	return err;
}

Test(oom, writing_references)
{
	cr_assert(ge(u32, oom_each(write_refs, NULL, 0), 20));
}

/* Records that have to be sorted first. */
static int write_unsorted(void *arg)
{
	uint8_t recs[48];
	const struct xtr_batch b = { .stream = 1, .recs = recs, .len = sizeof(recs), .n = 2 };
	uint64_t seed = 1;
	struct trace t;
	int err = trace_open(&t, NULL, arg);

	trace_record(recs, &seed, 9, 16, 24);
	trace_record(recs + 24, &seed, 5, 16, 24);
	if (!err)
		err = xtr_writer_events(t.w, &b);
	trace_close(&t, false);
	return err;
}

Test(oom, writing_unsorted_records)
{
	cr_assert(ge(u32, oom_each(write_unsorted, NULL, 0), 50));
}

/* --- reader ---------------------------------------------------------------------------------- */

static struct xtr_io *made;

/*
 * Whoever goes on after an error: no chunk is taken for another one, so that the times rise, and no
 * more events come than there are. Where there is never any memory, it gives up.
 */
static void go_on(struct xtr_merge *m, bool failed)
{
	struct xtr_event ev;
	uint64_t last = 0, n = 0;
	int ret = failed;

	for (int errors = 0; ret && errors < 100; errors += ret < 0) {
		ret = xtr_merge_next(m, &ev, NULL);
		if (ret != 1)
			continue;
		cr_assert(ev.ts >= last && n < 5000);
		last = ev.ts;
		n++;
	}
}

static int events_of(const struct xtr_reader *r, unsigned int threads, size_t memory)
{
	const uint32_t types[] = { 16, 17, 18, 19, 20, 70000 };
	struct xtr_merge_opts o = {
		.sz = sizeof(o), .threads = threads, .memory = memory, .types = types, .n_types = 6
	};
	struct xtr_merge *m;
	struct xtr_event ev;
	int ret = xtr_merge_open(&m, r, xtr_reader_section(r, 0), &o);

	if (ret)
		return ret;
	do
		ret = xtr_merge_next(m, &ev, NULL);
	while (ret == 1 || ret == -EBADMSG);
	go_on(m, ret < 0);
	xtr_merge_close(m);
	return ret;
}

struct reading {
	unsigned int threads;
	size_t memory; /* of the merge */
	bool mapped;
	unsigned int spare; /* lists made shorter, buffers got ahead */
};

/* A reader over the bytes of `made`, mapped or read. */
static int open_made(const struct reading *how, struct xtr_reader **r)
{
	static struct xtr_io_ops unmapped;
	struct xtr_io *io;
	size_t n;
	const uint8_t *p = xtr_io_mem_data(made, &n);
	int err = xtr_io_mem_view(p, n, &io);

	if (err)
		return err;
	if (!how->mapped) {
		unmapped = *io->ops;
		unmapped.map = NULL;
		io->ops = &unmapped;
	}
	return xtr_reader_open(r, io, NULL);
}

static int read_all(void *arg)
{
	const struct reading *how = arg;
	struct xtr_reader *r;
	int err = open_made(how, &r);

	if (err)
		return err;
	err = xtr_reader_verify(r, NULL, NULL);
	if (!err)
		err = events_of(r, how->threads, how->memory);
	xtr_reader_close(r);
	return err;
}

Test(oom, reading_a_trace)
{
	struct reading ways[] = { { 0, 0, true, 4 }, { 0, 0, false, 4 }, { 0, 100, true, 1 } };

	made = trace_make(1, 30, 3, NULL);
	for (size_t i = 0; i < 3; i++)
		cr_assert(ge(u32, oom_each(read_all, &ways[i], ways[i].spare), 100));
	xtr_io_close(made);
}

/* With threads, it is chance which of them has no memory, or whether one is not started; never what
 * is given out. Of one thread it is not: that it is not there at all is among the cases. */
Test(oom, reading_with_threads)
{
	made = trace_make(6, 60, 3, NULL);
	for (unsigned int threads = 1; threads <= 3; threads += 2) {
		struct reading how = { threads, 0, true, 0 };
		unsigned int failed, n = 0;

		do {
			int ret;

			oom_at(++n, false);
			ret = read_all(&how);
			failed = oom_end();
			cr_assert(ret == 0 || (ret == -ENOMEM && failed), "allocation %u: %d", n,
				  ret);
		} while (failed);
		cr_assert(ge(u32, n, 100));
	}
	xtr_io_close(made);
}

Test(oom, going_on_without_memory_mixes_no_chunks, .timeout = 600)
{
	const struct reading how = { 0, 0, true, 0 };
	unsigned int failed, n = 0;

	made = trace_make(6, 60, 3, NULL);
	do {
		oom_at(++n, false);
		read_all((void *)&how);
		failed = oom_end();
	} while (failed);
	cr_assert(ge(u32, n, 100));
	xtr_io_close(made);
}

/* The lists of problems grow, and the section is found without its header. */
Test(oom, reading_a_damaged_trace)
{
	struct reading ways[] = { { 0, 0, true, 6 }, { 0, 0, false, 6 } }; /* reading ahead */
	struct xtr_io *good = trace_make(3, 60, 3, NULL);
	size_t n;
	const uint8_t *p = xtr_io_mem_data(good, &n);
	uint8_t *bytes = malloc(n);

	memcpy(bytes, p, n);
	xtr_io_close(good);
	bytes[20] ^= 1; /* the file header */
	for (size_t at = 3000; at < n; at += 1700)
		bytes[at] ^= 0x55;
	for (size_t i = 0; i < 2; i++) {
		cr_assert(eq(int, xtr_io_mem_view(bytes, n, &made), 0));
		cr_assert(ge(u32, oom_each(read_all, &ways[i], ways[i].spare), 50));
		xtr_io_close(made);
	}
	free(bytes);
}
