/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_format.h"
#include "recorder/host/util.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

struct xtr_generic *kernel_format(const char *file, const char *system)
{
	struct xtr_generic *g = NULL;
	struct xtr_tp_format *f;
	char path[256], *text;
	size_t n;

	snprintf(path, sizeof(path), "tests/data/tracefs/%s", file);
	cr_assert(zero(int, xtr_read_file(path, 1 << 20, &text, &n)));
	cr_assert(zero(int, xtr_tp_format_parse(&f, text, n)));
	cr_assert(zero(int, xtr_generic_new(&g, system, f->name, f, 1024, 32)));
	xtr_tp_format_free(f);
	free(text);
	return g;
}
