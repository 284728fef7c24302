/* SPDX-License-Identifier: BSD-2-Clause */
/* One JSON object for each slice. */
#include "slice_view.h"

#include "replay/event/process.h"
#include "replay/notes/notes.h"
#include "base/text.h"

static void kv_text(struct xtr_json *j, const char *key, const char *s)
{
	xtr_json_kv_str(j, key, s && *s ? s : NULL);
}

static void times(struct xtr_json *j, const char *key, const struct xtr_hist *h)
{
	xtr_json_kv_object(j, key);
	xtr_json_kv_u64(j, "count", h->n);
	if (h->n) {
		xtr_json_kv_u64(j, "sum", h->sum);
		xtr_json_kv_u64(j, "p50", xtr_hist_quantile(h, 500));
		xtr_json_kv_u64(j, "p99", xtr_hist_quantile(h, 990));
		xtr_json_kv_u64(j, "max", h->max);
	}
	xtr_json_end_object(j);
}

static void jobs(struct xtr_json *j, const struct xtr_slice_row *r)
{
	enum xtr_quality q = xtr_slice_known_as(r);

	xtr_json_kv_u64(j, "busy_ns", r->busy_ns);
	xtr_json_kv_str(j, "known_as", q == XTR_QUALITY_COUNT ? NULL : xtr_quality_name(q));
	xtr_json_kv_u64(j, "jobs", r->jobs);
	xtr_json_kv_u64(j, "errors", r->errors);
	xtr_json_kv_object(j, "quality");
	for (unsigned int i = 0; i < XTR_QUALITY_COUNT; i++)
		xtr_json_kv_u64(j, xtr_quality_name(i), r->quality[i]);
	xtr_json_end_object(j);
	xtr_json_kv_u64(j, "queued", r->queued);
	xtr_json_kv_u64(j, "running", r->in_flight);
	xtr_json_kv_u64(j, "unsure", r->unsure);
	xtr_json_kv_bool(j, "bounded", r->bounded);
	times(j, "execution_ns", &r->exec);
	times(j, "queue_wait_ns", &r->queue_wait);
}

static void device(struct xtr_json *j, const struct xtr_slice_row *r,
		   const struct xtr_slice_facts *f)
{
	(void)f;
	kv_text(j, "device", r->device->name);
	kv_text(j, "driver", r->device->driver);
}

static void ring(struct xtr_json *j, const struct xtr_slice_row *r, const struct xtr_slice_facts *f)
{
	(void)f;
	kv_text(j, "device", r->ring->device_name);
	kv_text(j, "ring", r->ring->name);
	xtr_json_kv_u64(j, "id", r->ring->id);
}

static void process(struct xtr_json *j, const struct xtr_slice_row *r,
		    const struct xtr_slice_facts *f)
{
	size_t n = 0;
	const char *name = r->comm ? xtr_tables_string(f->tables, r->comm, &n) : NULL;

	xtr_json_kv_process(j, "pid", r->process);
	xtr_json_key(j, "name");
	xtr_json_strn(j, name, n);
	xtr_json_kv_bool(j, "known", r->known);
	xtr_json_kv_u64(j, "waits", r->waits);
	xtr_json_kv_u64(j, "wait_ns", r->wait_ns);
	xtr_json_kv_u64(j, "wait_max_ns", r->wait_max_ns);
	xtr_json_kv_u64(j, "npu_allocations", r->allocs);
	xtr_json_kv_u64(j, "npu_allocated_bytes", r->alloc_bytes);
}

static const struct {
	const char *key;
	void (*put)(struct xtr_json *j, const struct xtr_slice_row *r,
		    const struct xtr_slice_facts *f);
} kinds[XTR_SLICE_BY_COUNT] = {
	[XTR_SLICE_DEVICE] = { "devices", device },
	[XTR_SLICE_RING] = { "rings", ring },
	[XTR_SLICE_PROCESS] = { "processes", process },
};

static void counters(struct xtr_json *j, const struct xtr_slice *s)
{
	xtr_json_kv_array(j, "counters");
	for (size_t i = 0; i < s->n_counters; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", s->counter[i].track);
		xtr_json_kv_str(j, "unit", s->counter[i].unit);
		xtr_json_kv_u64(j, "value", s->counter[i].value);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void xtr_slice_json(struct xtr_json *j, const struct xtr_slice *s, const struct xtr_slice_facts *f)
{
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "schema", "xtr.top/1");
	xtr_json_kv_str(j, "file", f->path);
	xtr_json_kv_str(j, "state", f->state);
	xtr_json_kv_u64(j, "section", f->section);
	xtr_json_kv_u64(j, "slice", s->number);
	xtr_json_kv_u64(j, "lost", f->lost);
	xtr_json_kv_u64(j, "lost_here", s->lost);
	xtr_json_kv_u64(j, "unreadable", f->unreadable);
	xtr_json_kv_u64(j, "problems", f->problems);
	xtr_redacted_json(j, f->meta);
	xtr_json_kv_known(j, "recorder_cpu_ns", f->cost_ns);
	xtr_json_kv_known(j, "recorder_elapsed_ns", f->cost_over_ns);
	xtr_json_kv_u64(j, "first_ns", f->first_ns);
	xtr_json_kv_u64(j, "from_ns", s->begin);
	xtr_json_kv_u64(j, "to_ns", s->end);
	xtr_json_kv_bool(j, "last", s->last);
	xtr_json_kv_u64(j, "events", s->events);
	counters(j, s);
	for (unsigned int by = 0; by < XTR_SLICE_BY_COUNT; by++) {
		xtr_json_kv_array(j, kinds[by].key);
		for (size_t i = 0; i < s->n[by]; i++) {
			xtr_json_begin_object(j);
			kinds[by].put(j, s->row[by][i], f);
			jobs(j, s->row[by][i]);
			xtr_json_end_object(j);
		}
		xtr_json_end_array(j);
	}
	xtr_json_end_object(j);
}
