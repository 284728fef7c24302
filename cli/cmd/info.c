/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers what `xtr info` prints: counts, times, problems, sums over the sections. */
#include "info.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "cli/ui/cli.h"
#include "format/xtr_format.h"
#include "trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* --- event totals ----------------------------------------------------------------------------- */

/*
 * Each thread takes the next EVENTS chunk, decodes it and counts its records into arrays of its
 * own; at the end they are added up. Nothing here depends on the order of events.
 */

enum {
	THREADS_MAX = 8
};

struct shared {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	atomic_size_t next; /* chunk */
	size_t n_chunks;
};

struct worker {
	struct shared *shared;
	pthread_t thread;
	bool main; /* the caller's own thread: shows progress */
	struct count c;
	int err; /* -errno */
};

static int keep_problem(struct count *c, const struct xtr_problem *p)
{
	if (xtr_grow_array(&c->problems, &c->cap_problems, c->n_problems + 1, sizeof(*p)))
		return -ENOMEM;
	c->problems[c->n_problems++] = *p;
	return 0;
}

/* The tally of a type, or NULL: no memory. */
static struct count_tally *tally(struct count *c, uint16_t type)
{
	struct count_tally **page = &c->pages[type / COUNT_PAGE];

	if (!*page)
		*page = calloc(COUNT_PAGE, sizeof(**page));
	return *page ? &(*page)[type % COUNT_PAGE] : NULL;
}

/*
 * The decoder has checked the records; the sizes are looked at again all the same. 0 or -ENOMEM.
 */
static int count_records(struct count *c, const uint8_t *p, size_t len)
{
	struct count_tally *t;
	uint64_t ts;
	uint32_t size;

	for (; len >= XTR_RECORD_HEADER_SIZE; p += size, len -= size) {
		ts = xtr_le64(p);
		t = tally(c, xtr_le16(p + 8));
		if (!t)
			return -ENOMEM;
		size = xtr_le16(p + 10);
		if (size < XTR_RECORD_HEADER_SIZE || size > len)
			break;
		t->count++;
		t->bytes += size;
		c->first = ts < c->first ? ts : c->first;
		c->last = ts > c->last ? ts : c->last;
	}
	return 0;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct shared *sh = w->shared;
	const struct xtr_chunk *chunk;
	uint8_t *buf = NULL;
	size_t cap = 0, i;

	while (!w->err && (i = atomic_fetch_add(&sh->next, 1)) < sh->n_chunks) {
		struct xtr_err err = { 0 };

		chunk = xtr_section_chunk(sh->s, i);
		if (chunk->type != XTR_CHUNK_EVENTS)
			continue;
		w->err = xtr_reader_decode(sh->r, chunk, &buf, &cap, &err);
		if (w->err == -EBADMSG)
			w->err = keep_problem(&w->c,
					      &(struct xtr_problem){ .code = err.problem,
								     .seq = chunk->seq,
								     .offset = chunk->offset });
		else if (!w->err)
			w->err = count_records(&w->c, buf, chunk->rec_len);
		if (w->main)
			cli_progress("counting events", i, sh->n_chunks);
	}
	free(buf);
	return NULL;
}

static void count_free(struct count *c)
{
	for (size_t i = 0; i < COUNT_PAGES; i++)
		free(c->pages[i]);
	free(c->problems);
	*c = (struct count){ 0 };
}

static int add_page(struct count *to, const struct count *from, uint32_t page)
{
	for (uint32_t i = 0; from->pages[page] && i < COUNT_PAGE; i++) {
		const struct count_tally *t = &from->pages[page][i];
		struct count_tally *sum =
			t->count ? tally(to, (uint16_t)(page * COUNT_PAGE + i)) : NULL;

		if (t->count && !sum)
			return -ENOMEM;
		if (!sum)
			continue;
		sum->count += t->count;
		sum->bytes += t->bytes;
	}
	return 0;
}

static int add(struct count *to, const struct worker *w)
{
	int err = w->err;

	for (uint32_t i = 0; i < COUNT_PAGES && !err; i++)
		err = add_page(to, &w->c, i);
	to->first = w->c.first < to->first ? w->c.first : to->first;
	to->last = w->c.last > to->last ? w->c.last : to->last;
	for (size_t i = 0; i < w->c.n_problems && !err; i++)
		err = keep_problem(to, &w->c.problems[i]);
	return err;
}

/* Chunks that there is something to count in, at most `most`. */
static unsigned int work_to_do(const struct xtr_section *s, unsigned int most)
{
	unsigned int n = 0;

	for (size_t i = 0; i < xtr_section_n_chunks(s) && n < most; i++)
		n += xtr_section_chunk(s, i)->type == XTR_CHUNK_EVENTS;
	return n;
}

/* The caller's thread is the first; fewer others where one cannot be started. */
static void run_workers(struct shared *sh, struct worker *w, unsigned int n)
{
	unsigned int started;

	for (started = 0; started < n; started++) {
		w[started].shared = sh;
		w[started].main = started == 0;
		w[started].c.first = UINT64_MAX;
		if (started && pthread_create(&w[started].thread, NULL, work, &w[started]))
			break;
	}
	if (started)
		work(&w[0]);
	for (unsigned int i = 1; i < started; i++)
		pthread_join(w[i].thread, NULL);
}

/* 0 or -errno; in both cases the caller frees with count_free. */
static int count_section(struct count *c, const struct xtr_reader *r, const struct xtr_section *s)
{
	struct shared sh = { .r = r, .s = s, .n_chunks = xtr_section_n_chunks(s) };
	struct worker w[THREADS_MAX] = { 0 };
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int n = cpus < 1 ? 1 : cpus > THREADS_MAX ? THREADS_MAX : (unsigned int)cpus;
	int err = 0;

	*c = (struct count){ .first = UINT64_MAX };
	n = work_to_do(s, n);
	run_workers(&sh, w, n);
	for (unsigned int i = 0; i < n; i++) {
		if (!err)
			err = add(c, &w[i]);
		count_free(&w[i].c);
	}
	cli_progress_done();
	return err;
}

/* --- info ------------------------------------------------------------------------------------- */

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
	int err = count_section(&c, info->r, is->s) ?: list_types(is, &c);

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
