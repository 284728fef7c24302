/* SPDX-License-Identifier: BSD-2-Clause */
#include "hang_head_cmd.h"
#include "bundle_dumps.h"

#include <stdio.h>

bool hang_told_by(struct hang_told *t, const struct stats_run *run, const struct xtr_dumps *d,
		  bool last)
{
	const struct hang_section *s = run->analyses ? xtr_hang_section(run->analyses) : NULL;

	if (t->head.n || !s || (!last && !xtr_hangs_n(s->hangs)) ||
	    !xtr_hang_head_of(&t->head, s, d))
		return false;
	for (size_t i = 0; d && i < d->n; i++)
		xtr_hang_speaks(s, &d->v[i], t->speaks[i], sizeof(t->speaks[i]));
	return true;
}

int hang_told_find(struct hang_told *t, struct replay_cmd *c, const struct xtr_dumps *d)
{
	const size_t n = xtr_reader_n_sections(c->reader);
	int err = 0;

	for (size_t i = 0; i < n && !err && !t->head.n; i++) {
		struct stats_run run = { .cmd = c, .parts = xtr_view_part_bit("hang"), .top = 1 };
		struct xtr_view v;

		err = stats_gather(&run, xtr_reader_section(c->reader, i), &v);
		if (!err)
			hang_told_by(t, &run, d, i + 1 == n);
		stats_drop(&run);
	}
	return err;
}

void hang_told_text(const struct hang_told *t, FILE *f)
{
	xtr_hang_head_text(&t->head, f);
	fputc('\n', f);
}

void hang_told_json(const struct hang_told *t, struct xtr_json *j)
{
	if (!t->head.n)
		return;
	xtr_json_key(j, "hang");
	xtr_hang_head_json(&t->head, j);
	xtr_json_key(j, "dumps");
	xtr_hang_dumps_json(bundle_dumps(), t->speaks, j);
}
