/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round marks: a pass notes how far all rings are filled. Once they are read so far, be it by a
 * later pass, everything older than the start of the pass before the noting one has left the rings
 * (a program takes its time stamp and submits within one run, far shorter than the time between two
 * passes; a record that is still being written holds the reading back). So when all open batches
 * are handed over then, nothing older than that start can follow.
 */
#include "drain.h"
#include "persistent.h"
#include "recorder/attach/tokens.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TIMER_MS     10  /* between two passes: at least, */
#define QUIET_MS     240 /* and at most */
#define QUIET        40  /* permille of a ring: what may come in between */
#define HAND_OVER_NS (250 * NS_PER_MS)
#define SWEEP_NS     (1000 * NS_PER_MS)
#define ROUND_BYTES  (48ull << 20) /* spec: at most 64 MiB of events between two rounds */
#define RAW_ABOVE    500           /* permille of the queue: write without compression */
#define BUSY_TRIES   200
#define LAST_TRIES   200
#define URGENT       750 /* permille of a ring: do not wait for a slow definition */

static void note_fill(struct xtr_drain *d, uint64_t fill, uint32_t *worst)
{
	uint32_t permille = (uint32_t)(fill * 1000 / d->bpf->ring_bytes);

	if (permille > *worst)
		*worst = permille;
	if (fill > atomic_load_explicit(&d->high, memory_order_relaxed))
		atomic_store_explicit(&d->high, fill, memory_order_relaxed);
}

static void note_limits(struct xtr_drain *d)
{
	uint32_t worst = 0;

	for (uint32_t i = 0; i < d->bpf->n_cpus; i++) {
		d->limits[i] = xtr_ringbuf_producer(&d->bpf->rings[i]);
		note_fill(d, d->limits[i] - d->bpf->rings[i].pos, &worst);
	}
	atomic_store_explicit(&d->permille, worst, memory_order_relaxed);
}

static void count_malformed(struct xtr_drain *d, uint64_t n)
{
	__atomic_fetch_add(&d->queue->keep->head->malformed, n, __ATOMIC_RELAXED);
}

/* A batch that is written tells no more how far its page was taken. */
static void note_page(const struct xtr_drain *d, const struct xtr_ring_batch *b)
{
	const struct xtr_commit *c = &b->at[b->commits % 2];
	struct xtr_page_slot *slot;

	if (!c->page)
		return;
	slot = xtr_persistent_slot(d->queue->keep, b->cpu);
	if (slot->number == c->page)
		__atomic_store_n(&slot->done, c->place, __ATOMIC_SEQ_CST);
}

static void hand_over(struct xtr_drain *d, struct xtr_ring_batch **b)
{
	if (!*b)
		return;
	if ((*b)->kind == XTR_BATCH_EVENTS) {
		if (d->names)
			hand_over(d, &d->names); /* they come first */
		note_page(d, *b);
		(*b)->lost = __atomic_load_n(&d->bpf->cpus[(*b)->cpu].lost, __ATOMIC_RELAXED);
		(*b)->raw = xtr_queue_permille(d->queue) > RAW_ABOVE;
		d->since_round += (*b)->len;
	}
	if ((*b)->n)
		xtr_queue_push(d->queue, *b);
	else
		xtr_queue_give_back(d->queue, *b);
	*b = NULL;
}

/* Make sure that *b has room for len bytes. False: there is no buffer, the record stays in the
 * ring. */
static bool make_room(struct xtr_drain *d, struct xtr_ring_batch **b, enum xtr_batch_kind kind,
		      uint32_t cpu, uint32_t len)
{
	if (*b && !xtr_ring_batch_has_room(*b, len))
		hand_over(d, b);
	if (*b)
		return true;
	*b = xtr_queue_take(d->queue, kind, cpu);
	d->starved |= !*b;
	if (!*b)
		return false;
	(*b)->since = d->last_pass;
	return true;
}

/* What was read and put in holds, before the ring may write over it. */
static void settle(struct xtr_ringbuf *r, struct xtr_ring_batch *b)
{
	if (b)
		xtr_ring_batch_commit(b, r->pos);
	xtr_ringbuf_release(r);
}

/*
 * Read a ring up to limit. True if all of it was read. A batch tells up to where it has read the
 * ring as long as it is there, so the ring has to tell it before the batch may go.
 */
static bool empty_ring(struct xtr_drain *d, struct xtr_ringbuf *r, uint64_t limit,
		       struct xtr_ring_batch **b, enum xtr_batch_kind kind, uint32_t cpu)
{
	const uint8_t *rec;
	uint64_t before;
	uint32_t len;
	int err;

	for (;;) {
		before = r->pos;
		err = xtr_ringbuf_next(r, limit, &rec, &len);
		if (err != 1)
			break;
		if (!*b || !xtr_ring_batch_has_room(*b, len)) {
			uint64_t after = r->pos;

			r->pos = before;
			settle(r, *b);
			if (!make_room(d, b, kind, cpu, len))
				return false;
			r->pos = after;
		}
		if (!xtr_ring_batch_put(*b, rec, len))
			count_malformed(d, 1);
	}
	settle(r, *b);
	if (err == -EBADMSG)
		count_malformed(d, 1);
	return r->pos >= limit;
}

/* Take the definitions made so far. One that is still being written is waited for, for a short
 * time. */
static bool empty_control(struct xtr_drain *d)
{
	uint64_t limit = xtr_ringbuf_producer(&d->bpf->ctl);
	struct xtr_ring_batch *b = NULL;
	bool all = false;

	d->ctl_fill = limit - d->bpf->ctl.pos;
	if (d->bpf->ctl.pos == limit)
		return true;
	for (int i = 0; i < BUSY_TRIES && !all; i++) {
		if (i)
			usleep(5);
		all = empty_ring(d, &d->bpf->ctl, limit, &b, XTR_BATCH_DEFS, 0);
	}
	hand_over(d, &b);
	return all;
}

/* --- the trace ring --------------------------------------------------------------------------- */

/* Threads that the records taken are the first ones of. False: no buffer is free; they stay. */
static bool take_names(struct xtr_drain *d)
{
	const uint32_t len = sizeof(struct xtr_ctl_task);
	struct xtr_ctl_task def;

	while (xtr_tring_has_task(d->ring)) {
		if (!make_room(d, &d->names, XTR_BATCH_DEFS, 0, len))
			return false;
		xtr_tring_task(d->ring, &def);
		xtr_ring_batch_put(d->names, (const uint8_t *)&def, len);
		xtr_ring_batch_commit(d->names, d->bpf->ctl.pos);
	}
	return true;
}

/* The counters of a CPU that the trace ring's events share, if there are several. */
static struct xtr_count *ring_count(const struct xtr_drain *d, uint32_t cpu)
{
	return &d->bpf->counts[(size_t)cpu * d->bpf->n_slots + xtr_tring_slot(d->ring)];
}

/*
 * What the kernel counted of a CPU, as if a program had: with a record of the gap among the CPU's
 * others. Which event it was is known if there is but one. False: no buffer is free; later.
 */
static bool count_losses(struct xtr_drain *d, uint32_t cpu, bool last)
{
	struct xtr_rec_gap gap = { .h = { .type = XTR_REC_GAP, .size = sizeof(gap) } };
	struct xtr_count *c = ring_count(d, cpu);
	struct xtr_ring_batch **b = &d->open[cpu];
	struct xtr_tring_loss loss;

	if (!xtr_tring_lost(d->ring, cpu, last, &loss))
		return true;
	if (!make_room(d, b, XTR_BATCH_EVENTS, cpu, sizeof(gap)))
		return false;
	gap.count = loss.full + loss.nested;
	gap.first = loss.since;
	gap.last = gap.h.ts = xtr_now();
	xtr_ring_batch_put(*b, (const uint8_t *)&gap, sizeof(gap));
	__atomic_fetch_add(&c->full, loss.full, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->busy, loss.nested, __ATOMIC_RELAXED);
	__atomic_fetch_add(&d->bpf->cpus[cpu].lost, gap.count, __ATOMIC_RELAXED);
	xtr_tring_counted(d->ring, cpu, &loss);
	xtr_ring_batch_commit(*b, d->bpf->rings[cpu].pos);
	return true;
}

/* Take what the trace ring of a CPU holds. True if that was all. */
static bool empty_trace_ring(struct xtr_drain *d, uint32_t cpu)
{
	struct xtr_ring_batch **b = &d->open[cpu];
	struct xtr_tring_part part = { .empty = false };

	while (!part.empty) {
		if (!make_room(d, b, XTR_BATCH_EVENTS, cpu, XTR_TRING_RECORD_MAX))
			return false;
		xtr_tring_take(d->ring, cpu, (*b)->data + (*b)->len, XTR_BATCH_BYTES - (*b)->len,
			       XTR_BATCH_RECORDS - (*b)->n, &part);
		(*b)->as_is &= part.as_is;
		(*b)->n += part.n;
		(*b)->len += part.len;
		if (part.page)
			xtr_ring_batch_commit_page(*b, d->bpf->rings[cpu].pos, part.page,
						   part.place);
		count_malformed(d, part.broken);
		if (part.filtered)
			__atomic_fetch_add(&ring_count(d, cpu)->filtered, part.filtered,
					   __ATOMIC_RELAXED);
		if (!take_names(d))
			return false;
		if (part.full)
			hand_over(d, b);
	}
	return !part.behind;
}

static bool empty_trace_rings(struct xtr_drain *d)
{
	uint32_t worst = (uint32_t)atomic_load_explicit(&d->permille, memory_order_relaxed);
	bool all = true;

	xtr_tring_pass(d->ring, d->last_pass);
	for (uint32_t i = 0; i < d->bpf->n_cpus; i++) {
		all &= empty_trace_ring(d, i);
		note_fill(d, xtr_tring_fill(d->ring, i), &worst);
		(void)count_losses(d, i, false);
	}
	if (all)
		xtr_tring_taken(d->ring);
	atomic_store_explicit(&d->permille, worst, memory_order_relaxed);
	return all;
}

/* Where rings are filled now, from where on nothing is older than `watermark`. */
static void set_marks(struct xtr_drain *d, uint64_t watermark)
{
	if (d->marked)
		return;
	memcpy(d->marks, d->limits, d->bpf->n_cpus * sizeof(*d->marks));
	d->mark_at = watermark;
	d->marked = true;
}

static bool past_marks(const struct xtr_drain *d)
{
	uint32_t i;

	for (i = 0; i < d->bpf->n_cpus && d->bpf->rings[i].pos >= d->marks[i]; i++)
		;
	return i == d->bpf->n_cpus;
}

static void push_round(struct xtr_drain *d)
{
	struct xtr_ring_batch *b = xtr_queue_take(d->queue, XTR_BATCH_ROUND, 0);

	if (!b)
		return; /* a later one will do */
	b->watermark = d->mark_at;
	xtr_queue_push(d->queue, b);
	d->since_round = 0;
	d->marked = false;
}

static void hand_over_all(struct xtr_drain *d)
{
	for (uint32_t i = 0; i < d->bpf->n_cpus; i++)
		hand_over(d, &d->open[i]);
}

/*
 * One pass over all rings. True if everything that was there when it began was read. Events wait
 * for a definition that is still being written if `patient` and while their rings have room.
 */
static bool pass(struct xtr_drain *d, bool patient)
{
	uint64_t began = xtr_now(), before = d->last_pass;
	bool hurry = atomic_load_explicit(&d->queue->hurry, memory_order_relaxed), all, past;

	d->last_pass = began;
	d->starved = false;
	note_limits(d);
	set_marks(d, before);
	all = empty_control(d);
	if (!all && patient && atomic_load_explicit(&d->permille, memory_order_relaxed) < URGENT)
		return false;
	for (uint32_t i = 0; i < d->bpf->n_cpus; i++) {
		if (d->bpf->rings[i].pos == d->limits[i])
			continue;
		all &= empty_ring(d, &d->bpf->rings[i], d->limits[i], &d->open[i], XTR_BATCH_EVENTS,
				  i);
		__atomic_store_n(&d->bpf->cpus[i].woken, 0, __ATOMIC_RELAXED);
	}
	if (d->ring)
		all &= d->traced = empty_trace_rings(d);
	past = past_marks(d) && (!d->ring || d->traced);
	if (began - d->flushed < HAND_OVER_NS && d->since_round < ROUND_BYTES && !hurry) {
		d->marked = !past; /* a later mark tells more */
		return all;
	}
	d->flushed = began;
	hand_over_all(d);
	if (past && (d->since_round || d->steady || hurry))
		push_round(d);
	return all;
}

/*
 * No program runs any more: two whole passes see everything. A writer that is behind is waited for
 * as long as it takes: it gives each buffer back, also when it cannot write. A record that nobody
 * finishes is given up, and counted with those behind it.
 */
static void take_rest(struct xtr_drain *d)
{
	int tries = 0, clean = 0;

	while (clean < 2 && tries < LAST_TRIES) {
		if (pass(d, tries < LAST_TRIES / 2)) {
			clean++;
			continue;
		}
		clean = 0;
		tries += !d->starved;
		hand_over_all(d);
		usleep(10000);
	}
	for (uint32_t i = 0; d->ring && i < d->bpf->n_cpus; i++) {
		while (!count_losses(d, i, true)) {
			hand_over_all(d);
			usleep(10000);
		}
	}
	hand_over_all(d);
	hand_over(d, &d->names);
	for (uint32_t i = 0; i < d->bpf->n_cpus; i++)
		count_malformed(d, xtr_ringbuf_left(&d->bpf->rings[i]));
}

/*
 * How long to wait for the next pass. Each one costs the machine a wakeup: so it is put off as long
 * as the rings fill by a few hundredths meanwhile. One that is filled to the half of a sudden wakes
 * the thread itself.
 */
static int next_pass_ms(const struct xtr_drain *d, bool all, int ms)
{
	uint32_t worst = (uint32_t)atomic_load_explicit(&d->permille, memory_order_relaxed);
	uint64_t ctl = d->bpf->ctl.size ? d->ctl_fill * 1000 / d->bpf->ctl.size : 0;

	worst = ctl > worst ? (uint32_t)ctl : worst;
	if (!all || d->starved || atomic_load(&d->queue->hurry))
		ms = TIMER_MS;
	else if (worst > QUIET)
		ms /= 2;
	else if (worst * 2 <= QUIET)
		ms *= 2;
	return ms < TIMER_MS ? TIMER_MS : ms < QUIET_MS ? ms : QUIET_MS;
}

static void *run(void *arg)
{
	struct xtr_drain *d = arg;
	struct epoll_event ev[16];
	int ms = TIMER_MS;

	while (!atomic_load(&d->stop)) {
		epoll_wait(d->epoll_fd, ev, ARRAY_LEN(ev), ms);
		ms = next_pass_ms(d, pass(d, true), ms);
		xtr_missed_pass(d->bpf, d->last_pass);
		if (d->last_pass - d->swept >= SWEEP_NS) {
			xtr_tokens_sweep(d->bpf);
			d->swept = d->last_pass;
		}
	}
	take_rest(d);
	return NULL;
}

/* Edge-triggered: a ring with data that nobody was woken for is left to the timer. */
static int watch(struct xtr_drain *d, int fd, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.fd = fd };

	return epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

int xtr_drain_open(struct xtr_drain *d, struct xtr_bpf *bpf, struct xtr_tring *ring,
		   struct xtr_queue *queue, bool steady)
{
	int err;

	*d = (struct xtr_drain){
		.bpf = bpf,
		.ring = ring,
		.queue = queue,
		.steady = steady,
		.epoll_fd = -1,
		.stop_fd = -1,
	};
	d->open = calloc(bpf->n_cpus, sizeof(struct xtr_ring_batch *));
	d->limits = calloc(bpf->n_cpus, sizeof(*d->limits));
	d->marks = calloc(bpf->n_cpus, sizeof(*d->marks));
	if (!d->open || !d->limits || !d->marks)
		return -ENOMEM;
	d->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	d->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (d->epoll_fd < 0 || d->stop_fd < 0)
		return -errno;
	err = watch(d, d->stop_fd, EPOLLIN);
	for (uint32_t i = 0; i < bpf->n_cpus && !err; i++)
		if (bpf->rings[i].fd >= 0)
			err = watch(d, bpf->rings[i].fd, EPOLLIN | EPOLLET);
	for (uint32_t i = 0; ring && i < bpf->n_cpus && !err; i++)
		if (xtr_tring_fd(ring, i) >= 0)
			err = watch(d, xtr_tring_fd(ring, i), EPOLLIN | EPOLLET);
	return err;
}

int xtr_drain_start(struct xtr_drain *d)
{
	int err;

	d->last_pass = d->flushed = d->swept = xtr_now();
	err = -pthread_create(&d->thread, NULL, run, d);
	d->running = !err;
	return err;
}

void xtr_drain_stop(struct xtr_drain *d)
{
	uint64_t one = 1;

	if (!d->running)
		return;
	atomic_store(&d->stop, true);
	(void)!write(d->stop_fd, &one,
		     sizeof(one)); /* without it, it sees the flag after QUIET_MS */
	pthread_join(d->thread, NULL);
	d->running = false;
}

void xtr_drain_free(struct xtr_drain *d)
{
	xtr_drain_stop(d);
	for (uint32_t i = 0; d->open && i < d->bpf->n_cpus; i++) {
		if (d->open[i])
			xtr_queue_give_back(d->queue, d->open[i]);
	}
	if (d->names)
		xtr_queue_give_back(d->queue, d->names);
	d->names = NULL;
	free(d->open);
	free(d->limits);
	free(d->marks);
	if (d->bpf && d->epoll_fd >= 0)
		close(d->epoll_fd);
	if (d->bpf && d->stop_fd >= 0)
		close(d->stop_fd);
	d->open = NULL;
	d->limits = NULL;
	d->marks = NULL;
	d->bpf = NULL;
}
