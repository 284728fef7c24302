/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver xe (docs/xe.md): queues by their lives, jobs between run and the signal of their
 * hardware fence, engines as unions of these, memory, messages to and from the firmware. Every
 * event of the system `xe` is counted by its name at least.
 */
#include "xe_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "xe:"

typedef int handler(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		    uint32_t kind, bool inside);

enum {
	JOB,
	QUEUE,
	FENCE,
	BO,
	MOVE,
	SPACE,
	MESSAGE,
	FLOW,
	TLB,
	POWER,
	TICKS,
	FAMILIES
};

static handler *const handlers[FAMILIES] = {
	[JOB] = xe_job_event,         [QUEUE] = xe_queue_event, [FENCE] = xe_fence_event,
	[BO] = xe_bo_event,           [MOVE] = xe_move_event,   [SPACE] = xe_space_event,
	[MESSAGE] = xe_message_event, [FLOW] = xe_flow_event,   [TLB] = xe_tlb_event,
	[POWER] = xe_power_event,     [TICKS] = xe_ticks_event,
};

#define ROLE(family, kind) ((family) << 8 | (kind))
#define ANY(event)         PREFIX "xe_" event

#define JOB_SPEC(id, key, event)  \
	{ ANY(event),             \
	  ROLE(JOB, XE_JOB_##id), \
	  { "dev", "gt_id", "guc_id", "lrc_seqno", "fence", "error" } },
#define QUEUE_SPEC(id, key, event) \
	{ ANY(event), ROLE(QUEUE, XE_QUEUE_##id), { "dev", "gt_id", "guc_id", "class", "width" } },
#define POWER_SPEC(id, key, event) { ANY(event), ROLE(POWER, XE_POWER_##id), { "dev" } },
#define FENCE_SPEC(event, kind)                        \
	{                                              \
		ANY(event), ROLE(FENCE, kind),         \
		{                                      \
			"dev", "ctx", "seqno", "fence" \
		}                                      \
	}
#define BO_SPEC(event, kind)                \
	{                                   \
		ANY(event), ROLE(BO, kind), \
		{                           \
			"dev", "size"       \
		}                           \
	}
#define SPACE_SPEC(event)                     \
	{                                     \
		ANY(event), ROLE(SPACE, 0),   \
		{                             \
			"dev", "start", "end" \
		}                             \
	}
#define MESSAGE_SPEC(event, kind)                       \
	{                                               \
		ANY(event), ROLE(MESSAGE, kind),        \
		{                                       \
			"dev", "gt_id", "action", "len" \
		}                                       \
	}
#define FLOW_SPEC(event, kind)                \
	{                                     \
		ANY(event), ROLE(FLOW, kind), \
		{                             \
			"dev", "space"        \
		}                             \
	}
/* Linux 6.12 and later calls them otherwise. */
#define TLB_SPEC(event, kind)                                                            \
	{                                                                                \
		ANY("tlb_inval_fence_" event "|xe:xe_gt_tlb_invalidation_fence_" event), \
			ROLE(TLB, kind),                                                 \
		{                                                                        \
			"dev", "fence"                                                   \
		}                                                                        \
	}
#define TICKS_SPEC(event)                                 \
	{                                                 \
		ANY(event), ROLE(TICKS, 0),               \
		{                                         \
			"device_id", "name", "old", "new" \
		}                                         \
	}

static const struct xtr_bind_spec specs[] = {
	XE_JOB_KINDS(JOB_SPEC) XE_QUEUE_KINDS(QUEUE_SPEC) XE_POWER_KINDS(POWER_SPEC)
		FENCE_SPEC("hw_fence_create", XE_FENCE_CREATE),
	FENCE_SPEC("hw_fence_signal", XE_FENCE_SIGNAL),
	FENCE_SPEC("hw_fence_try_signal", XE_FENCE_TRY),
	BO_SPEC("bo_create", XE_BO_CREATE),
	BO_SPEC("bo_validate", XE_BO_VALIDATE),
	BO_SPEC("bo_cpu_fault", XE_BO_FAULT),
	{ ANY("bo_move"),
	  ROLE(MOVE, 0),
	  { "device_id", "size", "new_placement_name", "old_placement_name",
	    "move_lacks_source" } },
	SPACE_SPEC("vm_create"),
	SPACE_SPEC("vm_free"),
	SPACE_SPEC("vm_kill"),
	SPACE_SPEC("vm_cpu_bind"),
	SPACE_SPEC("vm_restart"),
	SPACE_SPEC("vm_ops_fail"),
	SPACE_SPEC("vm_rebind_worker_enter"),
	SPACE_SPEC("vm_rebind_worker_retry"),
	SPACE_SPEC("vm_rebind_worker_exit"),
	SPACE_SPEC("vma_bind"),
	SPACE_SPEC("vma_pf_bind"),
	SPACE_SPEC("vma_unbind"),
	SPACE_SPEC("vma_flush"),
	SPACE_SPEC("vma_pagefault"),
	SPACE_SPEC("vma_acc"),
	SPACE_SPEC("vma_rebind_worker"),
	SPACE_SPEC("vma_rebind_exec"),
	SPACE_SPEC("vma_userptr_rebind_worker"),
	SPACE_SPEC("vma_userptr_rebind_exec"),
	SPACE_SPEC("vma_userptr_invalidate"),
	SPACE_SPEC("vma_userptr_invalidate_complete"),
	SPACE_SPEC("vma_invalidate"),
	SPACE_SPEC("vma_evict"),
	MESSAGE_SPEC("guc_ctb_h2g", XE_H2G),
	MESSAGE_SPEC("guc_ctb_g2h", XE_G2H),
	FLOW_SPEC("guc_ct_h2g_flow_control", XE_H2G),
	FLOW_SPEC("guc_ct_g2h_flow_control", XE_G2H),
	TLB_SPEC("send", XE_TLB_SEND),
	TLB_SPEC("recv", XE_TLB_RECV),
	TLB_SPEC("signal", XE_TLB_SIGNAL),
	TLB_SPEC("timeout", XE_TLB_TIMEOUT),
	TICKS_SPEC("lrc_update_timestamp"),
	TICKS_SPEC("lrc_update_queue_timestamp"),
	{ ANY("guc_engine_activity"), ROLE(TICKS, 1), { "dev", "name", "active", "total" } },
};
#define SPECS (sizeof(specs) / sizeof(specs[0]))

static bool is_ours(const struct xtr_event_desc *d)
{
	return !strncmp(d->name, PREFIX "xe_", sizeof(PREFIX "xe_") - 1);
}

static bool applies(const struct xtr_meta *meta)
{
	return xtr_event_counts_any(meta, PREFIX "xe_");
}

static void rows_free(struct xe_rows *r)
{
	free(r->row);
	xtr_map_free(&r->by_key);
}

static void xe_free(void *self)
{
	struct xe *x = self;

	for (uint32_t i = 0; i < x->n_queues; i++) {
		xtr_hist_free(&x->queue[i].residence);
		xtr_hist_free(&x->queue[i].wait);
	}
	for (uint32_t i = 0; i < XE_DEVICES_MAX; i++) {
		for (uint32_t k = 0; k < XE_CLASSES; k++)
			xtr_busy_free(&x->device[i].class[k].busy);
		xtr_hist_free(&x->device[i].tlb_time);
	}
	xtr_binds_close(&x->binds);
	xtr_labels_free(&x->devices);
	xtr_labels_free(&x->places);
	xtr_labels_free(&x->clocks);
	xtr_map_free(&x->by_guc);
	xtr_map_free(&x->by_seqno);
	xtr_map_free(&x->by_pointer);
	xtr_map_free(&x->by_fence);
	xtr_map_free(&x->tlb_by_fence);
	rows_free(&x->users);
	rows_free(&x->moves);
	rows_free(&x->spaces);
	rows_free(&x->messages);
	rows_free(&x->ticks);
	free(x->queue);
	free(x->job);
	free(x->tlb);
	xtr_event_counts_close(&x->counts);
	free(x);
}

static int xe_open(void **self, const struct xtr_analysis_opts *o)
{
	struct xe *x = calloc(1, sizeof(*x));
	int err;

	if (!x)
		return -ENOMEM;
	x->o = o;
	x->hist_left = XE_HIST_GROUPS;
	x->head = x->tail = x->free_jobs = x->free_tlb = XTR_MAP_NONE;
	err = xtr_binds_open(&x->binds, o->meta, specs, SPECS);
	x->has_signals = xtr_meta_event_by_name(o->meta, PREFIX "xe_hw_fence_signal");
	if (!err)
		err = xtr_event_counts_open(&x->counts, o->meta);
	if (err) {
		xe_free(x);
		return err;
	}
	*self = x;
	return 0;
}

void *xe_row(struct xe_rows *r, uint64_t a, uint64_t b, size_t size, bool *is_new, int *ret)
{
	uint32_t i = xtr_map_index(&r->by_key, a, b);
	void *more;

	*ret = 0;
	*is_new = false;
	if (i != XTR_MAP_NONE)
		return (char *)r->row + i * size;
	if (r->n == XE_ROWS_MAX) {
		r->left_out++;
		return NULL;
	}
	if (!r->row) {
		more = calloc(XE_ROWS_MAX, size);
		r->row = more;
	}
	if (!r->row || xtr_map_put(&r->by_key, a, b, r->n)) {
		*ret = -ENOMEM;
		return NULL;
	}
	*is_new = true;
	return (char *)r->row + r->n++ * size;
}

int64_t xe_device_of(struct xe *x, const struct xtr_bind *b, uint32_t i, const struct xtr_event *ev)
{
	size_t n;
	const char *s = xtr_bind_text(b, i, ev, x->o->tables, &n);

	return xtr_label(&x->devices, s, n, XE_DEVICES_MAX);
}

static bool xe_takes(const void *self, uint32_t type)
{
	const struct xe *x = self;
	const struct xtr_event_desc *d = xtr_meta_event(x->o->meta, type);

	return !type || (d && is_ours(d));
}

static int xe_event(void *self, const struct xtr_event *ev, bool inside)
{
	struct xe *x = self;
	const struct xtr_bind *b;

	if (ev->gap) {
		x->gaps++;
		return 0;
	}
	if (!ev->desc || !is_ours(ev->desc))
		return 0;
	x->now = ev->ts;
	if (inside) {
		x->any = true;
		xtr_event_counts_add(&x->counts, ev);
	}
	b = xtr_binds_find(&x->binds, ev->type);
	return b ? handlers[b->role >> 8](x, b, ev, b->role & 0xff, inside) : 0;
}

static int xe_finish(void *self)
{
	struct xe *x = self;

	xe_jobs_finish(x);
	return xe_findings(x);
}

static bool xe_any(const void *self)
{
	return ((const struct xe *)self)->any;
}

const struct xtr_analysis xtr_analysis_xe = {
	.name = "xe",
	.title = "Intel Xe: queues, engines, memory, firmware messages",
	.applies = applies,
	.open = xe_open,
	.free = xe_free,
	.takes = xe_takes,
	.event = xe_event,
	.finish = xe_finish,
	.any = xe_any,
	.text = xe_text,
	.json = xe_json,
	.tables = xe_tables,
};
