/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_view.h"
#include "replay/event/field.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

void xtr_dump_init(struct xtr_dump *d, const struct xtr_meta *meta, const struct xtr_tables *t)
{
	*d = (struct xtr_dump){
		.tables = t,
		.times = xtr_meta_has_times(meta),
		.threads = !meta || !xtr_meta_config_str(meta, "import-without-threads"),
	};
}

static void text_gap(FILE *f, const struct xtr_dump *d, const struct xtr_gap *gap)
{
	char from[XTR_TEXT_NUMBER], to[XTR_TEXT_NUMBER];

	if (xtr_gap_left_out(gap)) {
		fputs("LEFT OUT events", f);
	} else {
		fprintf(f, "LOST %" PRIu64 " %s on ", gap->count,
			gap->count == 1 ? "event" : "events");
		if (gap->stream == XTR_STREAM_NONE)
			fputs("an unknown CPU", f);
		else
			fprintf(f, "CPU %u", gap->stream);
	}
	xtr_text_place(from, d->times, gap->first);
	if (!d->times && gap->first == gap->last)
		fprintf(f, " before %s\n", from);
	else
		fprintf(f, " between %s and %s\n", from, xtr_text_place(to, d->times, gap->last));
}

static const struct xtr_task *task_of(struct xtr_dump *d, const struct xtr_event *ev)
{
	return ev->tid ? xtr_task_cache_get(&d->tasks, d->tables, ev->tid, ev->ts) : NULL;
}

/* As trace-cmd writes it: <idle> for the idle task, <...> where the name is not known. */
static void text_task(struct xtr_line *l, struct xtr_dump *d, const struct xtr_event *ev)
{
	const struct xtr_task *task = task_of(d, ev);
	const char *comm = NULL;
	char name[XTR_TEXT_NAME];
	size_t n = 0;

	if (task)
		comm = xtr_tables_string(d->tables, task->comm, &n);
	if (!ev->tid && d->threads)
		comm = "<idle>";
	else if (!comm)
		comm = "<...>";
	else
		comm = xtr_text_name(name, sizeof(name), comm, n);
	n = strlen(comm);
	xtr_line_fill(l, ' ', n < 16 ? 16 - n : 0);
	xtr_line_put(l, comm, n);
	xtr_line_char(l, '-');
	xtr_line_left(l, ev->tid, 7);
}

static void text_place(struct xtr_line *l, const struct xtr_dump *d, const struct xtr_event *ev)
{
	xtr_line_put(l, " [", 2);
	xtr_line_u64(l, ev->stream, 3);
	xtr_line_put(l, "] ", 2);
	if (d->times) {
		xtr_line_u64(l, ev->ts / 1000000000, 1);
		xtr_line_char(l, '.');
		xtr_line_u64(l, ev->ts % 1000000000, 9);
	} else {
		xtr_line_char(l, '#');
		xtr_line_u64(l, ev->ts, 1);
	}
	xtr_line_put(l, ": ", 2);
}

/* META does not have the type: what is behind the record's head. */
static void text_unknown(struct xtr_line *l, const struct xtr_event *ev)
{
	xtr_line_str(l, "type:");
	xtr_line_u64(l, ev->type, 1);
	xtr_line_str(l, ": hex=");
	if (ev->size > 16)
		xtr_line_bytes(l, ev->rec + 16, ev->size - 16);
	xtr_line_char(l, '\n');
}

/* Records may be shorter than META says; what lies past their end is left out. */
static bool fits(const struct xtr_field *field, uint32_t size)
{
	uint32_t width = xtr_repr_width(field->repr) ? xtr_repr_width(field->repr) : field->size;

	return field->offset <= size && width <= size - field->offset;
}

/* Frames have lines of their own; an event without a stack says nothing of stacks. */
static void text_fields(struct xtr_line *l, const struct xtr_tables *t, const struct xtr_event *ev)
{
	const struct xtr_event_desc *desc = ev->desc;
	bool stacks = false;

	xtr_line_text(l, desc->name, strlen(desc->name));
	xtr_line_char(l, ':');
	for (uint32_t i = 0; i < desc->n_fields; i++) {
		const struct xtr_field *field = &desc->fields[i];

		stacks |= field->repr == XTR_REPR_STACK;
		if (field->repr == XTR_REPR_STACK || !fits(field, ev->size))
			continue;
		xtr_line_char(l, ' ');
		xtr_line_text(l, field->name, strlen(field->name));
		xtr_line_char(l, '=');
		xtr_field_text(l, t, field, ev->rec, ev->size);
	}
	xtr_line_char(l, '\n');
	for (uint32_t i = 0; stacks && i < desc->n_fields; i++)
		xtr_field_stack(l, t, &desc->fields[i], ev->rec, ev->size);
}

void xtr_dump_text(FILE *f, struct xtr_dump *d, const struct xtr_event *ev)
{
	struct xtr_line l;

	if (ev->gap) {
		text_gap(f, d, ev->gap);
		return;
	}
	xtr_line_begin(&l, f);
	text_task(&l, d, ev);
	text_place(&l, d, ev);
	if (ev->desc)
		text_fields(&l, d->tables, ev);
	else
		text_unknown(&l, ev);
	xtr_line_flush(&l);
}

static void json_gap(struct xtr_json *j, const struct xtr_dump *d, const struct xtr_gap *gap)
{
	xtr_json_begin_object(j);
	if (xtr_gap_left_out(gap))
		xtr_json_kv_bool(j, "left_out", true);
	xtr_json_kv_u64(j, "lost", gap->count);
	if (gap->stream != XTR_STREAM_NONE)
		xtr_json_kv_u64(j, "cpu", gap->stream);
	xtr_json_kv_u64(j, d->times ? "first_ns" : "first_seq", gap->first);
	xtr_json_kv_u64(j, d->times ? "last_ns" : "last_seq", gap->last);
	xtr_json_document_end(j);
}

static void json_task(struct xtr_json *j, struct xtr_dump *d, const struct xtr_event *ev)
{
	const struct xtr_task *task = task_of(d, ev);
	const char *comm;
	size_t n = 0;

	xtr_json_kv_u64(j, "tid", ev->tid);
	if (!task)
		return;
	if (task->pid)
		xtr_json_kv_process(j, "pid", xtr_process_of(task));
	comm = xtr_tables_string(d->tables, task->comm, &n);
	xtr_json_key(j, "comm");
	xtr_json_strn(j, comm, n);
}

static void json_hex(struct xtr_json *j, const struct xtr_event *ev)
{
	const struct xtr_field payload = {
		.name = "hex", .offset = 16, .size = ev->size - 16, .repr = XTR_REPR_BYTES
	};

	xtr_field_json(j, NULL, &payload, ev->rec, ev->size);
}

void xtr_dump_fields(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_event *ev)
{
	xtr_json_begin_object(j);
	for (uint32_t i = 0; ev->desc && i < ev->desc->n_fields; i++)
		xtr_field_json(j, t, &ev->desc->fields[i], ev->rec, ev->size);
	if (!ev->desc)
		json_hex(j, ev);
	xtr_json_end_object(j);
}

void xtr_dump_captured(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_call *c)
{
	const struct xtr_call_half *const half[] = { &c->entry, &c->exit };

	xtr_json_begin_object(j);
	for (size_t i = 0; i < sizeof(half) / sizeof(half[0]); i++)
		for (uint32_t k = 0; half[i]->desc && k < half[i]->desc->n_fields; k++)
			if (xtr_call_captured(&half[i]->desc->fields[k]))
				xtr_field_json(j, t, &half[i]->desc->fields[k], half[i]->rec,
					       half[i]->size);
	xtr_json_end_object(j);
}

void xtr_dump_json(struct xtr_json *j, struct xtr_dump *d, const struct xtr_event *ev)
{
	if (ev->gap) {
		json_gap(j, d, ev->gap);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, d->times ? "ts_ns" : "seq", ev->ts);
	xtr_json_kv_u64(j, "cpu", ev->stream);
	json_task(j, d, ev);
	xtr_json_kv_u64(j, "type", ev->type);
	xtr_json_kv_str(j, "event", ev->desc ? ev->desc->name : NULL);
	xtr_json_key(j, "fields");
	xtr_dump_fields(j, d->tables, ev);
	xtr_json_document_end(j);
}
