/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The critical path to a job's end: slices on a track of their own, one behind the other, and an
 * arrow between the first step of each job and the job's slice, from what begins first.
 */
#include "chrome.h"
#include "replay/event/process.h"

#include <string.h>

static int path_place(struct chrome *c, struct chrome_place *at)
{
	return chrome_pseudo_place(c, CHROME_PATH, c->section.index + 1, "critical path", at);
}

static void put_ring(struct chrome *c, const struct xtr_export_step *s)
{
	const struct xtr_model_ring *r =
		s->ring_id ? xtr_model_ring_by_id(c->section.rings, s->ring_id) : NULL;

	if (!r)
		return;
	chrome_text(&c->out, "device", r->device_name, strlen(r->device_name));
	chrome_text(&c->out, "ring", r->name, strlen(r->name));
	chrome_u64(&c->out, "ring_id", r->id);
}

static void put_step(struct chrome *c, const struct xtr_export_step *s,
		     const struct chrome_place *at)
{
	struct chrome_out *o = &c->out;
	char name[256];
	int n = snprintf(name, sizeof(name), "%s%s%s", s->kind, *s->who ? ": " : "", s->who);

	if (n >= (int)sizeof(name))
		n = sizeof(name) - 1;
	chrome_begin(c, "X", "path", name, (size_t)n, at, chrome_time(c, s->from_ns));
	chrome_us(o, "dur", s->to_ns - s->from_ns);
	chrome_args(o);
	if (xtr_job_name_any(&s->job))
		chrome_fence(o, "job", s->job.ctx, s->job.seqno);
	chrome_plain(o, "step", s->kind);
	if (*s->who)
		chrome_text(o, "of", s->who, strlen(s->who));
	if (s->process)
		chrome_u64(o, "pid", xtr_process_pid(s->process));
	if (s->tid)
		chrome_u64(o, "tid", s->tid);
	put_ring(c, s);
	chrome_args_end(o);
	chrome_event_end(o);
}

int chrome_path(struct chrome *c)
{
	const struct xtr_export_steps *all = xtr_export_drawn(c->section.paths);
	struct chrome_place at;
	int err = all ? path_place(c, &at) : 0;

	for (uint32_t i = 0; all && i < all->n && !err; i++)
		put_step(c, &all->step[i], &at);
	return err;
}

static void put_end(struct chrome *c, const char *phase, const struct chrome_place *at, uint64_t ts)
{
	chrome_begin(c, phase, "path flow", "path", strlen("path"), at, chrome_time(c, ts));
	chrome_u64(&c->out, "id", c->flows);
	if (*phase == 'f')
		chrome_plain(&c->out, "bp", "e");
	chrome_event_end(&c->out);
}

int chrome_path_of_job(struct chrome *c, const struct xtr_job *j, const struct chrome_place *at)
{
	const struct xtr_export_step *s =
		xtr_export_step_of(xtr_export_drawn(c->section.paths), j->ctx, j->seqno);
	struct chrome_place path;
	bool job_first;
	int err;

	if (!s)
		return 0;
	err = path_place(c, &path);
	if (err)
		return err;
	job_first = j->run_ns < s->from_ns;
	c->flows++;
	put_end(c, "s", job_first ? at : &path, job_first ? j->run_ns : s->from_ns);
	put_end(c, "f", job_first ? &path : at, job_first ? s->from_ns : j->run_ns);
	return 0;
}
