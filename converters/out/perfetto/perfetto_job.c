/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job is one render stage event, or with track_events a slice on a lane of its ring. What is said
 * of it, and how a reader gets it back, is documented in docs/export.md; sizes matter here, as
 * traces have millions of jobs:
 *
 *  - the event id is made from context and seqno, so a dependency names its job without a table;
 *  - kind, quality and flags together are one interned stage;
 *  - an execution that equals the residence is not written.
 */
#include "perfetto.h"

#include "base/text.h"
#include "replay/event/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXTRAS_MAX     (4u + 2u + XTR_JOB_DEPS_MAX)
#define TEXT_MAX       48u /* bytes of a value, two numbers for example */
#define NAME_MAX_BYTES 16u
#define WIDE           (1ull << 63)

/* What a job says beyond the fields of its event. */
struct extra {
	const char *name; /* at most NAME_MAX_BYTES */
	bool number;
	uint64_t v;
	size_t n; /* bytes of value, without a NUL */
	char value[TEXT_MAX];
};

struct extras {
	size_t n;
	struct extra e[EXTRAS_MAX];
};

struct stage_ids {
	uint64_t context, queue, stage, name; /* name 0: none */
};

static bool is_wide(uint64_t ctx, uint64_t seqno)
{
	return ctx >> 31 || seqno >> 32;
}

uint64_t pf_event_id(uint64_t ctx, uint64_t seqno)
{
	return is_wide(ctx, seqno) ? pf_hash(ctx, seqno) | WIDE : ctx << 32 | seqno;
}

static void extra_number(struct extras *x, const char *name, uint64_t v)
{
	struct extra *e = &x->e[x->n++];

	e->name = name;
	e->number = true;
	e->v = v;
	e->n = (size_t)(xtr_digits_put(e->value, v) - e->value);
}

/* text: shorter than TEXT_MAX. */
static void extra_text(struct extras *x, const char *name, const char *text)
{
	struct extra *e = &x->e[x->n++];

	e->name = name;
	e->number = false;
	e->n = strlen(text);
	memcpy(e->value, text, e->n);
}

static void extra_fence(struct extras *x, const char *name, uint64_t ctx, uint64_t seqno)
{
	struct extra *e = &x->e[x->n++];
	char *p = xtr_digits_put(e->value, ctx);

	e->name = name;
	e->number = false;
	*p++ = ':';
	e->n = (size_t)(xtr_digits_put(p, seqno) - e->value);
}

/*
 * The moment of a job that did not run from run to done: the first of these that is known. Where
 * most events were lost, all that is left of a job may be a wait, or not even when that began.
 */
static uint64_t moment(const struct pf *pf, const struct xtr_job *j, const char **which)
{
	const struct {
		const char *name;
		uint64_t ns;
	} times[] = { { "run", j->run_ns },
		      { "done", j->done_ns },
		      { "queue", j->queue_ns },
		      { "wait", j->n_deps ? j->deps[0].from_ns : 0 } };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		*which = times[i].name;
		if (times[i].ns)
			return times[i].ns;
	}
	*which = "not known";
	return pf->s->from;
}

static void add_execution(const struct pf *pf, struct extras *x, const struct xtr_job *j)
{
	bool bounded = j->quality == XTR_QUALITY_BOUNDED;

	if (j->exec_max_ns != j->done_ns - j->run_ns)
		extra_number(x, bounded ? "exec_max_ns" : "exec_ns", j->exec_max_ns);
	if (bounded && j->exec_min_ns && !pf->o.jobs_only)
		extra_number(x, "exec_min_ns", j->exec_min_ns);
}

/* What has no field of its own. */
static void collect(const struct pf *pf, struct extras *x, const struct xtr_job *j)
{
	const char *which;
	char text[16];

	x->n = 0;
	if (xtr_job_resided(j)) {
		add_execution(pf, x, j);
	} else {
		moment(pf, j, &which);
		extra_text(x, "at", which);
	}
	if (j->result_known && j->error) {
		snprintf(text, sizeof(text), "%" PRId32, j->error);
		extra_text(x, "error", text);
	}
	if (is_wide(j->ctx, j->seqno))
		extra_fence(x, "fence", j->ctx, j->seqno);
	for (uint32_t i = 0; i < j->n_deps && i < XTR_JOB_DEPS_MAX; i++)
		if (is_wide(j->deps[i].ctx, j->deps[i].seqno))
			extra_fence(x, "dependency", j->deps[i].ctx, j->deps[i].seqno);
}

/* "quality=inferred flags=batch|overtook error=0" */
static const char *stage_text(struct pf *pf, const struct xtr_job *j)
{
	char text[400];
	const char *name, *sep = " flags=";
	size_t n = (size_t)snprintf(text, sizeof(text), "quality=%s", xtr_quality_name(j->quality));

	if (j->quality == XTR_QUALITY_BOUNDED && j->start_ns)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " start=run");
	for (unsigned int bit = 0; (name = xtr_job_flag_name(bit)) && n < sizeof(text); bit++) {
		if (!(j->flags & 1u << bit))
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", sep, name);
		sep = "|";
	}
	if (j->result_known && !j->error && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, " error=0");
	return pf_textf(pf, "%s", text);
}

/* Engines by the names that drivers give their rings. */
static const struct {
	const char *prefix;
	enum pf_category category;
} engines[] = {
	{ "comp", PF_CATEGORY_COMPUTE },    { "ccs", PF_CATEGORY_COMPUTE },
	{ "v3d_csd", PF_CATEGORY_COMPUTE }, { "vcn", PF_CATEGORY_OTHER },
	{ "vcs", PF_CATEGORY_OTHER },       { "vecs", PF_CATEGORY_OTHER },
	{ "vpe", PF_CATEGORY_OTHER },       { "uvd", PF_CATEGORY_OTHER },
	{ "vce", PF_CATEGORY_OTHER },       { "jpeg", PF_CATEGORY_OTHER },
};

static enum pf_category category(unsigned int kind, const char *ring)
{
	if (kind == XTR_KIND_NPU)
		return PF_CATEGORY_COMPUTE;
	if (kind != XTR_KIND_GPU)
		return PF_CATEGORY_OTHER;
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
		if (!strncmp(ring, engines[i].prefix, strlen(engines[i].prefix)))
			return engines[i].category;
	return PF_CATEGORY_GRAPHICS;
}

static uint64_t intern_queue(struct pf *pf, uint32_t ring, const struct xtr_job *j)
{
	const char *name = j->ring->name, *why = j->ring->why;
	uint64_t iid;

	if (pf_intern_queue(pf, ring, &iid))
		pf_tell_spec(pf, PF_QUEUES, iid,
			     name[0] ? pf_text(pf, name, strlen(name)) : "unknown ring",
			     why ? pf_text(pf, why, strlen(why)) : NULL,
			     category(j->ring->kind, name));
	return iid;
}

static uint64_t intern_stage(struct pf *pf, const struct xtr_job *j)
{
	bool from_run = j->quality == XTR_QUALITY_BOUNDED && j->start_ns;
	uint64_t fine = j->result_known && !j->error;
	uint64_t key = (uint64_t)j->flags << 32 | (uint64_t)j->quality << 16 |
		       (uint64_t)j->kind << 8 | fine << 1 | from_run;
	uint64_t iid;

	if (pf_intern_stage(pf, key, &iid))
		pf_tell_spec(pf, PF_STAGES, iid, xtr_job_kind_name(j->kind), stage_text(pf, j),
			     category(j->kind, j->ring->name));
	return iid;
}

/*
 * The fence's context; which other processes used it (a queue may be handed on, those of the
 * kernel are used by all) is counted above its 32 bits.
 */
static uint64_t context_iid(struct pf *pf, const struct xtr_job *j, bool pid_known)
{
	struct xtr_map *owners = &pf->intern.owners;
	uint64_t who = pid_known ? xtr_process(j->pid, j->nth) + 1 : UINT64_MAX;
	uint32_t n = xtr_map_index(owners, j->ctx, who), all;

	if (n == XTR_MAP_NONE) {
		all = xtr_map_index(owners, j->ctx, 0);
		n = all == XTR_MAP_NONE ? 0 : all + 1;
		if (xtr_map_put(owners, j->ctx, 0, n) || xtr_map_put(owners, j->ctx, who, n))
			pf->err = -ENOMEM;
	}
	return j->ctx >> 31 ? pf_hash(j->ctx, n) | WIDE : j->ctx | (uint64_t)n << 32;
}

static uint64_t intern_context(struct pf *pf, const struct xtr_job *j)
{
	bool known = j->queue_ns && j->pid;
	uint64_t iid = context_iid(pf, j, known);

	pf_intern_context(pf, iid, known ? &j->pid : NULL);
	return iid;
}

#define EXTRA_MAX (3 * PF_WIRE_NUMBER + NAME_MAX_BYTES + TEXT_MAX)
#define STAGE_MAX ((9 + XTR_JOB_DEPS_MAX) * PF_WIRE_NUMBER + EXTRAS_MAX * EXTRA_MAX)

static uint8_t *put_extra(uint8_t *p, const struct extra *e)
{
	size_t name = strlen(e->name);

	p = pf_wire_tag(p, PF_STAGE_EXTRA, PF_WIRE_BYTES);
	*p++ = (uint8_t)(4 + name + e->n);
	p = pf_wire_bytes(p, PF_STAGE_EXTRA_NAME, e->name, name);
	return pf_wire_bytes(p, PF_STAGE_EXTRA_VALUE, e->value, e->n);
}

/* The event's fields, at p, which has room for STAGE_MAX bytes. */
static uint8_t *put_stage(struct pf *pf, uint8_t *p, uint32_t ring, const struct xtr_job *j,
			  const struct stage_ids *ids, const struct extras *x)
{
	p = pf_wire_uint(p, PF_STAGE_EVENT_ID, pf_event_id(j->ctx, j->seqno));
	if (xtr_job_resided(j))
		p = pf_wire_uint(p, PF_STAGE_DURATION, j->done_ns - j->run_ns);
	p = pf_wire_uint(p, PF_STAGE_CONTEXT, ids->context);
	for (size_t i = 0; i < x->n; i++)
		p = put_extra(p, &x->e[i]);
	p = pf_wire_uint(p, PF_STAGE_SUBMISSION, (uint32_t)j->seqno);
	p = pf_wire_uint(p, PF_STAGE_GPU, pf_machine(pf)->ring[ring].gpu);
	p = pf_wire_uint(p, PF_STAGE_QUEUE, ids->queue);
	p = pf_wire_uint(p, PF_STAGE_STAGE, ids->stage);
	for (size_t i = 0; i < j->n_deps && i < XTR_JOB_DEPS_MAX; i++)
		p = pf_wire_uint(p, PF_STAGE_WAITS_FOR,
				 pf_event_id(j->deps[i].ctx, j->deps[i].seqno));
	return ids->name ? pf_wire_uint(p, PF_STAGE_NAME, ids->name) : p;
}

static int render_stage(struct pf *pf, uint32_t ring, const struct xtr_job *j, uint64_t ts,
			const struct extras *x)
{
	struct stage_ids ids;
	uint8_t *p;
	size_t at;

	pf_packet_at(pf, ts);
	ids.context = intern_context(pf, j);
	ids.queue = intern_queue(pf, ring, j);
	ids.stage = intern_stage(pf, j);
	ids.name = pf_intern_comm(pf, j->comm);
	at = pf_in_packet(pf, PF_PACKET_RENDER_STAGE);
	p = pf_room(&pf->out.block, STAGE_MAX);
	if (p)
		pf_wrote(&pf->out.block, put_stage(pf, p, ring, j, &ids, x));
	return pf_packet_end_with(pf, at);
}

/* All that a render stage event has fields for, and the rest. */
static void job_notes(struct pf *pf, const struct xtr_job *j, const struct extras *x)
{
	const char *text;

	pf_note_u64(pf, "context", j->ctx);
	pf_note_u64(pf, "seqno", j->seqno);
	pf_note_text(pf, "kind", xtr_job_kind_name(j->kind), strlen(xtr_job_kind_name(j->kind)));
	text = stage_text(pf, j);
	pf_note_text(pf, "description", text, strlen(text));
	if (j->queue_ns && j->pid) {
		pf_note_u64(pf, "pid", j->pid);
		if (j->nth)
			pf_note_u64(pf, "pid_nth", (uint64_t)j->nth + 1);
		pf_note_u64(pf, "tid", j->tid);
	}
	for (size_t i = 0; i < x->n; i++) {
		if (x->e[i].number)
			pf_note_u64(pf, x->e[i].name, x->e[i].v);
		else
			pf_note_text(pf, x->e[i].name, x->e[i].value, x->e[i].n);
	}
	for (size_t i = 0; i < j->n_deps && i < XTR_JOB_DEPS_MAX; i++)
		if (!is_wide(j->deps[i].ctx, j->deps[i].seqno)) {
			text = pf_textf(pf, "%" PRIu64 ":%" PRIu64, j->deps[i].ctx,
					j->deps[i].seqno);
			pf_note_text(pf, "dependency", text, strlen(text));
		}
}

/* A slice on a lane, or a moment. What finds no lane becomes a moment with its duration. */
static int job_slice(struct pf *pf, uint32_t ring, const struct xtr_job *j, uint64_t ts,
		     const struct extras *x)
{
	bool slice = xtr_job_resided(j);
	int lane = 0, err;
	uint64_t track;

	if (slice)
		lane = pf_lane(&pf_machine(pf)->ring[ring].jobs, ts, j->done_ns);
	else
		lane = pf_lane(&pf_machine(pf)->ring[ring].jobs, ts, ts);
	if (lane < 0 && lane != -ENOSPC)
		return lane;
	slice = slice && lane >= 0;
	err = pf_ring_track(pf, ring, PF_TRACK_JOBS, lane < 0 ? 0 : (uint32_t)lane, &track);
	if (err)
		return err;
	pf_event(pf, slice ? PF_SLICE_BEGIN : PF_INSTANT, track, ts);
	pf_name_comm(pf, "job", j->comm, xtr_job_kind_name(j->kind));
	job_notes(pf, j, x);
	if (lane < 0 && xtr_job_resided(j))
		pf_note_u64(pf, "duration_ns", j->done_ns - j->run_ns);
	pf_flow(pf, pf_event_id(j->ctx, j->seqno), true);
	pf_path_of_job(pf, j);
	err = pf_event_send(pf);
	return err || !slice ? err : pf_end(pf, track, j->done_ns);
}

int pf_job(void *self, const struct xtr_job *j)
{
	struct pf *pf = self;
	int64_t ring = pf_ring_of(pf, j->ring);
	struct extras x;
	const char *which;
	uint64_t ts = xtr_job_resided(j) ? j->run_ns : moment(pf, j, &which);
	int err = 0;

	if (ring < 0)
		return (int)ring;
	if (j->queue_ns && j->pid)
		err = pf_process(pf, j->tid, xtr_process(j->pid, j->nth), j->comm, j->queue_ns);
	if (!err && !pf->o.jobs_only)
		err = pf_queue(pf, (uint32_t)ring, j);
	if (err)
		return err;
	collect(pf, &x, j);
	if (pf->o.track_events)
		return job_slice(pf, (uint32_t)ring, j, ts, &x);
	return render_stage(pf, (uint32_t)ring, j, ts, &x);
}
