/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record is a head and values, written behind each other; names of events and fields are
 * constants, of which it has the addresses. It never leaves the process.
 */
#include "pftrace_gpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX_ 512u

enum value_kind {
	VALUE_UINT,
	VALUE_SINT,
	VALUE_HEX,
	VALUE_STR,
	VALUE_DEVICE,
	VALUE_QUEUE
};

struct head {
	const char *system, *event;
	uint64_t pid_key, submission, event_id;
	uint32_t op, tid, pid, n;
};

struct value {
	const char *name;
	uint64_t num;
	uint32_t kind, len;
};

void gpu_begin(struct gpu_record *r, enum gpu_op op, const char *system, const char *event,
	       uint32_t tid, uint32_t pid)
{
	const struct head h = {
		.system = system, .event = event, .op = op, .tid = tid, .pid = pid
	};

	memcpy(r->b, &h, sizeof(h));
	r->n = sizeof(h);
}

void gpu_keys(struct gpu_record *r, uint64_t pid, uint64_t submission, uint64_t event)
{
	struct head h;

	memcpy(&h, r->b, sizeof(h));
	h.pid_key = pid;
	h.submission = submission;
	h.event_id = event;
	memcpy(r->b, &h, sizeof(h));
}

/* What does not fit is left out: there is room for all that is ever made. */
static void put(struct gpu_record *r, const char *name, enum value_kind kind, uint64_t num,
		const void *s, size_t len)
{
	struct value v = { .name = name, .num = num, .kind = kind };
	struct head h;

	memcpy(&h, r->b, sizeof(h));
	v.len = (uint32_t)(len < TEXT_MAX_ ? len : TEXT_MAX_);
	if (r->n + sizeof(v) + v.len > sizeof(r->b) || h.n == XTR_IMPORT_VALUES)
		return;
	memcpy(r->b + r->n, &v, sizeof(v));
	if (v.len)
		memcpy(r->b + r->n + sizeof(v), s, v.len);
	r->n += sizeof(v) + v.len;
	h.n++;
	memcpy(r->b, &h, sizeof(h));
}

void gpu_number(struct gpu_record *r, const char *name, uint64_t v)
{
	put(r, name, VALUE_UINT, v, NULL, 0);
}

void gpu_signed(struct gpu_record *r, const char *name, int64_t v)
{
	put(r, name, VALUE_SINT, (uint64_t)v, NULL, 0);
}

void gpu_hex(struct gpu_record *r, const char *name, uint64_t v)
{
	put(r, name, VALUE_HEX, v, NULL, 0);
}

void gpu_text(struct gpu_record *r, const char *name, const void *s, size_t n)
{
	put(r, name, VALUE_STR, 0, s, n);
}

void gpu_device(struct gpu_record *r, const char *name, uint32_t gpu_id)
{
	put(r, name, VALUE_DEVICE, gpu_id, NULL, 0);
}

void gpu_queue(struct gpu_record *r, const char *name, uint32_t queue)
{
	put(r, name, VALUE_QUEUE, queue, NULL, 0);
}

int gpu_hold(struct pftrace *p, uint64_t ts, const struct gpu_record *r)
{
	return pft_hold(p, PFT_GPU, ts, r->b, r->n);
}

/* --- in order of time ------------------------------------------------------------------------- */

/* Texts that were not known when the record was made. */
struct texts {
	char buf[XTR_IMPORT_VALUES][24];
};

static void set_text(struct xtr_import_value *v, const char *s)
{
	v->kind = XTR_IMPORT_STR;
	v->str = s;
	v->str_len = strlen(s);
}

static void resolve(struct pft_gpu *g, struct xtr_import_value *v, const struct value *in,
		    char buf[24])
{
	uint32_t i = (uint32_t)in->num;

	if (in->kind == VALUE_DEVICE) {
		set_text(v, gpu_device_name(g, i, buf));
		return;
	}
	if (i < g->n_queues && g->queue[i]) {
		set_text(v, g->queue[i]);
		return;
	}
	snprintf(buf, 24, "queue %" PRIu32, i);
	set_text(v, buf);
}

static size_t values_of(struct pft_gpu *g, const struct head *h, const uint8_t *p, size_t n,
			struct xtr_import_value *out, struct texts *t)
{
	static const enum xtr_import_kind kinds[] = { [VALUE_UINT] = XTR_IMPORT_UINT,
						      [VALUE_SINT] = XTR_IMPORT_SINT,
						      [VALUE_HEX] = XTR_IMPORT_HEX,
						      [VALUE_STR] = XTR_IMPORT_STR };
	struct value v;
	size_t k = 0;

	for (; k < h->n && n >= sizeof(v); k++) {
		memcpy(&v, p, sizeof(v));
		p += sizeof(v);
		n -= sizeof(v);
		out[k] = (struct xtr_import_value){ .name = v.name,
						    .name_len = strlen(v.name),
						    .num = v.num,
						    .str = (const char *)p,
						    .str_len = v.len };
		if (v.kind >= VALUE_DEVICE)
			resolve(g, &out[k], &v, t->buf[k]);
		else
			out[k].kind = kinds[v.kind];
		p += v.len;
		n -= v.len;
	}
	return k;
}

static int call(struct pftrace *p, const struct head *h, const struct xtr_import_at *at,
		const struct xtr_import_value *v, size_t n)
{
	const struct xtr_import_call c = { .api = true,
					   .ret = h->op == GPU_RETURN,
					   .module = h->system,
					   .module_len = strlen(h->system),
					   .symbol = h->event,
					   .symbol_len = strlen(h->event) };

	return xtr_import_call(pft_import(p), at, &c, v, n);
}

static int event(struct pftrace *p, const char *system, const char *name,
		 const struct xtr_import_at *at, const struct xtr_import_value *v, size_t n)
{
	return xtr_import_event(pft_import(p), at, system, strlen(system), name, strlen(name), v,
				n);
}

/* By submission of a process, or by the event's number where something says that it is of it. */
static int note_submit(struct pft_gpu *g, const struct head *h, uint64_t ts)
{
	const struct gpu_submit s = { ts, h->tid, h->pid };
	uint64_t a = h->event_id ? UINT64_MAX : h->pid_key,
		 b = h->event_id ? h->event_id : h->submission;

	if (g->n_submits == GPU_MAP_MAX) {
		xtr_map_free(&g->submits);
		g->n_submits = 0;
	}
	if (xtr_grow_array(&g->submit, &g->cap_submits, g->n_submits + 1, sizeof(s)) ||
	    xtr_map_put(&g->submits, a, b, g->n_submits))
		return -ENOMEM;
	g->submit[g->n_submits++] = s;
	return 0;
}

static const struct gpu_submit *submit_of(const struct pft_gpu *g, const struct head *h)
{
	const uint64_t *i = xtr_map_get(&g->submits, UINT64_MAX, h->event_id);

	if (!i && h->submission)
		i = xtr_map_get(&g->submits, h->pid_key, h->submission);
	return i ? &g->submit[*i] : NULL;
}

static struct xtr_import_value *named(struct xtr_import_value *v, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n && strcmp(v[i].name, name) != 0; i++)
		;
	return i < n ? &v[i] : NULL;
}

/* A stage has values for its submission, which are 0 while that is not known. */
static void join(const struct pft_gpu *g, const struct head *h, struct xtr_import_at *at,
		 struct xtr_import_value *v, size_t n)
{
	const struct gpu_submit *s = submit_of(g, h);
	struct xtr_import_value *run = named(v, n, "run_ns"), *tid = named(v, n, "tid"),
				*pid = named(v, n, "pid"), *queue = named(v, n, "queue_ns");

	if (!s || !run || !tid || !pid || !queue || s->ts > run->num)
		return;
	queue->num = s->ts;
	tid->num = at->tid = s->tid;
	if (s->pid)
		pid->num = at->pid = s->pid;
}

int pft_gpu_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n)
{
	struct xtr_import_value v[XTR_IMPORT_VALUES];
	struct pft_gpu *g = pft_gpu(p);
	struct xtr_import_at at = { .ts = ts };
	struct texts t;
	struct head h;
	size_t k;

	if (!g || n < sizeof(h))
		return g ? 0 : -ENOMEM;
	memcpy(&h, rec, sizeof(h));
	at.tid = h.tid;
	at.pid = h.pid;
	k = values_of(g, &h, rec + sizeof(h), n - sizeof(h), v, &t);
	switch (h.op) {
	case GPU_CALL:
	case GPU_RETURN:
		return call(p, &h, &at, v, k);
	case GPU_SUBMIT:
		return note_submit(g, &h, ts);
	case GPU_STAGE:
	case GPU_STAGE_ENDS:
		join(g, &h, &at, v, k);
		return event(p, h.system, h.event, &at, v, k);
	default:
		return event(p, h.system, h.event, &at, v, k);
	}
}
