/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections of one boot, as pieces of a recording that were put together: a process is in several,
 * and its number may have been another one's in an earlier one.
 */
#include "reader_priv.h"
#include "format/meta/tables_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct of_boot {
	uint8_t boot[16];
	struct xtr_tables *tables;
};

static int by_boot(const void *pa, const void *pb)
{
	const struct of_boot *a = pa, *b = pb;

	return memcmp(a->boot, b->boot, sizeof(a->boot));
}

/* Starts can be compared where the boot is known and the clock is the kernel's. */
static bool comparable(const struct xtr_section *s, struct of_boot *b)
{
	static const uint8_t none[sizeof(b->boot)];

	if (!s->tables || !s->tables->processes.n || !s->meta)
		return false;
	memcpy(b->boot, xtr_meta_boot_id(s->meta), sizeof(b->boot));
	b->tables = s->tables;
	return memcmp(b->boot, none, sizeof(none)) && !strcmp(xtr_meta_clock(s->meta), "monotonic");
}

static int rank_run(const struct of_boot *b, size_t n)
{
	struct xtr_tables **t = malloc(n * sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t[i] = b[i].tables;
	err = xtr_tables_rank_together(t, n);
	free(t);
	return err;
}

int xtr_reader_rank_processes(struct xtr_reader *r)
{
	struct of_boot *b;
	size_t n = 0, end;
	int err = 0;

	if (r->n_sections < 2)
		return 0;
	b = malloc(r->n_sections * sizeof(*b));
	if (!b)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_sections; i++)
		n += comparable(r->sections[i], &b[n]);
	qsort(b, n, sizeof(*b), by_boot);
	for (size_t i = 0; i < n && !err; i = end) {
		for (end = i + 1; end < n && !by_boot(&b[i], &b[end]); end++)
			;
		if (end > i + 1)
			err = rank_run(&b[i], end - i);
	}
	free(b);
	return err;
}
