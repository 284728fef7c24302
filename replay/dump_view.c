/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_view.h"
#include "field.h"
#include "text.h"

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

	fprintf(f, "LOST %" PRIu64 " %s on ", gap->count, gap->count == 1 ? "event" : "events");
	if (gap->stream == XTR_STREAM_NONE)
		fputs("an unknown CPU", f);
	else
		fprintf(f, "CPU %u", gap->stream);
	xtr_text_place(from, d->times, gap->first);
	if (!d->times && gap->first == gap->last)
		fprintf(f, " before %s\n", from);
	else
		fprintf(f, " between %s and %s\n", from, xtr_text_place(to, d->times, gap->last));
}

static const struct xtr_task *task_of(const struct xtr_tables *t, const struct xtr_event *ev)
{
	return ev->tid ? xtr_tables_task(t, ev->tid, ev->ts) : NULL;
}

/* As trace-cmd writes it: <idle> for the idle task, <...> where the name is not known. */
static void text_task(FILE *f, const struct xtr_dump *d, const struct xtr_event *ev)
{
	const struct xtr_tables *t = d->tables;
	const struct xtr_task *task = task_of(t, ev);
	const char *comm = NULL;
	char name[XTR_TEXT_NAME];
	size_t n = 0;

	if (task)
		comm = xtr_tables_string(t, task->comm, &n);
	if (!ev->tid && d->threads)
		strcpy(name, "<idle>");
	else if (!comm)
		strcpy(name, "<...>");
	else
		xtr_text_name(name, sizeof(name), comm, n);
	fprintf(f, "%16s-%-7u", name, ev->tid);
}

static void text_hex(FILE *f, const struct xtr_event *ev)
{
	uint32_t i;

	fputs(" hex=", f);
	for (i = 16; i < ev->size; i++)
		fprintf(f, "%02x", ev->rec[i]);
}

/* Frames have lines of their own; an event without a stack says nothing of stacks. */
static void text_stacks(FILE *f, const struct xtr_tables *t, const struct xtr_event *ev)
{
	uint32_t i;

	for (i = 0; i < ev->desc->n_fields; i++)
		xtr_field_stack(f, t, &ev->desc->fields[i], ev->rec, ev->size);
}

/* Records may be shorter than META says; what lies past their end is left out. */
static bool fits(const struct xtr_field *field, uint32_t size)
{
	uint32_t width = xtr_repr_width(field->repr) ? xtr_repr_width(field->repr) : field->size;

	return field->offset <= size && width <= size - field->offset;
}

void xtr_dump_text(FILE *f, const struct xtr_dump *d, const struct xtr_event *ev)
{
	const struct xtr_tables *t = d->tables;
	char stamp[XTR_TEXT_NUMBER];
	uint32_t i;

	if (ev->gap) {
		text_gap(f, d, ev->gap);
		return;
	}
	text_task(f, d, ev);
	fprintf(f, " [%03u] %s: ", ev->stream, xtr_text_place(stamp, d->times, ev->ts));
	if (!ev->desc) {
		fprintf(f, "type:%u:", ev->type);
		text_hex(f, ev);
		fputc('\n', f);
		return;
	}
	xtr_text_put(f, ev->desc->name, strlen(ev->desc->name));
	fputc(':', f);
	for (i = 0; i < ev->desc->n_fields; i++) {
		const struct xtr_field *field = &ev->desc->fields[i];

		if (!fits(field, ev->size) || field->repr == XTR_REPR_STACK)
			continue;
		fputc(' ', f);
		xtr_text_put(f, field->name, strlen(field->name));
		fputc('=', f);
		xtr_field_text(f, t, field, ev->rec, ev->size);
	}
	fputc('\n', f);
	text_stacks(f, t, ev);
}

static void json_gap(struct xtr_json *j, const struct xtr_dump *d, const struct xtr_gap *gap)
{
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "lost", gap->count);
	if (gap->stream != XTR_STREAM_NONE)
		xtr_json_kv_u64(j, "cpu", gap->stream);
	xtr_json_kv_u64(j, d->times ? "first_ns" : "first_seq", gap->first);
	xtr_json_kv_u64(j, d->times ? "last_ns" : "last_seq", gap->last);
	xtr_json_end_object(j);
	xtr_json_newline(j);
}

static void json_task(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_event *ev)
{
	const struct xtr_task *task = task_of(t, ev);
	const char *comm;
	size_t n = 0;

	xtr_json_kv_u64(j, "tid", ev->tid);
	if (!task)
		return;
	if (task->pid)
		xtr_json_kv_u64(j, "pid", task->pid);
	comm = xtr_tables_string(t, task->comm, &n);
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
	uint32_t i;

	xtr_json_begin_object(j);
	for (i = 0; ev->desc && i < ev->desc->n_fields; i++)
		xtr_field_json(j, t, &ev->desc->fields[i], ev->rec, ev->size);
	if (!ev->desc)
		json_hex(j, ev);
	xtr_json_end_object(j);
}

void xtr_dump_captured(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_call *c)
{
	const struct xtr_call_half *const half[] = { &c->entry, &c->exit };
	size_t i;
	uint32_t k;

	xtr_json_begin_object(j);
	for (i = 0; i < sizeof(half) / sizeof(half[0]); i++)
		for (k = 0; half[i]->desc && k < half[i]->desc->n_fields; k++)
			if (xtr_call_captured(&half[i]->desc->fields[k]))
				xtr_field_json(j, t, &half[i]->desc->fields[k], half[i]->rec,
					       half[i]->size);
	xtr_json_end_object(j);
}

void xtr_dump_json(struct xtr_json *j, const struct xtr_dump *d, const struct xtr_event *ev)
{
	if (ev->gap) {
		json_gap(j, d, ev->gap);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, d->times ? "ts_ns" : "seq", ev->ts);
	xtr_json_kv_u64(j, "cpu", ev->stream);
	json_task(j, d->tables, ev);
	xtr_json_kv_u64(j, "type", ev->type);
	xtr_json_kv_str(j, "event", ev->desc ? ev->desc->name : NULL);
	xtr_json_key(j, "fields");
	xtr_dump_fields(j, d->tables, ev);
	xtr_json_end_object(j);
	xtr_json_newline(j);
}
