// SPDX-License-Identifier: BSD-2-Clause
#include "sink.h"
#include "clock.h"
#include "util.h"

#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define CLOCK_EVERY (10 * NS_PER_S)
#define LOSS_EVERY  NS_PER_S
#define SYNC_EVERY  (5 * NS_PER_S)
#define IDLE_NS     (500 * NS_PER_MS)
#define SPACE_RESERVE \
	(1u << 20) /* bytes of the disk kept free for tables, losses and the end mark */

static uint32_t type_of(uint32_t slot)
{
	return slot < XTR_SLOT_GENERIC ? slot : slot - XTR_SLOT_GENERIC + XTR_TYPE_FIRST_DYNAMIC;
}

/* Where an event of this type is counted; slot 0 stands for unknown types. */
static uint32_t slot_of(const struct xtr_sink *s, uint32_t type)
{
	if (type < XTR_SLOT_GENERIC)
		return type;
	if (type >= XTR_TYPE_FIRST_DYNAMIC && type - XTR_TYPE_FIRST_DYNAMIC < s->sel->n_dynamic)
		return type - XTR_TYPE_FIRST_DYNAMIC + XTR_SLOT_GENERIC;
	return 0;
}

/* Recording ends by itself. The first reason holds. */
static void stop(struct xtr_sink *s, const char *reason, int error)
{
	const char *none = NULL;
	uint64_t one = 1;

	if (error)
		s->full = true;
	if (!atomic_compare_exchange_strong(&s->stopped, &none, reason))
		return;
	atomic_store(&s->error, error);
	if (write(s->event_fd, &one, sizeof(one)) != sizeof(one))
		return; /* the counter is at its limit: it is readable anyway */
}

static const char *error_reason(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return "no space left";
	case -EPIPE:
		return "output closed";
	case -EFBIG:
		return "file size limit";
	default:
		return "write error";
	}
}

static void check(struct xtr_sink *s, int rc)
{
	if (rc)
		stop(s, error_reason(rc), rc);
}

/* Stop while there is room for a proper end. */
static void check_space(struct xtr_sink *s)
{
	struct statvfs fs;

	if (s->size_limit && xtr_writer_bytes(s->writer) >= s->size_limit)
		stop(s, "size limit", 0);
	if (s->path && !s->full && statvfs(s->path, &fs) == 0 &&
	    (uint64_t)fs.f_bavail * fs.f_frsize < SPACE_RESERVE)
		stop(s, error_reason(-ENOSPC), -ENOSPC);
}

static void count_dropped(struct xtr_sink *s, uint64_t *counts, uint32_t cpu, uint32_t type)
{
	counts[(size_t)cpu * s->bpf->n_slots + slot_of(s, type)]++;
	atomic_fetch_add_explicit(&s->dropped, 1, memory_order_relaxed);
}

static int convert_fence(struct xtr_sink *s, uint8_t *rec, uint32_t size)
{
	struct xtr_rec_fence r;

	if (size != sizeof(r))
		return -EBADMSG;
	memcpy(&r, rec, sizeof(r));
	r.ops = xtr_defs_ops(s->defs, r.ops);
	memcpy(rec, &r, sizeof(r));
	return (int)size;
}

/* A ring record becomes a file record, in place. Returns its size, 0 if it is none, or -errno. */
static int convert(struct xtr_sink *s, const struct xtr_buf *b, uint8_t *rec, uint32_t size)
{
	struct xtr_rec_gap gap;
	struct xtr_rec h;
	uint32_t slot;

	memcpy(&h, rec, sizeof(h));
	if (h.type == XTR_REC_GAP) {
		memcpy(&gap, rec, sizeof(gap));
		if (gap.count)
			xtr_loss_add_gap(s->loss, &(struct xtr_gap){ b->cpu, gap.first, gap.last,
								     gap.count });
		return 0;
	}
	if (h.type >= XTR_EV_FENCE_INIT && h.type <= XTR_EV_FENCE_DESTROY)
		return convert_fence(s, rec, size);
	slot = slot_of(s, h.type);
	if (slot < XTR_SLOT_GENERIC)
		return slot ? (int)size : -EBADMSG;
	slot -= XTR_SLOT_GENERIC;
	if (slot < s->sel->n_generics)
		return xtr_generic_convert(s->sel->generics[slot], s->tables, s->key, rec, size);
	return xtr_probe_convert(s->sel->probe_events[slot - s->sel->n_generics], s->key, rec,
				 size);
}

/* Convert a batch in place; records only get shorter. Returns its new length. */
static uint32_t convert_all(struct xtr_sink *s, struct xtr_buf *b)
{
	uint32_t in = 0, out = 0, n = 0;
	struct xtr_rec h;
	int size;

	while (in < b->len) {
		memcpy(&h, b->data + in, sizeof(h)); /* sizes were checked when it was put in */
		size = convert(s, b, b->data + in, h.size);
		if (size < 0)
			count_dropped(s, s->spoilt, b->cpu, h.type);
		if (size > 0) {
			if (in != out)
				memmove(b->data + out, b->data + in, (size_t)size);
			out += (uint32_t)size;
			n++;
		}
		in += h.size;
	}
	b->n = n;
	return out;
}

static void drop_all(struct xtr_sink *s, const struct xtr_buf *b, uint32_t len, uint64_t *counts)
{
	struct xtr_rec h;

	for (uint32_t at = 0; at < len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		if (h.type != XTR_REC_GAP)
			count_dropped(s, counts, b->cpu, h.type);
	}
}

static void take_events(struct xtr_sink *s, struct xtr_buf *b)
{
	struct xtr_batch batch;
	int rc;

	if (!s->full)
		check_space(s);
	if (s->full) {
		drop_all(s, b, b->len, s->unwritten);
		return;
	}
	batch = (struct xtr_batch){ .stream = b->cpu, .recs = b->data, .raw = b->raw };
	batch.len = convert_all(s, b);
	batch.n = b->n;
	batch.lost_total = b->lost;
	if (!batch.n)
		return;
	rc = xtr_writer_events(s->writer, &batch);
	if (b->cpu == 0 && !rc)
		s->lost_0 = b->lost;
	if (rc) {
		drop_all(s, b, (uint32_t)batch.len, rc == -EINVAL ? s->spoilt : s->unwritten);
		if (rc != -EINVAL)
			check(s, rc);
		return;
	}
	atomic_fetch_add_explicit(&s->events, batch.n, memory_order_relaxed);
}

static void take_defs(struct xtr_sink *s, const struct xtr_buf *b)
{
	struct xtr_rec h;

	for (uint32_t at = 0; at < b->len; at += h.size) {
		memcpy(&h, b->data + at, sizeof(h));
		xtr_defs_take(s->defs, b->data + at, h.size);
	}
}

/* Totals of the kernel's counters and our own. They are cumulative, so a missed look costs nothing.
 */
static void gather_losses(struct xtr_sink *s)
{
	const uint32_t n_slots = s->bpf->n_slots;

	for (uint32_t i = 0; i < s->bpf->n_cpus * n_slots; i++) {
		const struct xtr_count *c = &s->bpf->counts[i];
		const struct {
			uint64_t n;
			int cause;
		} of[] = {
			{ c->full, XTR_LOSS_RING_FULL },
			{ c->busy, XTR_LOSS_RING_BUSY },
			{ s->spoilt[i], XTR_LOSS_RECORDER },
			{ s->unwritten[i], XTR_LOSS_WRITE },
			{ c->filtered, 0 },
		};

		for (size_t k = 0; k < ARRAY_LEN(of); k++) {
			if (of[k].n)
				xtr_loss_set(s->loss, i / n_slots, type_of(i % n_slots),
					     (enum xtr_loss_cause)of[k].cause, of[k].n);
		}
	}
}

/* What the kernel skipped; it does not say on which CPU. */
static void gather_misses(struct xtr_sink *s)
{
	for (uint32_t i = 0; i < s->bpf->n_slots; i++) {
		if (s->bpf->not_run[i])
			xtr_loss_set(s->loss, XTR_STREAM_NONE, type_of(i), XTR_LOSS_NOT_RUN,
				     s->bpf->not_run[i]);
	}
}

static void periodic(struct xtr_sink *s)
{
	uint64_t now = xtr_now();

	if (s->full)
		return;
	if (now >= s->next_clock) {
		s->next_clock = now + CLOCK_EVERY;
		check(s, xtr_clock_write(s->writer));
	}
	if (now >= s->next_loss) {
		s->next_loss = now + LOSS_EVERY;
		gather_losses(s);
		check(s, xtr_writer_loss(s->writer));
	}
	if (now >= s->next_sync) {
		s->next_sync = now + SYNC_EVERY;
		check(s, xtr_totals_write(&s->totals, false, s->lost_0));
		if (s->io->ops->sync)
			check(s, s->io->ops->sync(s->io));
	}
}

static void *run(void *arg)
{
	struct xtr_sink *s = arg;
	bool closed = false;
	struct xtr_buf *b;

	while (!closed) {
		b = xtr_queue_pop(s->queue, IDLE_NS, &closed);
		if (b && b->kind == XTR_BATCH_EVENTS)
			take_events(s, b);
		else if (b && b->kind == XTR_BATCH_DEFS)
			take_defs(s, b);
		else if (b && !s->full)
			check(s, xtr_writer_round(s->writer, b->watermark));
		if (b)
			xtr_queue_give_back(s->queue, b);
		periodic(s);
		atomic_store_explicit(&s->bytes, xtr_writer_bytes(s->writer), memory_order_relaxed);
	}
	return NULL;
}

int xtr_sink_start(struct xtr_sink *s)
{
	size_t n = (size_t)s->bpf->n_cpus * s->bpf->n_slots;
	int err;

	s->unwritten = calloc(n, sizeof(*s->unwritten));
	s->spoilt = calloc(n, sizeof(*s->spoilt));
	s->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!s->unwritten || !s->spoilt)
		return -ENOMEM;
	if (s->event_fd < 0)
		return -errno;
	s->totals = (struct xtr_totals){
		.bpf = s->bpf, .writer = s->writer, .tables = s->tables, .key = s->key
	};
	err = xtr_totals_open(&s->totals);
	if (!err)
		err = xtr_clock_write(s->writer);
	s->next_clock = xtr_now() + CLOCK_EVERY;
	s->next_sync = xtr_now() + SYNC_EVERY;
	if (!err)
		err = -pthread_create(&s->thread, NULL, run, s);
	s->running = !err;
	return err;
}

void xtr_sink_join(struct xtr_sink *s)
{
	if (s->running)
		pthread_join(s->thread, NULL);
	s->running = false;
}

/* Gaps that no later record of their CPU has announced. */
static void last_gaps(struct xtr_sink *s)
{
	for (uint32_t i = 0; i < s->bpf->n_cpus; i++) {
		const struct xtr_cpu *c = &s->bpf->cpus[i];

		if (c->gap_count)
			xtr_loss_add_gap(s->loss, &(struct xtr_gap){ i, c->gap_first, c->gap_last,
								     c->gap_count });
	}
}

int xtr_sink_finish(struct xtr_sink *s, const char *reason, const struct xtr_recorder_cost *cost,
		    uint64_t malformed)
{
	int rc, error = atomic_load(&s->error);

	last_gaps(s);
	if (malformed)
		s->spoilt[0] += malformed;
	gather_losses(s);
	gather_misses(s);
	rc = xtr_totals_write(&s->totals, true, s->lost_0);
	if (!rc)
		rc = xtr_clock_write(s->writer);
	if (!rc)
		rc = xtr_writer_finish(s->writer, reason, cost);
	atomic_store(&s->bytes, xtr_writer_bytes(s->writer));
	return rc ? rc : error;
}

void xtr_sink_free(struct xtr_sink *s)
{
	xtr_sink_join(s);
	xtr_totals_close(&s->totals);
	free(s->unwritten);
	free(s->spoilt);
	if (s->event_fd > 0)
		close(s->event_fd);
}
