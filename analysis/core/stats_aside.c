/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The model's thread writes a log for each batch: the events, and copies of the jobs with the
 * number of the event before which each was handed out. The other thread reads it. Rings are copied
 * once, when the first job of each comes: what changes of a ring is the model's alone.
 */
#include "stats_aside.h"
#include "base/buf.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define LOGS     XTR_STATS_KEEP /* on their way: each has events of one batch */
#define LOG_JOBS 512u           /* a batch with more jobs gets several logs */

struct noted {
	struct xtr_job job; /* deps is not set */
	struct stats_said said;
	size_t at;        /* index of the event before which it came */
	size_t first_dep; /* index */
};

struct log {
	const struct xtr_event *ev;
	size_t n;
	struct noted *job; /* LOG_JOBS */
	size_t n_jobs;
	struct xtr_dep *dep;
	size_t n_deps, cap_deps;
};

struct stats_aside {
	struct xtr_stats *s;
	struct log log[LOGS]; /* log i is in i % LOGS */
	size_t made, done;    /* logs */
	bool ended;           /* no more logs come */
	int err;              /* the first of the thread */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t room, more;
	/* The model's side. */
	struct log *now;   /* the log that is being written */
	size_t at, before; /* events of the batch: the model's, and those in earlier logs */
	uint8_t *takes;    /* by type: what the model takes */
	struct xtr_model_ring **ring; /* copies, by index; NULL: none yet */
	size_t cap_rings;
};

/* --- the thread ------------------------------------------------------------------------------- */

/*
 * The next log, waited for; NULL: there is none any more. Who has nothing to do waits for several:
 * to be woken up for each costs more than reading it.
 */
static struct log *next_log(struct stats_aside *a)
{
	struct log *l;

	pthread_mutex_lock(&a->lock);
	if (a->made == a->done)
		while (!a->ended && a->made - a->done < LOGS / 2)
			pthread_cond_wait(&a->more, &a->lock);
	l = a->made != a->done ? &a->log[a->done % LOGS] : NULL;
	pthread_mutex_unlock(&a->lock);
	return l;
}

static int read_log(struct xtr_stats *s, struct log *l)
{
	size_t at = 0;
	int err = 0;

	for (size_t i = 0; i < l->n_jobs && !err; i++) {
		struct noted *n = &l->job[i];

		n->job.deps = l->dep + n->first_dep;
		err = stats_take_events(s, l->ev + at, n->at - at)
			      ?: stats_take_job(s, &n->job, &n->said);
		at = n->at;
	}
	return err ?: stats_take_events(s, l->ev + at, l->n - at);
}

static void *work(void *arg)
{
	struct stats_aside *a = arg;
	struct log *l;
	int err = 0;

	while ((l = next_log(a))) {
		err = err ?: read_log(a->s, l);
		pthread_mutex_lock(&a->lock);
		a->done++;
		a->err = err;
		if (a->made - a->done <= LOGS / 2)
			pthread_cond_signal(&a->room);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

/* --- the model's side ------------------------------------------------------------------------- */

/* Begin a log with what is left of a batch. 0, or what the thread had to say. */
static int begin_log(struct stats_aside *a, const struct xtr_event *ev)
{
	int err;

	pthread_mutex_lock(&a->lock);
	while (a->made - a->done == LOGS)
		pthread_cond_wait(&a->room, &a->lock);
	err = a->err;
	pthread_mutex_unlock(&a->lock);
	a->now = &a->log[a->made % LOGS];
	a->now->ev = ev;
	a->now->n_jobs = a->now->n_deps = 0;
	return err;
}

static void end_log(struct stats_aside *a)
{
	a->now->n = a->at - a->before;
	a->before = a->at;
	pthread_mutex_lock(&a->lock);
	a->made++;
	if (a->made - a->done >= LOGS / 2)
		pthread_cond_signal(&a->more);
	pthread_mutex_unlock(&a->lock);
}

int stats_aside_batch(struct stats_aside *a, const struct xtr_event *ev, size_t n)
{
	int err;

	a->at = a->before = 0;
	err = begin_log(a, ev);
	if (err)
		return err;
	err = stats_into_model(a->s, ev, n, &a->at, a->takes);
	end_log(a);
	return err;
}

/* NULL: no memory. */
static const struct xtr_model_ring *ring_of(struct stats_aside *a, const struct xtr_model_ring *r)
{
	size_t had = a->cap_rings;

	if (r->index >= had) {
		if (xtr_grow_array(&a->ring, &a->cap_rings, (size_t)r->index + 1, sizeof(*a->ring)))
			return NULL;
		for (size_t i = had; i < a->cap_rings; i++)
			a->ring[i] = NULL;
	}
	if (!a->ring[r->index]) {
		a->ring[r->index] = malloc(sizeof(*r));
		if (a->ring[r->index])
			*a->ring[r->index] = *r;
	}
	return a->ring[r->index];
}

static int note_deps(struct log *l, const struct xtr_job *j)
{
	if (xtr_grow_array(&l->dep, &l->cap_deps, l->n_deps + j->n_deps, sizeof(*l->dep)))
		return -ENOMEM;
	for (uint32_t i = 0; i < j->n_deps; i++)
		l->dep[l->n_deps++] = j->deps[i];
	return 0;
}

int stats_aside_job(struct stats_aside *a, const struct xtr_job *j, const struct stats_said *said)
{
	const struct xtr_model_ring *ring = ring_of(a, j->ring);
	struct noted *n;
	int err = ring ? 0 : -ENOMEM;

	if (!err && a->now->n_jobs == LOG_JOBS) {
		const struct xtr_event *left = a->now->ev + (a->at - a->before);

		end_log(a);
		err = begin_log(a, left);
	}
	if (err)
		return err;
	n = &a->now->job[a->now->n_jobs++];
	n->job = *j;
	n->job.ring = ring;
	n->said = *said;
	n->at = a->at - a->before;
	n->first_dep = a->now->n_deps;
	return j->n_deps ? note_deps(a->now, j) : 0;
}

/* --- begin and end ---------------------------------------------------------------------------- */

static void free_all(struct stats_aside *a)
{
	for (size_t i = 0; i < LOGS; i++) {
		free(a->log[i].job);
		free(a->log[i].dep);
	}
	for (size_t i = 0; i < a->cap_rings; i++)
		free(a->ring[i]);
	free(a->ring);
	free(a->takes);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->room);
	pthread_cond_destroy(&a->more);
	free(a);
}

struct stats_aside *stats_aside_start(struct xtr_stats *s)
{
	struct stats_aside *a = calloc(1, sizeof(*a));
	bool have;

	if (!a)
		return NULL;
	a->s = s;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->room, NULL);
	pthread_cond_init(&a->more, NULL);
	a->takes = calloc(XTR_STATS_TYPES, sizeof(*a->takes));
	have = a->takes;
	for (size_t i = 0; i < LOGS; i++) {
		a->log[i].job = malloc(LOG_JOBS * sizeof(*a->log[i].job));
		have &= a->log[i].job != NULL;
	}
	if (have && !pthread_create(&a->thread, NULL, work, a))
		return a;
	free_all(a);
	return NULL;
}

int stats_aside_end(struct stats_aside *a)
{
	int err;

	if (!a)
		return 0;
	pthread_mutex_lock(&a->lock);
	a->ended = true;
	pthread_cond_signal(&a->more);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	err = a->err;
	free_all(a);
	return err;
}
