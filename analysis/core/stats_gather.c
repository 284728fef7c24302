/* SPDX-License-Identifier: BSD-2-Clause */
/* One job into the sums of its ring, device, process and client. */
#include "format/xtr_format.h"
#include "replay/event/process.h"
#include "stats_aside.h"
#include "stats_impl.h"

#include <errno.h>
#include <stdlib.h>

static __attribute__((noinline)) int busy_add_rare(uint64_t horizon, struct xtr_busy *b,
						   uint64_t start, uint64_t end)
{
	/* The job that is handed out is open no more, so the horizon may be past its start. */
	if (xtr_busy_full(b))
		xtr_busy_forget(b, horizon < start ? horizon : start);
	return xtr_busy_add(b, start, end);
}

/* What a job kept busy. */
struct stretch {
	uint64_t start, end; /* ns */
	uint64_t horizon;    /* ns: no later job starts before */
};

static inline int busy_add(const struct xtr_stats *s, struct xtr_busy *b, const struct stretch *t)
{
	/* busy within the window only */
	uint64_t start = t->start < s->o.select.from ? s->o.select.from : t->start;

	return xtr_busy_join(b, start, t->end) ? 0 : busy_add_rare(t->horizon, b, start, t->end);
}

/* Index of the row with this key in processes or clients; 0 if there are too many; -ENOMEM. */
static int64_t keyed_row(struct rows *rows, struct xtr_map *map, uint64_t a, uint64_t b,
			 uint32_t max)
{
	uint32_t i = xtr_map_index(map, a, b);

	if (i != XTR_MAP_NONE)
		return i;
	if (rows->n >= max)
		return 0;
	if (xtr_map_put(map, a, b, rows->n) || !rows_add(rows))
		return -ENOMEM;
	return rows->n - 1;
}

/*
 * A process is named by its first thread, if the trace knows it, else by the thread seen first.
 * Threads of processes that an imported trace does not know go by their name.
 */
static int64_t process_of(struct xtr_stats *s, const struct xtr_job *j)
{
	struct rows *rows = &s->rows[XTR_BY_PROCESS];
	struct xtr_stats_row *row;
	int64_t i;

	if (!j->queue_ns || (!j->pid && !j->comm))
		return 0;
	i = keyed_row(rows, &s->processes, xtr_process(j->pid, j->nth), j->pid ? 0 : j->comm,
		      XTR_STATS_PROCESSES_MAX);
	if (i <= 0)
		return i;
	row = &rows->row[i];
	if (!row->known) {
		row->known = true;
		row->process = xtr_process(j->pid, j->nth);
		row->comm = xtr_process_comm(s->o.tables, row->process, j->queue_ns, j->comm);
	}
	return i;
}

static int64_t client_of(struct xtr_stats *s, const struct xtr_job *j)
{
	struct rows *rows = &s->rows[XTR_BY_CLIENT];
	int64_t i;

	if (!j->queue_ns || !j->client_known)
		return 0;
	i = keyed_row(rows, &s->clients, j->client_id, j->ring->device, XTR_STATS_CLIENTS_MAX);
	if (i <= 0)
		return i;
	rows->row[i].known = rows->row[i].client_known = true;
	rows->row[i].client_id = j->client_id;
	rows->row[i].device = j->ring->device_name;
	return i;
}

static int64_t owner_of(struct xtr_stats *s, uint32_t process, uint32_t client, uint32_t ring)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.*): both are set; the analyser loses them */
	uint64_t who = (uint64_t)process << 32 | client;
	uint32_t i = xtr_map_index(&s->owners, who, ring);
	struct owner *o;

	if (i != XTR_MAP_NONE)
		return i;
	if (s->n_owners >= XTR_STATS_OWNERS_MAX && who) /* "other" exists once for each ring */
		return owner_of(s, 0, 0, ring);
	if (s->n_owners == s->cap_owners) {
		uint32_t cap = s->cap_owners ? s->cap_owners * 2 : 16;

		o = realloc(s->owner, cap * sizeof(*o));
		if (!o)
			return -ENOMEM;
		s->owner = o;
		s->cap_owners = cap;
	}
	s->owner[s->n_owners] =
		(struct owner){ .process = process, .client = client, .ring = ring };
	if (xtr_map_put(&s->owners, who, ring, s->n_owners))
		return -ENOMEM;
	return s->n_owners++;
}

static int64_t find_owner(struct xtr_stats *s, const struct xtr_job *j)
{
	int64_t process = process_of(s, j), client = client_of(s, j);

	if (process < 0 || client < 0)
		return -ENOMEM;
	return owner_of(s, (uint32_t)process, (uint32_t)client, j->ring->index);
}

/* Index of the owner of a job; a key that has got one, be it "other", keeps it. -ENOMEM. */
static int64_t owner_of_job(struct xtr_stats *s, const struct xtr_job *j)
{
	struct last_owner *l = &s->last_owner[j->ctx / 2 % STATS_LAST_OWNERS];
	int64_t i;

	if (l->owner && l->ring == j->ring->index && l->process == xtr_process(j->pid, j->nth) &&
	    l->comm == j->comm && l->queued == !!j->queue_ns &&
	    l->client_known == j->client_known && l->client_id == j->client_id)
		return (int64_t)l->owner - 1;
	i = find_owner(s, j);
	if (i >= 0)
		*l = (struct last_owner){ .client_id = j->client_id,
					  .process = xtr_process(j->pid, j->nth),
					  .comm = j->comm,
					  .ring = j->ring->index,
					  .queued = j->queue_ns,
					  .client_known = j->client_known,
					  .owner = (uint32_t)i + 1 };
	return i;
}

/* What an owner's job kept busy: its execution; where that is not known, its residence. */
static int add_owner_busy(struct xtr_stats *s, const struct xtr_job *j, const struct owner *o,
			  const struct stats_said *said)
{
	struct xtr_stats_row *process = &s->rows[XTR_BY_PROCESS].row[o->process];
	struct xtr_stats_row *client = &s->rows[XTR_BY_CLIENT].row[o->client];
	const struct stretch t = { said->bounded ? j->busy_from_ns : j->serial_start_ns,
				   j->busy_to_ns, said->horizon };

	if (!t.start) /* it has begun, or not: other jobs were before it at the piece's end */
		return 0;
	return busy_add(s, &process->busy, &t) | busy_add(s, &client->busy, &t);
}

static int64_t new_blocker(struct xtr_stats *s, uint32_t ring_id, uint32_t blocker_id)
{
	struct xtr_stats_blocker *b;
	uint32_t i = s->n_blockers;

	if (i == s->cap_blockers) {
		uint32_t cap = s->cap_blockers ? s->cap_blockers * 2 : 16;

		b = realloc(s->blocker, cap * sizeof(*b));
		if (!b)
			return -ENOMEM;
		s->blocker = b;
		s->cap_blockers = cap;
	}
	if (xtr_map_put(&s->blockers, ring_id, blocker_id, i))
		return -ENOMEM;
	s->blocker[i] = (struct xtr_stats_blocker){ .ring_id = ring_id, .blocker_id = blocker_id };
	s->n_blockers++;
	return i;
}

static int add_blocker(struct xtr_stats *s, uint32_t ring_id, const struct xtr_dep *d)
{
	int64_t i = xtr_map_index(&s->blockers, ring_id, d->ring_id);
	uint64_t ns = d->until_ns - d->from_ns;
	struct xtr_stats_blocker *b;

	if (i == XTR_MAP_NONE) {
		if (s->n_blockers == XTR_STATS_BLOCKERS_MAX)
			return 0;
		i = new_blocker(s, ring_id, d->ring_id);
		if (i < 0)
			return (int)i;
	}
	b = &s->blocker[i];
	b->n++;
	b->total += ns;
	if (ns > b->max)
		b->max = ns;
	return 0;
}

static int add_waits(struct xtr_stats *s, const struct xtr_job *j)
{
	struct xtr_hist *waits = &s->dep_wait[j->ring->index];
	int err = 0;

	for (uint32_t i = 0; i < j->n_deps && !err; i++) {
		err = xtr_hist_add(waits, j->deps[i].until_ns - j->deps[i].from_ns);
		if (!err)
			err = add_blocker(s, j->ring->id, &j->deps[i]);
	}
	top_waits(s, j);
	return err;
}

static int add_on_hw(struct xtr_stats *s, const struct xtr_job *j, uint64_t horizon)
{
	const struct stretch t = { j->busy_from_ns, j->busy_to_ns, horizon };
	struct xtr_stats_row *ring = &s->rows[XTR_BY_RING].row[j->ring->index];
	struct xtr_stats_row *dev = &s->rows[XTR_BY_DEVICE].row[j->ring->device];

	return busy_add(s, &ring->busy, &t) | busy_add(s, &dev->busy, &t) |
	       busy_add(s, &s->total.busy, &t);
}

static int add_busy(struct xtr_stats *s, const struct xtr_job *j, const struct owner *o,
		    const struct stats_said *said)
{
	int err = add_on_hw(s, j, said->horizon);

	err |= add_owner_busy(s, j, o, said);
	if (xtr_job_resided(j))
		top_job(s, j, said->bounded);
	return err ? -ENOMEM : 0;
}

/* A job of a process that the recording is not about: it keeps its ring and device busy. */
static int add_others(struct xtr_stats *s, const struct xtr_job *j, uint64_t horizon)
{
	if (!xtr_job_resided(j) || !xtr_select_others(&s->o.select, j))
		return 0;
	if (add_on_hw(s, j, horizon))
		return -ENOMEM;
	return s->o.analyses ? xtr_analyses_others(s->o.analyses, j) : 0;
}

int stats_take_job(struct xtr_stats *s, const struct xtr_job *j, const struct stats_said *said)
{
	int64_t owner;
	int err = 0;

	if (j->ring->index >= s->n_dep_waits || j->ring->device >= s->rows[XTR_BY_DEVICE].n)
		err = stats_grow_rows(s, (size_t)j->ring->index + 1, (size_t)j->ring->device + 1);
	if (!err && j->others)
		return add_others(s, j, said->horizon);
	if (err || !xtr_select_job(&s->o.select, j))
		return err;
	owner = owner_of_job(s, j);
	if (owner < 0)
		return -ENOMEM;
	if (xtr_agg_add(&s->owner[owner].agg, j))
		return -ENOMEM;
	err = j->n_deps && xtr_job_waits_known(j) ? add_waits(s, j) : 0;
	if (!err && j->busy_to_ns)
		err = add_busy(s, j, &s->owner[owner], said);
	stats_tell(s);
	if (!err && s->o.analyses)
		err = xtr_analyses_job(s->o.analyses, j);
	return err;
}

int stats_on_job(void *ctx, const struct xtr_job *j)
{
	struct xtr_stats *s = ctx;
	const struct stats_said said = {
		.horizon = xtr_model_horizon(s->model),
		.bounded = j->busy_to_ns && xtr_ring_ended_bounded(j->ring),
	};

	return s->aside ? stats_aside_job(s->aside, j, &said) : stats_take_job(s, j, &said);
}
