/* SPDX-License-Identifier: BSD-2-Clause */
/* A file with several recordings of one boot: a process has the same name in all of them. */
#include "oom.h"
#include "trace.h"
#include "format/meta/tables.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

/* A trace of a boot in which number 180 belongs to a process that began at `start` (ns). */
static struct xtr_io *recording(uint8_t boot, uint64_t start)
{
	const struct xtr_task task = { .tid = 180, .pid = 180, .since = start + 1, .start = start };
	uint8_t boot_id[16] = { boot };
	struct xtr_io *io;
	struct trace t;

	cr_assert(zero(int, trace_open(&t, NULL, NULL)));
	cr_assert(zero(int, xtr_meta_set_clock(t.meta, "monotonic", boot_id, 1)));
	cr_assert(zero(int, xtr_tables_add_task(t.tables, &task)));
	cr_assert(zero(int, xtr_writer_finish(t.w, "test", NULL)));
	io = t.io;
	trace_close(&t, true);
	return io;
}

struct bytes {
	uint8_t *at;
	size_t n;
};

static void append(struct bytes *f, struct xtr_io *io)
{
	size_t n;
	const uint8_t *from = xtr_io_mem_data(io, &n);

	f->at = realloc(f->at, f->n + n);
	cr_assert(not(zero(ptr, f->at)));
	memcpy(f->at + f->n, from, n);
	f->n += n;
	xtr_io_close(io);
}

static uint32_t nth_in(struct xtr_reader *r, size_t section)
{
	const struct xtr_tables *t = xtr_section_tables(xtr_reader_section(r, section));

	return xtr_tables_task(t, 180, UINT64_MAX)->nth;
}

static struct xtr_reader *opened(const struct bytes *f)
{
	struct xtr_reader *r = NULL;

	cr_assert(zero(int, trace_read(&r, f->at, f->n, NULL)));
	return r;
}

Test(boots, a_number_given_again_is_the_second_process_in_each_recording)
{
	struct bytes f = { 0 };
	struct xtr_reader *r;

	append(&f, recording(1, 100));
	append(&f, recording(1, 900));
	append(&f, recording(2, 500));
	r = opened(&f);
	cr_assert(eq(sz, xtr_reader_n_sections(r), 3));
	cr_expect(eq(u32, nth_in(r, 0), 0));
	cr_expect(eq(u32, nth_in(r, 1), 1));
	cr_expect(eq(u32, nth_in(r, 2), 0), "another boot");
	xtr_reader_close(r);
	free(f.at);
}

static int open_it(void *arg)
{
	const struct bytes *f = arg;
	struct xtr_reader *r = NULL;
	int err = trace_read(&r, f->at, f->n, NULL);

	xtr_reader_close(r);
	return err;
}

Test(boots, without_memory)
{
	struct bytes f = { 0 };

	append(&f, recording(1, 100));
	append(&f, recording(1, 900));
	cr_assert(ge(u32, oom_each(open_it, &f, 2), 20));
	free(f.at);
}
