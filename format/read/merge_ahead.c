/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that merges, so that the caller's thread finds its events ready. */
#include "merge_priv.h"

#include <pthread.h>
#include <stdlib.h>

#define BATCHES     8u /* on their way, the one that is being read among them */
#define BATCHES_MAX (BATCHES + XTR_MERGE_KEEP_MAX)

struct xtr_ahead {
	struct xtr_merge *m;
	struct xtr_merge_batch batches[BATCHES_MAX]; /* batch i is in i % n */
	size_t n, keep;                              /* all of them; those that are kept */
	size_t filled, given, read;                  /* batches */
	bool stop, ended;                            /* ended: none is on its way */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t room, more;
};

/* A batch to be filled, waited for; NULL: nobody wants it any more. */
static struct xtr_merge_batch *get_room(struct xtr_ahead *a)
{
	struct xtr_merge_batch *b;

	pthread_mutex_lock(&a->lock);
	while (!a->stop && a->filled - a->read >= a->n)
		pthread_cond_wait(&a->room, &a->lock);
	b = a->stop ? NULL : &a->batches[a->filled % a->n];
	pthread_mutex_unlock(&a->lock);
	return b;
}

static void *fill_ahead(void *arg)
{
	struct xtr_ahead *a = arg;
	struct xtr_merge_batch *b;
	bool last = false;

	while (!last && (b = get_room(a))) {
		do
			xtr_merge_fill(a->m, b);
		while (!b->n && b->ret == 1);
		last = !b->ret; /* once it is given, it may be gone */
		pthread_mutex_lock(&a->lock);
		a->filled++;
		a->ended = last;
		if (last || a->filled - a->given >= BATCHES / 2)
			pthread_cond_signal(&a->more);
		pthread_mutex_unlock(&a->lock);
	}
	return NULL;
}

static void free_all(struct xtr_ahead *a)
{
	for (size_t i = 0; i < a->n; i++)
		xtr_merge_batch_free(a->m, &a->batches[i]);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->room);
	pthread_cond_destroy(&a->more);
	free(a);
}

struct xtr_ahead *xtr_ahead_open(struct xtr_merge *m, unsigned int keep)
{
	struct xtr_ahead *a = calloc(1, sizeof(*a));
	int err = 0;

	if (!a)
		return NULL;
	a->m = m;
	a->keep = keep < XTR_MERGE_KEEP_MAX ? keep : XTR_MERGE_KEEP_MAX;
	a->n = BATCHES + a->keep;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->room, NULL);
	pthread_cond_init(&a->more, NULL);
	for (size_t i = 0; !err && i < a->n; i++)
		err = xtr_merge_batch_new(&a->batches[i]);
	if (!err && !pthread_create(&a->thread, NULL, fill_ahead, a))
		return a;
	free_all(a);
	return NULL;
}

/*
 * Wait until there is a batch; called with the lock held. Who waits decodes what the other thread
 * will need. With nothing to decode, it waits for several batches: to be woken up for each costs
 * more than reading it.
 */
static void wait_for_batch(struct xtr_ahead *a)
{
	while (a->filled == a->given && !a->ended) {
		bool helped;

		pthread_mutex_unlock(&a->lock);
		helped = xtr_pool_help(a->m->pool);
		pthread_mutex_lock(&a->lock);
		while (!helped && !a->ended && a->filled - a->given < BATCHES / 2)
			pthread_cond_wait(&a->more, &a->lock);
	}
}

struct xtr_merge_batch *xtr_ahead_next(struct xtr_ahead *a)
{
	struct xtr_merge_batch *b;

	pthread_mutex_lock(&a->lock);
	a->read = a->given > a->keep ? a->given - a->keep : 0;
	/* Not for each batch: the thread that was woken up would soon wait again. */
	if (a->filled - a->given <= BATCHES / 2)
		pthread_cond_signal(&a->room);
	wait_for_batch(a);
	b = &a->batches[a->given++ % a->n];
	pthread_mutex_unlock(&a->lock);
	return b;
}

void xtr_ahead_close(struct xtr_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->room);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	free_all(a);
}
