/* SPDX-License-Identifier: BSD-2-Clause */
#include "each_file.h"
#include "base/buf.h"
#include "cli/ui/cli.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define THREADS_MAX 16u
#define AHEAD       2u /* files for each thread */

struct slot {
	struct each_done done;
	bool ready;
};

struct pool {
	const struct each_file *e;
	pthread_mutex_t lock;
	pthread_cond_t change;
	size_t next, taken, ahead;             /* the next one to work on; how many were taken */
	struct slot slot[THREADS_MAX * AHEAD]; /* of file i: i % ahead */
	pthread_t thread[THREADS_MAX];
};

static unsigned int cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : (unsigned int)n > THREADS_MAX ? THREADS_MAX : (unsigned int)n;
}

/* Without memory for them, messages are written at once. */
static void work(const struct each_file *e, size_t i, struct each_done *done)
{
	struct xtr_buf buf;
	FILE *f = xtr_memory_stream(&buf);

	cli_capture(f);
	e->work(e->ctx, i, done);
	cli_capture(NULL);
	done->said = f ? xtr_memory_text(f, &buf) : NULL;
}

/* The next file, or false: there is none. The lock is held. */
static bool next_file(struct pool *p, size_t *i)
{
	while (p->next < p->e->n && p->next >= p->taken + p->ahead)
		pthread_cond_wait(&p->change, &p->lock);
	if (p->next == p->e->n)
		return false;
	*i = p->next++;
	return true;
}

static void *thread(void *arg)
{
	struct pool *p = arg;
	struct each_done done;
	size_t i;

	pthread_mutex_lock(&p->lock);
	while (next_file(p, &i)) {
		pthread_mutex_unlock(&p->lock);
		done = (struct each_done){ 0 };
		work(p->e, i, &done);
		pthread_mutex_lock(&p->lock);
		p->slot[i % p->ahead] = (struct slot){ done, true };
		pthread_cond_broadcast(&p->change);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void take_all(struct pool *p)
{
	struct each_done done;

	for (size_t i = 0; i < p->e->n; i++) {
		struct slot *s = &p->slot[i % p->ahead];

		pthread_mutex_lock(&p->lock);
		while (!s->ready)
			pthread_cond_wait(&p->change, &p->lock);
		done = s->done;
		s->ready = false;
		p->taken = i + 1;
		pthread_cond_broadcast(&p->change);
		pthread_mutex_unlock(&p->lock);
		p->e->take(p->e->ctx, i, &done);
		free(done.said);
	}
}

static void serial(const struct each_file *e)
{
	for (size_t i = 0; i < e->n; i++) {
		struct each_done done = { 0 };

		e->work(e->ctx, i, &done);
		e->take(e->ctx, i, &done);
	}
}

void each_file(const struct each_file *e)
{
	struct pool p = { .e = e };
	unsigned int threads = cpus(), n = 0;

	if (threads > e->n)
		threads = (unsigned int)e->n;
	if (e->serial || threads < 2) {
		serial(e);
		return;
	}
	p.ahead = (size_t)threads * AHEAD;
	pthread_mutex_init(&p.lock, NULL);
	pthread_cond_init(&p.change, NULL);
	while (n < threads && !pthread_create(&p.thread[n], NULL, thread, &p))
		n++;
	if (n)
		take_all(&p);
	else
		serial(e);
	for (unsigned int i = 0; i < n; i++)
		pthread_join(p.thread[i], NULL);
	pthread_cond_destroy(&p.change);
	pthread_mutex_destroy(&p.lock);
}
