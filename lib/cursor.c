/* SPDX-License-Identifier: BSD-2-Clause */
/* Events in order of time, and their fields by name. */
#include "priv.h"

#include "format/read/merge.h"
#include "format/meta/tables.h"
#include "format/xtr_format.h"
#include "replay/event/field.h"
#include "base/buf.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct xtr_cursor {
	struct xtr_merge *merge;
	const struct xtr_tables *tables;
	struct xtr_task_cache tasks;
	struct xtr_event at;
	bool threads; /* the file says which thread was current */
	FILE *stream; /* into text, made when the first text is asked for */
	struct xtr_buf text;
	char comm[XTR_TEXT_NAME], event[256], field[256];
};

struct xtr_cursor *xtr_cursor_open(const struct xtr_file *file, size_t section, uint64_t from,
				   uint64_t to, struct xtr_error *error)
{
	const struct xtr_merge_opts opts = { .sz = sizeof(opts), .from = from, .to = to };
	const struct xtr_section *s = xtr_file_section(file, section);
	struct xtr_cursor *c = s ? calloc(1, sizeof(*c)) : NULL;
	const struct xtr_err none = { 0 };
	int err = c ? xtr_merge_open(&c->merge, file->reader, s, &opts) : s ? -ENOMEM : -EINVAL;

	if (err) {
		free(c);
		xtr_error_fill(error, &none, err);
		return NULL;
	}
	c->tables = xtr_section_tables(s);
	c->threads = !xtr_meta_config_str(xtr_section_meta(s), "import-without-threads");
	return c;
}

void xtr_cursor_close(struct xtr_cursor *c)
{
	if (!c)
		return;
	xtr_merge_close(c->merge);
	if (c->stream)
		fclose(c->stream);
	xtr_buf_free(&c->text);
	free(c);
}

int xtr_cursor_next(struct xtr_cursor *c, struct xtr_error *error)
{
	struct xtr_err err = { 0 };
	int ret = xtr_merge_next(c->merge, &c->at, &err);

	if (ret != 1)
		c->at = (struct xtr_event){ 0 };
	return ret < 0 ? xtr_error_fill(error, &err, ret) : ret;
}

uint64_t xtr_cursor_time(const struct xtr_cursor *c)
{
	return c->at.ts;
}

const char *xtr_cursor_event(struct xtr_cursor *c)
{
	if (!c->at.rec)
		return NULL;
	if (c->at.desc)
		return xtr_shown(c->event, sizeof(c->event), c->at.desc->name);
	snprintf(c->event, sizeof(c->event), "type:%u", c->at.type);
	return c->event;
}

int xtr_cursor_lost(const struct xtr_cursor *c, uint64_t *n, uint64_t *first, uint64_t *last)
{
	*n = *first = *last = 0;
	if (!c->at.gap)
		return -ENOENT;
	*n = c->at.gap->count;
	*first = c->at.gap->first;
	*last = c->at.gap->last;
	return 0;
}

unsigned int xtr_cursor_cpu(const struct xtr_cursor *c)
{
	const uint32_t stream = c->at.gap ? c->at.gap->stream : c->at.stream;

	return stream == XTR_STREAM_NONE ? UINT_MAX : stream;
}

uint32_t xtr_cursor_thread(const struct xtr_cursor *c)
{
	return c->at.tid;
}

static const struct xtr_task *task_of(struct xtr_cursor *c)
{
	return c->at.tid ? xtr_task_cache_get(&c->tasks, c->tables, c->at.tid, c->at.ts) : NULL;
}

uint32_t xtr_cursor_process(struct xtr_cursor *c)
{
	const struct xtr_task *task = task_of(c);

	return task ? task->pid : 0;
}

const char *xtr_cursor_comm(struct xtr_cursor *c)
{
	const struct xtr_task *task = task_of(c);
	const char *comm = NULL;
	size_t n = 0;

	if (!c->at.tid && c->threads)
		return "<idle>";
	if (task)
		comm = xtr_tables_string(c->tables, task->comm, &n);
	return comm ? xtr_text_name(c->comm, sizeof(c->comm), comm, n) : "<...>";
}

const char *xtr_cursor_field(struct xtr_cursor *c, size_t i)
{
	if (!c->at.rec || !c->at.desc || i >= c->at.desc->n_fields)
		return NULL;
	return xtr_shown(c->field, sizeof(c->field), c->at.desc->fields[i].name);
}

/* The first field that is shown under this name; NULL if there is none. */
static const struct xtr_field *field_of(const struct xtr_cursor *c, const char *name)
{
	const struct xtr_event_desc *desc = c->at.rec ? c->at.desc : NULL;
	char shown[sizeof(c->field)];

	for (uint32_t i = 0; desc && i < desc->n_fields; i++) {
		if (!strcmp(desc->fields[i].name, name) ||
		    !strcmp(xtr_shown(shown, sizeof(shown), desc->fields[i].name), name))
			return &desc->fields[i];
	}
	return NULL;
}

int xtr_cursor_number(struct xtr_cursor *c, const char *field, uint64_t *value)
{
	*value = 0;
	return xtr_field_get(field_of(c, field), c->at.rec, c->at.size, value) ? 0 : -ENOENT;
}

static bool put_value(struct xtr_line *l, const struct xtr_cursor *c, const struct xtr_field *f)
{
	if (f->repr != XTR_REPR_STACK)
		return xtr_field_text(l, c->tables, f, c->at.rec, c->at.size);
	xtr_field_stack(l, c->tables, f, c->at.rec, c->at.size);
	return true;
}

const char *xtr_cursor_text(struct xtr_cursor *c, const char *field)
{
	const struct xtr_field *f = field_of(c, field);
	struct xtr_line l;
	bool there;

	if (!c->stream)
		c->stream = xtr_memory_stream(&c->text);
	if (!f || !c->stream)
		return NULL;
	c->text.n = 0;
	xtr_line_begin(&l, c->stream);
	there = put_value(&l, c, f);
	xtr_line_char(&l, '\0');
	xtr_line_flush(&l);
	return !xtr_memory_flush(c->stream, &c->text) && there ? (const char *)c->text.p : NULL;
}
