/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Render stages: what the GPU executed, by its own clock. Each becomes a job
 * (replay/sources/driver_sources.h) of two events: when it began, and when it ended with all that
 * is said of it. Queues and stages are interned, or, of older producers, numbers in the order of
 * all specifications.
 *
 * protos/perfetto/trace/gpu/gpu_render_stage_event.proto; what becomes of lacking names is as in
 * trace_processor's gpu_event_parser.cc.
 */
#include "pftrace_gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Made-up context of all render stages: above those of job sources and importers. */
#define STAGE_CONTEXT 3000000000000ull

/* Fields of GpuRenderStageEvent. */
enum {
	F_EVENT_ID = 1,
	F_DURATION = 2,
	F_QUEUE_ID = 3,
	F_STAGE_ID = 4,
	F_CONTEXT = 5,
	F_SPECS = 7,
	F_TARGET = 8,
	F_PASS = 9,
	F_SUBMISSION = 10,
	F_GPU = 11,
	F_COMMANDS = 12,
	F_QUEUE_IID = 13,
	F_STAGE_IID = 14,
	F_NAME = 17,
	F_WAITS_FOR = 18,
	F_KERNEL = 19,
	F_NAME_IID = 20,
	F_FIELDS
};

/* Fields of InternedData. */
#define I_EVENT_NAMES 2u
#define I_CONTEXTS    23u
#define I_SPECS       24u

/* VkObjectType */
#define VK_COMMAND_BUFFER 6u
#define VK_RENDER_PASS    18u
#define VK_FRAMEBUFFER    24u

struct stage {
	struct pft_field f[F_FIELDS]; /* num 0: absent; of repeated ones the last */
	uint64_t queue, event_id, job, pid, ts;
	struct pft_field ring; /* its name; n 0: by number */
	char stage_text[64];
	struct pft_field stage;
};

static int take_name(char **to, const struct pft_field *name)
{
	char *s = xtr_copy_text((const char *)name->p, name->n < 255 ? name->n : 255);

	if (!s)
		return -ENOMEM;
	free(*to);
	*to = s;
	return 0;
}

/* Numbers of queues begin at 0 in each packet, those of stages go on. */
static int take_specs(struct pft_gpu *g, struct pft_msg m, uint64_t *pid)
{
	struct pft_field f, name;
	uint32_t queue = 0;
	int err = 0;

	while (!err && pft_next(&m, &f)) {
		bool named = f.wire == 2 && gpu_field(pft_sub(&f), 1, &name) && name.wire == 2;

		if (f.num == 1) {
			*pid = gpu_u64(pft_sub(&f), 2);
		} else if (f.num == 2 && queue < GPU_SPECS_MAX) {
			if (named)
				err = take_name(&g->queue[queue], &name);
			g->n_queues = ++queue > g->n_queues ? queue : g->n_queues;
		} else if (f.num == 3 && named && g->n_stages < GPU_SPECS_MAX) {
			err = take_name(&g->stage[g->n_stages].name, &name);
			g->n_stages += !err;
		}
	}
	return err;
}

static bool interned_text(const struct pft_seq *seq, uint32_t table, uint64_t iid,
			  struct pft_field *text)
{
	*text = gpu_interned(seq, table, iid, 2);
	return text->num;
}

/* False: an interned queue that the sequence has not told; there is no place for it. */
static bool find_queue(const struct pft_packet *packet, struct stage *s)
{
	struct pft_msg m;

	if (!s->f[F_QUEUE_IID].num) {
		s->queue = (uint32_t)s->f[F_QUEUE_ID].v;
		return true;
	}
	s->queue = s->f[F_QUEUE_IID].v;
	if (!pft_interned(packet->seq, I_SPECS, s->queue, &m))
		return false;
	if (!gpu_field(m, 2, &s->ring) || !s->ring.n)
		s->ring = (struct pft_field){ .wire = 2, .p = (const uint8_t *)"queue", .n = 5 };
	return true;
}

static void find_stage(const struct pft_gpu *g, const struct pft_packet *packet, struct stage *s)
{
	uint64_t id = s->f[F_STAGE_ID].v;

	if (s->f[F_STAGE_IID].num) {
		interned_text(packet->seq, I_SPECS, s->f[F_STAGE_IID].v, &s->stage);
		return;
	}
	if (id < g->n_stages)
		snprintf(s->stage_text, sizeof(s->stage_text), "%s", g->stage[id].name);
	else
		snprintf(s->stage_text, sizeof(s->stage_text), "render stage(%" PRIu64 ")", id);
	s->stage = (struct pft_field){ .wire = 2,
				       .p = (const uint8_t *)s->stage_text,
				       .n = strlen(s->stage_text) };
}

static void find_process(const struct pft_packet *packet, struct stage *s)
{
	struct pft_msg m;

	if (s->f[F_CONTEXT].num && pft_interned(packet->seq, I_CONTEXTS, s->f[F_CONTEXT].v, &m))
		s->pid = gpu_u64(m, 2);
	if (s->pid > INT32_MAX)
		s->pid = 0;
}

/* What all events of the job have. */
static void put_job(struct gpu_record *r, const struct stage *s, enum gpu_op op, const char *event)
{
	gpu_begin(r, op, "perfetto", event, 0, (uint32_t)s->pid);
	gpu_keys(r, s->pid, s->f[F_SUBMISSION].v, s->event_id);
	gpu_number(r, "ctx", STAGE_CONTEXT);
	gpu_number(r, "seqno", s->job);
	gpu_device(r, "device", (uint32_t)s->f[F_GPU].v);
	if (s->ring.n)
		gpu_text(r, "ring", s->ring.p, s->ring.n);
	else
		gpu_queue(r, "ring", (uint32_t)s->queue);
	gpu_number(r, "queue", s->queue << 1 | (s->ring.n != 0));
}

static void put_object(const struct pft_gpu *g, struct gpu_record *r, const struct stage *s,
		       uint32_t field, uint32_t type, const char *number, const char *name)
{
	const char *text = gpu_object_name(g, type, s->f[field].v);

	gpu_hex(r, number, s->f[field].v);
	gpu_text(r, name, text, strlen(text));
}

static int hold_end(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		    const struct stage *s, uint64_t done)
{
	struct gpu_record *r = &g->rec;
	struct pft_field name = s->f[F_NAME];

	if (s->f[F_NAME_IID].num)
		interned_text(packet->seq, I_EVENT_NAMES, s->f[F_NAME_IID].v, &name);
	put_job(r, s, GPU_STAGE_ENDS, "gpu_stage");
	gpu_number(r, "tid", 0);
	gpu_number(r, "pid", s->pid);
	gpu_number(r, "queue_ns", 0);
	gpu_number(r, "run_ns", s->ts);
	gpu_number(r, "done_ns", done);
	gpu_text(r, "stage", s->stage.p, s->stage.n);
	gpu_text(r, "name", name.p, name.wire == 2 ? name.n : 0);
	gpu_hex(r, "event_id", s->event_id);
	gpu_hex(r, "context", s->f[F_CONTEXT].v);
	gpu_number(r, "submission_id", (uint32_t)s->f[F_SUBMISSION].v);
	put_object(g, r, s, F_TARGET, VK_FRAMEBUFFER, "render_target", "render_target_name");
	put_object(g, r, s, F_PASS, VK_RENDER_PASS, "render_pass", "render_pass_name");
	put_object(g, r, s, F_COMMANDS, VK_COMMAND_BUFFER, "command_buffer", "command_buffer_name");
	return gpu_hold(p, done, r);
}

/* Other events that it had to wait for: how long, nobody says. */
static int hold_waits(struct pftrace *p, struct pft_gpu *g, struct pft_msg m, const struct stage *s)
{
	struct gpu_record *r = &g->rec;
	const uint64_t *job;
	struct pft_field f;
	int err = 0;

	while (!err && pft_next(&m, &f)) {
		if (f.num != F_WAITS_FOR || f.wire != 0)
			continue;
		job = xtr_map_get(&g->stages, f.v, 0);
		if (!job)
			continue;
		put_job(r, s, GPU_EVENT, "gpu_stage_waited");
		gpu_number(r, "dep_ctx", STAGE_CONTEXT);
		gpu_number(r, "dep_seqno", *job);
		gpu_number(r, "from_ns", 0);
		gpu_number(r, "until_ns", 0);
		gpu_number(r, "dep", 2);
		err = gpu_hold(p, s->ts, r);
	}
	return err;
}

static int hold_job(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		    struct pft_msg m, struct stage *s)
{
	uint64_t done;
	int err;

	s->ts = packet->ts ? packet->ts : 1; /* 0 is a time that is not known */
	if (__builtin_add_overflow(s->ts, s->f[F_DURATION].v, &done) || done > INT64_MAX)
		done = s->ts;
	s->job = ++g->n_jobs;
	if (g->stages.n >= GPU_MAP_MAX)
		xtr_map_free(&g->stages);
	err = xtr_map_put(&g->stages, s->event_id, 0, s->job);
	put_job(&g->rec, s, GPU_STAGE, "gpu_stage_begin");
	return err ?: gpu_hold(p, s->ts, &g->rec) ?: hold_waits(p, g, m, s) ?:
	       hold_end(p, g, packet, s, done);
}

int gpu_take_stage(struct pftrace *p, struct pft_gpu *g, const struct pft_packet *packet,
		   struct pft_msg m)
{
	struct pft_msg all = m;
	struct stage s = { 0 };
	struct pft_field f;
	int err = 0;

	if (g->by_xtr)
		return gpu_take_told(p, g, packet, m);
	while (pft_next(&m, &f))
		if (f.num < F_FIELDS)
			s.f[f.num] = f;
	if (s.f[F_SPECS].wire == 2)
		err = take_specs(g, pft_sub(&s.f[F_SPECS]), &s.pid);
	if (err || !s.f[F_EVENT_ID].num)
		return err;
	if (!packet->has_ts) {
		g->left_out[GPU_NO_TIME]++;
		return 0;
	}
	s.event_id = s.f[F_EVENT_ID].v;
	if (!find_queue(packet, &s)) {
		g->left_out[GPU_NO_QUEUE]++;
		return 0;
	}
	find_stage(g, packet, &s);
	find_process(packet, &s);
	return hold_job(p, g, packet, all, &s);
}
