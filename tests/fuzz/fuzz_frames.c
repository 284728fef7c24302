/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of events (events.h), and of those of screens, to frames (analysis/frames): they are
 * numbered in order, what a frame's time went into is no longer than it, a late one has a reason;
 * the texts are written, the JSON valid. The size chooses flips, or stretches of a process.
 */
#include "events.h"

#include "analysis/frames/frame_sums.h"
#include "analysis/frames/frame_view.h"
#include "analysis/frames/frames.h"
#include "replay/model/model.h"

#include <stdlib.h>

#define SPANS 4u

enum screen_event {
	SCREEN_VBLANK = 1040,
	SCREEN_QUEUED,
	SCREEN_DELIVERED,
	SCREEN_COMMIT,
	SCREEN_TYPES
};

struct fuzz_frames {
	struct xtr_model *model;
	struct xtr_frames *frames;
	struct xtr_frame_sums sums;
	struct xtr_tables *tables;
	uint64_t n;
	FILE *f;
};

#define AT(field, off, bytes, r)                                                   \
	{                                                                          \
		.name = field, .offset = off, .size = bytes, .repr = XTR_REPR_##r, \
		.sens = XTR_SENS_PLAIN                                             \
	}

static const struct xtr_meta *meta_of(void)
{
	static const struct xtr_field vblank[] = { AT("crtc", 16, 4, S32), AT("seq", 20, 4, U32),
						   AT("time", 24, 8, S64) };
	static const struct xtr_field file[] = { AT("file", 16, 8, HEX64), AT("crtc", 24, 4, S32),
						 AT("seq", 28, 4, U32) };
	static const char *const names[] = { "drm:drm_vblank_event", "drm:drm_vblank_event_queued",
					     "drm:drm_vblank_event_delivered",
					     "func:drm:drm_mode_atomic_ioctl" };
	static const uint8_t boot[16];
	static struct xtr_meta *m;

	if (m)
		return m;
	m = xtr_meta_new();
	FUZZ_CHECK(m && !xtr_meta_set_clock(m, "monotonic", boot, 1));
	for (size_t i = 0; i < xtr_builtin_event_count; i++)
		FUZZ_CHECK(!xtr_meta_add_event(m, &xtr_builtin_events[i]));
	for (uint32_t i = 0; i < SCREEN_TYPES - SCREEN_VBLANK; i++) {
		struct xtr_event_desc d = { .name = names[i],
					    .type = SCREEN_VBLANK + i,
					    .size = 32,
					    .fields = i ? file : vblank,
					    .n_fields = 3 };

		FUZZ_CHECK(!xtr_meta_add_event(m, &d));
	}
	return m;
}

/* Threads 1 to 31 are programs', of four processes; 32 and up the kernel's. */
static struct xtr_tables *tasks_of(void)
{
	struct xtr_tables *t = xtr_tables_copy(fuzz_rings());

	FUZZ_CHECK(t);
	for (uint32_t tid = 1; tid < 64; tid++) {
		struct xtr_task task = { .tid = tid, .pid = tid % 4 + 100, .comm = 1 };

		task.flags = tid < 32 ? 0 : XTR_TASK_KTHREAD;
		FUZZ_CHECK(!xtr_tables_add_task(t, &task));
	}
	return t;
}

/* An event of a screen, or the end of a wait: kinds from 128 on. */
static const struct xtr_event *screen(struct fuzz_events *e, const uint8_t *op)
{
	uint32_t kind = op[OP_KIND] % 8;

	memset(e->rec, 0, sizeof(e->rec));
	e->p += FUZZ_OP;
	e->left -= FUZZ_OP;
	e->ev = (struct xtr_event){ .ts = e->ev.ts + ((uint64_t)op[OP_TIME] << op[OP_TIME] / 8),
				    .stream = op[OP_CPU] % 4,
				    .tid = op[OP_CPU] / 4,
				    .rec = e->rec,
				    .size = op[OP_CPU] < 240 ? 32 : 16 };
	if (kind > 3) {
		e->ev.type = kind > 5 ? XTR_EV_FENCE_WAIT_END : XTR_EV_FENCE_ENABLE_SIGNAL;
		e->ev.desc = xtr_builtin_event(e->ev.type);
		e->ev.size = e->ev.desc->size;
		FUZZ_CHECK(e->ev.size <= sizeof(e->rec));
		xtr_put_le64(e->rec + 16, op[OP_CTX] % 8 * 2 + 1);
		xtr_put_le64(e->rec + 24, op[OP_SEQNO] % 16);
		return &e->ev;
	}
	e->ev.type = SCREEN_VBLANK + kind;
	e->ev.desc = xtr_meta_event(meta_of(), e->ev.type);
	xtr_put_le64(e->rec + 16, op[OP_CTX] % 4);
	xtr_put_le64(e->rec + 24, e->ev.ts - op[OP_DEP]);
	if (kind) {
		xtr_put_le32(e->rec + 24, op[OP_RING] % 2);
		xtr_put_le32(e->rec + 28, op[OP_SEQNO]);
	} else {
		xtr_put_le32(e->rec + 16, op[OP_RING] % 2);
		xtr_put_le32(e->rec + 20, op[OP_SEQNO]);
	}
	return &e->ev;
}

static const struct xtr_event *next(struct fuzz_events *e)
{
	return e->left >= FUZZ_OP && e->p[OP_KIND] & 0x80 ? screen(e, e->p) : fuzz_next(e);
}

static const struct xtr_model_ring *ring_by_id(const void *ctx, uint32_t id)
{
	return xtr_model_ring_by_id(((const struct fuzz_frames *)ctx)->model, id);
}

static const char *ring_text(const void *ctx, uint32_t id, char *buf, size_t cap)
{
	snprintf(buf, cap, "%u", id);
	return ring_by_id(ctx, id) ? buf : NULL;
}

static int on_frame(void *ctx, const struct xtr_shown *f, const struct xtr_path *path)
{
	struct fuzz_frames *x = ctx;
	const struct xtr_frame_view v = { .names = xtr_frames_names(x->frames),
					  .ring = ring_by_id,
					  .ctx = x };
	struct xtr_json json;
	uint64_t all = 0;

	FUZZ_CHECK(f->number == ++x->n && f->verdict < XTR_FRAME_VERDICT_COUNT &&
		   f->link < XTR_FRAME_LINK_COUNT && f->stream < XTR_FRAME_STREAMS_MAX);
	for (unsigned int i = 0; i < XTR_CAUSES; i++)
		all += f->of[i];
	FUZZ_CHECK(!f->before_ns || f->shown_ns < f->before_ns || f->done_ns > f->shown_ns ||
		   all <= f->shown_ns - f->before_ns);
	if (f->verdict == XTR_FRAME_MISSED || f->verdict == XTR_FRAME_LATE_START)
		FUZZ_CHECK(f->missed && f->cause < XTR_CAUSES && xtr_frame_cause_name(f->cause));
	FUZZ_CHECK(!xtr_frame_sums_add(&x->sums, f));
	xtr_json_init(&json, x->f, false);
	xtr_json_begin_object(&json);
	xtr_frame_json(&v, f, path, &json);
	xtr_json_document_end(&json);
	xtr_frame_line(&v, f, x->f);
	FUZZ_CHECK(!xtr_frame_text(&v, f, path, x->f));
	return 0;
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	struct fuzz_frames *x = ctx;

	return x->frames ? xtr_frames_job(x->frames, j) : 0;
}

static struct xtr_model *pass(struct fuzz_frames *x, const uint8_t *data, size_t size,
			      const struct xtr_model *verdict)
{
	struct fuzz_events e = { .p = data, .left = size, .ev.ts = 1 };
	struct xtr_model_opts o = { .sz = sizeof(o),
				    .job = on_job,
				    .max_open = 8,
				    .ctx = x,
				    .meta = meta_of(),
				    .tables = x->tables,
				    .verdict = verdict };
	const struct xtr_event *ev;

	FUZZ_CHECK(!xtr_model_new(&x->model, &o));
	while ((ev = next(&e))) {
		if (x->frames)
			FUZZ_CHECK(!xtr_frames_event(x->frames, ev));
		FUZZ_CHECK(!xtr_model_event(x->model, ev));
	}
	FUZZ_CHECK(!xtr_model_finish(x->model));
	return x->model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_frame_span span[SPANS];
	struct xtr_analysis_opts table = { .times = true, .top = 10 };
	struct fuzz_frames x = { .f = fopen("/dev/null", "w"), .tables = tasks_of() };
	struct xtr_frames_opts o = { .sz = sizeof(o),
				     .meta = meta_of(),
				     .tables = x.tables,
				     .pause_ns = size % 3 ? XTR_FRAME_PAUSE_NS : 0,
				     .deadline_ns = size % 5 * 1000000,
				     .frame = on_frame,
				     .ctx = &x };
	struct xtr_model *first;

	FUZZ_CHECK(x.f);
	for (uint32_t i = 0; i < SPANS; i++)
		span[i] = (struct xtr_frame_span){ .who = 100 + i / 2,
						   .from = i % 2 * 1000,
						   .to = i % 2 ? UINT64_MAX : 1000,
						   .jobs = 1 + i };
	if (size % 2) {
		o.span = span;
		o.n_spans = SPANS;
	}
	first = pass(&x, data, size, NULL);
	FUZZ_CHECK(!xtr_frames_new(&x.frames, &o));
	pass(&x, data, size, first);
	FUZZ_CHECK(!xtr_frames_finish(x.frames));
	xtr_frame_sums_sort(&x.sums);
	x.sums.names = xtr_frames_names(x.frames);
	x.sums.o = &table;
	x.sums.ring = ring_text;
	x.sums.ctx = &x;
	FUZZ_CHECK(!xtr_frame_sums_text(&x.sums, x.f));
	xtr_frame_sums_free(&x.sums);
	xtr_model_free(x.model);
	xtr_model_free(first);
	xtr_frames_free(x.frames);
	xtr_tables_free(x.tables);
	fclose(x.f);
	return 0;
}
