/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of xe: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "replay/event/process.h"
#include "xe_impl.h"

#include <inttypes.h>
#include <string.h>

static void put_label(struct xtr_rows *r, const struct xtr_labels *l, uint32_t i)
{
	xtr_put_name(r, l->name[i], strlen(l->name[i]));
}

/* "4711 compositor" */
static void put_owner(struct xtr_rows *r, const struct xe *x, uint64_t process, uint32_t comm)
{
	char name[XTR_TEXT_NUMBER], pid[XTR_TEXT_PROCESS];
	size_t n = 0;
	const char *s = comm && x->o->tables ? xtr_tables_string(x->o->tables, comm, &n) : NULL;

	xtr_text_process(pid, process);
	if (process && s)
		xtr_put_format(r, "%s %s", pid, xtr_text_name(name, sizeof(name), s, n));
	else
		xtr_put_copy(r, pid);
}

/* Number and name, for JSON. */
static void put_class(struct xtr_rows *r, uint32_t class)
{
	char buf[32];

	xtr_put_u64(r, class != XE_CLASS_UNKNOWN, class);
	if (class == XE_CLASS_UNKNOWN)
		xtr_put_text(r, NULL);
	else
		xtr_put_copy(r, xe_class_text(class, buf));
}

#define DEVICE                                                                 \
	{                                                                      \
		"device", "<device", XTR_C_TEXT, XTR_PUT, "name of the device" \
	}
#define CLASS_ID                                                                            \
	{                                                                                   \
		"class_id", NULL, XTR_C_NUMBER, XTR_PUT, "the driver's number of the class" \
	}

/* --- engines ---------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct xe_class, member)
static const struct xtr_section_column class_columns[] = {
	DEVICE,
	CLASS_ID,
	{ "class", NULL, XTR_C_TEXT, XTR_PUT, "and its name" },
	{ NULL, "<engines", XTR_C_TEXT, XTR_PUT },
	SHOWN("queues", "queues", queues, "lives of queues"),
	SHOWN("jobs", "jobs", jobs, "jobs that are done"),
	{ "busy_ns", "busy", XTR_C_NS | XTR_C_TIMES, AT(busy.total),
	  "time in which one of these jobs was on the hardware" },
	{ "busy_exact", NULL, XTR_C_BOOL, XTR_PUT, "false: too high, for want of memory" },
	{ NULL, "share", XTR_C_SHARE | XTR_C_TIMES, XTR_PUT },
	{ "residence_sum_ns", "run to end", XTR_C_NS | XTR_C_TIMES, AT(residence_ns),
	  "sum over the jobs, from run to end" },
};
#undef AT

static void fill_classes(const void *self, struct xtr_rows *r)
{
	const struct xe *x = self;
	char name[32];

	for (uint32_t i = 0; i < x->devices.n; i++)
		for (uint32_t k = 0; k < XE_CLASSES; k++) {
			const struct xe_class *c = &x->device[i].class[k];
			bool known = k < XE_CLASSES - 1;

			if (!c->queues && !c->jobs)
				continue;
			put_label(r, &x->devices, i);
			put_class(r, known ? k : XE_CLASS_UNKNOWN);
			xtr_put_text(r, known ? xe_class_text(k, name) : "(not known)");
			xtr_put_u64(r, true, !c->busy.inexact);
			xtr_put_share(r, true, c->busy.total, x->o->span_ns);
			xtr_row(r, c);
		}
}

static const struct xtr_section_table classes = XTR_TABLE(
	"engines", "engines of a class, by device", class_columns, fill_classes, XTR_SHOW_ALL);

/* --- queues ----------------------------------------------------------------------------------- */

#define AT(member)          XTR_AT(struct xe_queue, member)
#define JOB(id, key, event) { key, NULL, XTR_C_COUNT, AT(job[XE_JOB_##id]), "events " event },
static const struct xtr_section_column queue_columns[] = {
	DEVICE,
	{ "gt", "gt", XTR_C_NUMBER, AT(gt), "number of the GT" },
	{ "guc_id", NULL, XTR_C_NUMBER, AT(guc), "the firmware's number of the queue" },
	{ "queue", "<queue", XTR_C_TEXT, XTR_PUT, "the scheduler's name of it" },
	{ NULL, "<process", XTR_C_TEXT, XTR_PUT },
	CLASS_ID,
	{ "class", NULL, XTR_C_TEXT, XTR_PUT, "and its name" },
	{ "width", NULL, XTR_C_NUMBER, AT(width), "engines that a job takes at once" },
	{ "pid", NULL, XTR_C_PROCESS, AT(process), "process" },
	{ "comm", NULL, XTR_C_STRING, AT(comm), "its name" },
	{ "created_ns", NULL, XTR_C_NS | XTR_C_KNOWN, XTR_PUT, "when it was made" },
	{ "ended_ns", NULL, XTR_C_NS | XTR_C_KNOWN, AT(to_ns), "when its number was given back" },
	XE_JOB_KINDS(JOB){ "first_error", NULL, XTR_C_SIGNED, AT(first_error),
			   "of sched_job_set_error" },
	{ NULL, "jobs", XTR_C_COUNT, AT(job[XE_JOB_EXEC]) },
	SHOWN("done", "done", done, "jobs with run and end"),
	SHOWN("open", "open", open, "jobs that are neither done nor freed"),
	COUNT("unsignaled", unsignaled,
	      "jobs that were freed, and whose hardware fence was never signalled"),
	{ "long_running", NULL, XTR_C_BOOL, XTR_PUT, "all its jobs were over at once" },
	{ "busy_ns", NULL, XTR_C_NS | XTR_C_TIMES, AT(busy_ns),
	  "time in which one of its jobs was on the hardware" },
	{ NULL, "busy", XTR_C_NS | XTR_C_TIMES, XTR_PUT },
	{ "residence_ns", "p50|p99|max", XTR_C_HIST, AT(residence), "from run to end" },
	HIST("queue_wait_ns", wait, "from submission to run"),
	{ "events", NULL, XTR_C_ANY, XTR_PUT, "events of the queue by name, those that happened" },
	{ NULL, "resets", XTR_C_COUNT, AT(event[XE_QUEUE_RESET]) },
	{ NULL, "timeouts", XTR_C_COUNT, AT(job[XE_JOB_TIMEDOUT]) },
	{ NULL, "mem errors", XTR_C_COUNT, AT(event[XE_QUEUE_CAT_ERROR]) },
	{ NULL, "bans", XTR_C_COUNT, AT(job[XE_JOB_BAN]) },
	{ NULL, "<life", XTR_C_TEXT, XTR_PUT },
};
#undef AT

static void queue_events(const void *self, const void *row, struct xtr_json *j)
{
#define KEY(id, key, event) key,
	static const char *const keys[] = { XE_QUEUE_KINDS(KEY) };
	const struct xe_queue *q = row;

	(void)self;
	xtr_json_begin_object(j);
	for (uint32_t i = 0; i < XE_QUEUE_KIND_COUNT; i++)
		if (q->event[i])
			xtr_json_kv_u64(j, keys[i], q->event[i]);
	xtr_json_end_object(j);
}

static bool put_queues(struct xtr_rows *r, const void *row)
{
	const struct xe *x = xtr_rows_self(r);
	char name[32];
	const struct xe_queue *q = row;

	put_label(r, &x->devices, q->dev);
	xtr_put_copy(r, xe_queue_name(q, name));
	put_owner(r, x, q->process, q->comm);
	put_class(r, q->class);
	xtr_put_u64(r, q->creations, q->from_ns);
	xtr_put_u64(r, true, xe_queue_instant(q));
	xtr_put_u64(r, q->done, q->busy_ns);
	xtr_put_any(r, queue_events, q);
	xtr_put_text(r, !q->creations ? "from before" : !q->to_ns ? "still there" : "destroyed");
	return true;
}

static const struct xtr_section_table queues =
	XTR_TABLE_OF("queues", "a life of a queue, oldest first", queue_columns,
		     XTR_ARRAY(struct xe, queue, n_queues), put_queues, XTR_SHOW_TOP);

/* --- devices ---------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct xe_device, member)
#define FLOW(way, k)                                                 \
	{ way "_flow_control", NULL, XTR_C_COUNT, AT(flow[k]),       \
	  "how often messages " way " had to wait for room" },       \
	{                                                            \
		way "_least_space", NULL, XTR_C_COUNT, XTR_PUT,      \
			"least room for such, when they had to wait" \
	}
#define EVENTS(id, key, event) \
	{ "power." key, NULL, XTR_C_COUNT, AT(power[XE_POWER_##id]), "events " event },
/* Parts of the text. */
enum {
	TLB = 1,
	POWER = 2
};
static const struct xtr_section_column device_columns[] = {
	DEVICE,
	COUNT("created", bo[XE_BO_CREATE], "buffers made"),
	COUNT("created_bytes", bytes[XE_BO_CREATE], "their size"),
	COUNT("validated", bo[XE_BO_VALIDATE], "buffers validated"),
	COUNT("validated_bytes", bytes[XE_BO_VALIDATE], "their size"),
	COUNT("cpu_faults", bo[XE_BO_FAULT], "faults of the CPU on buffers"),
	COUNT("cpu_fault_bytes", bytes[XE_BO_FAULT], "the buffers' size"),
	FLOW("h2g", 0),
	FLOW("g2h", 1),
	PART("tlb_invalidations.sent", "TLB invalidations", COUNT, tlb[XE_TLB_SEND],
	     "messages for them", TLB),
	PART("tlb_invalidations.received", "received", COUNT, tlb[XE_TLB_RECV], "answers", TLB),
	PART("tlb_invalidations.signaled", "signalled", COUNT, tlb[XE_TLB_SIGNAL],
	     "fences of them that were signalled", TLB),
	PART("tlb_invalidations.timeouts", "timeouts", COUNT, tlb[XE_TLB_TIMEOUT],
	     "fences of them that timed out", TLB),
	PART("tlb_invalidations.time_ns", "p50|p99|max", HIST, tlb_time, "from message to signal",
	     TLB),
	PART(NULL, "runtime suspends", COUNT, power[XE_POWER_RUNTIME_SUSPEND], NULL, POWER),
	PART(NULL, "resumes", COUNT, power[XE_POWER_RUNTIME_RESUME], NULL, POWER),
	XE_POWER_KINDS(EVENTS){ "power.asleep_ns", "asleep", XTR_C_NS | XTR_C_TIMES, AT(asleep_ns),
				"time between runtime suspend and resume", POWER },
	{ "power.asleep_at_end", NULL, XTR_C_BOOL, XTR_PUT, "asleep at the end of the trace" },
	PART(NULL, "system suspends", COUNT, power[XE_POWER_SUSPEND], NULL, POWER),
	PART(NULL, "resumes", COUNT, power[XE_POWER_RESUME], NULL, POWER),
};
#undef FLOW
#undef EVENTS
#undef AT

static bool put_devices(struct xtr_rows *r, const void *row)
{
	const struct xe *x = xtr_rows_self(r);
	const struct xe_device *d = row;

	put_label(r, &x->devices, (uint32_t)(d - x->device));
	xtr_put_u64(r, d->flow[0], d->flow_min[0]);
	xtr_put_u64(r, d->flow[1], d->flow_min[1]);
	xtr_put_u64(r, true, d->asleep_since != 0);
	return true;
}

static bool put_tlb(struct xtr_rows *r, const void *row)
{
	const uint64_t *n = ((const struct xe_device *)row)->tlb;

	return (n[XE_TLB_SEND] || n[XE_TLB_SIGNAL] || n[XE_TLB_TIMEOUT]) && put_devices(r, row);
}

static bool put_power(struct xtr_rows *r, const void *row)
{
	const uint64_t *n = ((const struct xe_device *)row)->power;

	return (n[XE_POWER_RUNTIME_SUSPEND] || n[XE_POWER_RUNTIME_RESUME] || n[XE_POWER_SUSPEND] ||
		n[XE_POWER_RESUME]) &&
	       put_devices(r, row);
}

#define DEVICES_TABLE(put_, ...)                                                            \
	{                                                                                   \
		.help = "a device", XTR_TABLE_COLUMNS(device_columns),                      \
		.rows = XTR_ARRAY(struct xe, device, devices.n), .put = (put_), __VA_ARGS__ \
	}
static const struct xtr_section_table devices = DEVICES_TABLE(put_devices, .name = "devices");
static const struct xtr_section_table tlb = DEVICES_TABLE(put_tlb, .parts = TLB);
static const struct xtr_section_table power = DEVICES_TABLE(put_power, .parts = POWER);

/* --- memory ----------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct xe_user, member)
static const struct xtr_section_column user_columns[] = {
	DEVICE,
	{ NULL, "<process", XTR_C_TEXT, XTR_PUT },
	{ "pid", NULL, XTR_C_PROCESS, AT(process), "process" },
	{ "comm", NULL, XTR_C_STRING, AT(comm), "its name" },
	SHOWN("created", "created", bo[XE_BO_CREATE], "buffers made"),
	SHOWN("created_bytes", "bytes", bytes[XE_BO_CREATE], "their size"),
	SHOWN("validated", "validated", bo[XE_BO_VALIDATE], "buffers validated"),
	COUNT("validated_bytes", bytes[XE_BO_VALIDATE], "their size"),
	SHOWN("cpu_faults", "CPU faults", bo[XE_BO_FAULT], "faults of the CPU on buffers"),
	COUNT("cpu_fault_bytes", bytes[XE_BO_FAULT], "the buffers' size"),
};
#undef AT

static bool put_users(struct xtr_rows *r, const void *row)
{
	const struct xe *x = xtr_rows_self(r);
	const struct xe_user *u = row;

	put_label(r, &x->devices, u->dev);
	put_owner(r, x, u->process, u->comm);
	return true;
}

static const struct xtr_section_table users = XTR_TABLE_OF(
	"memory", "buffers of a process, by device", user_columns,
	XTR_ARRAY_OF(struct xe, users.row, users.n, struct xe_user), put_users, XTR_SHOW_TOP_QUIET);

#define AT(member) XTR_AT(struct xe_move, member)
static const struct xtr_section_column move_columns[] = {
	DEVICE,
	{ "from", "<moved from", XTR_C_TEXT, XTR_PUT, "where buffers were" },
	{ "to", "<to", XTR_C_TEXT, XTR_PUT, "and are then" },
	SHOWN("count", "buffers", n, "moves"),
	SHOWN("bytes", "bytes", bytes, "size of the buffers"),
	SHOWN("lacks_source", "without source", lacks_source, "of them of buffers without content"),
};
#undef AT

static bool put_moves(struct xtr_rows *r, const void *row)
{
	const struct xe *x = xtr_rows_self(r);
	const struct xe_move *m = row;

	put_label(r, &x->devices, m->dev);
	put_label(r, &x->places, m->from);
	put_label(r, &x->places, m->to);
	return true;
}

static const struct xtr_section_table moves = XTR_TABLE_OF(
	"moves", "moves of buffers between two places, by device", move_columns,
	XTR_ARRAY_OF(struct xe, moves.row, moves.n, struct xe_move), put_moves, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct xe_space, member)
static const struct xtr_section_column space_columns[] = {
	DEVICE,
	{ "event", NULL, XTR_C_TEXT, XTR_PUT, "event of virtual memory" },
	{ NULL, "<virtual memory", XTR_C_TEXT, XTR_PUT },
	SHOWN("count", "count", n, "how often"),
	SHOWN("bytes", "bytes", bytes, "size of the ranges"),
};
#undef AT

static bool put_spaces(struct xtr_rows *r, const void *row)
{
	const struct xe *x = xtr_rows_self(r);
	const struct xe_space *s = row;

	put_label(r, &x->devices, s->dev);
	xtr_put_text(r, s->desc->name);
	xtr_put_text(r, s->desc->name + strlen("xe:xe_"));
	return true;
}

static const struct xtr_section_table spaces = XTR_TABLE_OF(
	"virtual_memory", "an event of virtual memory, by device", space_columns,
	XTR_ARRAY_OF(struct xe, spaces.row, spaces.n, struct xe_space), put_spaces, XTR_SHOW_ALL);

/* --- firmware and clocks ---------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct xe_message, member)
static const struct xtr_section_column message_columns[] = {
	DEVICE,
	{ "gt", "gt", XTR_C_NUMBER, AT(gt), "number of the GT" },
	{ "direction", NULL, XTR_C_TEXT, XTR_PUT, "h2g: to the firmware; g2h: from it" },
	{ NULL, "<GuC message", XTR_C_TEXT, XTR_PUT },
	{ "action", NULL, XTR_C_NUMBER, AT(action), "number of the action" },
	{ "name", NULL, XTR_C_TEXT, XTR_PUT, "what the driver calls it" },
	{ NULL, "<action", XTR_C_TEXT, XTR_PUT },
	SHOWN("count", "count", n, "messages"),
	{ NULL, "per second", XTR_C_COUNT | XTR_C_TIMES, XTR_PUT },
	SHOWN("dwords", "words", dwords, "their length, in words of 4 bytes"),
};
#undef AT

static bool put_messages(struct xtr_rows *r, const void *row)
{
	const struct xe *x = xtr_rows_self(r);
	uint64_t span = x->o->span_ns;
	const struct xe_message *m = row;
	const char *name = xe_action_name(m->action);

	put_label(r, &x->devices, m->dev);
	xtr_put_text(r, m->direction == XE_H2G ? "h2g" : "g2h");
	xtr_put_text(r, m->direction == XE_H2G ? "to" : "from");
	xtr_put_text(r, name);
	xtr_put_format(r, "0x%04x %s", m->action, name ? name : "");
	xtr_put_u64(r, span, span ? (uint64_t)((double)m->n * 1e9 / (double)span) : 0);
	return true;
}

static const struct xtr_section_table messages = XTR_TABLE_OF(
	"guc_messages", "messages of the firmware GuC of an action, by device and GT",
	message_columns, XTR_ARRAY_OF(struct xe, messages.row, messages.n, struct xe_message),
	put_messages, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct xe_ticks, member)
static const struct xtr_section_column tick_columns[] = {
	DEVICE,
	{ "name", "<GPU clock of", XTR_C_TEXT, XTR_PUT, "what the clock is of" },
	{ "of", "<kind", XTR_C_TEXT, XTR_PUT, "context or engine" },
	SHOWN("samples", "samples", n, "events"),
	SHOWN("active_ticks", "active ticks", active, "ticks in which it was active"),
	{ "total_ticks", "of", XTR_C_COUNT, XTR_PUT, "of so many; of engines only" },
	{ NULL, "share", XTR_C_SHARE, XTR_PUT },
};
#undef AT

static bool put_ticks(struct xtr_rows *r, const void *row)
{
	const struct xe *x = xtr_rows_self(r);
	const struct xe_ticks *t = row;

	put_label(r, &x->devices, t->dev);
	put_label(r, &x->clocks, t->name);
	xtr_put_text(r, t->engine ? "engine" : "context");
	xtr_put_u64(r, t->engine, t->total);
	xtr_put_share(r, t->engine, t->active, t->total);
	return true;
}

static const struct xtr_section_table ticks = XTR_TABLE_OF(
	"gpu_clocks", "a clock of the GPU, by device", tick_columns,
	XTR_ARRAY_OF(struct xe, ticks.row, ticks.n, struct xe_ticks), put_ticks, XTR_SHOW_ALL);

/* --- the section ------------------------------------------------------------------------------ */

static void line_flow(const struct xe *x, uint32_t i, FILE *f)
{
	static const char *const way[] = { "to", "from" };
	char n[XTR_TEXT_NUMBER], space[XTR_TEXT_NUMBER];

	for (uint32_t k = 0; k < 2; k++) {
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

static void text_notes(const struct xe *x, FILE *f)
{
	char n[XTR_TEXT_NUMBER];

	for (uint32_t i = 0; i < x->devices.n; i++)
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

const struct xtr_section_table *const xe_tables[] = { &classes, &queues,   &devices, &users, &moves,
						      &spaces,  &messages, &ticks,   NULL };

int xe_text(const void *self, const struct xtr_view *v)
{
	static const struct xtr_section_table *const then[] = { &users, &moves, &spaces, &messages,
								&tlb,   &power, &ticks,  NULL };
	const struct xe *x = self;
	int err = xtr_table_text(&classes, x, x->o, v->f);
	uint32_t i;

	if (!err)
		err = xtr_table_text(&queues, x, x->o, v->f);
	for (i = 0; i < x->n_queues && !xe_queue_instant(&x->queue[i]); i++)
		;
	if (i < x->n_queues)
		fputs("  some queues are long-running ones: their jobs end at once in the trace\n",
		      v->f);
	if (!err)
		err = xtr_tables_text(then, x, x->o, v->f);
	text_notes(x, v->f);
	return err;
}

void xe_json(const void *self, struct xtr_json *j)
{
	const struct xe *x = self;

	xtr_json_begin_object(j);
	xtr_json_kv_bool(j, "lower_bounds", x->gaps);
	xtr_tables_json(xe_tables, x, x->o, j);
	xtr_event_counts_json(&x->counts, j);
	xtr_json_kv_u64(j, "try_signals", x->try_signals);
	xtr_json_kv_u64(j, "orphan_signals", x->orphans);
	xtr_json_kv_u64(j, "queues_left_out", x->queues_left_out);
	xtr_json_end_object(j);
}
