/* SPDX-License-Identifier: BSD-2-Clause */
#include "screens.h"
#include "base/map.h"
#include "replay/event/event_bind.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VBLANKS_KEPT 128u  /* the last ones, of all CRTCs */
#define REQUESTS_MAX 256u  /* for vblanks, not answered; beyond, the oldest is forgotten */
#define FILES_MAX    1024u /* of which the process is known; one more, and all are forgotten */
#define SAME_NS      1000000000u /* a sequence number is that of one vblank within */
#define FENCES_KEPT  64u

enum role {
	VBLANK,
	QUEUED,
	DELIVERED,
	COMMIT,
	WAITED
};

/* Functions: drm_plane.c, drm_atomic_uapi.c; the file is their third argument. */
#define COMMIT_OF(name)                                         \
	{                                                       \
		"func:drm:" name "|func:vmlinux:" name, COMMIT, \
		{                                               \
			"file"                                  \
		}                                               \
	}
static const struct xtr_bind_spec specs[] = {
	{ "drm:drm_vblank_event", VBLANK, { "crtc", "seq", "time" } },
	{ "drm:drm_vblank_event_queued", QUEUED, { "crtc", "seq", "file" } },
	{ "drm:drm_vblank_event_delivered", DELIVERED, { "crtc", "seq", "file" } },
	COMMIT_OF("drm_mode_page_flip_ioctl"),
	COMMIT_OF("drm_mode_atomic_ioctl"),
	{ "dma_fence:dma_fence_wait_end", WAITED, { "ctx|context", "seqno" } },
};
#define N_SPECS (sizeof(specs) / sizeof(*specs))

struct vblank {
	uint64_t ts, time;
	int32_t crtc;
	uint32_t seq;
};

struct request {
	uint64_t file;
	int32_t crtc;
	uint32_t seq;
};

struct owner { /* of a file */
	uint64_t who;
	uint64_t commit_ns; /* its last; 0: it was shown */
};

struct xtr_screens {
	const struct xtr_tables *tables;
	struct xtr_binds binds;
	bool timed;                         /* vblanks have a time, on the clock of the events */
	struct vblank vblank[VBLANKS_KEPT]; /* a circle */
	uint64_t n_vblanks;
	struct request request[REQUESTS_MAX];
	uint32_t n_requests;
	struct owner owner[FILES_MAX];
	struct xtr_map by_file;
	uint32_t n_files;
	struct xtr_flip_fence fence[FENCES_KEPT]; /* a circle */
	uint64_t n_fences;
	struct xtr_map last;                     /* (file, crtc) -> time stamp of its last flip */
	struct xtr_flip flip[XTR_FLIPS_WAITING]; /* a circle */
	uint64_t first, n;                       /* handed out, and in all */
};

bool xtr_screens_apply(const struct xtr_meta *meta)
{
	return xtr_binds_any(meta, &specs[DELIVERED], 1);
}

void xtr_screens_free(struct xtr_screens *s)
{
	if (!s)
		return;
	xtr_binds_close(&s->binds);
	xtr_map_free(&s->by_file);
	xtr_map_free(&s->last);
	free(s);
}

int xtr_screens_new(struct xtr_screens **out, const struct xtr_meta *meta,
		    const struct xtr_tables *tables)
{
	struct xtr_screens *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return -ENOMEM;
	if (xtr_binds_open(&s->binds, meta, specs, N_SPECS)) {
		xtr_screens_free(s);
		return -ENOMEM;
	}
	s->tables = tables;
	s->timed = xtr_bind_has(&s->binds.bind[VBLANK], 2) &&
		   !strcmp(xtr_meta_clock(meta), "monotonic");
	*out = s;
	return 0;
}

bool xtr_screens_take(const struct xtr_screens *s, uint32_t type)
{
	return !type || xtr_binds_find(&s->binds, type);
}

/* --- whose file it is ------------------------------------------------------------------------- */

/* NULL: no memory. */
static struct owner *owner_of(struct xtr_screens *s, uint64_t file)
{
	uint32_t i = xtr_map_index(&s->by_file, file, 0);

	if (i != XTR_MAP_NONE)
		return &s->owner[i];
	if (s->n_files == FILES_MAX) {
		xtr_map_free(&s->by_file);
		s->n_files = 0;
	}
	if (xtr_map_put(&s->by_file, file, 0, s->n_files))
		return NULL;
	s->owner[s->n_files] = (struct owner){ 0 };
	return &s->owner[s->n_files++];
}

static const struct xtr_task *task_of(const struct xtr_screens *s, const struct xtr_event *ev)
{
	return ev->tid && s->tables ? xtr_tables_task(s->tables, ev->tid, ev->ts) : NULL;
}

/* The thread of a request or of a commit is one of the file's process. */
static int learn(struct xtr_screens *s, uint64_t file, const struct xtr_event *ev, bool commit)
{
	const struct xtr_task *task = task_of(s, ev);
	struct owner *o = file ? owner_of(s, file) : NULL;

	if (file && !o)
		return -ENOMEM;
	if (!file)
		return 0;
	if (task && xtr_process_of(task))
		o->who = xtr_process_of(task);
	if (commit)
		o->commit_ns = ev->ts;
	return 0;
}

/* --- vblanks ---------------------------------------------------------------------------------- */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool is_of(const struct xtr_flip *f, const struct vblank *v)
{
	return f->counted && f->crtc == v->crtc && f->seq == v->seq &&
	       distance(f->ts, v->ts) < SAME_NS;
}

static void vblank(struct xtr_screens *s, const struct xtr_bind *b, const struct xtr_event *ev)
{
	const struct vblank v = { .ts = ev->ts,
				  .time = s->timed ? xtr_bind_u64(b, 2, ev) : ev->ts,
				  .crtc = (int32_t)xtr_bind_s64(b, 0, ev),
				  .seq = (uint32_t)xtr_bind_u64(b, 1, ev) };

	s->vblank[s->n_vblanks++ % VBLANKS_KEPT] = v;
	for (uint64_t i = s->first; i < s->n; i++) {
		struct xtr_flip *f = &s->flip[i % XTR_FLIPS_WAITING];

		if (is_of(f, &v) && distance(v.time, f->ts) < SAME_NS)
			f->shown_ns = v.time;
	}
}

/* Its vblank may have come before: a flip that completes in another interrupt. */
static void find_vblank(const struct xtr_screens *s, struct xtr_flip *f)
{
	uint64_t kept = s->n_vblanks < VBLANKS_KEPT ? s->n_vblanks : VBLANKS_KEPT;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct vblank *v = &s->vblank[(s->n_vblanks - i) % VBLANKS_KEPT];

		if (!is_of(f, v) || distance(v->time, f->ts) >= SAME_NS)
			continue;
		f->shown_ns = v->time;
		return;
	}
}

/* --- flips ------------------------------------------------------------------------------------ */

static void queued(struct xtr_screens *s, const struct request *r)
{
	if (s->n_requests == REQUESTS_MAX)
		memmove(s->request, s->request + 1, --s->n_requests * sizeof(*s->request));
	s->request[s->n_requests++] = *r;
}

/* The answer to a request for a vblank: it is due, and the oldest of this file and CRTC. */
static bool requested(struct xtr_screens *s, const struct request *d)
{
	for (uint32_t i = 0; i < s->n_requests; i++) {
		const struct request *r = &s->request[i];

		if (r->file != d->file || r->crtc != d->crtc || (int32_t)(d->seq - r->seq) < 0)
			continue;
		memmove(s->request + i, s->request + i + 1,
			(--s->n_requests - i) * sizeof(*s->request));
		return true;
	}
	return false;
}

/* What threads of the kernel's waited for since then, the last ones. */
static void add_fences(const struct xtr_screens *s, struct xtr_flip *f, uint64_t since)
{
	uint64_t kept = s->n_fences < FENCES_KEPT ? s->n_fences : FENCES_KEPT;

	for (uint64_t i = 1; i <= kept && f->n_fences < XTR_FLIP_FENCES; i++) {
		const struct xtr_flip_fence *one = &s->fence[(s->n_fences - i) % FENCES_KEPT];

		if (one->ts <= since)
			break;
		f->fence[f->n_fences++] = *one;
	}
}

static int flipped(struct xtr_screens *s, const struct request *d, const struct xtr_event *ev)
{
	struct xtr_flip f = { .ts = ev->ts,
			      .shown_ns = ev->ts,
			      .file = d->file,
			      .crtc = d->crtc,
			      .seq = d->seq,
			      .counted = d->seq };
	uint64_t *last = xtr_map_get(&s->last, d->file, (uint32_t)d->crtc);
	uint32_t i = xtr_map_index(&s->by_file, d->file, 0);

	if (i != XTR_MAP_NONE) {
		f.who = s->owner[i].who;
		f.commit_ns = s->owner[i].commit_ns;
		s->owner[i].commit_ns = 0;
	}
	add_fences(s, &f, last ? *last : 0);
	find_vblank(s, &f);
	if (s->n - s->first == XTR_FLIPS_WAITING)
		s->first++;
	s->flip[s->n++ % XTR_FLIPS_WAITING] = f;
	return xtr_map_put_most(&s->last, FILES_MAX, d->file, (uint32_t)d->crtc, ev->ts);
}

/*
 * The kernel's own, by flag or, in imported traces, by name: commits are done by a workqueue
 * (drm_atomic_helper.c, commit_work) or by threads of msm's (msm_drv.c).
 */
static bool is_kernel(const struct xtr_screens *s, const struct xtr_task *task)
{
	static const char *const names[] = { "kworker/", "crtc_commit", "crtc_event" };
	const char *comm;
	size_t n;

	if (task->flags & XTR_TASK_KTHREAD)
		return true;
	comm = xtr_tables_string(s->tables, task->comm, &n);
	for (size_t i = 0; comm && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(comm, names[i], strlen(names[i])))
			return true;
	return false;
}

static void waited(struct xtr_screens *s, const struct xtr_bind *b, const struct xtr_event *ev)
{
	const struct xtr_task *task = task_of(s, ev);

	if (!task || !is_kernel(s, task))
		return;
	s->fence[s->n_fences++ % FENCES_KEPT] = (struct xtr_flip_fence){
		.ts = ev->ts, .fence = { xtr_bind_u64(b, 0, ev), xtr_bind_u64(b, 1, ev) }
	};
}

int xtr_screens_event(struct xtr_screens *s, const struct xtr_event *ev)
{
	const struct xtr_bind *b;
	struct request r;

	if (ev->gap) {
		s->n_requests = 0; /* an answer may be among what was lost */
		return 0;
	}
	b = xtr_binds_find(&s->binds, ev->type);
	if (!b)
		return 0;
	if (b->role == COMMIT)
		return learn(s, xtr_bind_u64(b, 0, ev), ev, true);
	if (b->role == VBLANK || b->role == WAITED) {
		b->role == VBLANK ? vblank(s, b, ev) : waited(s, b, ev);
		return 0;
	}
	r = (struct request){ .file = xtr_bind_u64(b, 2, ev),
			      .crtc = (int32_t)xtr_bind_s64(b, 0, ev),
			      .seq = (uint32_t)xtr_bind_u64(b, 1, ev) };
	if (b->role == QUEUED) {
		queued(s, &r);
		return learn(s, r.file, ev, false);
	}
	return !r.file || requested(s, &r) ? 0 : flipped(s, &r, ev);
}

bool xtr_screens_next(struct xtr_screens *s, uint64_t now, struct xtr_flip *out)
{
	const struct xtr_flip *f = &s->flip[s->first % XTR_FLIPS_WAITING];

	if (s->first == s->n || (now != UINT64_MAX && now < f->ts + XTR_FLIP_HOLD_NS))
		return false;
	*out = *f;
	s->first++;
	return true;
}
