/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder/host/util.h"
#include "recorder/host/kallsyms.h"
#include "sysfail.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LINES = 4000, /* more than one read's */
};

static char path[32];

static void setup(void)
{
	FILE *f;
	int fd;

	strcpy(path, "/tmp/xtr-lines.XXXXXX");
	fd = mkstemp(path);
	f = fdopen(fd, "w");
	cr_assert(ne(ptr, f, NULL));
	for (int i = 0; i < LINES; i++)
		fprintf(f, "%016x T symbol_%d%s", i + 1, i, i + 1 < LINES ? "\n" : "");
	fclose(f);
}

static void teardown(void)
{
	unlink(path);
}

TestSuite(lines, .init = setup, .fini = teardown);

/* How many lines there are; each has to be whole. */
static int count(struct xtr_lines *l)
{
	char line[64], want[64];
	int n = 0;

	for (; xtr_lines_next(l, line, sizeof(line)); n++) {
		snprintf(want, sizeof(want), "%016x T symbol_%d%s", n + 1, n,
			 n + 1 < LINES ? "\n" : "");
		cr_assert(eq(str, line, want));
	}
	return n;
}

Test(lines, are_all_there)
{
	struct xtr_lines l;

	cr_assert(eq(int, xtr_lines_open(&l, path), 0));
	cr_expect(eq(int, count(&l), LINES));
	cr_expect(eq(int, xtr_lines_close(&l), 0));
	cr_expect(eq(int, xtr_lines_open(&l, "/nowhere/at/all"), -ENOENT));
}

Test(lines, of_more_than_there_is_room_for_come_in_parts)
{
	struct xtr_lines l;
	char line[20];

	cr_assert(eq(int, xtr_lines_open(&l, path), 0));
	cr_assert(xtr_lines_next(&l, line, sizeof(line)));
	cr_expect(eq(str, line, "0000000000000001 T "));
	cr_assert(xtr_lines_next(&l, line, sizeof(line)));
	cr_expect(eq(str, line, "symbol_0\n"));
	xtr_lines_close(&l);
}

Test(lines, go_on_after_an_interruption)
{
	struct xtr_lines l;

	cr_assert(eq(int, xtr_lines_open(&l, path), 0));
	sys_fail("read", 1, EINTR);
	sys_fail("read", 3, EINTR);
	cr_expect(eq(int, count(&l), LINES));
	cr_expect(eq(u32, sys_end(), 2));
	cr_expect(eq(int, xtr_lines_close(&l), 0));
}

Test(lines, that_cannot_be_read_are_not_the_end)
{
	struct xtr_lines l;

	cr_assert(eq(int, xtr_lines_open(&l, path), 0));
	sys_fail("read", 2, EIO);
	cr_expect(lt(int, count(&l), LINES));
	cr_expect(eq(u32, sys_end(), 1));
	cr_expect(eq(int, xtr_lines_close(&l), -EIO));
}

/* The nearest one of a part of them would be a wrong name. */
Test(lines, a_part_of_the_symbols_gives_no_names)
{
	struct xtr_kallsyms *k = xtr_kallsyms_open(path);
	const char *symbol, *module;
	uint64_t offset;

	sys_fail("read", 3, EIO);
	cr_expect(not(xtr_kallsyms_find(k, LINES, &symbol, &module, &offset)));
	cr_expect(eq(u32, sys_end(), 1));
	xtr_kallsyms_free(k);
	k = xtr_kallsyms_open(path);
	cr_assert(xtr_kallsyms_find(k, 2, &symbol, &module, &offset));
	cr_expect(eq(str, (char *)symbol, "symbol_1"));
	xtr_kallsyms_free(k);
}
