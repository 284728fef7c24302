/* SPDX-License-Identifier: BSD-2-Clause */
#include "join.h"
#include "cli/ui/cli.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "format/read/intact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int join_add(struct join *j, const char *path, const struct xtr_reader *r)
{
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);

		if (xtr_grow_array(&j->part, &j->cap, j->n + 1, sizeof(*j->part)))
			return -ENOMEM;
		j->part[j->n] = (struct join_part){ .path = path,
						    .r = r,
						    .s = s,
						    .number = i + 1,
						    .whole = xtr_section_is_whole(r, s),
						    .place = j->n };
		j->n++;
	}
	return 0;
}

/* --- twice ------------------------------------------------------------------------------------ */

/* As far as can be told without comparing all bytes. */
static bool same(const struct join_part *a, const struct join_part *b)
{
	const struct xtr_section_summary *x = xtr_section_summary(a->s);
	const struct xtr_section_summary *y = xtr_section_summary(b->s);

	return xtr_section_size(a->s) == xtr_section_size(b->s) && x->events == y->events &&
	       x->ts_min == y->ts_min && x->ts_max == y->ts_max && x->lost == y->lost;
}

/*
 * Two sections with one id. The same twice: the second is left out. Two that are whole and differ:
 * the second needs another id. Else one is what is left of the other, or seems so: the whole one
 * stays, or the first.
 */
static void meet(struct join_part *a, struct join_part *b, bool *lost)
{
	struct join_part *out = b->whole && !a->whole ? a : b, *stays = out == a ? b : a;

	if (same(a, b) && a->whole == b->whole) {
		cli_warn("'%s': section %zu is section %zu of '%s': left out", out->path,
			 out->number, stays->number, stays->path);
		out->again = true;
	} else if (a->whole && b->whole) {
		cli_warn("'%s': section %zu has the id of section %zu of '%s': it gets another",
			 out->path, out->number, stays->number, stays->path);
		out->renew = true;
	} else {
		cli_error("'%s': section %zu is damaged, and has the id of section %zu of '%s': "
			  "left out",
			  out->path, out->number, stays->number, stays->path);
		out->again = *lost = true;
	}
}

static int find_twice(struct join *j, bool *lost)
{
	struct xtr_map by_id = { 0 };
	int err = 0;

	for (size_t i = 0; i < j->n && !err; i++) {
		uint64_t id = xtr_section_file_id(j->part[i].s);
		const uint64_t *known = xtr_map_get(&by_id, id, 0);

		if (known) {
			size_t first = *known;

			meet(&j->part[first], &j->part[i], lost);
			if (!j->part[first].again)
				continue;
		}
		err = xtr_map_put(&by_id, id, 0, i);
	}
	xtr_map_free(&by_id);
	return err;
}

/* --- order ------------------------------------------------------------------------------------ */

/* The wall clock at the section's first event, ns since 1970; 0: not known. */
static uint64_t wall_clock(const struct xtr_section *s)
{
	for (size_t i = 0; i < xtr_section_n_clocks(s); i++) {
		const struct xtr_clock_snapshot *c = xtr_section_clock(s, i);

		if (c->realtime)
			return c->realtime - c->before + xtr_section_summary(s)->ts_min;
	}
	return 0;
}

struct boot {
	uint64_t wall, first; /* of its earliest section; place of the first one given */
};

/* The boot of a section; one without boot id is a boot of its own. Index, or -ENOMEM. */
static int64_t boot_of(const struct join_part *p, struct xtr_map *by_id, struct boot *boots,
		       size_t *n)
{
	const uint8_t *id = xtr_meta_boot_id(xtr_section_meta(p->s));
	uint64_t a = xtr_le64(id), b = xtr_le64(id + 8), wall = wall_clock(p->s);
	const uint64_t *known = a | b ? xtr_map_get(by_id, a, b) : NULL;
	struct boot *boot;

	if (!known) {
		boots[*n] = (struct boot){ wall, p->place };
		if (a | b && xtr_map_put(by_id, a, b, *n))
			return -ENOMEM;
		return (int64_t)(*n)++;
	}
	boot = &boots[*known];
	if (wall && (!boot->wall || wall < boot->wall))
		boot->wall = wall;
	return (int64_t)*known;
}

static int rank(struct join *j)
{
	struct boot *boots = calloc(j->n + 1, sizeof(*boots));
	struct xtr_map by_id = { 0 };
	size_t n = 0;
	bool all = true;
	int err = boots ? 0 : -ENOMEM;

	for (size_t i = 0; i < j->n && !err; i++) {
		int64_t k = boot_of(&j->part[i], &by_id, boots, &n);

		if (k < 0)
			err = (int)k;
		else
			j->part[i].rank = (uint64_t)k;
	}
	for (size_t i = 0; i < n; i++)
		all = all && boots[i].wall;
	for (size_t i = 0; i < j->n && !err; i++) {
		const struct boot *b = &boots[j->part[i].rank];

		j->part[i].rank = all ? b->wall : b->first;
	}
	xtr_map_free(&by_id);
	free(boots);
	return err;
}

static int part_cmp(const void *pa, const void *pb)
{
	const struct join_part *a = pa, *b = pb;
	uint64_t x = xtr_section_summary(a->s)->ts_min, y = xtr_section_summary(b->s)->ts_min;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (x != y)
		return x < y ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

int join_order(struct join *j, bool *lost)
{
	int err = find_twice(j, lost);

	if (!err)
		err = rank(j);
	if (!err && j->n)
		qsort(j->part, j->n, sizeof(*j->part), part_cmp);
	return err;
}

void join_free(struct join *j)
{
	free(j->part);
	*j = (struct join){ 0 };
}
