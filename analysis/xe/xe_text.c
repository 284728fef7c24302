/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "replay/event/process.h"
#include "base/text.h"
#include "analysis/core/view.h"
#include "xe_impl.h"

#include <inttypes.h>
#include <string.h>

/* A time of which there are n values. */
static void cell_time(struct xtr_grid *t, uint64_t n, uint64_t ns)
{
	char buf[XTR_TEXT_NUMBER];

	xtr_grid_cell(t, n ? xtr_text_ns(buf, ns) : "-");
}

static void cell_label(struct xtr_grid *t, const struct xtr_labels *l, uint32_t i)
{
	char buf[XTR_TEXT_NAME];

	xtr_grid_cell(t, xtr_text_name(buf, sizeof(buf), l->name[i], strlen(l->name[i])));
}

static void cell_owner(struct xtr_grid *t, const struct xe *x, uint64_t process, uint32_t comm)
{
	char buf[XTR_TEXT_NAME], name[XTR_TEXT_NUMBER], pid[XTR_TEXT_PROCESS];
	size_t n = 0;
	const char *s = comm && x->o->tables ? xtr_tables_string(x->o->tables, comm, &n) : NULL;

	xtr_text_process(pid, process);
	if (process && s)
		snprintf(buf, sizeof(buf), "%s %s", pid, xtr_text_name(name, sizeof(name), s, n));
	xtr_grid_cell(t, process && s ? buf : pid);
}

static int text_classes(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device", "<engines", "queues",     "jobs",
					       "busy",    "share",    "run to end", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NUMBER], name[32];
	uint32_t i, k, rows = 0;

	for (i = 0; i < x->devices.n; i++)
		for (k = 0; k < XE_CLASSES; k++) {
			const struct xe_class *c = &x->device[i].class[k];

			if (!c->queues && !c->jobs)
				continue;
			rows++;
			cell_label(t, &x->devices, i);
			xtr_grid_cell(t,
				      k < XE_CLASSES - 1 ? xe_class_text(k, name) : "(not known)");
			xtr_grid_count(t, c->queues);
			xtr_grid_count(t, c->jobs);
			cell_time(t, x->o->times, c->busy.total);
			xtr_grid_cell(
				t, x->o->times ? xtr_text_percent(buf, c->busy.total, x->o->span_ns)
					       : "-");
			cell_time(t, x->o->times, c->residence_ns);
		}
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static void row_queue(const struct xe *x, const struct xe_queue *q, struct xtr_grid *t)
{
	char buf[64];
	bool timed = x->o->times && q->done;

	cell_label(t, &x->devices, q->dev);
	snprintf(buf, sizeof(buf), "%u", q->gt);
	xtr_grid_cell(t, buf);
	xtr_grid_cell(t, xe_queue_name(q, buf));
	cell_owner(t, x, q->process, q->comm);
	xtr_grid_count(t, q->job[XE_JOB_EXEC]);
	xtr_grid_count(t, q->done);
	xtr_grid_count(t, q->open);
	cell_time(t, timed, q->busy_ns);
	cell_time(t, timed, xtr_hist_quantile(&q->residence, 500));
	cell_time(t, timed, xtr_hist_quantile(&q->residence, 990));
	cell_time(t, timed, q->residence.max);
	xtr_grid_count(t, q->event[XE_QUEUE_RESET]);
	xtr_grid_count(t, q->job[XE_JOB_TIMEDOUT]);
	xtr_grid_count(t, q->event[XE_QUEUE_CAT_ERROR]);
	xtr_grid_count(t, q->job[XE_JOB_BAN]);
	xtr_grid_cell(t, !q->creations ? "from before" : !q->to_ns ? "still there" : "destroyed");
}

static int text_queues(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device",  "gt",         "<queue", "<process",
					       "jobs",     "done",       "open",   "busy",
					       "p50",      "p99",        "max",    "resets",
					       "timeouts", "mem errors", "bans",   "<life",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i;
	int ret;

	for (i = 0; i < x->n_queues && i < x->o->top; i++)
		row_queue(x, &x->queue[i], t);
	ret = xtr_grid_print(t, i ? f : NULL, 2);
	if (i < x->n_queues)
		fprintf(f, "  ... and %u more (--top)\n", x->n_queues - i);
	for (i = 0; i < x->n_queues; i++)
		if (xe_queue_instant(&x->queue[i]))
			break;
	if (i < x->n_queues)
		fputs("  some queues are long-running ones: their jobs end at once in the trace\n",
		      f);
	return ret;
}

static int text_memory(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device",   "<process",   "created", "bytes",
					       "validated", "CPU faults", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	const struct xe_user *u = x->users.row;
	uint32_t i;

	for (i = 0; i < x->users.n && i < x->o->top; i++) {
		cell_label(t, &x->devices, u[i].dev);
		cell_owner(t, x, u[i].process, u[i].comm);
		xtr_grid_count(t, u[i].bo[XE_BO_CREATE]);
		xtr_grid_count(t, u[i].bytes[XE_BO_CREATE]);
		xtr_grid_count(t, u[i].bo[XE_BO_VALIDATE]);
		xtr_grid_count(t, u[i].bo[XE_BO_FAULT]);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static int text_moves(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device", "<moved from",    "<to", "buffers",
					       "bytes",   "without source", NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	const struct xe_move *m = x->moves.row;
	uint32_t i;

	for (i = 0; i < x->moves.n; i++) {
		cell_label(t, &x->devices, m[i].dev);
		cell_label(t, &x->places, m[i].from);
		cell_label(t, &x->places, m[i].to);
		xtr_grid_count(t, m[i].n);
		xtr_grid_count(t, m[i].bytes);
		xtr_grid_count(t, m[i].lacks_source);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static int text_spaces(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device", "<virtual memory", "count", "bytes",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	const struct xe_space *s = x->spaces.row;
	uint32_t i;

	for (i = 0; i < x->spaces.n; i++) {
		cell_label(t, &x->devices, s[i].dev);
		xtr_grid_cell(t, s[i].desc->name + strlen("xe:xe_"));
		xtr_grid_count(t, s[i].n);
		xtr_grid_count(t, s[i].bytes);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static int text_messages(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device", "gt",         "<GuC message", "<action",
					       "count",   "per second", "words",        NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	const struct xe_message *m = x->messages.row;
	const char *name;
	char buf[64];
	uint32_t i;

	for (i = 0; i < x->messages.n; i++) {
		name = xe_action_name(m[i].action);
		cell_label(t, &x->devices, m[i].dev);
		snprintf(buf, sizeof(buf), "%u", m[i].gt);
		xtr_grid_cell(t, buf);
		xtr_grid_cell(t, m[i].direction == XE_H2G ? "to" : "from");
		snprintf(buf, sizeof(buf), "0x%04x %s", m[i].action, name ? name : "");
		xtr_grid_cell(t, buf);
		xtr_grid_count(t, m[i].n);
		if (x->o->times && x->o->span_ns)
			xtr_grid_count(t, (uint64_t)((double)m[i].n * 1e9 / (double)x->o->span_ns));
		else
			xtr_grid_cell(t, "-");
		xtr_grid_count(t, m[i].dwords);
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static void line_flow(const struct xe *x, uint32_t i, FILE *f)
{
	static const char *const way[] = { "to", "from" };
	char n[XTR_TEXT_NUMBER], space[XTR_TEXT_NUMBER];
	uint32_t k;

	for (k = 0; k < 2; k++) {
		if (!x->device[i].flow[k])
			continue;
		fprintf(f, "  ");
		xtr_text_put(f, x->devices.name[i], strlen(x->devices.name[i]));
		fprintf(f,
			": messages %s the firmware had to wait for room %s times (least room %s)\n",
			way[k], xtr_text_count(n, x->device[i].flow[k]),
			xtr_text_count(space, x->device[i].flow_min[k]));
	}
}

static int text_tlb(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device",  "TLB invalidations",
					       "received", "signalled",
					       "timeouts", "p50",
					       "p99",      "max",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i, rows = 0;

	for (i = 0; i < x->devices.n; i++) {
		const struct xe_device *d = &x->device[i];
		bool timed = x->o->times && d->tlb_time.n;

		if (!d->tlb[XE_TLB_SEND] && !d->tlb[XE_TLB_SIGNAL] && !d->tlb[XE_TLB_TIMEOUT])
			continue;
		rows++;
		cell_label(t, &x->devices, i);
		xtr_grid_count(t, d->tlb[XE_TLB_SEND]);
		xtr_grid_count(t, d->tlb[XE_TLB_RECV]);
		xtr_grid_count(t, d->tlb[XE_TLB_SIGNAL]);
		xtr_grid_count(t, d->tlb[XE_TLB_TIMEOUT]);
		cell_time(t, timed, xtr_hist_quantile(&d->tlb_time, 500));
		cell_time(t, timed, xtr_hist_quantile(&d->tlb_time, 990));
		cell_time(t, timed, d->tlb_time.max);
	}
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static int text_power(const struct xe *x, FILE *f)
{
	static const char *const columns[] = { "<device", "runtime suspends", "resumes",
					       "asleep",  "system suspends",  "resumes",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	uint32_t i, rows = 0;

	for (i = 0; i < x->devices.n; i++) {
		const struct xe_device *d = &x->device[i];

		if (!d->power[XE_POWER_RUNTIME_SUSPEND] && !d->power[XE_POWER_RUNTIME_RESUME] &&
		    !d->power[XE_POWER_SUSPEND] && !d->power[XE_POWER_RESUME])
			continue;
		rows++;
		cell_label(t, &x->devices, i);
		xtr_grid_count(t, d->power[XE_POWER_RUNTIME_SUSPEND]);
		xtr_grid_count(t, d->power[XE_POWER_RUNTIME_RESUME]);
		cell_time(t, x->o->times, d->asleep_ns);
		xtr_grid_count(t, d->power[XE_POWER_SUSPEND]);
		xtr_grid_count(t, d->power[XE_POWER_RESUME]);
	}
	return xtr_grid_print(t, rows ? f : NULL, 2);
}

static int text_ticks(const struct xe *x, FILE *f)
{
	static const char *const columns[] = {
		"<device", "<GPU clock of", "<kind", "samples", "active ticks", "of", "share", NULL
	};
	struct xtr_grid *t = xtr_grid_new(columns);
	const struct xe_ticks *k = x->ticks.row;
	char buf[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < x->ticks.n; i++) {
		cell_label(t, &x->devices, k[i].dev);
		cell_label(t, &x->clocks, k[i].name);
		xtr_grid_cell(t, k[i].engine ? "engine" : "context");
		xtr_grid_count(t, k[i].n);
		xtr_grid_count(t, k[i].active);
		if (k[i].engine)
			xtr_grid_count(t, k[i].total);
		else
			xtr_grid_cell(t, "-");
		xtr_grid_cell(t,
			      k[i].engine ? xtr_text_percent(buf, k[i].active, k[i].total) : "-");
	}
	return xtr_grid_print(t, i ? f : NULL, 2);
}

static void text_notes(const struct xe *x, FILE *f)
{
	char n[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < x->devices.n; i++)
		line_flow(x, i, f);
	if (x->try_signals)
		fprintf(f,
			"  %s attempts to signal hardware fences (one for each pending fence in "
			"each interrupt)\n",
			xtr_text_count(n, x->try_signals));
	if (x->orphans)
		fprintf(f,
			"  %s hardware fences were signalled of jobs that are not in the trace\n",
			xtr_text_count(n, x->orphans));
	if (!x->has_signals && x->n_jobs)
		fputs("  signals of hardware fences were not recorded: jobs end when they are "
		      "freed, at the latest\n",
		      f);
	if (x->queues_left_out)
		fprintf(f, "  %s events of queues beyond the first %u are only counted by event\n",
			xtr_text_count(n, x->queues_left_out), XE_QUEUES_MAX);
	if (x->gaps)
		fputs("  events were lost: counts are lower bounds\n", f);
}

int xe_text(const void *self, const struct xtr_view *v)
{
	static int (*const parts[])(const struct xe *, FILE *) = {
		text_classes,  text_queues, text_memory, text_moves, text_spaces,
		text_messages, text_tlb,    text_power,  text_ticks,
	};
	const struct xe *x = self;
	size_t i;
	int ret = 0;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && !ret; i++)
		ret = parts[i](x, v->f);
	text_notes(x, v->f);
	return ret;
}
