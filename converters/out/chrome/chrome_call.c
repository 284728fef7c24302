/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls nest on the track of their thread or CPU. They come when they end, so a call inside another
 * is written first; readers sort by begin, and of two that begin together they take the first
 * written for the outer one. Where an outer call begins together with one inside it (clocks of
 * imported traces may tell microseconds only), it goes to a track beside.
 */
#include "chrome.h"

#include "replay/views/dump_view.h"
#include "replay/event/process.h"

#include <string.h>

/* The track that the call's kind belongs on. */
static int call_place(struct chrome *c, const struct xtr_call *call, uint64_t ts,
		      struct chrome_place *at)
{
	bool running = call->kind == XTR_CALL_RUNNING;
	char name[40];

	if (call->of_process && call->pid)
		return chrome_thread_place(c, xtr_process(call->pid, call->nth), call->pid, 0,
					   call->stream, ts, at);
	if (!call->on_cpu)
		return chrome_thread_place(c, xtr_process(call->pid, call->nth), call->tid,
					   call->comm, call->stream, ts, at);
	snprintf(name, sizeof(name), "CPU %u%s", call->stream, running ? "" : " interrupts");
	return chrome_pseudo_place(c, CHROME_CPUS, 2 * (uint64_t)call->stream + (running ? 1 : 2),
				   name, at);
}

/*
 * Markers have a track beside their thread's, or, of a process, beside that of its first thread;
 * slices that may overlap have one for each of those at one time.
 */
static int marker_place(struct chrome *c, const struct xtr_call *call, uint64_t begin, uint64_t end,
			struct chrome_place *at, struct chrome_owner **owner)
{
	const char *name = call->track ? call->track : "markers";
	int err = chrome_named_owner(c, at, name, owner);

	if (err || !call->overlaps)
		return err;
	return chrome_beside(c, *owner, name, begin, end, at);
}

/* True if the call can stand on its owner's track. */
static bool nests(struct chrome_owner *o, const struct xtr_call *call)
{
	uint32_t d = call->depth;
	bool ok;

	if (d >= CHROME_NEST_MAX)
		return false;
	ok = d + 1 == CHROME_NEST_MAX || o->inner[d + 1] != call->begin_ns;
	/* What is inside of this one is inside no other. */
	for (uint32_t i = d + 1; i < CHROME_NEST_MAX; i++)
		o->inner[i] = UINT64_MAX;
	for (uint32_t i = 1; ok && i <= d && call->end_ns > call->begin_ns; i++)
		if (call->begin_ns < o->inner[i])
			o->inner[i] = call->begin_ns;
	return ok;
}

static void put_args(struct chrome *c, const struct xtr_call *call)
{
	struct chrome_out *o = &c->out;

	chrome_args(o);
	if (call->kind == XTR_CALL_RUNNING) {
		chrome_u64(o, "tid", call->tid);
		if (call->pid)
			chrome_u64(o, "pid", call->pid);
		if (call->pid && call->nth)
			chrome_u64(o, "pid_nth", (uint64_t)call->nth + 1);
	} else if (!call->on_cpu) {
		chrome_u64(o, "cpu", call->stream);
	}
	if (call->kind == XTR_CALL_WAIT)
		chrome_fence(o, "fence", call->ctx, call->seqno);
	if (call->ret_known)
		chrome_s64(o, "ret", call->ret);
	if (call->module)
		chrome_text(o, "module", call->module, strlen(call->module));
	if (call->entry.desc || call->exit.desc) {
		chrome_key(o, "captured");
		xtr_dump_captured(chrome_json(o), c->section.tables, call);
	}
	if (!call->begin_ns)
		chrome_plain(o, "begin", "not recorded");
	if (!call->end_ns && !call->loose)
		chrome_plain(o, "end", "not recorded");
	if (call->gap)
		chrome_plain(o, "lost", "events were lost meanwhile");
	chrome_args_end(o);
}

int chrome_call(void *self, const struct xtr_call *call)
{
	struct chrome *c = self;
	const char *name = *call->name ? call->name : xtr_call_kind_name(call->kind);
	uint64_t ts = call->begin_ns ? call->begin_ns : call->end_ns;
	bool whole = call->begin_ns && call->end_ns >= call->begin_ns;
	uint64_t ns = chrome_time(c, ts), length = call->end_ns - call->begin_ns;
	struct chrome_owner *owner;
	struct chrome_place at;
	int err = call_place(c, call, ts, &at);

	if (!err && call->kind == XTR_CALL_MARKER)
		err = marker_place(c, call, ns, whole ? ns + length : ns, &at, &owner);
	if (!err && whole && !call->overlaps) {
		if (call->kind != XTR_CALL_MARKER)
			err = chrome_owner_of(c, &at, &owner);
		if (!err && !nests(owner, call))
			err = chrome_beside(c, owner, "calls that begin together", ns, ns + length,
					    &at);
	}
	if (err)
		return err;
	chrome_begin(c, whole ? "X" : "i", xtr_call_kind_name(call->kind), name, strlen(name), &at,
		     ns);
	if (whole)
		chrome_us(&c->out, "dur", length);
	else
		chrome_plain(&c->out, "s", "t");
	put_args(c, call);
	chrome_event_end(&c->out);
	return 0;
}
