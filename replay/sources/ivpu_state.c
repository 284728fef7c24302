/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ivpu_state_init(struct ivpu_state *s)
{
	*s = (struct ivpu_state){ .free_job = IVPU_NONE,
				  .free_thread = IVPU_NONE,
				  .oldest = IVPU_NONE,
				  .youngest = IVPU_NONE };
}

void ivpu_state_free(struct ivpu_state *s)
{
	xtr_keymap_free(&s->by_name);
	xtr_keymap_free(&s->by_id);
	xtr_keymap_free(&s->by_tid);
	free(s->job);
	free(s->thread);
}

uint32_t ivpu_by_name(const struct ivpu_state *s, uint64_t ctx, uint64_t seqno)
{
	return xtr_keymap_get(&s->by_name, ctx, seqno);
}

uint32_t ivpu_by_id(const struct ivpu_state *s, uint32_t ctx_id, uint32_t job_id)
{
	return xtr_keymap_get(&s->by_id, ctx_id, job_id);
}

/* Room for one more in an array of which n are used; the index of a free one, or -ENOMEM. */
static int64_t take(void **array, uint32_t *n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 64;
	void *p;

	if (*n == *cap) {
		p = realloc(*array, more * size);
		if (!p)
			return -ENOMEM;
		*array = p;
		*cap = more;
	}
	return (*n)++;
}

static int64_t alloc_job(struct ivpu_state *s)
{
	uint32_t i = s->free_job;

	if (i == IVPU_NONE)
		return take((void **)&s->job, &s->n_jobs, &s->cap_jobs, sizeof(*s->job));
	s->free_job = s->job[i].next;
	return i;
}

static void append(struct ivpu_state *s, uint32_t i)
{
	s->job[i].next = IVPU_NONE;
	s->job[i].prev = s->youngest;
	if (s->youngest != IVPU_NONE)
		s->job[s->youngest].next = i;
	else
		s->oldest = i;
	s->youngest = i;
	s->n_open++;
}

static void unlink_job(struct ivpu_state *s, uint32_t i)
{
	const struct ivpu_job *j = &s->job[i];

	if (j->prev != IVPU_NONE)
		s->job[j->prev].next = j->next;
	else
		s->oldest = j->next;
	if (j->next != IVPU_NONE)
		s->job[j->next].prev = j->prev;
	else
		s->youngest = j->prev;
	s->n_open--;
}

void ivpu_job_forget(struct ivpu_state *s, uint32_t i)
{
	struct ivpu_job *j = &s->job[i];

	xtr_keymap_del(&s->by_name, j->ctx, j->seqno);
	if (j->has_id)
		xtr_keymap_del(&s->by_id, j->ctx_id, j->job_id);
	unlink_job(s, i);
	j->next = s->free_job;
	s->free_job = i;
}

int64_t ivpu_job_new(struct ivpu_state *s, uint64_t ctx, uint64_t seqno)
{
	uint32_t old = ivpu_by_name(s, ctx, seqno);
	int64_t i;

	if (old != IVPU_NONE)
		ivpu_job_forget(s, old);
	if (s->n_open >= IVPU_JOBS_MAX)
		ivpu_job_forget(s, s->oldest);
	i = alloc_job(s);
	if (i < 0)
		return i;
	s->job[i] = (struct ivpu_job){ .ctx = ctx, .seqno = seqno };
	append(s, (uint32_t)i);
	return xtr_keymap_put(&s->by_name, ctx, seqno, (uint32_t)i) ? -ENOMEM : i;
}

int ivpu_job_set_id(struct ivpu_state *s, uint32_t i, uint32_t ctx_id, uint32_t job_id)
{
	struct ivpu_job *j = &s->job[i];

	if (j->has_id)
		xtr_keymap_del(&s->by_id, j->ctx_id, j->job_id);
	j->ctx_id = ctx_id;
	j->job_id = job_id;
	j->has_id = true;
	return xtr_keymap_put(&s->by_id, ctx_id, job_id, i);
}

struct ivpu_thread *ivpu_thread_find(struct ivpu_state *s, uint32_t tid)
{
	uint32_t i = xtr_keymap_get(&s->by_tid, tid, 0);

	return i != IVPU_NONE ? &s->thread[i] : NULL;
}

static void forget_threads(struct ivpu_state *s)
{
	xtr_keymap_free(&s->by_tid);
	s->by_tid = (struct xtr_keymap){ 0 };
	s->n_threads = 0;
	s->free_thread = IVPU_NONE;
}

struct ivpu_thread *ivpu_thread_get(struct ivpu_state *s, uint32_t tid)
{
	struct ivpu_thread *t = ivpu_thread_find(s, tid);
	int64_t i = s->free_thread;

	if (t)
		return t;
	if (i != IVPU_NONE && s->thread) {
		s->free_thread = s->thread[i].next;
	} else {
		if (s->n_threads == IVPU_THREADS_MAX)
			forget_threads(s);
		i = take((void **)&s->thread, &s->n_threads, &s->cap_threads, sizeof(*s->thread));
	}
	if (i < 0 || xtr_keymap_put(&s->by_tid, tid, 0, (uint32_t)i))
		return NULL;
	s->thread[i] = (struct ivpu_thread){ .tid = tid };
	return &s->thread[i];
}

void ivpu_thread_put(struct ivpu_state *s, struct ivpu_thread *t)
{
	if (!t || t->submit_ns || t->signaled || t->has_job)
		return;
	xtr_keymap_del(&s->by_tid, t->tid, 0);
	t->next = s->free_thread;
	s->free_thread = (uint32_t)(t - s->thread);
}
