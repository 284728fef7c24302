/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers what `xtr info` prints: counts, times, problems, sums over the sections. */
#include "info.h"
#include "trace.h"
#include "event_totals.h"

#include "base/buf.h"
#include "base/checked.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>

static void list_page(struct info_section *is, const struct count_tally *page, uint32_t first)
{
	const struct xtr_event_desc *d;

	for (uint32_t i = 0; page && i < COUNT_PAGE; i++) {
		if (!page[i].count)
			continue;
		d = xtr_meta_event(xtr_section_meta(is->s), first + i);
		is->types[is->n_types++] = (struct info_type){
			.type = first + i,
			.name = d ? d->name : NULL,
			.count = page[i].count,
			.bytes = page[i].bytes,
		};
		is->events += page[i].count;
	}
}

static int list_types(struct info_section *is, const struct count *c)
{
	size_t n = 0;

	for (size_t i = 0; i < COUNT_PAGES; i++)
		for (size_t k = 0; c->pages[i] && k < COUNT_PAGE; k++)
			n += c->pages[i][k].count != 0;
	is->types = n ? calloc(n, sizeof(*is->types)) : NULL;
	if (n && !is->types)
		return -ENOMEM;
	for (uint32_t i = 0; i < COUNT_PAGES; i++)
		list_page(is, c->pages[i], i * COUNT_PAGE);
	return 0;
}

static int add_problem(struct info *info, const struct xtr_problem *p)
{
	if (xtr_grow_array(&info->problems, &info->cap_problems, info->n_problems + 1, sizeof(*p)))
		return -ENOMEM;
	info->problems[info->n_problems++] = *p;
	return 0;
}

static int reader_problems(struct info *info)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_problems(info->r) && !err; i++)
		err = add_problem(info, xtr_reader_problem(info->r, i));
	return err;
}

/* The snapshot nearest to the first event tells the time of day then (spec 6.3). */
static uint64_t start_realtime(const struct xtr_section *s, uint64_t ts)
{
	const struct xtr_clock_snapshot *c;
	uint64_t best = UINT64_MAX, found = 0, away;

	for (size_t i = 0; i < xtr_section_n_clocks(s); i++) {
		c = xtr_section_clock(s, i);
		away = c->before > ts ? c->before - ts : ts - c->before;
		if (!c->realtime || away >= best)
			continue;
		best = away;
		found = c->before > ts ? c->realtime - away : c->realtime + away;
	}
	return found;
}

/* A recorder that is behind writes chunks as they are. */
static void count_chunks(struct info_section *is)
{
	const struct xtr_chunk *c;

	for (size_t i = 0; i < xtr_section_n_chunks(is->s); i++) {
		c = xtr_section_chunk(is->s, i);
		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		is->chunks++;
		is->raw += c->filter == XTR_FILTER_NONE && c->codec == XTR_CODEC_NONE;
	}
}

static int gather_section(struct info *info, struct info_section *is)
{
	const struct xtr_section_summary *s = xtr_section_summary(is->s);
	uint64_t undecoded;
	struct count c;
	int err = count_section(&c, info->r, is->s);

	if (!err)
		err = list_types(is, &c);
	for (size_t i = 0; i < c.n_problems && !err; i++)
		err = add_problem(info, &c.problems[i]);
	if (!err && c.first <= c.last) {
		is->first = c.first;
		is->last = c.last;
	}
	count_free(&c);
	count_chunks(is);
	is->start_realtime = start_realtime(is->s, is->first);
	info->events = xtr_sat_add(info->events, is->events);
	undecoded = s->events > is->events ? s->events - is->events : 0;
	info->lost = xtr_sat_add(info->lost, s->lost);
	/* What the headers promise and decoding did not give is missing too. */
	info->missing = xtr_sat_add(info->missing, xtr_sat_add(s->missing, undecoded));
	info->filtered = xtr_sat_add(info->filtered, s->filtered);
	if (xtr_meta_has_times(xtr_section_meta(is->s))) {
		info->times = true;
		info->duration = xtr_sat_add(info->duration, is->last - is->first);
	}
	return err;
}

static int by_offset(const void *a, const void *b)
{
	const struct xtr_problem *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (int)x->code - (int)y->code;
}

/* In order of offset; what reader and decoder both found once. */
static void sort_problems(struct info *info)
{
	struct xtr_problem *p = info->problems;
	size_t n = 0;

	if (!info->n_problems)
		return;
	qsort(p, info->n_problems, sizeof(*p), by_offset);
	for (size_t i = 0; i < info->n_problems; i++)
		if (!n || by_offset(&p[n - 1], &p[i]))
			p[n++] = p[i];
	info->n_problems = n;
}

int info_gather(struct info *info, const char *path, const struct xtr_reader *r)
{
	int err;

	*info = (struct info){ .path = path, .r = r, .n_sections = xtr_reader_n_sections(r) };
	info->sections = calloc(info->n_sections ? info->n_sections : 1, sizeof(*info->sections));
	if (!info->sections)
		return -ENOMEM;
	info->open = cli_end_is_missing(r);
	info->unread = cli_import_damage(r);
	err = reader_problems(info);
	info->times = !info->n_sections;
	for (size_t i = 0; i < info->n_sections && !err; i++) {
		info->sections[i].s = xtr_reader_section(r, i);
		err = gather_section(info, &info->sections[i]);
	}
	sort_problems(info);
	return err;
}

void info_free(struct info *info)
{
	for (size_t i = 0; info->sections && i < info->n_sections; i++)
		free(info->sections[i].types);
	free(info->sections);
	free(info->problems);
}
