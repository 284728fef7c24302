/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which jobs a page shows one by one: all while they are few. Else the longest by three measures,
 * the first that failed, and of each ring every stride-th; the stride doubles when there is no
 * room.
 */
#include "report_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of the jobs that are kept, one in so many is for each of the lists beside the sample. */
#define SHARE_OF_LIST 16u

static int heap_init(struct report_heap *h, size_t cap)
{
	h->job = calloc(cap, sizeof(*h->job));
	h->cap = h->job ? cap : 0;
	return h->job ? 0 : -ENOMEM;
}

int report_keep_init(struct report_keep *k, uint32_t most)
{
	size_t list = most / SHARE_OF_LIST + 1;
	int err = heap_init(&k->failed, list);

	*k = (struct report_keep){ .stride = 1, .failed = k->failed };
	for (size_t i = 0; i < REPORT_LONGEST && !err; i++)
		err = heap_init(&k->longest[i], list);
	k->cap_sample = most > (REPORT_LONGEST + 1) * list ? most - (REPORT_LONGEST + 1) * list : 1;
	k->sample = calloc(k->cap_sample, sizeof(*k->sample));
	return k->sample ? err : -ENOMEM;
}

static void free_jobs(struct report_job *job, size_t n)
{
	for (size_t i = 0; job && i < n; i++)
		free(job[i].deps);
	free(job);
}

void report_keep_free(struct report_keep *k)
{
	free_jobs(k->sample, k->n_sample);
	free_jobs(k->failed.job, k->failed.n);
	for (size_t i = 0; i < REPORT_LONGEST; i++)
		free_jobs(k->longest[i].job, k->longest[i].n);
	*k = (struct report_keep){ 0 };
}

static uint64_t length_of(const struct report_job *j, enum report_longest by)
{
	if (by == REPORT_LONG_EXEC)
		return j->run && j->done ? j->exec_max : 0;
	if (by == REPORT_LONG_QUEUE)
		return j->queue && j->run > j->queue ? j->run - j->queue : 0;
	return j->queue && j->waits_known ? j->dep_wait : 0;
}

/* Is a given up before b? It is shorter, or as long and came later. */
static bool worse(const struct report_job *a, const struct report_job *b, enum report_longest by)
{
	uint64_t la = length_of(a, by), lb = length_of(b, by);

	return la != lb ? la < lb : a->number > b->number;
}

static void swap(struct report_heap *h, size_t a, size_t b)
{
	struct report_job tmp = h->job[a];

	h->job[a] = h->job[b];
	h->job[b] = tmp;
}

static void sift_up(struct report_heap *h, enum report_longest by)
{
	for (size_t i = h->n - 1; i && worse(&h->job[i], &h->job[(i - 1) / 2], by); i = (i - 1) / 2)
		swap(h, i, (i - 1) / 2);
}

static void sift_down(struct report_heap *h, enum report_longest by)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->n) {
		if (child + 1 < h->n && worse(&h->job[child + 1], &h->job[child], by))
			child++;
		if (!worse(&h->job[child], &h->job[i], by))
			return;
		swap(h, i, child);
		i = child;
	}
}

/* Fills `to` but its dependencies. */
static void note(struct report_job *to, const struct xtr_job *j, uint64_t number)
{
	*to = (struct report_job){
		.number = number,
		.ctx = j->ctx,
		.seqno = j->seqno,
		.client_id = j->client_id,
		.submit = j->submit_ns,
		.queue = j->queue_ns,
		.run = j->run_ns,
		.start = j->start_ns,
		.done = j->done_ns,
		.exec_min = j->exec_min_ns,
		.exec_max = j->exec_max_ns,
		.dep_wait = j->dep_wait_ns,
		.n_waits = j->n_waits,
		.tid = j->tid,
		.process = xtr_process(j->pid, j->nth),
		.comm = j->comm,
		.flags = j->flags,
		.error = j->error,
		.kind = j->kind,
		.quality = j->quality,
		.client_known = j->client_known,
		.result_known = j->result_known,
		.waits_known = xtr_job_waits_known(j),
	};
}

/* A copy with dependencies of its own into `to`. */
static int keep(struct report_job *to, const struct report_job *from, const struct xtr_job *j)
{
	*to = *from;
	to->n_deps = j->n_deps < REPORT_DEPS_MAX ? j->n_deps : REPORT_DEPS_MAX;
	if (!to->n_deps)
		return 0;
	to->deps = calloc(to->n_deps, sizeof(*to->deps));
	if (!to->deps) {
		to->n_deps = 0;
		return -ENOMEM;
	}
	memcpy(to->deps, j->deps, to->n_deps * sizeof(*to->deps));
	return 0;
}

static int keep_longest(struct report_heap *h, const struct report_job *one,
			const struct xtr_job *j, enum report_longest by)
{
	int err;

	if (!length_of(one, by))
		return 0;
	if (h->n < h->cap) {
		err = keep(&h->job[h->n++], one, j);
		sift_up(h, by);
		return err;
	}
	if (!worse(&h->job[0], one, by))
		return 0;
	free(h->job[0].deps);
	err = keep(&h->job[0], one, j);
	sift_down(h, by);
	return err;
}

/* Every second of the sample goes, of each ring. */
static void thin_out(struct report_keep *k)
{
	size_t n = 0;

	k->stride *= 2;
	for (size_t i = 0; i < k->n_sample; i++) {
		if (k->sample[i].of_ring % k->stride)
			free(k->sample[i].deps);
		else
			k->sample[n++] = k->sample[i];
	}
	k->n_sample = n;
}

#define STRIDE_MAX (1ull << 40)

static int keep_sample(struct report_keep *k, const struct report_job *one, const struct xtr_job *j)
{
	while (one->of_ring % k->stride == 0 && k->n_sample == k->cap_sample &&
	       k->stride < STRIDE_MAX)
		thin_out(k);
	if (one->of_ring % k->stride || k->n_sample == k->cap_sample)
		return 0;
	return keep(&k->sample[k->n_sample++], one, j);
}

int report_keep_job(struct report_keep *k, uint32_t ring, const struct xtr_job *j, uint64_t of_ring)
{
	const uint32_t failed = XTR_FLAG_ERROR | XTR_FLAG_KILLED | XTR_FLAG_TIMEOUT;
	struct report_job one;
	int err;

	note(&one, j, k->n++);
	one.ring = ring;
	one.of_ring = of_ring;
	err = keep_sample(k, &one, j);
	for (unsigned int by = 0; by < REPORT_LONGEST && !err; by++)
		err = keep_longest(&k->longest[by], &one, j, (enum report_longest)by);
	if (!err && one.flags & failed && k->failed.n < k->failed.cap)
		err = keep(&k->failed.job[k->failed.n++], &one, j);
	return err;
}

static int by_place(const void *va, const void *vb)
{
	const struct report_job *a = va, *b = vb;

	if (a->ring != b->ring)
		return a->ring < b->ring ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static size_t add_all(struct report_job *to, size_t n, const struct report_job *from, size_t n_from)
{
	if (n_from)
		memcpy(to + n, from, n_from * sizeof(*from));
	return n + n_from;
}

struct report_job *report_keep_all(const struct report_keep *k, unsigned int fewer, size_t *n)
{
	size_t all = k->n_sample + k->failed.n, m = 0;
	struct report_job *job;

	for (size_t i = 0; i < REPORT_LONGEST; i++)
		all += k->longest[i].n;
	job = calloc(all ? all : 1, sizeof(*job));
	if (!job)
		return NULL;
	for (size_t i = 0; i < k->n_sample; i++)
		if (k->sample[i].of_ring % (k->stride << fewer) == 0)
			job[m++] = k->sample[i];
	for (size_t i = 0; i < REPORT_LONGEST; i++)
		m = add_all(job, m, k->longest[i].job, k->longest[i].n);
	m = add_all(job, m, k->failed.job, k->failed.n);
	qsort(job, m, sizeof(*job), by_place);
	for (size_t i = all = 0; i < m; i++)
		if (!all || job[i].number != job[all - 1].number)
			job[all++] = job[i];
	*n = all;
	return job;
}

/* --- as varints --------------------------------------------------------------------------------
 */

/* What the next job's numbers are differences to. */
struct last {
	uint64_t at, ctx, seqno, client;
	uint32_t ring;
};

enum {
	HAS_SUBMIT = 1,
	HAS_QUEUE = 2,
	HAS_RUN = 4,
	HAS_START = 8,
	HAS_DONE = 16,
	HAS_CLIENT = 32,
	HAS_RESULT = 64,
	HAS_DEP_WAIT = 128,
};

static unsigned int has(const struct report_job *j)
{
	return (j->submit ? HAS_SUBMIT : 0) | (j->queue ? HAS_QUEUE : 0) | (j->run ? HAS_RUN : 0) |
	       (j->start ? HAS_START : 0) | (j->done ? HAS_DONE : 0) |
	       (j->client_known ? HAS_CLIENT : 0) | (j->result_known ? HAS_RESULT : 0) |
	       (j->queue && j->waits_known ? HAS_DEP_WAIT : 0);
}

/* The latest time that is known. */
static uint64_t anchor(const struct report_job *j)
{
	const uint64_t times[] = { j->done, j->start, j->run, j->queue, j->submit };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i])
			return times[i];
	return 0;
}

static void times_put(const struct report_job *j, uint64_t at, struct xtr_buf *b)
{
	const uint64_t times[] = { j->start, j->run, j->queue, j->submit };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i])
			report_zigzag(b, at - times[i]);
	if (j->run && j->done) {
		report_varint(b, j->exec_max);
		report_zigzag(b, j->exec_max - j->exec_min);
	}
	if (j->queue && j->waits_known)
		report_varint(b, j->dep_wait);
}

/* Its number + 1; 0: no ring of the trace. */
static uint64_t ring_of(const struct xtr_model *rings, uint32_t id)
{
	const struct xtr_model_ring *ring = id ? xtr_model_ring_by_id(rings, id) : NULL;

	return ring ? ring->index + 1ull : 0;
}

static void deps_put(const struct report_job *j, uint64_t at, const struct xtr_model *rings,
		     struct xtr_buf *b)
{
	uint64_t ctx = j->ctx, seqno = j->seqno;

	report_varint(b, j->n_waits);
	report_varint(b, j->n_deps);
	for (uint32_t i = 0; i < j->n_deps; i++) {
		const struct xtr_dep *d = &j->deps[i];

		report_zigzag(b, d->ctx - ctx);
		report_zigzag(b, d->seqno - seqno);
		report_varint(b, ring_of(rings, d->ring_id) * 2 + d->scheduled);
		report_zigzag(b, at - d->from_ns);
		report_zigzag(b, d->until_ns - d->from_ns);
		ctx = d->ctx;
		seqno = d->seqno;
	}
}

static int job_put(const struct report_job *j, struct last *last, struct report_names *names,
		   const struct xtr_model *rings, struct xtr_buf *b)
{
	int64_t pid = report_names_process(names, j->queue ? j->process : 0);
	int64_t comm = report_names_comm(names, j->comm);
	uint64_t at = anchor(j);

	if (pid < 0 || comm < 0)
		return -ENOMEM;
	report_varint(b, j->ring - last->ring);
	report_varint(b, has(j));
	report_zigzag(b, at - last->at);
	times_put(j, at, b);
	report_zigzag(b, j->ctx - last->ctx);
	report_zigzag(b, j->seqno - last->seqno);
	if (j->client_known) {
		report_zigzag(b, j->client_id - last->client);
		last->client = j->client_id;
	}
	report_varint(b, (uint64_t)pid);
	report_varint(b, (uint64_t)comm);
	report_varint(b, j->queue ? j->tid : 0);
	report_varint(b, j->kind * XTR_QUALITY_COUNT + j->quality);
	report_varint(b, j->flags);
	if (j->result_known)
		report_zigzag(b, (uint64_t)(int64_t)j->error);
	deps_put(j, at, rings, b);
	last->ring = j->ring;
	last->at = at;
	last->ctx = j->ctx;
	last->seqno = j->seqno;
	return 0;
}

int report_keep_put(const struct report_job *job, size_t n, uint64_t from,
		    struct report_names *names, const struct xtr_model *rings, struct xtr_buf *b)
{
	struct last last = { .at = from };
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = job_put(&job[i], &last, names, rings, b);
	return err ? err : b->err;
}
