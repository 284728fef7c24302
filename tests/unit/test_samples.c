/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks in other tools' text: what is taken of a line, and what is not. */
#include "converters/in/text/samples.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *said; /* a line for each stack: "frame|frame[module] weight" */
static size_t n_said;
static FILE *out;
static struct xtr_samples_result r;

static int on_stack(void *ctx, const struct xtr_samples_frame *f, size_t n, uint64_t weight)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s%.*s", i ? "|" : "", (int)f[i].n_name, f[i].name);
		if (f[i].n_module)
			fprintf(out, "[%.*s]", (int)f[i].n_module, f[i].module);
		if (f[i].thread)
			fputc('*', out);
	}
	fprintf(out, " %llu\n", (unsigned long long)weight);
	return 0;
}

static void read_n(const char *text, size_t n)
{
	const struct xtr_samples_opts o = { .sz = sizeof(o), .stack = on_stack };
	struct xtr_io *io;

	out = open_memstream(&said, &n_said);
	cr_assert(eq(int, xtr_io_mem_view(text, n, &io), 0));
	cr_assert(eq(int, xtr_samples_read(io, &o, &r), 0));
	xtr_io_close(io);
	fclose(out);
}

static void read_text(const char *text)
{
	read_n(text, strlen(text));
}

static void teardown(void)
{
	free(said);
	said = NULL;
}

TestSuite(samples, .fini = teardown);

Test(samples, folded_stacks)
{
	read_text("main;draw call;ioctl 12\nidle 3\n");
	cr_expect(eq(str, said, "main|draw call|ioctl 12\nidle 3\n"));
	cr_expect(eq(str, (char *)r.format, "folded"));
	cr_expect(eq(u64, r.stacks, 2));
	cr_expect(eq(u64, r.weight, 15));
	cr_expect(eq(u64, r.other, 0));
}

Test(samples, folded_oddities)
{
	read_text("# iaprof\n\n;;a;;b; 5\r\nno number\na;b 1.5\n99\na;b 99999999999999999999999\n"
		  "a\\x3bb;c 7 \n# name;d 8\nlast 9");
	cr_expect(eq(str, said, "a|b 5\na\\x3bb|c 7\nlast 9\n"));
	cr_expect(eq(u64, r.other, 4));
	cr_expect(eq(u64, r.other_line, 4));
}

Test(samples, perf_script)
{
	read_text("# captured on    : now\n"
		  "my app  1234/1240 [003]   100.000001:     250000 cpu-clock:ppp: \n"
		  "\tffffffff81000010 drm_ioctl+0x10 ([drm])\n"
		  "\tffffffff81000020 do_syscall_64+0x20 ([kernel.kallsyms])\n"
		  "\t    7f0000001000 [unknown] (/usr/lib/libGL.so.1)\n"
		  "\t    7f0000002000 operator+ (/usr/lib/libx.so (deleted))\n"
		  "\t    555500001000 draw(int, char const*)+0x5 (/usr/bin/app)\n"
		  "\t    555500001001 inner (inlined)\n"
		  "\t          000000 [unknown] ([unknown])\n"
		  "\n"
		  "   swapper     0 [000]   100.000002: cycles: \n"
		  "\tffffffff81000030 idle+0x1 ([kernel.kallsyms])\n"
		  "\n"
		  "alone 77   100.000003: cycles: \n"
		  "\n");
	cr_expect(eq(str, said,
		     "my app*|[unknown][[unknown]]|inner|draw(int, char const*)[/usr/bin/app]|"
		     "operator+[/usr/lib/libx.so (deleted)]|libGL.so.1[/usr/lib/libGL.so.1]|"
		     "do_syscall_64[[kernel.kallsyms]]|drm_ioctl[[drm]] 1\n"
		     "swapper*|idle[[kernel.kallsyms]] 1\n"
		     "alone* 1\n"));
	cr_expect(eq(str, (char *)r.format, "perf script"));
	cr_expect(eq(u64, r.weight, 3));
	cr_expect(eq(u64, r.other, 0));
}

/* The last sample has no empty line behind it, and what is no sample is counted. */
Test(samples, perf_script_that_ends_early)
{
	read_text(
		"app 12 1.5: cycles:\n\tff01 a (b)\nwhat is this\n\tff02 c (d)\napp 13 1.6: cycles:\n\tff03 e");
	cr_expect(eq(str, said, "app*|a[b] 1\napp*|e 1\n"));
	cr_expect(eq(u64, r.other, 2));
	cr_expect(eq(u64, r.other_line, 3));
}

Test(samples, deep_stacks_keep_the_outermost_frames)
{
	char *text = malloc(1 << 16);
	size_t n = 0;

	for (size_t i = 0; i < 300; i++)
		n += (size_t)sprintf(text + n, "f%zu;", i);
	sprintf(text + n - 1, " 5\n");
	read_text(text);
	cr_expect(eq(u64, r.cut, 1));
	cr_expect(eq(int, (strstr(said, "f0|f1|") == said && strstr(said, "|f239 5\n")), 1));
	free(said);
	n = (size_t)sprintf(text, "app 12 1.5: cycles:\n");
	for (size_t i = 300; i; i--)
		n += (size_t)sprintf(text + n, "\tff f%zu (x)\n", i - 1);
	read_text(text);
	cr_expect(eq(u64, r.cut, 1));
	cr_expect(eq(int,
		     (strstr(said, "app*|f0[x]|f1[x]|") == said && strstr(said, "|f239[x] 1\n")),
		     1));
	free(text);
}

Test(samples, long_and_binary_lines_are_left_out)
{
	char *text = malloc(100000);
	size_t n = 0;

	n += (size_t)sprintf(text, "a;b 1\n");
	memset(text + n, 'x', 70000);
	n += 70000;
	n += (size_t)sprintf(text + n, " 5\nc;d 2\nbin");
	text[n++] = '\0';
	n += (size_t)sprintf(text + n, "ary 4\ne 3\n");
	read_n(text, n);
	cr_expect(eq(str, said, "a|b 1\nc|d 2\ne 3\n"));
	cr_expect(eq(u64, r.other, 2));
	free(text);
}

Test(samples, nothing)
{
	read_text("");
	cr_expect(eq(u64, r.stacks, 0));
	cr_expect(eq(int, (r.format == NULL), 1));
	free(said);
	read_text("\n# only\n\n");
	cr_expect(eq(u64, r.stacks, 0));
	cr_expect(eq(int, (r.format == NULL), 1));
}

static int stop(void *ctx, const struct xtr_samples_frame *f, size_t n, uint64_t weight)
{
	(void)ctx;
	(void)f;
	return n == 2 && weight == 5 ? -ECANCELED : 0;
}

Test(samples, who_takes_them_can_stop)
{
	const struct xtr_samples_opts o = { .sz = sizeof(o), .stack = stop };
	static const char text[] = "a 1\na;b 5\nc 1\n";
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_mem_view(text, sizeof(text) - 1, &io), 0));
	cr_expect(eq(int, xtr_samples_read(io, &o, &r), -ECANCELED));
	cr_expect(eq(u64, r.stacks, 2));
	xtr_io_close(io);
}
