/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The new section: the chunks of the old one in their order, where a group of EVENTS chunks stands
 * in the place of its first one. So events only move to the front, and what a ROUND says holds.
 */
#include "pack.h"
#include "format/read/chunk.h"
#include "base/map.h"
#include "pack_job.h"
#include "writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MAX 16u
/*
 * Bytes of records in a group. A merge holds a chunk of each stream: those of all streams are to
 * take no more than this together, unless a group were smaller than what a recorder writes.
 */
#define STREAMS_BYTES ((size_t)64 << 20)
#define GROUP_MAX     ((size_t)4 << 20)
#define GROUP_MIN     ((size_t)512 << 10)

struct packing {
	const struct xtr_reader *r;
	const struct xtr_section *s;
	struct xtr_pack_opts o;
	struct xtr_pack_result *res;
	struct xtr_writer *w;
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	size_t group_bytes;
	size_t *next;   /* of each EVENTS chunk, the index of the stream's next; 0: none */
	uint8_t *taken; /* the chunk is in a group that began before it */
	struct pack_job job[JOBS_MAX];
	size_t begins[JOBS_MAX]; /* index of the job's first chunk */
	size_t n_jobs;
	const struct xtr_chunk *round; /* the last ROUND, not yet written */
	uint8_t *buf;
	size_t cap;
};

/* --- the plan ----------------------------------------------------------------------------------
 */

/* Link the EVENTS chunks of each stream. */
static int link_streams(struct packing *p)
{
	const size_t n = xtr_section_n_chunks(p->s);
	struct xtr_map last = { 0 };
	int err = 0;

	p->next = calloc(n + 1, sizeof(*p->next));
	p->taken = calloc(n + 1, 1);
	if (!p->next || !p->taken)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(p->s, i);
		const uint64_t *before;

		if (c->type != XTR_CHUNK_EVENTS)
			continue;
		before = xtr_map_get(&last, c->stream, 0);
		if (before)
			p->next[*before] = i;
		err = xtr_map_put(&last, c->stream, 0, i);
	}
	p->group_bytes = STREAMS_BYTES / (last.n ? last.n : 1);
	if (p->group_bytes > GROUP_MAX)
		p->group_bytes = GROUP_MAX;
	if (p->group_bytes < GROUP_MIN)
		p->group_bytes = GROUP_MIN;
	xtr_map_free(&last);
	return err;
}

/* Whether c can follow the group's last one in one chunk: times go on, nothing was lost between. */
static bool follows(const struct packing *p, const struct pack_job *j, const struct xtr_chunk *c)
{
	const struct xtr_chunk *last = j->member[j->n_members - 1];

	return c->n_records && last->props & c->props & XTR_PROP_SORTED &&
	       c->ts_min >= last->ts_max && c->lost_total == last->lost_total &&
	       c->n_records <= XTR_RECORDS_MAX - j->n && j->rec_len + c->rec_len <= p->group_bytes;
}

static int add_member(struct pack_job *j, const struct xtr_chunk *c)
{
	if (xtr_grow_array(&j->member, &j->cap_members, j->n_members + 1, sizeof(*j->member)))
		return -ENOMEM;
	j->member[j->n_members++] = c;
	j->n += c->n_records;
	j->rec_len += c->rec_len;
	return 0;
}

/* A job of the chunk at index i and what can be joined to it. */
static int begin_job(struct packing *p, size_t i)
{
	struct pack_job *j = &p->job[p->n_jobs];
	int err;

	p->begins[p->n_jobs++] = i;
	j->n_members = 0;
	j->n = 0;
	j->rec_len = 0;
	err = add_member(j, xtr_section_chunk(p->s, i));
	while (!err && (i = p->next[i]) && follows(p, j, xtr_section_chunk(p->s, i))) {
		p->taken[i] = 1;
		err = add_member(j, xtr_section_chunk(p->s, i));
	}
	return err;
}

/* From chunk `from` on as many jobs as run at a time; *to: the first chunk that is not looked at.
 */
static int plan(struct packing *p, size_t from, size_t *to)
{
	const size_t n = xtr_section_n_chunks(p->s);
	size_t i = from;
	int err = 0;

	p->n_jobs = 0;
	for (; i < n && !err && p->n_jobs < p->o.threads; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(p->s, i);

		if (c->type == XTR_CHUNK_EVENTS && c->n_records && !p->taken[i])
			err = begin_job(p, i);
	}
	*to = i;
	return err;
}

/* --- the work ----------------------------------------------------------------------------------
 */

static void *run_job(void *arg)
{
	pack_job_run(arg);
	return NULL;
}

/* A job for which there is no thread is done in this one. */
static void run_jobs(struct packing *p)
{
	pthread_t thread[JOBS_MAX];
	bool started[JOBS_MAX] = { false };

	for (size_t i = 1; i < p->n_jobs; i++)
		started[i] = !pthread_create(&thread[i], NULL, run_job, &p->job[i]);
	for (size_t i = 0; i < p->n_jobs; i++)
		if (!started[i])
			pack_job_run(&p->job[i]);
	for (size_t i = 1; i < p->n_jobs; i++)
		if (started[i])
			pthread_join(thread[i], NULL);
}

/* --- writing -----------------------------------------------------------------------------------
 */

static int copy(struct packing *p, const struct xtr_chunk *c)
{
	struct xtr_err err;
	int ret = xtr_reader_stored(p->r, c, &p->buf, &p->cap, &err);

	return ret ? ret : xtr_writer_copy(p->w, c, p->buf, c->lost_total);
}

/* Of several ROUNDs without events between them the last one says it all. */
static int write_round(struct packing *p)
{
	const struct xtr_chunk *c = p->round;

	p->round = NULL;
	return c ? copy(p, c) : 0;
}

static void count(struct packing *p, const struct xtr_chunk *c)
{
	p->res->chunks++;
	p->res->stored += xtr_chunk_span(c);
	p->res->events += c->n_records;
}

static int write_job(struct packing *p, const struct pack_job *j)
{
	int err = j->err ? j->err : write_round(p);

	for (size_t i = 0; i < j->n_members; i++)
		p->res->stored_before += xtr_chunk_span(j->member[i]);
	p->res->chunks_before += j->n_members;
	for (size_t i = 0; j->keep && i < j->n_members && !err; i++) {
		err = copy(p, j->member[i]);
		count(p, j->member[i]);
	}
	for (size_t i = 0; !j->keep && i < j->n_parts && !err; i++) {
		err = xtr_writer_copy(p->w, &j->part[i].c, j->out.p + j->part[i].at,
				      j->member[0]->lost_total);
		count(p, &j->part[i].c);
	}
	return err;
}

/* META, TABLE, LOSS, INDEX and END are the writer's to write. */
static int write_other(struct packing *p, const struct xtr_chunk *c)
{
	switch (c->type) {
	case XTR_CHUNK_ROUND:
		p->round = c;
		return 0;
	case XTR_CHUNK_EVENTS: /* without records: it tells of losses */
	case XTR_CHUNK_CLOCK:
	case XTR_CHUNK_ATTACH:
		return copy(p, c);
	default:
		if (c->type < XTR_CHUNK_TYPES)
			return 0;
		if (c->props & XTR_PROP_SAFE_TO_COPY)
			return copy(p, c);
		p->res->left_out++;
		return 0;
	}
}

static int write_planned(struct packing *p, size_t from, size_t to)
{
	size_t job = 0;
	int err = 0;

	for (size_t i = from; i < to && !err; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(p->s, i);

		if (job < p->n_jobs && p->begins[job] == i)
			err = write_job(p, &p->job[job++]);
		else if (!p->taken[i])
			err = write_other(p, c);
	}
	return err;
}

static int all_chunks(struct packing *p)
{
	const size_t n = xtr_section_n_chunks(p->s);
	int err = 0;

	for (size_t from = 0, to; from < n && !err; from = to) {
		err = plan(p, from, &to);
		if (err)
			break;
		run_jobs(p);
		err = write_planned(p, from, to);
		if (p->o.progress)
			p->o.progress(p->o.ctx, to, n);
	}
	return err ? err : write_round(p);
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static int make_meta(struct packing *p)
{
	p->meta = xtr_meta_new();
	return p->meta ? xtr_meta_copy(p->meta, xtr_section_meta(p->s)) : -ENOMEM;
}

/* Flags of what may be copied and of what is made here. */
static uint32_t features(const struct packing *p)
{
	uint32_t all = XTR_INCOMPAT_COLUMNS;

	if (p->o.codec == XTR_CODEC_ZSTD)
		return all | XTR_INCOMPAT_ZSTD;
	for (size_t i = 0; i < xtr_section_n_chunks(p->s); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(p->s, i);

		if (c->type != XTR_CHUNK_EVENTS)
			all |= xtr_chunk_features(c);
	}
	return all;
}

static int start(struct packing *p, struct xtr_io *io)
{
	struct xtr_writer_opts o;
	int err = make_meta(p);

	if (err)
		return err;
	p->tables = xtr_tables_copy(xtr_section_tables(p->s));
	p->loss = xtr_loss_copy(xtr_section_loss(p->s), 0, UINT64_MAX);
	err = (p->tables && p->loss ? 0 : -ENOMEM) ?: link_streams(p);
	for (unsigned int i = 0; i < p->o.threads && !err; i++)
		err = pack_job_init(&p->job[i], p->r, xtr_section_meta(p->s), &p->o);
	if (err)
		return err;
	xtr_writer_opts_init(&o);
	o.file_id = p->o.file_id;
	o.features = features(p);
	o.small = true;
	return xtr_writer_open(&p->w, io, p->meta, p->tables, p->loss, &o);
}

static int take_opts(struct packing *p, const struct xtr_pack_opts *opts)
{
	struct xtr_pack_opts *o = &p->o;
	int max;

	memcpy(o, opts, opts->sz < sizeof(*o) ? opts->sz : sizeof(*o));
	if (o->codec == XTR_CODEC_ZSTD && !XTR_ZSTD_KNOWN)
		return -EOPNOTSUPP;
	if (o->codec != XTR_CODEC_LZ4 && o->codec != XTR_CODEC_ZSTD)
		return -EINVAL;
	max = o->codec == XTR_CODEC_ZSTD ? XTR_PACK_ZSTD_LEVEL : XTR_PACK_LZ4_LEVEL;
	if (!o->level)
		o->level = max;
	if (!o->threads)
		o->threads = 1;
	if (o->threads > JOBS_MAX)
		o->threads = JOBS_MAX;
	return o->level < 1 || o->level > max ? -EINVAL : 0;
}

static void release(struct packing *p)
{
	xtr_writer_free(p->w);
	xtr_meta_free(p->meta);
	xtr_tables_free(p->tables);
	xtr_loss_free(p->loss);
	for (size_t i = 0; i < JOBS_MAX; i++)
		pack_job_free(&p->job[i]);
	free(p->next);
	free(p->taken);
	free(p->buf);
	free(p);
}

int xtr_pack(const struct xtr_reader *r, const struct xtr_section *s, struct xtr_io *io,
	     const struct xtr_pack_opts *opts, struct xtr_pack_result *res)
{
	struct packing *p = calloc(1, sizeof(*p));
	const char *reason = xtr_section_end_reason(s);
	int err;

	*res = (struct xtr_pack_result){ .bytes_before = xtr_section_size(s) };
	if (!p)
		return -ENOMEM;
	p->r = r;
	p->s = s;
	p->res = res;
	err = take_opts(p, opts);
	if (!err)
		err = start(p, io);
	if (!err)
		err = all_chunks(p);
	if (!err)
		err = xtr_writer_finish(p->w, reason ? reason : "not closed cleanly",
					xtr_section_end_cost(s));
	if (!err)
		res->bytes = xtr_writer_bytes(p->w);
	release(p);
	return err;
}
