/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What fired, and the jobs that may belong to it. A job comes when it has ended, so those that were
 * in flight when something fired come after it; those that had ended well are kept by ring.
 */
#include "hang_impl.h"
#include "base/buf.h"
#include "format/meta/piece.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOB_DONE 255u

/* Events that say that a job timed out or a device is reset, and whose driver it is. */
static const struct xtr_bind_spec specs[] = {
	{ "func:gpu_sched:drm_sched_job_timedout", 0, { NULL } },
	{ "func:amdgpu:amdgpu_job_timedout", 1, { NULL } },
	{ "func:amdgpu:amdgpu_device_gpu_recover", 1, { NULL } },
	{ "amdgpu:amdgpu_reset_reg_dumps", 1, { NULL } },
	{ "func:i915:intel_gt_reset", 2, { NULL } },
	{ "xe:xe_sched_job_timedout", 3, { "dev" } },
	{ "xe:xe_exec_queue_reset", 3, { "dev" } },
	{ "func:xe:xe_gt_reset_async", 3, { NULL } },
	{ "func:intel_vpu:ivpu_job_timeout_work", 4, { NULL } },
	{ "func:intel_vpu:ivpu_pm_recovery_work", 4, { NULL } },
	{ "nvidia:nvidia_dev_xid", 5, { NULL } },
	{ "func:nvidia:nv_report_error", 5, { NULL } },
	/* Fires nothing: it tells how the driver numbers a job. */
	{ "gpu_scheduler:drm_sched_job_done", JOB_DONE, { "ctx", "seqno", "hw_seqno" } },
};
static const char *const drivers[] = { NULL, "amdgpu", "i915", "xe", "intel_vpu", "nvidia" };

/* Reasons of a flight recorder that are of no hang (docs/flight.md), by how they begin. */
static const char *const no_hang[] = { "exec>", "drop", "signal", "end", "killed" };

/* An event that was named as a trigger may be of anything: what it is of, its name does not say. */
static bool is_of_hang(const char *why)
{
	for (size_t i = 0; i < sizeof(no_hang) / sizeof(no_hang[0]); i++)
		if (!strncmp(why, no_hang[i], strlen(no_hang[i])))
			return false;
	return *why && !strchr(why, ':');
}

static const struct {
	const char *name;
} roles[] = {
#define ROW(id, name, help) { name },
	XTR_HANG_ROLES(ROW)
#undef ROW
}, guilts[] = {
#define ROW(id, name, help) { name },
	XTR_HANG_GUILTS(ROW)
#undef ROW
};

const char *xtr_hang_role_name(unsigned int role)
{
	return roles[role].name;
}

const char *xtr_hang_guilt_name(unsigned int guilt)
{
	return guilts[guilt].name;
}

/* --- triggers --------------------------------------------------------------------------------- */

int hang_trigger_add(struct xtr_hangs *h, const struct hang_trigger *t)
{
	struct hang_trigger *to;

	for (uint32_t i = 0; i < h->n_triggers; i++) {
		const struct hang_trigger *o = &h->trigger[i];

		if (o->at == t->at && !strcmp(o->device, t->device) &&
		    (!xtr_job_name_any(&t->job) || xtr_job_name_same(&o->job, &t->job)))
			return 0;
	}
	if (h->n_triggers == HANG_TRIGGERS_MAX) {
		h->left_out++;
		return 0;
	}
	to = &h->trigger[h->n_triggers];
	*to = *t;
	to->n_rings = h->n_rings < HANG_RINGS_MAX ? h->n_rings : HANG_RINGS_MAX;
	if (to->n_rings) {
		to->ring = calloc(to->n_rings, sizeof(*to->ring));
		if (!to->ring)
			return -ENOMEM;
		memcpy(to->ring, h->ring, to->n_rings * sizeof(*to->ring));
	}
	h->n_triggers++;
	return 0;
}

int xtr_hangs_new(struct xtr_hangs **out, const struct xtr_meta *meta,
		  const struct xtr_tables *tables)
{
	struct xtr_hangs *h = calloc(1, sizeof(*h));
	struct xtr_flight_note note;
	int err = h ? 0 : -ENOMEM;

	*out = h;
	if (err)
		return err;
	h->meta = meta;
	h->tables = tables;
	err = xtr_binds_open(&h->binds, meta, specs, sizeof(specs) / sizeof(specs[0]));
	if (!err && meta && xtr_flight_read(&note, meta) && note.why && is_of_hang(note.why)) {
		const struct hang_trigger t = { .at = note.at,
						.told = note.why,
						.job = { note.ctx, note.seqno } };

		err = hang_trigger_add(h, &t);
	}
	return err;
}

void xtr_hangs_free(struct xtr_hangs *h)
{
	if (!h)
		return;
	for (uint32_t i = 0; i < h->n_triggers; i++)
		free(h->trigger[i].ring);
	for (size_t i = 0; i < h->n_hangs; i++)
		free(h->hang[i].job);
	free(h->hang);
	free(h->job);
	free(h->ring);
	xtr_binds_close(&h->binds);
	xtr_gaps_free(&h->gaps);
	free(h);
}

bool xtr_hangs_take(const struct xtr_hangs *h, uint32_t type)
{
	return !type || xtr_binds_find(&h->binds, type);
}

static void note_fence(struct xtr_hangs *h, const struct xtr_bind *b, const struct xtr_event *ev)
{
	uint64_t hw_seqno;

	if (!xtr_bind_get(b, 2, ev, &hw_seqno) || !hw_seqno)
		return;
	h->fence[h->n_fences % HANG_FENCES].job =
		(struct xtr_job_name){ xtr_bind_u64(b, 0, ev), xtr_bind_u64(b, 1, ev) };
	h->fence[h->n_fences++ % HANG_FENCES].hw_seqno = hw_seqno;
}

int xtr_hangs_event(struct xtr_hangs *h, const struct xtr_event *ev)
{
	struct hang_trigger t = { .at = ev->ts };
	const struct xtr_bind *b;
	const char *dev;
	size_t n;

	if (ev->ts > h->end_ns)
		h->end_ns = ev->ts;
	if (ev->gap)
		return xtr_gaps_add(&h->gaps, ev->gap->first, ev->gap->last);
	b = xtr_binds_find(&h->binds, ev->type);
	if (!b)
		return 0;
	if (b->role == JOB_DONE) {
		note_fence(h, b, ev);
		return 0;
	}
	t.told = b->desc->name;
	t.driver = drivers[b->role];
	dev = xtr_bind_text(b, 0, ev, h->tables, &n);
	if (dev)
		snprintf(t.device, sizeof(t.device), "%.*s", (int)n, dev);
	return hang_trigger_add(h, &t);
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void fill(struct xtr_hang_job *to, const struct xtr_job *j)
{
	*to = (struct xtr_hang_job){ .name = { j->ctx, j->seqno },
				     .process = xtr_process(j->pid, j->nth),
				     .first_ns = xtr_job_first_ns(j),
				     .run_ns = j->run_ns,
				     .done_ns = j->done_ns,
				     .comm = j->comm,
				     .stack = j->stack,
				     .ring_id = j->ring->id,
				     .ring = j->ring->name,
				     .error = j->error,
				     .error_known = j->result_known,
				     .lost = j->flags & XTR_FLAG_GAP,
				     .kind = j->kind };
}

/* Where there is no room, in the place of the one that ended first. */
static void add_good(struct hang_ring *r, const struct xtr_hang_job *j)
{
	struct xtr_hang_job *to = &r->good[0];

	if (r->n < HANG_GOOD) {
		r->good[r->n++] = *j;
		return;
	}
	for (uint32_t i = 1; i < HANG_GOOD; i++)
		to = r->good[i].done_ns < to->done_ns ? &r->good[i] : to;
	if (to->done_ns < j->done_ns)
		*to = *j;
}

static int grow_rings(struct hang_ring **ring, uint32_t *n, uint32_t index)
{
	struct hang_ring *more;

	if (index < *n)
		return 0;
	more = reallocarray(*ring, index + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + *n, 0, (index + 1 - *n) * sizeof(*more));
	*ring = more;
	*n = index + 1;
	return 0;
}

/* It ended well: what the ring did last, now and when something fired that is not long ago. */
static int ended_well(struct xtr_hangs *h, const struct xtr_job *j)
{
	struct xtr_hang_job good;
	int err;

	if (j->ring->index >= HANG_RINGS_MAX)
		return 0;
	fill(&good, j);
	good.role = XTR_HANG_GOOD;
	err = grow_rings(&h->ring, &h->n_rings, j->ring->index);
	if (!err)
		add_good(&h->ring[j->ring->index], &good);
	for (uint32_t i = 0; i < h->n_triggers && !err; i++) {
		struct hang_trigger *t = &h->trigger[i];

		if (good.done_ns > t->at)
			continue;
		err = grow_rings(&t->ring, &t->n_rings, j->ring->index);
		if (!err)
			add_good(&t->ring[j->ring->index], &good);
	}
	return err;
}

/* Its done event came just before it. */
static void find_fence(const struct xtr_hangs *h, struct xtr_hang_job *j)
{
	for (uint32_t i = 0; i < HANG_FENCES && i < h->n_fences; i++)
		if (xtr_job_name_same(&h->fence[i].job, &j->name)) {
			j->hw_known = true;
			j->hw_seqno = h->fence[i].hw_seqno;
		}
}

static int keep(struct xtr_hangs *h, const struct xtr_job *j, bool timed_out)
{
	struct hang_job *k;

	if (h->n_jobs == HANG_JOBS_MAX) {
		h->left_out++;
		return 0;
	}
	if (xtr_grow_array(&h->job, &h->cap_jobs, h->n_jobs + 1, sizeof(*h->job)))
		return -ENOMEM;
	k = &h->job[h->n_jobs++];
	*k = (struct hang_job){ .ring = j->ring->index,
				.timed_out = timed_out,
				.in_order = j->ring->rule == XTR_RULE_IN_ORDER &&
					    xtr_ring_order_known(j->ring) &&
					    !xtr_ring_is_bounded(j->ring) };
	fill(&k->j, j);
	find_fence(h, &k->j);
	snprintf(k->device, sizeof(k->device), "%s", j->ring->device_name);
	snprintf(k->driver, sizeof(k->driver), "%s", j->ring->driver ? j->ring->driver : "");
	for (uint32_t i = 0; i < j->n_deps && i < XTR_JOB_DEPS_MAX; i++)
		k->dep[k->n_deps++] = (struct xtr_job_name){ j->deps[i].ctx, j->deps[i].seqno };
	return 0;
}

static bool at_a_trigger(const struct xtr_hangs *h, const struct xtr_job *j)
{
	for (uint32_t i = 0; i < h->n_triggers; i++)
		if (xtr_job_first_ns(j) <= h->trigger[i].at &&
		    (!j->done_ns || j->done_ns > h->trigger[i].at))
			return true;
	return false;
}

int xtr_hangs_job(struct xtr_hangs *h, const struct xtr_job *j)
{
	const bool timed_out = j->flags & XTR_FLAG_TIMEOUT;
	const bool failed = j->result_known && j->error;
	int err = 0;

	if (j->done_ns > h->end_ns)
		h->end_ns = j->done_ns;
	if (timed_out && j->done_ns) {
		struct hang_trigger t = { .at = j->done_ns,
					  .told = "timeout",
					  .driver = j->ring->driver,
					  .job = { j->ctx, j->seqno } };

		snprintf(t.device, sizeof(t.device), "%s", j->ring->device_name);
		err = hang_trigger_add(h, &t);
	}
	if (!err && (failed || !j->done_ns || at_a_trigger(h, j)))
		err = keep(h, j, timed_out);
	if (!err && !failed && j->done_ns)
		err = ended_well(h, j);
	return err;
}

int xtr_hangs_finish(struct xtr_hangs *h)
{
	return hang_decide(h);
}

size_t xtr_hangs_n(const struct xtr_hangs *h)
{
	return h->n_hangs;
}

const struct xtr_hang *xtr_hangs_at(const struct xtr_hangs *h, size_t i)
{
	return &h->hang[i];
}

uint64_t xtr_hangs_left_out(const struct xtr_hangs *h)
{
	return h->left_out;
}

const struct xtr_hang_job *xtr_hang_first(const struct xtr_hang *h, enum xtr_hang_role role)
{
	for (uint32_t i = 0; i < h->n_jobs; i++)
		if (h->job[i].role == role)
			return &h->job[i];
	return NULL;
}

const struct xtr_hang_job *xtr_hang_guilty(const struct xtr_hang *h)
{
	return xtr_hang_first(h, XTR_HANG_GUILTY);
}
