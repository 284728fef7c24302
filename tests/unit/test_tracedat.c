/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.dat files that are cut off or changed anywhere: what comes out is a whole file that says
 * what is missing, or one reason why not. The files are the fuzz target's (tests/import/corpus.py).
 */
#include "converters/in/core/import.h"
#include "format/read/reader.h"
#include "fewer.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILE_MAX 16384
#define SLOW_NS  2000000000u /* of the processor, for one import of such a file */

struct file {
	uint8_t p[FILE_MAX];
	size_t n;
};

static void load(struct file *f, const char *name)
{
	char path[128];
	FILE *in;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/tracedat/%s", name);
	in = fopen(path, "rb");
	cr_assert(in != NULL, "%s", path);
	f->n = fread(f->p, 1, sizeof(f->p), in);
	fclose(in);
	cr_assert(f->n > 0 && f->n < sizeof(f->p));
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* What was written is whole, and has what the importer says. */
static void check_written(const struct xtr_io *out, const struct xtr_import_result *res)
{
	const struct xtr_section_summary *sum;
	struct xtr_err err = { 0 };
	struct xtr_reader *r;
	struct xtr_io *view;
	const uint8_t *p;
	size_t n;

	p = xtr_io_mem_data(out, &n);
	cr_assert(zero(int, xtr_io_mem_view(p, n, &view)));
	cr_assert(zero(int, xtr_reader_open(&r, view, &err)));
	cr_assert(zero(int, xtr_reader_verify(r, NULL, NULL)));
	cr_assert(eq(sz, xtr_reader_n_problems(r), 0));
	sum = xtr_section_summary(xtr_reader_section(r, 0));
	cr_assert(eq(u64, sum->events, res->events));
	cr_assert(eq(u64, sum->lost, res->lost));
	xtr_reader_close(r);
}

static int import(const uint8_t *p, size_t n, struct xtr_import_result *res)
{
	const struct xtr_import_opts opts = { .sz = sizeof(opts), .format = "tracedat" };
	uint8_t *copy = malloc(n + 1); /* of its own size, so that a read past its end is seen */
	struct xtr_io *in, *out;
	uint64_t start = cpu_ns();
	int err;

	cr_assert(copy != NULL);
	memcpy(copy, p, n);
	cr_assert(zero(int, xtr_io_mem_view(copy, n, &in)));
	cr_assert(zero(int, xtr_io_mem_new(&out)));
	err = xtr_import_run(in, out, &opts, res);
	cr_assert(lt(u64, cpu_ns() - start, SLOW_NS));
	if (err)
		cr_assert(res->text[0] != 0, "%d without a reason", err);
	else
		check_written(out, res);
	xtr_io_close(in);
	xtr_io_close(out);
	free(copy);
	return err;
}

/* Events are lost, and said to be, wherever the file ends. */
static void cut_everywhere(const char *name, size_t step)
{
	struct xtr_import_result whole, res;
	struct file f;
	size_t taken = 0;

	load(&f, name);
	cr_assert(zero(int, import(f.p, f.n, &whole)), "%s", whole.text);
	cr_assert(zero(u64, whole.damage));
	for (size_t n = 0; n < f.n; n += step * FEWER) {
		if (import(f.p, n, &res))
			continue;
		taken++;
		cr_expect(le(u64, res.events, whole.events));
		if (res.events < whole.events)
			cr_expect(res.damage && res.lost, "%s cut at %zu: nothing said", name, n);
	}
	cr_log_info("%s: %zu of the cut files gave events", name, taken);
}

Test(tracedat, a_file_of_version_6_may_end_anywhere, .timeout = 1000)
{
	struct xtr_import_result res;
	struct file f;

	cut_everywhere("v6-new", 3);
	load(&f, "v6-new");
	cr_expect(zero(int, import(f.p, f.n - 700, &res)), "the rest is taken");
	cr_expect(res.events > 0 && res.damage);
}

Test(tracedat, a_compressed_file_of_version_7_may_end_anywhere, .timeout = 1000)
{
	struct file f;
	struct xtr_import_result res;

	load(&f, "v7-zlib");
	if (import(f.p, f.n, &res) == -EOPNOTSUPP)
		cr_skip_test("built without zlib");
	cut_everywhere("v7-zlib", 1);
}

Test(tracedat, any_byte_may_be_wrong, .timeout = 1000)
{
	static const char *const names[] = { "v6-old-big-32", "v7-new-big", "v6-texts" };
	struct xtr_import_result res;
	struct file f;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		load(&f, names[i]);
		for (size_t at = 0; at < f.n; at += 2 * FEWER) {
			uint8_t was = f.p[at];

			f.p[at] ^= at & 2 ? 0xff : (uint8_t)(1u << at / 4 % 8);
			import(f.p, f.n, &res);
			f.p[at] = was;
		}
	}
}
