/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder.h"
#include "recorder/drain/budget.h"
#include "recorder/output/output.h"
#include "stages.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int fail(struct xtr_record_err *err, int code, const char *what)
{
	err->code = code;
	snprintf(err->what, sizeof(err->what), "%s: %s", what, strerror(-code));
	return code;
}

/* One descriptor per CPU and up to three per event. */
static void raise_file_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
}

int xtr_recorder_open(struct xtr_recorder **out, const struct xtr_record_opts *opts,
		      struct xtr_record_err *err)
{
	struct xtr_recorder *r = calloc(1, sizeof(*r));
	int ret;

	*err = (struct xtr_record_err){ 0 };
	if (!r)
		return fail(err, -ENOMEM, "cannot record");
	xtr_stages_init(r, opts);
	raise_file_limit();
	ret = xtr_stages_up(r, XTR_STAGE_OPEN, err);
	if (ret)
		xtr_recorder_close(r);
	else
		*out = r;
	return ret;
}

int xtr_recorder_start(struct xtr_recorder *r, struct xtr_record_err *err)
{
	int ret = r->finished ? -EINVAL : 0;

	*err = (struct xtr_record_err){ 0 };
	if (!ret)
		ret = xtr_stages_up(r, XTR_STAGE_RUNNING, err);
	if (ret)
		xtr_stages_down(r, XTR_STAGE_OPEN);
	return ret;
}

size_t xtr_recorder_n_providers(const struct xtr_recorder *r)
{
	return r->bpf->n_results;
}

const struct xtr_provider *xtr_recorder_provider(const struct xtr_recorder *r, size_t i)
{
	return &r->bpf->results[i].info;
}

const char *xtr_recorder_unknown(const struct xtr_recorder *r, size_t i)
{
	return i < r->sel.n_unknown ? r->sel.unknown[i] : NULL;
}

const char *xtr_recorder_note(const struct xtr_recorder *r, size_t i)
{
	return i < r->sel.n_notes ? r->sel.notes[i] : NULL;
}

const char *xtr_recorder_unloaded(const struct xtr_recorder *r, size_t i)
{
	return xtr_modwatch_gone(&r->modules, i);
}

bool xtr_recorder_trigger_is_off(const struct xtr_recorder *r, size_t i)
{
	return r->sink.flight && i < XTR_TRIGGERS_MAX && r->sink.flight->triggers.off & 1u << i;
}

void xtr_recorder_trigger(struct xtr_recorder *r)
{
	if (r->sink.flight)
		xtr_flight_ask(r->sink.flight);
}

void xtr_recorder_trigger_for(struct xtr_recorder *r, const char *why)
{
	if (r->sink.flight)
		xtr_flight_ask_for(r->sink.flight, why);
}

bool xtr_recorder_fired(struct xtr_recorder *r, struct xtr_fired_trigger *f)
{
	return r->sink.flight && xtr_flight_fired(r->sink.flight, f);
}

int xtr_recorder_flown_fd(const struct xtr_recorder *r)
{
	return r->sink.flight ? r->sink.flight->told_fd : -1;
}

bool xtr_recorder_flown(struct xtr_recorder *r, struct xtr_flown_file *f)
{
	return r->sink.flight && xtr_flight_told(r->sink.flight, f);
}

int xtr_recorder_fd(const struct xtr_recorder *r)
{
	return r->sink.event_fd;
}

pid_t xtr_recorder_child(const struct xtr_recorder *r)
{
	return r->child.pid;
}

/* Sums of the counters that programs and the thread that reads add to meanwhile. */
static void sum_counts(const struct xtr_recorder *r, struct xtr_record_status *st)
{
	for (uint32_t i = 0; i < r->bpf->n_cpus; i++)
		st->lost += __atomic_load_n(&r->bpf->cpus[i].lost, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < r->bpf->n_cpus * r->bpf->n_slots; i++)
		st->filtered += __atomic_load_n(&r->bpf->counts[i].filtered, __ATOMIC_RELAXED);
}

void xtr_recorder_status(struct xtr_recorder *r, struct xtr_record_status *st)
{
	*st = (struct xtr_record_status){
		.elapsed_ns = r->began.at ? xtr_now() - r->began.at : 0,
		.events = atomic_load(&r->sink.events),
		.lost = atomic_load(&r->sink.dropped) +
			__atomic_load_n(&r->keep.head->malformed, __ATOMIC_RELAXED),
		.bytes = atomic_load(&r->sink.bytes),
		.pieces = atomic_load(&r->rotate.count),
		.removed = atomic_load(&r->rotate.removed),
		.cpu_ns = xtr_cpu_ns() - r->began.cpu,
		.ring_bytes = r->bpf->ring_bytes,
		.ring_high = atomic_load(&r->drain.high),
		.ring_permille = (uint32_t)atomic_load(&r->drain.permille),
		.attached = r->attached,
		.stopped = atomic_load(&r->sink.stopped),
		.error = atomic_load(&r->sink.error),
	};
	sum_counts(r, st);
}

/* Everything is taken and written: what the end of the file tells. */
static int finish(struct xtr_recorder *r, const char *reason, const struct xtr_own_cost *now)
{
	struct xtr_recorder_cost cost = { .ring_bytes = r->bpf->ring_bytes,
					  .ring_high = atomic_load(&r->drain.high) };
	const char *own = atomic_load(&r->sink.stopped);
	int err;

	xtr_own_cost_between(&cost, &r->sink.spent, now);
	(void)xtr_modwatch_note(&r->modules, r->meta); /* no memory: the caller still says it */
	err = xtr_sink_finish(&r->sink, own ? own : reason, &cost);
	if (!err)
		__atomic_store_n(&r->keep.head->done, 1, __ATOMIC_SEQ_CST);
	r->finished = true;
	return err;
}

int xtr_recorder_stop(struct xtr_recorder *r, const char *reason, struct xtr_record_status *st,
		      struct xtr_record_err *err)
{
	uint64_t elapsed = r->began.at ? xtr_now() - r->began.at : 0;
	struct xtr_own_cost now;
	int ret = 0;

	xtr_stages_down(r, XTR_STAGE_OPEN);
	xtr_own_cost_now(&now, r->bpf);
	if (!r->finished)
		ret = finish(r, reason, &now);
	xtr_recorder_status(r, st);
	st->elapsed_ns = elapsed;
	st->budget_ppm = r->sel.budget;
	st->budget_steps = r->sink.budget.steps;
	st->cost_ppm = (uint32_t)xtr_budget_spent(&r->sink.budget, &now);
	st->gone = xtr_output_gone(&r->sink, &r->opts);
	st->lost = r->rotate.piece.lost_before + xtr_loss_total(r->sink.loss);
	return ret ? fail(err, ret, xtr_output_name(&r->sink, &r->opts)) : 0;
}

void xtr_recorder_close(struct xtr_recorder *r)
{
	if (!r)
		return;
	xtr_stages_down(r, XTR_STAGE_NONE);
	free(r);
}
