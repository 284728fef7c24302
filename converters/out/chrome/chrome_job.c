/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jobs: a slice from run to done, and with everything on the submission, the wait in the queue and
 * the arrow between them. What is not known is not drawn: a job without run or done is a moment on
 * a track of its own.
 */
#include "chrome.h"
#include "replay/event/process.h"

#include <inttypes.h>
#include <string.h>

/* The submitter's name, or "job". */
static const char *title(const struct chrome *c, const struct xtr_job *j, size_t *n)
{
	const char *s = chrome_string(c, j->comm, n);

	if (*n)
		return s;
	*n = strlen("job");
	return "job";
}

static bool pid_known(const struct xtr_job *j)
{
	return j->queue_ns && j->pid;
}

/* Quoted: "17:4", or "17:4 run" for one that had to be run only. */
static void put_deps(struct chrome_out *o, const struct xtr_job *j)
{
	chrome_key(o, "deps");
	for (uint32_t i = 0; i < j->n_deps; i++) {
		chrome_raw(o, i ? ",\"" : "[\"");
		chrome_digits(o, j->deps[i].ctx);
		chrome_raw(o, ":");
		chrome_digits(o, j->deps[i].seqno);
		chrome_raw(o, j->deps[i].scheduled ? " run\"" : "\"");
	}
	chrome_raw(o, "]");
}

static void put_flags(struct chrome_out *o, uint32_t flags)
{
	const char *name, *between = "";

	chrome_key(o, "flags");
	chrome_raw(o, "\"");
	for (unsigned int bit = 0; (name = xtr_job_flag_name(bit)); bit++) {
		if (!(flags & 1u << bit))
			continue;
		chrome_raw(o, between);
		chrome_raw(o, name);
		between = "|";
	}
	chrome_raw(o, "\"");
}

/* Execution, where it is not the whole slice; its upper bound usually is. */
static void put_exec(struct chrome *c, const struct xtr_job *j)
{
	struct chrome_out *o = &c->out;

	if (j->quality != XTR_QUALITY_BOUNDED) {
		if (j->start_ns != j->run_ns)
			chrome_u64(o, "exec_ns", j->done_ns - j->start_ns);
		return;
	}
	chrome_key(o, "exec_ns");
	chrome_raw(o, "[");
	chrome_digits(o, j->exec_min_ns);
	if (!c->opts.jobs_only || j->exec_max_ns != j->done_ns - j->run_ns) {
		chrome_raw(o, ",");
		chrome_digits(o, j->exec_max_ns);
	}
	chrome_raw(o, "]");
	if (j->start_ns)
		chrome_u64(o, "hw_wait_ns", j->start_ns - j->run_ns);
}

/* What the track says of all its jobs is left out where size counts. */
static void put_about(struct chrome *c, const struct chrome_ring *r, const struct xtr_job *j)
{
	struct chrome_out *o = &c->out;
	bool all = !c->opts.jobs_only;
	/* Bounds of the execution say it already. */
	uint8_t implied = j->quality == XTR_QUALITY_BOUNDED ? XTR_QUALITY_BOUNDED : r->quality;

	chrome_fence(o, "job", j->ctx, j->seqno);
	if (pid_known(j))
		chrome_u64(o, "pid", j->pid);
	if (pid_known(j) && j->nth)
		chrome_u64(o, "pid_nth", (uint64_t)j->nth + 1);
	if (all && j->queue_ns)
		chrome_u64(o, "tid", j->tid);
	if (all && j->client_known)
		chrome_u64(o, "client", j->client_id);
	if (j->kind != r->kind)
		chrome_plain(o, "kind", xtr_job_kind_name(j->kind));
	if (all || j->quality != implied)
		chrome_plain(o, "quality", xtr_quality_name(j->quality));
	if (j->result_known && j->error)
		chrome_s64(o, "error", j->error);
	if (j->flags)
		put_flags(o, j->flags);
	if (j->n_deps)
		put_deps(o, j);
}

static int put_slice(struct chrome *c, struct chrome_ring *r, const struct xtr_job *j,
		     struct chrome_place *at)
{
	uint64_t run = chrome_time(c, j->run_ns), length = j->done_ns - j->run_ns;
	const char *name;
	size_t n;
	int err = chrome_job_place(c, r, run, run + length, at);

	if (err)
		return err;
	name = title(c, j, &n);
	chrome_begin(c, "X", c->opts.jobs_only ? NULL : "job", name, n, at, run);
	chrome_us(&c->out, "dur", length);
	if (j->flags & XTR_FLAG_ERROR)
		chrome_plain(&c->out, "cname", "terrible");
	chrome_args(&c->out);
	put_about(c, r, j);
	put_exec(c, j);
	chrome_args_end(&c->out);
	chrome_event_end(&c->out);
	return 0;
}

/* The moment of an unfinished job, and what it is the moment of. */
static uint64_t moment(const struct chrome *c, const struct xtr_job *j, const char **what)
{
	const struct {
		uint64_t ns;
		const char *what;
	} times[] = {
		{ j->run_ns, "run" },
		{ j->done_ns, "done" },
		{ j->queue_ns, "queue" },
		{ j->n_deps ? j->deps[0].from_ns : 0, "dependency" },
	};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		*what = times[i].what;
		if (times[i].ns)
			return times[i].ns;
	}
	*what = "not known";
	return c->section.from;
}

/* A time of an unfinished job, counted from its moment. */
static void put_relative(struct chrome_out *o, const char *key, uint64_t ns, uint64_t from)
{
	if (ns && ns != from)
		chrome_s64(o, key, (int64_t)(ns - from));
}

static int put_unfinished(struct chrome *c, struct chrome_ring *r, const struct xtr_job *j)
{
	struct chrome_out *o = &c->out;
	struct chrome_place at;
	const char *what, *name;
	uint64_t ts = moment(c, j, &what);
	size_t n;
	int err = chrome_unfinished_place(c, r, &at);

	if (err)
		return err;
	name = title(c, j, &n);
	chrome_begin(c, "i", c->opts.jobs_only ? NULL : "job", name, n, &at, chrome_time(c, ts));
	chrome_plain(o, "s", "t");
	chrome_args(o);
	chrome_plain(o, "at", what);
	put_about(c, r, j);
	put_relative(o, "queue_ns", j->queue_ns, ts);
	put_relative(o, "run_ns", j->run_ns, ts);
	put_relative(o, "done_ns", j->done_ns, ts);
	chrome_args_end(o);
	chrome_event_end(o);
	return 0;
}

/* Dependency waits nest in the queue's slice: one at a time, within it. */
static void put_waits(struct chrome *c, const struct xtr_job *j, const struct chrome_place *at)
{
	struct chrome_out *o = &c->out;
	uint64_t free_from = j->queue_ns;
	char name[64];

	for (uint32_t i = 0; i < j->n_deps; i++) {
		const struct xtr_dep *d = &j->deps[i];

		if (d->from_ns < free_from || d->until_ns < d->from_ns || d->until_ns > j->run_ns)
			continue;
		free_from = d->until_ns;
		snprintf(name, sizeof(name), "wait for %" PRIu64 ":%" PRIu64, d->ctx, d->seqno);
		chrome_begin(c, "X", "dependency", name, strlen(name), at,
			     chrome_time(c, d->from_ns));
		chrome_us(o, "dur", d->until_ns - d->from_ns);
		chrome_args(o);
		chrome_fence(o, "job", j->ctx, j->seqno);
		chrome_fence(o, "dep", d->ctx, d->seqno);
		chrome_plain(o, "until", d->scheduled ? "run" : "done");
		if (d->ring_id)
			chrome_u64(o, "ring_id", d->ring_id);
		chrome_args_end(o);
		chrome_event_end(o);
	}
}

static int put_queue(struct chrome *c, struct chrome_ring *r, const struct xtr_job *j)
{
	uint64_t queue = chrome_time(c, j->queue_ns), length = j->run_ns - j->queue_ns;
	struct chrome_out *o = &c->out;
	struct chrome_place at;
	const char *name;
	size_t n;
	int err = chrome_queue_place(c, r, queue, queue + length, &at);

	if (err)
		return err;
	name = title(c, j, &n);
	chrome_begin(c, "X", "queue", name, n, &at, queue);
	chrome_us(o, "dur", length);
	chrome_args(o);
	chrome_fence(o, "job", j->ctx, j->seqno);
	if (j->dep_wait_ns)
		chrome_u64(o, "dep_wait_ns", j->dep_wait_ns);
	chrome_args_end(o);
	chrome_event_end(o);
	put_waits(c, j, &at);
	return 0;
}

/* A slice without length, because arrows end at slices only. */
static int put_submit(struct chrome *c, const struct chrome_ring *r, const struct xtr_job *j,
		      struct chrome_place *at)
{
	struct chrome_out *o = &c->out;
	int err = chrome_thread_place(c, xtr_process(j->pid, j->nth), j->tid, j->comm, j->stream,
				      j->submit_ns, at);

	if (err)
		return err;
	chrome_event(o, "X", "submit");
	chrome_text_in(o, "name", "submit ", r->name, "");
	chrome_u64(o, "pid", at->pid);
	chrome_u64(o, "tid", at->tid);
	chrome_us(o, "ts", chrome_time(c, j->submit_ns));
	chrome_us(o, "dur", 0);
	chrome_args(o);
	chrome_fence(o, "job", j->ctx, j->seqno);
	chrome_args_end(o);
	chrome_event_end(o);
	return 0;
}

/* An end of the arrow: right behind the slice, which begins at the same time. */
static void put_arrow(struct chrome *c, const char *phase, const struct chrome_place *at,
		      uint64_t ts)
{
	chrome_begin(c, phase, "flow", "job", strlen("job"), at, chrome_time(c, ts));
	chrome_u64(&c->out, "id", c->flows);
	if (*phase == 'f')
		chrome_plain(&c->out, "bp", "e");
	chrome_event_end(&c->out);
}

static bool has_slice(const struct xtr_job *j)
{
	return xtr_job_resided(j) && j->done_ns >= j->run_ns;
}

/* Only jobs are asked for: their processes are still named. */
static int job_only(struct chrome *c, struct chrome_ring *r, const struct xtr_job *j)
{
	struct chrome_place at;
	int err = 0;

	if (pid_known(j))
		err = chrome_thread_place(c, xtr_process(j->pid, j->nth), j->tid, j->comm,
					  j->stream, j->queue_ns, &at);
	if (err)
		return err;
	if (!has_slice(j))
		return put_unfinished(c, r, j);
	return put_slice(c, r, j, &at) ?: chrome_path_of_job(c, j, &at);
}

static int job_and_more(struct chrome *c, struct chrome_ring *r, const struct xtr_job *j)
{
	struct chrome_place at;
	bool arrow = j->submit_ns && has_slice(j) && j->submit_ns <= j->run_ns;
	int err = 0;

	c->flows += arrow;
	if (j->submit_ns)
		err = put_submit(c, r, j, &at);
	if (!err && arrow)
		put_arrow(c, "s", &at, j->submit_ns);
	if (!err && j->queue_ns && j->run_ns >= j->queue_ns)
		err = put_queue(c, r, j);
	if (!err)
		err = has_slice(j) ? put_slice(c, r, j, &at) : put_unfinished(c, r, j);
	if (!err && arrow)
		put_arrow(c, "f", &at, j->run_ns);
	return !err && has_slice(j) ? chrome_path_of_job(c, j, &at) : err;
}

int chrome_job(void *self, const struct xtr_job *j)
{
	struct chrome *c = self;
	struct chrome_ring *r;

	return chrome_ring_of(c, j->ring, &r)
		       ?: (c->opts.jobs_only ? job_only(c, r, j) : job_and_more(c, r, j));
}
