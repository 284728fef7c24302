/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a redacted file has in each place, by the type of the place: here short texts and small
 * numbers are looked at, too, which a search among bytes finds by chance. Of each kind of thing one
 * is told for each chunk.
 */
#include "redact_impl.h"

#include "format/xtr_format.h"

#include <string.h>

#define SHOWN 128u /* bytes of a text that is told, with the NUL */

enum thing {
	THING_TEXT,
	THING_ID,
	THING_CONTEXT,
	THING_POINTER
};

struct typed {
	struct xtr_redact *x; /* of the original */
	struct xtr_redact *y; /* of the file that is looked at */
	struct redact_part *p;
	const char *where;
	uint64_t offset;   /* of the chunk */
	unsigned int told; /* bits of what was found in it */
	void (*found)(void *ctx, const struct xtr_redact_found *f);
	void *ctx;
};

static void tell(struct typed *t, enum thing thing, uint64_t v, const char *text, size_t n)
{
	char copy[SHOWN];
	struct xtr_redact_found f = { .pointer = v,
				      .is_id = thing == THING_ID,
				      .is_context = thing == THING_CONTEXT,
				      .where = t->where,
				      .offset = t->offset };

	if (t->told & 1u << thing)
		return;
	t->told |= 1u << thing;
	if (text) {
		f.n = n < SHOWN ? n : SHOWN - 1;
		memcpy(copy, text, f.n);
		copy[f.n] = '\0';
		f.text = copy;
	}
	t->found(t->ctx, &f);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* Ids that Linux does not have are mapped to others of that kind, and 0 and -1 stay. */
static void look_id(struct typed *t, uint32_t id)
{
	if (id > t->x->values.n && id < REDACT_PID_MAX)
		tell(t, THING_ID, id, NULL, 0);
}

static void look_pointer(struct typed *t, uint64_t v)
{
	if (t->x->pointers && xtr_map_get(t->x->pointers, v, 0))
		tell(t, THING_POINTER, v, NULL, 0);
}

static void look_number(struct typed *t, enum redact_action action, uint64_t v, uint32_t width)
{
	switch (action) {
	case REDACT_PID:
		look_id(t, (uint32_t)v);
		look_id(t, (uint32_t)(v >> 32));
		break;
	case REDACT_CONTEXT:
		if (!redact_is_new_context(&t->x->values, v))
			tell(t, THING_CONTEXT, v, NULL, 0);
		break;
	case REDACT_KPTR:
	case REDACT_UPTR:
		if (width == 8)
			look_pointer(t, v);
		break;
	case REDACT_NUMBER:
		if (width == 8 && redact_looks_kernel(v))
			look_pointer(t, v);
		break;
	default:
		break;
	}
}

/* --- texts ------------------------------------------------------------------------------------ */

/* What has parts is made of other texts, and is searched for these. */
static bool has_parts(enum redact_kind kind)
{
	return kind == REDACT_XID || kind == REDACT_EVENT;
}

static void look_marker(struct typed *t, const char *s, size_t n)
{
	uint32_t pid, tid;

	if (!redact_marker_is_made(s, n, &pid, &tid))
		tell(t, THING_TEXT, 0, s, n);
	look_id(t, pid);
	look_id(t, tid);
}

/* It is a name that was made, or one that the original's threads do not forbid. 0 or -ENOMEM. */
static int look_text(struct typed *t, enum redact_kind kind, const char *s, size_t n)
{
	struct redact_text text;
	uint32_t pid, context;
	int err;

	if (!n || has_parts(kind) || redact_is_label(s, n))
		return 0;
	if (kind == REDACT_MARKER) {
		look_marker(t, s, n);
		return 0;
	}
	if (kind == REDACT_RING && redact_is_hwctx(s, n, &pid, &context)) {
		look_id(t, pid);
		return 0;
	}
	err = redact_text(&t->x->texts, kind, s, n, &text);
	if (!err && (text.n != n || memcmp(text.p, s, n) != 0))
		tell(t, THING_TEXT, 0, s, n);
	return err;
}

/* --- where they are --------------------------------------------------------------------------- */

static void begin(struct typed *t, const char *where, uint64_t offset)
{
	t->where = where;
	t->offset = offset;
	t->told = 0;
}

static uint64_t load(const uint8_t *p, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, p, size < sizeof(v) ? size : sizeof(v));
	return le64toh(v);
}

/* A value of xtr:total; field_at: where its record names the field that it is of. */
static void look_total(struct typed *t, const uint8_t *rec, uint32_t field_at, uint64_t v)
{
	const struct redact_rule rule = redact_total_rule(t->y, t->p, rec, field_at);

	look_number(t, rule.action, v, sizeof(v));
}

static int look_record(struct typed *t, const uint8_t *rec)
{
	const struct redact_plan *plan = redact_plan_of(t->p, xtr_rec_type(rec));
	const uint32_t size = xtr_rec_size(rec);
	int err = 0;

	look_id(t, xtr_rec_tid(rec));
	for (uint32_t i = 0; plan && i < plan->n && !err; i++) {
		const struct redact_step *s = &plan->step[i];
		const char *text = (const char *)rec + s->offset;

		if (s->offset > size || s->size > size - s->offset)
			continue;
		if (s->rule.action == REDACT_STR)
			err = look_text(t, s->rule.kind, text, strnlen(text, s->size));
		else if (s->size <= sizeof(uint64_t))
			look_number(t, s->rule.action, load(rec + s->offset, s->size), s->size);
	}
	if (xtr_rec_type(rec) != XTR_EV_TOTAL || size < XTR_REC_END(total, subkey))
		return err;
	look_total(t, rec, XTR_REC_AT(total, field), XTR_REC_GET(rec, total, key));
	look_total(t, rec, XTR_REC_AT(total, subfield), XTR_REC_GET(rec, total, subkey));
	return err;
}

static int look_events(struct typed *t)
{
	struct xtr_redact *y = t->y;
	int err = 0;

	for (size_t i = 0; i < xtr_section_n_chunks(t->p->s) && !err; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(t->p->s, i);
		struct xtr_err why;

		if (c->type != XTR_CHUNK_EVENTS || !c->n_records)
			continue;
		begin(t, "events", c->offset);
		err = xtr_decode(t->p->r, c, &y->decoder, &y->buf, &y->cap, &why);
		for (size_t at = 0; at < c->rec_len && !err; at += xtr_rec_size(y->buf + at))
			err = look_record(t, y->buf + at);
	}
	return err;
}

static int look_strings(struct typed *t)
{
	const struct xtr_tables *tables = xtr_section_tables(t->p->s);
	const struct xtr_map_slot *slot;
	int err = 0;

	for (size_t i = 0; !err && (slot = xtr_map_next(&t->p->strings, &i));) {
		size_t n = 0;
		const char *s = xtr_tables_string(tables, (uint32_t)slot->a, &n);

		if (s)
			err = look_text(t, (enum redact_kind)slot->b, s, n);
	}
	return err;
}

static int look_tables(struct typed *t)
{
	const struct xtr_tables *tables = xtr_section_tables(t->p->s);

	begin(t, "table", 0);
	for (size_t i = 0; i < xtr_tables_n_tasks(tables); i++) {
		look_id(t, xtr_tables_task_at(tables, i)->tid);
		look_id(t, xtr_tables_task_at(tables, i)->pid);
	}
	for (size_t i = 0; i < xtr_tables_n_rings(tables); i++)
		look_pointer(t, xtr_tables_ring_at(tables, i)->sched);
	for (uint32_t id = 0; xtr_tables_next_id(tables, XTR_TABLE_FRAMES, &id);) {
		const struct xtr_frame *f = xtr_tables_frame(tables, id);

		if (!f->symbol && !f->module)
			look_pointer(t, f->offset);
	}
	return look_strings(t);
}

int redact_look_typed(struct xtr_redact *x, const struct xtr_reader *in,
		      void (*found)(void *ctx, const struct xtr_redact_found *f), void *ctx)
{
	const struct xtr_redact_opts o = { .sz = sizeof(o), .key = 1 };
	struct typed t = { .x = x, .found = found, .ctx = ctx };
	int err = xtr_redact_new(&t.y, in, &o);

	for (size_t i = 0; t.y && i < t.y->n_parts && !err; i++) {
		t.p = &t.y->part[i];
		err = look_tables(&t) ?: look_events(&t);
	}
	xtr_redact_free(t.y);
	return err;
}
