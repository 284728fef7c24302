/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages to and from the firmware (GuC), their flow control, and TLB invalidations. */
#include "xe_impl.h"

#include <errno.h>
#include <stdlib.h>

/* drivers/gpu/drm/xe/abi/guc_actions_abi.h */
static const struct {
	uint32_t action;
	const char *name;
} actions[] = {
	{ 0x0002, "REQUEST_PREEMPTION" },
	{ 0x0003, "REQUEST_ENGINE_RESET" },
	{ 0x0010, "ALLOCATE_DOORBELL" },
	{ 0x0020, "DEALLOCATE_DOORBELL" },
	{ 0x0030, "LOG_BUFFER_FILE_FLUSH_COMPLETE" },
	{ 0x0040, "UK_LOG_ENABLE_LOGGING" },
	{ 0x0302, "FORCE_LOG_BUFFER_FLUSH" },
	{ 0x0501, "ENTER_S_STATE" },
	{ 0x0502, "EXIT_S_STATE" },
	{ 0x0506, "GLOBAL_SCHED_POLICY_CHANGE" },
	{ 0x0508, "SELF_CFG" },
	{ 0x1000, "SCHED_CONTEXT" },
	{ 0x1001, "SCHED_CONTEXT_MODE_SET" },
	{ 0x1002, "SCHED_CONTEXT_MODE_DONE" },
	{ 0x1003, "SCHED_ENGINE_MODE_SET" },
	{ 0x1004, "SCHED_ENGINE_MODE_DONE" },
	{ 0x1005, "SET_CONTEXT_PRIORITY" },
	{ 0x1006, "SET_CONTEXT_EXECUTION_QUANTUM" },
	{ 0x1007, "SET_CONTEXT_PREEMPTION_TIMEOUT" },
	{ 0x1008, "CONTEXT_RESET_NOTIFICATION" },
	{ 0x1009, "ENGINE_FAILURE_NOTIFICATION" },
	{ 0x100b, "UPDATE_CONTEXT_POLICIES" },
	{ 0x3004, "SETUP_PC_GUCRC" },
	{ 0x4000, "AUTHENTICATE_HUC" },
	{ 0x4100, "GET_HWCONFIG" },
	{ 0x4502, "REGISTER_CONTEXT" },
	{ 0x4503, "DEREGISTER_CONTEXT" },
	{ 0x4505, "REGISTER_COMMAND_TRANSPORT_BUFFER" },
	{ 0x4506, "DEREGISTER_COMMAND_TRANSPORT_BUFFER" },
	{ 0x4509, "CONTROL_CTB" },
	{ 0x4600, "DEREGISTER_CONTEXT_DONE" },
	{ 0x4601, "REGISTER_CONTEXT_MULTI_LRC" },
	{ 0x5507, "CLIENT_SOFT_RESET" },
	{ 0x550a, "SET_ENG_UTIL_BUFF" },
	{ 0x6000, "NOTIFY_MEMORY_CAT_ERROR" },
	{ 0x6002, "REPORT_PAGE_FAULT_REQ_DESC" },
	{ 0x6003, "PAGE_FAULT_RES_DESC" },
	{ 0x6004, "ACCESS_COUNTER_NOTIFY" },
	{ 0x7000, "TLB_INVALIDATION" },
	{ 0x7001, "TLB_INVALIDATION_DONE" },
	{ 0x7002, "TLB_INVALIDATION_ALL" },
	{ 0x8002, "STATE_CAPTURE_NOTIFICATION" },
	{ 0x8003, "NOTIFY_FLUSH_LOG_BUFFER_TO_FILE" },
	{ 0x8004, "NOTIFY_CRASH_DUMP_POSTED" },
	{ 0x8005, "NOTIFY_EXCEPTION" },
};

const char *xe_action_name(uint32_t action)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (actions[i].action == action)
			return actions[i].name;
	return NULL;
}

/*
 * What is recorded of a message to the firmware is its whole header (guc_messages_abi.h: bits 0 to
 * 15 are the action); of one from it the driver has taken the action out.
 */
int xe_message_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev,
		     uint32_t kind, bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	uint32_t gt = (uint32_t)xtr_bind_u64(b, 1, ev), action;
	struct xe_message *m;
	bool is_new;
	int err;

	if (dev < 0 || !inside)
		return dev < 0 ? (int)dev : 0;
	action = (uint32_t)xtr_bind_u64(b, 2, ev) & 0xffff;
	m = xe_row(&x->messages, (uint64_t)dev << 32 | gt, (uint64_t)kind << 32 | action,
		   sizeof(*m), &is_new, &err);
	if (!m)
		return err;
	m->dev = (uint32_t)dev;
	m->gt = gt;
	m->direction = kind;
	m->action = action;
	m->n++;
	m->dwords += xtr_bind_u64(b, 3, ev);
	return 0;
}

int xe_flow_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		  bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	uint64_t space = xtr_bind_u64(b, 1, ev);
	struct xe_device *d;

	if (dev < 0 || !inside)
		return dev < 0 ? (int)dev : 0;
	d = &x->device[dev];
	if (!d->flow[kind]++ || space < d->flow_min[kind])
		d->flow_min[kind] = space;
	return 0;
}

/* --- TLB invalidations ------------------------------------------------------------------------ */

static int tlb_sent(struct xe *x, uint32_t dev, uint64_t fence, uint64_t ts)
{
	uint32_t i = xtr_map_index(&x->tlb_by_fence, fence, dev);

	if (!x->tlb)
		x->tlb = calloc(XE_TLB_OPEN_MAX, sizeof(*x->tlb));
	if (!x->tlb)
		return -ENOMEM;
	if (i != XTR_MAP_NONE) { /* its end was lost */
		x->tlb[i].sent_ns = ts;
		return 0;
	}
	i = x->free_tlb;
	if (i != XTR_MAP_NONE)
		x->free_tlb = x->tlb[i].next;
	else if (x->n_tlb < XE_TLB_OPEN_MAX)
		i = x->n_tlb++;
	else
		return 0; /* no room: it counts as open, its time is not known */
	x->tlb[i] = (struct xe_tlb){ .fence = fence, .sent_ns = ts, .dev = dev };
	return xtr_map_put(&x->tlb_by_fence, fence, dev, i) ? -ENOMEM : 0;
}

static int tlb_ended(struct xe *x, uint32_t dev, uint64_t fence, uint64_t ts, bool inside)
{
	uint32_t i = xtr_map_index(&x->tlb_by_fence, fence, dev);

	if (i == XTR_MAP_NONE)
		return 0;
	xtr_map_del(&x->tlb_by_fence, fence, dev);
	x->tlb[i].next = x->free_tlb;
	x->free_tlb = i;
	return inside ? xtr_hist_add(&x->device[dev].tlb_time, ts - x->tlb[i].sent_ns) : 0;
}

/* An invalidation that timed out is signalled too; then it took that long. */
int xe_tlb_event(struct xe *x, const struct xtr_bind *b, const struct xtr_event *ev, uint32_t kind,
		 bool inside)
{
	int64_t dev = xe_device_of(x, b, 0, ev);
	uint64_t fence = xtr_bind_u64(b, 1, ev);

	if (dev < 0)
		return (int)dev;
	if (inside && !x->device[dev].tlb[kind]++ && kind == XE_TLB_TIMEOUT)
		x->device[dev].tlb_first_timeout = ev->ts;
	if (kind == XE_TLB_SEND)
		return tlb_sent(x, (uint32_t)dev, fence, ev->ts);
	return kind == XE_TLB_SIGNAL ? tlb_ended(x, (uint32_t)dev, fence, ev->ts, inside) : 0;
}
