/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a line of a scenario as a record: fields by name, texts interned as the recorder does. */
#include "kind.h"

#include "base/bytes.h"
#include "format/xtr_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct encoder {
	struct play_output *o;
	const struct play_line *l;
	const struct play_kind *k;
	uint8_t *rec;
	uint64_t flags; /* of the scheduler's events */
	bool no_hw_fence;
	const char *ring, *dev;
};

static uint32_t intern(struct play_output *o, const char *text, size_t n)
{
	uint32_t id;

	if (xtr_tables_intern(o->tables, text, n, &id))
		play_fail(NULL, "a text of %zu bytes cannot be kept", n);
	return id;
}

static void put(uint8_t *p, uint64_t v, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void put_number(const struct encoder *e, const char *text, uint32_t offset, uint32_t width)
{
	bool negative;
	uint64_t v = play_value(e->o->s, e->l, text, &negative);
	uint64_t max = width == 8 ? UINT64_MAX : (1ull << 8 * width) - 1;

	if (negative ? 0 - v > max / 2 + 1 : v > max)
		play_fail(&e->l->at, "%s does not fit into %u bytes", text, width);
	put(e->rec + offset, v, width);
}

/* --- tracepoints ------------------------------------------------------------------------------ */

static uint32_t element_width(const struct play_line *l, const struct xtr_tp_field *f)
{
	static const struct {
		const char *type;
		uint32_t width;
	} types[] = {
		{ "64", 8 },   { "long", 8 }, { "32", 4 },  { "16", 2 },       { "short", 2 },
		{ "char", 1 }, { "8", 1 },    { "int", 4 }, { "unsigned", 4 },
	};
	const char *bracket = strchr(f->type, '[');
	unsigned long n = bracket ? strtoul(bracket + 1, NULL, 10) : 0;

	if (n && f->size % n == 0)
		return (uint32_t)(f->size / n);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strstr(f->type, types[i].type))
			return types[i].width;
	play_fail(&l->at, "%s %s: elements of unknown width", f->type, f->name);
}

/* a,b,c into bytes; how many bytes that are. */
static uint32_t array(const struct encoder *e, const char *text, uint32_t width, uint8_t *to,
		      uint32_t room)
{
	uint32_t used = 0;

	while (*text) {
		size_t n = strcspn(text, ",");
		bool negative;
		uint64_t v = play_value(e->o->s, e->l, play_copy(text, n), &negative);

		if (used + width > room)
			play_fail(&e->l->at, "more than %u elements", room / width);
		put(to + used, v, width);
		used += width;
		text += n + (text[n] == ',');
	}
	return used;
}

static void put_tracepoint_field(const struct encoder *e, uint32_t i, const char *text)
{
	const struct xtr_field *f = &e->k->desc.fields[i];
	const struct xtr_tp_field *in = &e->k->format->fields[e->k->tp->from[i]];
	uint8_t bytes[XTR_TP_HEX_MAX];
	uint32_t id = 0, n;

	if (e->k->tp->text[i] == XTR_TP_TEXT) {
		put(e->rec + f->offset, intern(e->o, text, strlen(text)), f->size);
	} else if (e->k->tp->text[i] == XTR_TP_HEX_TEXT) {
		n = array(e, text, element_width(e->l, in), bytes, sizeof(bytes));
		if (xtr_tp_intern_hex(e->o->tables, bytes, n, &id))
			play_fail(&e->l->at, "%s: too long", f->name);
		put(e->rec + f->offset, id, f->size);
	} else if (f->repr == XTR_REPR_STR) {
		if (strlen(text) > f->size)
			play_fail(&e->l->at, "%s: more than %u bytes", f->name, f->size);
		memcpy(e->rec + f->offset, text, strlen(text));
	} else if (f->repr == XTR_REPR_BYTES) {
		array(e, text, element_width(e->l, in), e->rec + f->offset, f->size);
	} else {
		put_number(e, text, f->offset, f->size);
	}
}

/* A text that is left out is empty, which has an id like any other. */
static void empty_texts(const struct encoder *e)
{
	for (uint32_t i = 0; i < e->k->desc.n_fields; i++)
		if (e->k->tp->text[i] != XTR_TP_NO_TEXT)
			put(e->rec + e->k->desc.fields[i].offset, intern(e->o, "", 0),
			    e->k->desc.fields[i].size);
}

/* --- built-in events -------------------------------------------------------------------------- */

static const struct xtr_field *field_of(const struct encoder *e, const char *name)
{
	const struct xtr_field *f = xtr_event_field(&e->k->desc, name);

	if (!f)
		play_fail(&e->l->at, "%s has no field %s", e->k->name, name);
	return f;
}

static void put_field(const struct encoder *e, const char *name, uint64_t v)
{
	const struct xtr_field *f = field_of(e, name);

	put(e->rec + f->offset, v, f->size);
}

static void put_fence(struct encoder *e, const char *name)
{
	const struct play_fence *f = play_fence(e->o->s, &e->l->at, name);

	put_field(e, "ctx", f->ctx);
	put_field(e, "seqno", f->seqno);
	if (xtr_event_field(&e->k->desc, "ops"))
		put_field(e, "ops", intern(e->o, f->ops, strlen(f->ops)));
}

static void put_dep(struct encoder *e, const char *name)
{
	const struct play_fence *f = play_fence(e->o->s, &e->l->at, name);

	put_field(e, "dep_ctx", f->ctx);
	put_field(e, "dep_seqno", f->seqno);
}

static void put_client(struct encoder *e, const char *text)
{
	const struct xtr_field *f = field_of(e, "client_id");

	put_number(e, text, f->offset, f->size);
	e->flags |= XTR_JOB_CLIENT_KNOWN;
}

static void put_ring(struct encoder *e, const char *text)
{
	e->ring = text;
}

static void put_dev(struct encoder *e, const char *text)
{
	e->dev = text;
}

static void put_dep_signaled(struct encoder *e, const char *text)
{
	e->flags |= play_number(&e->l->at, text, 1) ? XTR_JOB_DEP_SIGNALED : 0;
}

/* The fence given is the job's finished one. */
static void put_hw_fence(struct encoder *e, const char *text)
{
	e->no_hw_fence = !strcmp(text, "0");
}

static void put_dep_scheduled(struct encoder *e, const char *text)
{
	const struct xtr_field *f = field_of(e, "dep_ctx");

	if (!play_number(&e->l->at, text, 1))
		return;
	e->flags |= XTR_JOB_DEP_SCHEDULED;
	put(e->rec + f->offset, xtr_le64(e->rec + f->offset) - 1, f->size);
}

static const struct {
	const char *name;
	void (*put)(struct encoder *e, const char *text);
} special[] = {
	{ "fence", put_fence },
	{ "dep", put_dep },
	{ "client_id", put_client },
	{ "ring", put_ring },
	{ "dev", put_dev },
	{ "dep_signaled", put_dep_signaled },
	{ "dep_scheduled", put_dep_scheduled },
	{ "hw_fence", put_hw_fence },
};

static void put_builtin_field(struct encoder *e, const struct play_word *w)
{
	const struct xtr_field *f;

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (!strcmp(special[i].name, w->text)) {
			special[i].put(e, w->value);
			return;
		}
	f = field_of(e, w->text);
	if (f->repr == XTR_REPR_STRID)
		put(e->rec + f->offset, intern(e->o, w->value, strlen(w->value)), f->size);
	else
		put_number(e, w->value, f->offset, f->size);
}

/* NAME#N is another scheduler of that name than NAME. */
static uint32_t ring_id(struct play_output *o, const char *dev, const char *text)
{
	size_t n = strcspn(text, "#");
	uint64_t instance = text[n] ? strtoul(text + n + 1, NULL, 10) : 0;
	struct xtr_ring r = { .since = PLAY_START_NS,
			      .device = intern(o, dev, strlen(dev)),
			      .name = intern(o, text, n) };

	for (size_t i = 0; i < xtr_tables_n_rings(o->tables); i++) {
		const struct xtr_ring *have = xtr_tables_ring_at(o->tables, i);

		if (have->device == r.device && have->name == r.name &&
		    have->sched >> 32 == instance)
			return have->id;
	}
	r.id = ++o->n_rings;
	r.sched = instance << 32 | (0x5c0000 + r.id);
	if (xtr_tables_add_ring(o->tables, &r))
		play_fail(NULL, "out of memory");
	return r.id;
}

/* A driver that gives the scheduler no fence for a job is one that a scenario has to ask for:
 * hw_fence=0. */
static uint32_t default_flags(const struct encoder *e)
{
	if (e->k->desc.type != XTR_EV_JOB_DONE || e->no_hw_fence)
		return 0;
	return XTR_JOB_HW_FENCE | XTR_JOB_HW_SIGNALED;
}

static void encode_builtin(struct encoder *e)
{
	for (size_t i = 0; i < e->l->n_fields; i++)
		put_builtin_field(e, &e->l->fields[i]);
	if (e->ring && !e->dev)
		play_fail(&e->l->at, "ring= without dev=");
	if (e->ring)
		put_field(e, "ring", ring_id(e->o, e->dev, e->ring));
	if (xtr_event_field(&e->k->desc, "flags")) {
		e->flags |= e->l->kthread ? XTR_JOB_KTHREAD : 0;
		put_field(e, "flags", e->flags | default_flags(e));
	}
}

/* --- functions, and all ----------------------------------------------------------------------- */

static uint32_t context_of(const struct encoder *e, const char *text)
{
	const struct xtr_field *f = &e->k->desc.fields[0];

	for (uint32_t i = 0; i < f->n_names; i++)
		if (!strcmp(f->names[i].name, text))
			return (uint32_t)f->names[i].value;
	play_fail(&e->l->at, "no context %s", text);
}

static void encode_function(const struct encoder *e)
{
	put(e->rec + 16, e->l->tid ? XTR_CONTEXT_TASK : XTR_CONTEXT_HARDIRQ, 4);
	for (size_t i = 0; i < e->l->n_fields; i++) {
		const struct play_word *w = &e->l->fields[i];
		const struct xtr_field *f;

		if (!strcmp(w->text, "context")) {
			put(e->rec + 16, context_of(e, w->value), 4);
			continue;
		}
		f = field_of(e, play_copy(w->text, strcspn(w->text, ":")));
		put_number(e, w->value, f->offset, f->size);
	}
}

static void encode_tracepoint(const struct encoder *e)
{
	empty_texts(e);
	for (size_t i = 0; i < e->l->n_fields; i++) {
		const struct play_word *w = &e->l->fields[i];
		const struct xtr_field *f = field_of(e, w->text);

		put_tracepoint_field(e, (uint32_t)(f - e->k->desc.fields), w->value);
	}
}

/* The thread, if it is new or has another name now. */
static void note_task(struct play_output *o, const struct play_line *l)
{
	const struct xtr_task *have = xtr_tables_task(o->tables, l->tid, l->ts);
	struct xtr_task t = { .tid = l->tid, .pid = l->pid, .since = l->ts };

	if (!l->tid)
		return;
	t.comm = intern(o, l->comm, strlen(l->comm));
	t.flags = l->kthread ? XTR_TASK_KTHREAD : 0;
	if (have && have->comm == t.comm && have->pid == t.pid && have->flags == t.flags)
		return;
	if (xtr_tables_add_task(o->tables, &t))
		play_fail(&l->at, "out of memory");
}

uint32_t play_encode(struct play_output *o, const struct play_line *l, uint8_t rec[PLAY_RECORD_MAX])
{
	struct encoder e = { .o = o, .l = l, .k = play_kind_of(o, l->event), .rec = rec };
	uint32_t size = e.k->desc.size;

	if (size > PLAY_RECORD_MAX)
		play_fail(&l->at, "%s: a record of %u bytes", e.k->name, size);
	memset(rec, 0, size);
	note_task(o, l);
	xtr_put_le64(rec, l->ts);
	xtr_put_le16(rec + 8, (uint16_t)e.k->type);
	xtr_put_le16(rec + 10, (uint16_t)size);
	xtr_put_le32(rec + 12, l->tid);
	if (e.k->builtin)
		encode_builtin(&e);
	else if (e.k->function)
		encode_function(&e);
	else
		encode_tracepoint(&e);
	return size;
}
