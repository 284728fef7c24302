/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of modules of a list, kept in memory. */
#include "recorder/groups/func_symbols.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(func_lists, keep_the_lines_of_modules)
{
	char path[] = "/tmp/xtr-list-XXXXXX", text[256] = "";
	struct xtr_func_list l = { 0 };
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	const char *kept;
	size_t n;

	cr_assert(f != NULL);
	fputs("1 T a\n2 t b\t[one]\n3 t c\n4 t d\t[two]\n", f);
	fclose(f);
	kept = xtr_func_list_modules(&l, path);
	cr_expect(ne(str, (char *)kept, path));
	unlink(path); /* it is read once */
	for (int i = 0; i < 2; i++) {
		cr_expect(eq(ptr, (void *)xtr_func_list_modules(&l, path), (void *)kept));
		f = fopen(kept, "re");
		cr_assert(f != NULL);
		n = fread(text, 1, sizeof(text) - 1, f);
		text[n] = 0;
		fclose(f);
		cr_expect(eq(str, text, "2 t b\t[one]\n4 t d\t[two]\n"));
	}
	xtr_func_list_free(&l);
}

Test(func_lists, that_cannot_be_read_are_named_themselves)
{
	struct xtr_func_list l = { 0 };

	cr_expect(eq(str, (char *)xtr_func_list_modules(&l, "/nonexistent"), "/nonexistent"));
	cr_expect(eq(str, (char *)xtr_func_list_modules(&l, "/nonexistent"), "/nonexistent"));
	xtr_func_list_free(&l);
}
