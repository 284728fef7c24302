/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The jobs of a flip. The last one is known by the fence that the kernel waited for before it
 * showed the picture, or, less well, by whose flip it is. Before it came those that its process had
 * submitted since the frame before, and of each process whose fence these waited for the jobs up to
 * that one.
 */
#include "frames_impl.h"

#include <errno.h>

struct client {
	uint64_t who, queue_ns; /* of its last job */
};

struct flip_run {
	struct xtr_frames *f;
	const struct xtr_flip *flip;
	struct frame_stream *s;
	struct xtr_shown *one;
	struct client client[XTR_FRAME_PARTNERS];
	uint32_t n;
};

/* --- its last job ----------------------------------------------------------------------------- */

/* The last fence that was a job's; of several, one of whom the frame before was. */
static const struct xtr_seen_job *by_fence(const struct flip_run *r)
{
	const struct xtr_seen_job *best = NULL;

	for (uint32_t i = 0; i < r->flip->n_fences; i++) {
		const struct xtr_seen_job *j = xtr_seen_find(r->f->seen, &r->flip->fence[i].fence);

		if (!j || j->done_ns > r->flip->ts)
			continue;
		if (!best || (best->who != r->s->who && j->who == r->s->who))
			best = j;
	}
	return best;
}

/* The last that this process had queued by then, of those that had ended. */
static const struct xtr_seen_job *last_of(const struct flip_run *r, uint64_t who, uint64_t until)
{
	const struct xtr_seen_job *best = NULL, *j;
	uint64_t after = r->s->who == who ? r->s->queue_ns : 0;

	for (uint64_t i = 0; (j = xtr_seen_at(r->f->seen, i)) && j->done_ns > after; i++)
		if (j->who == who && j->queue_ns > after && j->queue_ns <= until &&
		    j->done_ns <= r->flip->ts && (!best || j->queue_ns > best->queue_ns))
			best = j;
	return best;
}

static const struct xtr_seen_job *last_job(const struct flip_run *r, uint8_t *link)
{
	const struct xtr_seen_job *j = by_fence(r);
	uint64_t who = r->f->o.owner ? r->f->o.owner(r->f->o.ctx) : 0;

	*link = XTR_FRAME_BY_FENCE;
	if (j)
		return j;
	*link = XTR_FRAME_BY_COMMIT;
	if (!who)
		who = r->flip->who ?: xtr_seen_sole(r->f->seen);
	if (who && r->flip->commit_ns && (j = last_of(r, who, r->flip->commit_ns)))
		return j;
	*link = XTR_FRAME_BY_LAST;
	j = who && !r->flip->commit_ns ? last_of(r, who, r->flip->ts) : NULL;
	if (!j)
		*link = XTR_FRAME_BY_NONE;
	return j;
}

static uint64_t before(uint64_t ts)
{
	return ts ? ts - 1 : 0;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* The jobs of a process that were queued after `after`, until `until`. */
static void count(struct flip_run *r, uint64_t who, uint64_t after, uint64_t until,
		  uint64_t ended_after)
{
	const struct xtr_seen_job *j;

	for (uint64_t i = 0; (j = xtr_seen_at(r->f->seen, i)) && j->done_ns > after; i++) {
		if (j->who != who || j->queue_ns <= after || j->queue_ns > until ||
		    j->done_ns <= ended_after)
			continue;
		r->one->n_jobs++;
		if (r->one->begin_ns && j->queue_ns >= r->one->begin_ns)
			continue;
		r->one->begin_ns = j->queue_ns;
		r->one->begin_who = who;
	}
}

static void add_client(struct flip_run *r, const struct xtr_job_name *fence)
{
	const struct xtr_seen_job *j = xtr_seen_find(r->f->seen, fence);
	uint32_t i = 0;

	if (!j || !j->who || j->who == XTR_WHO_KERNEL || j->who == r->one->who)
		return;
	while (i < r->n && r->client[i].who != j->who)
		i++;
	if (i == XTR_FRAME_PARTNERS - 1)
		return;
	if (i == r->n)
		r->client[r->n++] = (struct client){ .who = j->who };
	if (j->queue_ns > r->client[i].queue_ns)
		r->client[i].queue_ns = j->queue_ns;
}

/* Whose fences the jobs waited for that its process queued after `after`, and the process itself.
 */
static void find_clients(struct flip_run *r, uint64_t after, uint64_t until)
{
	const struct xtr_seen_job *j;
	struct xtr_job_name fence;
	uint64_t at = 0;

	while (xtr_seen_touch(r->f->seen, r->one->who, after, until, &at, &fence))
		add_client(r, &fence);
	for (uint64_t i = 0; (j = xtr_seen_at(r->f->seen, i)) && j->done_ns > after; i++)
		for (uint32_t k = 0; k < j->n_deps; k++)
			if (j->who == r->one->who && j->queue_ns > after && j->queue_ns <= until)
				add_client(r, &j->dep[k]);
}

/*
 * Of a client the jobs since the last one that a frame of this screen has had. What had ended
 * before the last job of the frame before was queued, and nobody waited for, was that one's or
 * nobody's.
 */
static int count_client(struct flip_run *r, const struct client *c, uint64_t ended_after)
{
	const uint64_t *taken = xtr_map_get(&r->f->taken, r->s->index, c->who);
	uint64_t after = taken ? *taken : before(c->queue_ns);

	if (after >= c->queue_ns)
		return 0; /* its picture is an old one */
	count(r, c->who, after, c->queue_ns, ended_after);
	return xtr_map_put_most(&r->f->taken, FRAME_TAKEN_MAX, r->s->index, c->who, c->queue_ns);
}

static int gather(struct flip_run *r, const struct xtr_seen_job *last, struct frame_cast *cast)
{
	uint64_t after = before(last->queue_ns), ended_after = 0, latest = 0;
	int err = 0;

	r->one->job = last->name;
	r->one->who = last->who;
	r->one->done_ns = last->done_ns;
	if (r->s->who == last->who && r->s->queue_ns < last->queue_ns)
		after = ended_after = r->s->queue_ns;
	count(r, last->who, after, last->queue_ns, 0);
	find_clients(r, after, last->queue_ns);
	cast->who[cast->n++] = last->who;
	for (uint32_t i = 0; i < r->n && !err; i++) {
		const struct client *c = &r->client[i];

		err = count_client(r, c, ended_after);
		cast->who[cast->n++] = c->who;
		if (c->queue_ns > latest) {
			latest = c->queue_ns;
			r->one->client = c->who;
		}
	}
	r->one->n_clients = r->n;
	r->s->who = last->who;
	r->s->queue_ns = last->queue_ns;
	return err;
}

int frame_of_flip(struct xtr_frames *f, const struct xtr_flip *flip)
{
	struct frame_stream *s = frame_stream(f, flip->file, (uint32_t)flip->crtc);
	struct frame_cast cast = { .committer = flip->who };
	struct xtr_shown one = { .crtc = flip->crtc,
				 .commit_ns = flip->commit_ns,
				 .shown_ns = flip->shown_ns };
	struct flip_run r = { .f = f, .flip = flip, .s = s, .one = &one };
	const struct xtr_seen_job *last;
	uint32_t steps = 0;
	int err = 0;

	if (!s)
		return -ENOMEM;
	if (flip->counted && s->counted && (int32_t)(flip->seq - s->seq) <= 0)
		return 0; /* one picture: told twice */
	last = last_job(&r, &one.link);
	if (last)
		err = gather(&r, last, &cast);
	if (flip->counted && s->counted)
		steps = flip->seq - s->seq;
	s->seq = flip->seq;
	s->counted = flip->counted;
	return err ?: frame_tell(f, s, &one, &cast, steps);
}
