/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/view.h"
#include "xe_impl.h"
#include "replay/event/process.h"

#include <string.h>

static void kv_time(const struct xe *x, struct xtr_json *j, const char *key, uint64_t ns)
{
	xtr_json_key(j, key);
	if (x->o->times)
		xtr_json_u64(j, ns);
	else
		xtr_json_null(j);
}

static void kv_label(struct xtr_json *j, const char *key, const struct xtr_labels *l, uint32_t i)
{
	xtr_json_key(j, key);
	xtr_json_strn(j, l->name[i], strlen(l->name[i]));
}

static void kv_owner(const struct xe *x, struct xtr_json *j, uint64_t process, uint32_t comm)
{
	size_t n = 0;
	const char *s = comm && x->o->tables ? xtr_tables_string(x->o->tables, comm, &n) : NULL;

	xtr_json_kv_process(j, "pid", process);
	xtr_json_key(j, "comm");
	xtr_json_strn(j, s, n);
}

static void kv_class(struct xtr_json *j, uint32_t class)
{
	char buf[32];

	xtr_json_key(j, "class_id");
	if (class == XE_CLASS_UNKNOWN)
		xtr_json_null(j);
	else
		xtr_json_u64(j, class);
	xtr_json_key(j, "class");
	if (class == XE_CLASS_UNKNOWN)
		xtr_json_null(j);
	else
		xtr_json_str(j, xe_class_text(class, buf));
}

static void json_classes(const struct xe *x, struct xtr_json *j)
{
	uint32_t i, k;

	xtr_json_kv_array(j, "engines");
	for (i = 0; i < x->devices.n; i++)
		for (k = 0; k < XE_CLASSES; k++) {
			const struct xe_class *c = &x->device[i].class[k];

			if (!c->queues && !c->jobs)
				continue;
			xtr_json_begin_object(j);
			kv_label(j, "device", &x->devices, i);
			kv_class(j, k < XE_CLASSES - 1 ? k : XE_CLASS_UNKNOWN);
			xtr_json_kv_u64(j, "queues", c->queues);
			xtr_json_kv_u64(j, "jobs", c->jobs);
			kv_time(x, j, "busy_ns", c->busy.total);
			xtr_json_kv_bool(j, "busy_exact", !c->busy.inexact);
			kv_time(x, j, "residence_sum_ns", c->residence_ns);
			xtr_json_end_object(j);
		}
	xtr_json_end_array(j);
}

#define KEY(id, key, event) key,
static const char *const job_keys[] = { XE_JOB_KINDS(KEY) };
static const char *const queue_keys[] = { XE_QUEUE_KINDS(KEY) };
static const char *const power_keys[] = { XE_POWER_KINDS(KEY) };

static void json_queue(const struct xe *x, const struct xe_queue *q, struct xtr_json *j)
{
	char buf[32];
	uint32_t i;

	xtr_json_begin_object(j);
	kv_label(j, "device", &x->devices, q->dev);
	xtr_json_kv_u64(j, "gt", q->gt);
	xtr_json_kv_u64(j, "guc_id", q->guc);
	xtr_json_kv_str(j, "queue", xe_queue_name(q, buf));
	kv_class(j, q->class);
	xtr_json_kv_u64(j, "width", q->width);
	kv_owner(x, j, q->process, q->comm);
	xtr_json_kv_known(j, "created_ns", q->creations ? q->from_ns : 0);
	xtr_json_kv_known(j, "ended_ns", q->to_ns);
	for (i = 0; i < XE_JOB_KIND_COUNT; i++)
		xtr_json_kv_u64(j, job_keys[i], q->job[i]);
	xtr_json_kv_s64(j, "first_error", q->first_error);
	xtr_json_kv_u64(j, "done", q->done);
	xtr_json_kv_u64(j, "open", q->open);
	xtr_json_kv_u64(j, "unsignaled", q->unsignaled);
	xtr_json_kv_bool(j, "long_running", xe_queue_instant(q));
	kv_time(x, j, "busy_ns", q->busy_ns);
	xtr_view_json_hist(j, "residence_ns", &q->residence, false);
	xtr_view_json_hist(j, "queue_wait_ns", &q->wait, false);
	xtr_json_kv_object(j, "events");
	for (i = 0; i < XE_QUEUE_KIND_COUNT; i++)
		if (q->event[i])
			xtr_json_kv_u64(j, queue_keys[i], q->event[i]);
	xtr_json_end_object(j);
	xtr_json_end_object(j);
}

static void json_bos(const uint64_t *n, const uint64_t *bytes, struct xtr_json *j)
{
	xtr_json_kv_u64(j, "created", n[XE_BO_CREATE]);
	xtr_json_kv_u64(j, "created_bytes", bytes[XE_BO_CREATE]);
	xtr_json_kv_u64(j, "validated", n[XE_BO_VALIDATE]);
	xtr_json_kv_u64(j, "validated_bytes", bytes[XE_BO_VALIDATE]);
	xtr_json_kv_u64(j, "cpu_faults", n[XE_BO_FAULT]);
	xtr_json_kv_u64(j, "cpu_fault_bytes", bytes[XE_BO_FAULT]);
}

static void json_device(const struct xe *x, uint32_t i, struct xtr_json *j)
{
	static const char *const flow[] = { "h2g_flow_control", "g2h_flow_control" };
	static const char *const space[] = { "h2g_least_space", "g2h_least_space" };
	const struct xe_device *d = &x->device[i];
	uint32_t k;

	xtr_json_begin_object(j);
	kv_label(j, "device", &x->devices, i);
	json_bos(d->bo, d->bytes, j);
	for (k = 0; k < 2; k++) {
		xtr_json_kv_u64(j, flow[k], d->flow[k]);
		xtr_json_key(j, space[k]);
		if (d->flow[k])
			xtr_json_u64(j, d->flow_min[k]);
		else
			xtr_json_null(j);
	}
	xtr_json_kv_object(j, "tlb_invalidations");
	xtr_json_kv_u64(j, "sent", d->tlb[XE_TLB_SEND]);
	xtr_json_kv_u64(j, "received", d->tlb[XE_TLB_RECV]);
	xtr_json_kv_u64(j, "signaled", d->tlb[XE_TLB_SIGNAL]);
	xtr_json_kv_u64(j, "timeouts", d->tlb[XE_TLB_TIMEOUT]);
	xtr_view_json_hist(j, "time_ns", &d->tlb_time, false);
	xtr_json_end_object(j);
	xtr_json_kv_object(j, "power");
	for (k = 0; k < XE_POWER_KIND_COUNT; k++)
		xtr_json_kv_u64(j, power_keys[k], d->power[k]);
	kv_time(x, j, "asleep_ns", d->asleep_ns);
	xtr_json_kv_bool(j, "asleep_at_end", d->asleep_since);
	xtr_json_end_object(j);
	xtr_json_end_object(j);
}

static void json_users(const struct xe *x, struct xtr_json *j)
{
	const struct xe_user *u = x->users.row;
	uint32_t i;

	xtr_json_kv_array(j, "memory");
	for (i = 0; i < x->users.n; i++) {
		xtr_json_begin_object(j);
		kv_label(j, "device", &x->devices, u[i].dev);
		kv_owner(x, j, u[i].process, u[i].comm);
		json_bos(u[i].bo, u[i].bytes, j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_moves(const struct xe *x, struct xtr_json *j)
{
	const struct xe_move *m = x->moves.row;
	uint32_t i;

	xtr_json_kv_array(j, "moves");
	for (i = 0; i < x->moves.n; i++) {
		xtr_json_begin_object(j);
		kv_label(j, "device", &x->devices, m[i].dev);
		kv_label(j, "from", &x->places, m[i].from);
		kv_label(j, "to", &x->places, m[i].to);
		xtr_json_kv_u64(j, "count", m[i].n);
		xtr_json_kv_u64(j, "bytes", m[i].bytes);
		xtr_json_kv_u64(j, "lacks_source", m[i].lacks_source);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_spaces(const struct xe *x, struct xtr_json *j)
{
	const struct xe_space *s = x->spaces.row;
	uint32_t i;

	xtr_json_kv_array(j, "virtual_memory");
	for (i = 0; i < x->spaces.n; i++) {
		xtr_json_begin_object(j);
		kv_label(j, "device", &x->devices, s[i].dev);
		xtr_json_kv_str(j, "event", s[i].desc->name);
		xtr_json_kv_u64(j, "count", s[i].n);
		xtr_json_kv_u64(j, "bytes", s[i].bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_messages(const struct xe *x, struct xtr_json *j)
{
	const struct xe_message *m = x->messages.row;
	uint32_t i;

	xtr_json_kv_array(j, "guc_messages");
	for (i = 0; i < x->messages.n; i++) {
		const char *name = xe_action_name(m[i].action);

		xtr_json_begin_object(j);
		kv_label(j, "device", &x->devices, m[i].dev);
		xtr_json_kv_u64(j, "gt", m[i].gt);
		xtr_json_kv_str(j, "direction", m[i].direction == XE_H2G ? "h2g" : "g2h");
		xtr_json_kv_u64(j, "action", m[i].action);
		xtr_json_key(j, "name");
		xtr_json_strn(j, name, name ? strlen(name) : 0);
		xtr_json_kv_u64(j, "count", m[i].n);
		xtr_json_kv_u64(j, "dwords", m[i].dwords);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_ticks(const struct xe *x, struct xtr_json *j)
{
	const struct xe_ticks *t = x->ticks.row;
	uint32_t i;

	xtr_json_kv_array(j, "gpu_clocks");
	for (i = 0; i < x->ticks.n; i++) {
		xtr_json_begin_object(j);
		kv_label(j, "device", &x->devices, t[i].dev);
		kv_label(j, "name", &x->clocks, t[i].name);
		xtr_json_kv_str(j, "of", t[i].engine ? "engine" : "context");
		xtr_json_kv_u64(j, "samples", t[i].n);
		xtr_json_kv_u64(j, "active_ticks", t[i].active);
		xtr_json_key(j, "total_ticks");
		if (t[i].engine)
			xtr_json_u64(j, t[i].total);
		else
			xtr_json_null(j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void xe_json(const void *self, struct xtr_json *j)
{
	const struct xe *x = self;
	uint32_t i;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->gaps);
	json_classes(x, j);
	xtr_json_kv_array(j, "queues");
	for (i = 0; i < x->n_queues; i++)
		json_queue(x, &x->queue[i], j);
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "devices");
	for (i = 0; i < x->devices.n; i++)
		json_device(x, i, j);
	xtr_json_end_array(j);
	json_users(x, j);
	json_moves(x, j);
	json_spaces(x, j);
	json_messages(x, j);
	json_ticks(x, j);
	xtr_event_counts_json(&x->counts, j);
	xtr_json_kv_u64(j, "try_signals", x->try_signals);
	xtr_json_kv_u64(j, "orphan_signals", x->orphans);
	xtr_json_kv_u64(j, "queues_left_out", x->queues_left_out);
	xtr_json_end_object(j);
}
