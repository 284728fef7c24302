/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each thread takes the next EVENTS chunk, decodes it and counts its records into arrays of its
 * own; at the end they are added up. Nothing here depends on the order of events.
 */
#include "event_totals.h"
#include "cli/ui/cli.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

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

static int add_problem(struct count *c, const struct xtr_problem *p)
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
			w->err = add_problem(&w->c,
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

void count_free(struct count *c)
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
		err = add_problem(to, &w->c.problems[i]);
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

int count_section(struct count *c, const struct xtr_reader *r, const struct xtr_section *s)
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
