/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in one slice, by device, ring and process. */
#include "slice_impl.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t rows_max[XTR_SLICE_BY_COUNT] = {
	[XTR_SLICE_DEVICE] = XTR_DEVICES_MAX,
	[XTR_SLICE_RING] = XTR_SLICE_RINGS_MAX,
	[XTR_SLICE_PROCESS] = XTR_SLICE_PROCESSES_MAX,
};

void slice_part_free(struct slice_part *p)
{
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT; by++) {
		for (uint32_t i = 0; i < p->of[by].n; i++) {
			xtr_hist_free(&p->of[by].e[i].row.exec);
			xtr_hist_free(&p->of[by].e[i].row.queue_wait);
			xtr_busy_free(&p->of[by].e[i].busy);
		}
		xtr_map_free(&p->of[by].by_key);
		free(p->of[by].e);
	}
	*p = (struct slice_part){ 0 };
}

void slice_part_begin(struct slice_part *p, uint64_t begin, uint64_t end)
{
	slice_part_free(p);
	p->begin = begin;
	p->end = end;
	p->hist_left = SLICE_HIST_GROUPS;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The row of a key, made when it is first asked for; NULL with 0: there are too many. */
static int row_of(struct slice_part *p, enum xtr_slice_by by, uint64_t a, uint64_t b,
		  struct slice_entry **out, bool *made)
{
	uint32_t i = xtr_map_index(&p->of[by].by_key, a, b);
	struct slice_entry *e;

	*made = i == XTR_MAP_NONE;
	*out = NULL;
	if (!*made) {
		*out = &p->of[by].e[i];
		return 0;
	}
	i = p->of[by].n;
	if (i == rows_max[by]) {
		*made = false;
		return 0;
	}
	if (i == p->of[by].cap) {
		uint32_t cap = i ? i * 2 : 16;

		e = realloc(p->of[by].e, cap * sizeof(*e));
		if (!e)
			return -ENOMEM;
		p->of[by].e = e;
		p->of[by].cap = cap;
	}
	if (xtr_map_put(&p->of[by].by_key, a, b, i))
		return -ENOMEM;
	p->of[by].n++;
	*out = &p->of[by].e[i];
	**out = (struct slice_entry){ .row.known = true };
	return 0;
}

static int ring_row(struct slice_part *p, uint32_t index, struct slice_entry **e)
{
	bool made;
	int err = row_of(p, XTR_SLICE_RING, index, 0, e, &made);

	if (made && !err)
		(*e)->index = index;
	return err;
}

static int device_row(struct slice_part *p, uint32_t index, struct slice_entry **e)
{
	bool made;
	int err = row_of(p, XTR_SLICE_DEVICE, index, 0, e, &made);

	if (made && !err)
		(*e)->index = index;
	return err;
}

/* As `xtr stats` tells processes apart: by pid, or by name where an imported trace has no pid. */
static int process_row(struct xtr_slices *s, struct slice_part *p, uint64_t process, uint32_t comm,
		       uint64_t ts, struct slice_entry **e)
{
	bool known = process || comm, made = false;
	int err = 0;

	*e = NULL;
	if (known)
		err = row_of(p, XTR_SLICE_PROCESS, process, process ? 0 : comm, e, &made);
	if (err)
		return err;
	if (!*e) {
		err = row_of(p, XTR_SLICE_PROCESS, 0, 0, e, &made);
		if (made && !err)
			(*e)->row.known = false;
		/* Without room even for that the first one stands for it. */
		if (!err && !*e)
			*e = &p->of[XTR_SLICE_PROCESS].e[0];
		return err;
	}
	if (!made)
		return 0;
	(*e)->row.process = process;
	(*e)->row.comm = xtr_process_comm(s->o.tables, process, ts, comm);
	return 0;
}

/* The rows that a job counts in: any may be NULL, with 0. */
struct rows_of_job {
	struct slice_entry *e[XTR_SLICE_BY_COUNT];
};

static int rows_of(struct xtr_slices *s, struct slice_part *p, const struct xtr_job *j,
		   struct rows_of_job *r)
{
	bool owned = j->queue_ns != 0;
	int err = ring_row(p, j->ring->index, &r->e[XTR_SLICE_RING]);

	if (!err)
		err = device_row(p, j->ring->device, &r->e[XTR_SLICE_DEVICE]);
	if (!err)
		err = process_row(s, p, owned ? xtr_process(j->pid, j->nth) : 0,
				  owned ? j->comm : 0, j->queue_ns, &r->e[XTR_SLICE_PROCESS]);
	return err;
}

/* --- time ------------------------------------------------------------------------------------- */

/* The part of [start, end] that lies in the slice. */
static int add_busy(struct xtr_slices *s, const struct slice_part *p, struct slice_entry *e,
		    uint64_t start, uint64_t end)
{
	uint64_t horizon;

	if (start < p->begin)
		start = p->begin;
	if (end > p->end)
		end = p->end;
	if (!e || start >= end)
		return 0;
	if (xtr_busy_join(&e->busy, start, end))
		return 0;
	/* The job that is handed out is open no more, so the horizon may be past its start. */
	if (xtr_busy_full(&e->busy)) {
		horizon = xtr_model_horizon(s->model);
		xtr_busy_forget(&e->busy, horizon < start ? horizon : start);
	}
	return xtr_busy_add(&e->busy, start, end);
}

/* On the hardware from run to end; its process executes from start to end, where it does. */
static int add_busy_of(struct xtr_slices *s, const struct slice_part *p,
		       const struct rows_of_job *r, uint64_t run, uint64_t start, uint64_t end)
{
	int err = add_busy(s, p, r->e[XTR_SLICE_RING], run, end);

	if (!err)
		err = add_busy(s, p, r->e[XTR_SLICE_DEVICE], run, end);
	if (!err && start)
		err = add_busy(s, p, r->e[XTR_SLICE_PROCESS], start, end);
	return err;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static int add_ended(struct slice_part *p, struct xtr_slice_row *row, const struct xtr_job *j)
{
	bool bounded = xtr_ring_ended_bounded(j->ring), resided = xtr_job_resided(j);
	enum xtr_quality q = j->quality;
	int err = 0;

	if (resided && bounded)
		q = XTR_QUALITY_BOUNDED;
	row->jobs++;
	row->errors += !!j->error;
	row->quality[q]++;
	row->bounded |= q == XTR_QUALITY_BOUNDED;
	if (resided)
		err = xtr_hist_add_within(&row->exec,
					  bounded ? j->done_ns - j->run_ns : j->exec_max_ns,
					  &p->hist_left);
	if (!err && j->run_ns && j->queue_ns && j->run_ns >= j->queue_ns)
		err = xtr_hist_add_within(&row->queue_wait, j->run_ns - j->queue_ns, &p->hist_left);
	return err;
}

int slice_add_job(struct xtr_slices *s, struct slice_part *p, const struct xtr_job *j)
{
	bool bounded = xtr_ring_ended_bounded(j->ring);
	bool before = j->done_ns < p->begin; /* a late one, of a slice that was handed out */
	bool ended = before || slice_has(p, j->done_ns);
	struct rows_of_job r;
	int err;

	if (!j->done_ns || (before && !(j->flags & XTR_FLAG_LATE)))
		return 0;
	err = rows_of(s, p, j, &r);
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT && !err && ended; by++)
		if (r.e[by])
			err = add_ended(p, &r.e[by]->row, j);
	if (!err && j->busy_to_ns)
		err = add_busy_of(s, p, &r, j->busy_from_ns,
				  bounded ? j->busy_from_ns : j->serial_start_ns, j->busy_to_ns);
	return err;
}

int slice_add_others(struct xtr_slices *s, struct slice_part *p, const struct xtr_job *j)
{
	struct rows_of_job r;
	int err;

	if (!xtr_job_resided(j) || j->done_ns < p->begin)
		return 0;
	err = rows_of(s, p, j, &r);
	return err ? err : add_busy_of(s, p, &r, j->run_ns, 0, j->done_ns);
}

/* Where it is at the end of the slice. */
static uint64_t *place_of(struct xtr_slice_row *row, const struct xtr_model_open *o, uint64_t end)
{
	const struct xtr_job *j = o->job;

	if (o->unsure)
		return &row->unsure;
	return j->run_ns && j->run_ns < end ? &row->in_flight : &row->queued;
}

int slice_add_open(struct xtr_slices *s, struct slice_part *p, const struct xtr_model_open *o)
{
	const struct xtr_job *j = o->job;
	uint64_t end = p->last ? p->end + 1 : p->end; /* before it */
	uint64_t first = j->queue_ns ? j->queue_ns : j->run_ns;
	struct rows_of_job r;
	int err;

	if (!first || first >= end || (j->done_ns && j->done_ns < end))
		return 0;
	err = rows_of(s, p, j, &r);
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT && !err; by++)
		if (r.e[by])
			++*place_of(&r.e[by]->row, o, end);
	if (err || o->unsure || !j->run_ns)
		return err;
	return add_busy_of(s, p, &r, j->run_ns,
			   xtr_ring_ended_bounded(j->ring) ? j->run_ns : o->serial_ns, p->end);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Ioctls that make a buffer on an NPU; their calls capture how many bytes were asked for. */
static const char *const npu_creates[] = {
	"ivpu_bo_create_ioctl",
	"ivpu_bo_create_from_userptr_ioctl",
	"amdxdna_drm_create_bo_ioctl",
};

static bool is_npu_create(const struct xtr_call *c)
{
	if (c->kind != XTR_CALL_FUNCTION || (c->ret_known && c->ret))
		return false;
	for (size_t i = 0; i < sizeof(npu_creates) / sizeof(npu_creates[0]); i++)
		if (!strcmp(c->name, npu_creates[i]))
			return true;
	return false;
}

int slice_add_call(struct xtr_slices *s, struct slice_part *p, const struct xtr_call *c)
{
	bool create = is_npu_create(c);
	struct slice_entry *e;
	uint64_t ns, bytes;
	int err;

	if (!create && c->kind != XTR_CALL_WAIT)
		return 0;
	if (!slice_has(p, c->end_ns) || !xtr_select_call(&s->o.select, c))
		return 0;
	err = process_row(s, p, xtr_process(c->pid, c->nth), c->comm, c->end_ns, &e);
	if (err)
		return err;
	if (create) {
		e->row.allocs++;
		if (xtr_call_value(c, "size", &bytes))
			e->row.alloc_bytes = xtr_sat_add(e->row.alloc_bytes, bytes);
		return 0;
	}
	e->row.waits++;
	if (!xtr_call_time(c, &ns))
		return 0;
	e->row.wait_ns = xtr_sat_add(e->row.wait_ns, ns);
	if (ns > e->row.wait_max_ns)
		e->row.wait_max_ns = ns;
	return 0;
}

/* --- what is idle ----------------------------------------------------------------------------- */

static int grow_seen(struct xtr_slices *s, uint32_t n)
{
	uint64_t *seen;

	if (n <= s->n_seen)
		return 0;
	seen = realloc(s->seen, n * sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	memset(seen + s->n_seen, 0, (n - s->n_seen) * sizeof(*seen));
	s->seen = seen;
	s->n_seen = n;
	return 0;
}

static bool has_work(const struct slice_entry *e)
{
	const struct xtr_slice_row *r = &e->row;

	return e->busy.total || r->jobs || r->queued || r->in_flight || r->unsure;
}

int slice_add_idle(struct xtr_slices *s, struct slice_part *p)
{
	uint32_t n = (uint32_t)xtr_model_n_rings(s->model);
	int err = grow_seen(s, n);
	struct slice_entry *e;

	for (uint32_t i = 0; !err && i < p->of[XTR_SLICE_RING].n; i++)
		if (has_work(&p->of[XTR_SLICE_RING].e[i]))
			s->seen[p->of[XTR_SLICE_RING].e[i].index] = s->number + 1;
	for (uint32_t i = 0; !err && i < n; i++) {
		const struct xtr_model_ring *ring = xtr_model_ring(s->model, i);
		bool lately = s->seen[i] && s->number - (s->seen[i] - 1) <= XTR_SLICE_KEPT;

		if (!lately && (!ring->id || n > XTR_SLICE_FEW))
			continue;
		if (!xtr_select_ring(&s->o.select, ring))
			continue;
		err = ring_row(p, i, &e);
		if (!err)
			err = device_row(p, ring->device, &e);
	}
	return err;
}
