/* SPDX-License-Identifier: BSD-2-Clause */
/* Looking at all of a file: which ids there are, which texts are used as what, when it was. */
#include "redact_impl.h"

#include "base/bytes.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- plans ------------------------------------------------------------------------------------ */

static int make_plan(const struct xtr_redact *x, struct redact_plan *plan,
		     const struct xtr_event_desc *ev)
{
	plan->step = calloc(ev->n_fields + 1, sizeof(*plan->step));
	if (!plan->step)
		return -ENOMEM;
	/* Fields may overlap in a file that is made so: what is mapped is written last. */
	for (int keeps = 1; keeps >= 0; keeps--) {
		for (uint32_t i = 0; i < ev->n_fields; i++) {
			const struct xtr_field *f = &ev->fields[i];
			struct redact_rule rule = redact_rule_of(ev, f, x->o.policy);

			if ((rule.action == REDACT_KEEP || rule.action == REDACT_NUMBER) != keeps ||
			    f->offset < XTR_RECORD_HEADER_SIZE)
				continue;
			plan->step[plan->n++] = (struct redact_step){ f->offset, f->size, rule };
		}
	}
	return 0;
}

static int make_plans(const struct xtr_redact *x, struct redact_part *p)
{
	const struct xtr_meta *m = xtr_section_meta(p->s);
	const size_t n = xtr_meta_n_events(m);
	int err = 0;

	p->plan = calloc(n + 1, sizeof(*p->plan));
	p->plan_of = calloc(UINT16_MAX + 1, sizeof(*p->plan_of));
	if (!p->plan || !p->plan_of)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		const struct xtr_event_desc *ev = xtr_meta_event_at(m, i);

		err = make_plan(x, &p->plan[p->n_plans++], ev);
		p->plan_of[ev->type] = (uint16_t)p->n_plans;
	}
	return err;
}

const struct redact_plan *redact_plan_of(const struct redact_part *p, uint32_t type)
{
	return p->plan_of[type] ? &p->plan[p->plan_of[type] - 1] : NULL;
}

struct redact_rule redact_total_rule(const struct xtr_redact *x, const struct redact_part *p,
				     const uint8_t *rec, uint32_t field_at)
{
	const struct xtr_tables *t = xtr_section_tables(p->s);
	const struct redact_rule none = { REDACT_ZERO, REDACT_NAME };
	const struct xtr_event_desc *ev;
	const struct xtr_field *f;
	const char *name;
	size_t n;

	name = xtr_tables_string(t, XTR_REC_GET(rec, total, event), &n);
	ev = name ? xtr_meta_event_by_name(xtr_section_meta(p->s), name) : NULL;
	name = xtr_tables_string(t, xtr_le32(rec + field_at), &n);
	f = ev && name ? xtr_event_field(ev, name) : NULL;
	return f ? redact_rule_of(ev, f, x->o.policy) : none;
}

/* --- records ---------------------------------------------------------------------------------- */

static int note_string(struct xtr_redact *x, struct redact_part *p, uint64_t id,
		       enum redact_kind kind)
{
	const char *text;
	size_t n;

	if (!id || id > UINT32_MAX || xtr_map_get(&p->strings, id, kind))
		return 0;
	text = xtr_tables_string(xtr_section_tables(p->s), (uint32_t)id, &n);
	if (text)
		redact_note_ids(&x->values, kind, text, n);
	return xtr_map_put(&p->strings, id, kind, 0);
}

static int note_value(struct xtr_redact *x, struct redact_part *p, const struct redact_rule *rule,
		      uint64_t v)
{
	if (rule->action == REDACT_PID)
		redact_note_pid(&x->values, v);
	if (rule->action == REDACT_CONTEXT)
		return redact_note_context(&x->values, v);
	return rule->action == REDACT_STRID ? note_string(x, p, v, rule->kind) : 0;
}

static uint64_t load(const uint8_t *p, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, p, size < sizeof(v) ? size : sizeof(v));
	return le64toh(v);
}

static int note_total(struct xtr_redact *x, struct redact_part *p, const uint8_t *rec)
{
	struct redact_rule rule;
	int err;

	if (xtr_rec_size(rec) < XTR_REC_END(total, subkey))
		return 0;
	rule = redact_total_rule(x, p, rec, XTR_REC_AT(total, field));
	err = note_value(x, p, &rule, XTR_REC_GET(rec, total, key));
	if (err)
		return err;
	rule = redact_total_rule(x, p, rec, XTR_REC_AT(total, subfield));
	return note_value(x, p, &rule, XTR_REC_GET(rec, total, subkey));
}

static int note_record(struct xtr_redact *x, struct redact_part *p, const uint8_t *rec)
{
	const struct redact_plan *plan = redact_plan_of(p, xtr_rec_type(rec));
	const uint32_t size = xtr_rec_size(rec);
	int err = 0;

	redact_note_pid(&x->values, xtr_rec_tid(rec));
	for (uint32_t i = 0; plan && i < plan->n && !err; i++) {
		const struct redact_step *s = &plan->step[i];

		if (s->offset > size || s->size > size - s->offset)
			continue;
		if (s->rule.action == REDACT_STR)
			redact_note_ids(&x->values, s->rule.kind, (const char *)rec + s->offset,
					s->size);
		else
			err = note_value(x, p, &s->rule, load(rec + s->offset, s->size));
	}
	return !err && xtr_rec_type(rec) == XTR_EV_TOTAL ? note_total(x, p, rec) : err;
}

static int note_events(struct xtr_redact *x, struct redact_part *p, const struct xtr_chunk *c)
{
	struct xtr_err why;
	int err = xtr_decode(p->r, c, &x->decoder, &x->buf, &x->cap, &why);

	for (size_t at = 0; at < c->rec_len && !err; at += xtr_rec_size(x->buf + at))
		err = note_record(x, p, x->buf + at);
	return err;
}

/* --- tables and META -------------------------------------------------------------------------- */

void redact_frame_kinds(const struct xtr_tables *t, const struct xtr_frame *f,
			enum redact_kind *symbol, enum redact_kind *module)
{
	size_t n = 0;
	const char *s = xtr_tables_string(t, f->module, &n);
	const char *slash = s ? memrchr(s, '/', n) : NULL;
	size_t len = slash ? n - (size_t)(slash + 1 - s) : 0;

	*module = slash ? REDACT_LIBRARY : REDACT_IDENT;
	*symbol = slash && !redact_is_library(slash + 1, len) ? REDACT_SYMBOL : REDACT_IDENT;
}

static int note_tasks(struct xtr_redact *x, struct redact_part *p, const struct xtr_tables *t)
{
	int err = 0;

	for (size_t i = 0; i < xtr_tables_n_tasks(t) && !err; i++) {
		const struct xtr_task *task = xtr_tables_task_at(t, i);
		size_t n = 0;
		const char *comm = xtr_tables_string(t, task->comm, &n);

		redact_note_pid(&x->values, task->tid);
		redact_note_pid(&x->values, task->pid);
		err = note_string(x, p, task->comm, REDACT_COMM)
			      ?: note_string(x, p, task->cgroup, REDACT_PATH);
		if (!err && comm)
			err = redact_note_comm(&x->texts, comm, n,
					       task->flags & XTR_TASK_KTHREAD || !task->tid);
	}
	return err;
}

static int note_frames(struct xtr_redact *x, struct redact_part *p, const struct xtr_tables *t)
{
	enum redact_kind symbol, module;
	int err = 0;

	for (uint32_t id = 0; !err && xtr_tables_next_id(t, XTR_TABLE_FRAMES, &id);) {
		const struct xtr_frame *f = xtr_tables_frame(t, id);

		redact_frame_kinds(t, f, &symbol, &module);
		err = note_string(x, p, f->symbol, symbol) ?: note_string(x, p, f->module, module);
		if (!err && symbol == REDACT_IDENT)
			err = note_string(x, p, f->build_id, REDACT_HEX);
	}
	return err;
}

static int note_tables(struct xtr_redact *x, struct redact_part *p)
{
	const struct xtr_tables *t = xtr_section_tables(p->s);
	int err = note_tasks(x, p, t);
	const char *name;
	size_t n;

	for (size_t i = 0; i < xtr_tables_n_rings(t) && !err; i++) {
		const struct xtr_ring *ring = xtr_tables_ring_at(t, i);

		err = note_string(x, p, ring->device, REDACT_DEVICE)
			      ?: note_string(x, p, ring->name, REDACT_RING);
		name = xtr_tables_string(t, ring->name, &n);
		if (!err && name)
			err = redact_note_ring(&x->texts, name, n);
	}
	return err ? err : note_frames(x, p, t);
}

static int note_config(struct xtr_redact *x, const struct xtr_meta *m)
{
	uint64_t pid, context;

	if (xtr_meta_config_u64(m, "pid", &pid))
		redact_note_pid(&x->values, pid);
	if (xtr_meta_config_u64(m, "flight-pid", &pid))
		redact_note_pid(&x->values, pid);
	if (!xtr_meta_config_u64(m, "flight-ctx", &context))
		return 0;
	return redact_note_context(&x->values, context);
}

/* --- all of it -------------------------------------------------------------------------------- */

static int read_part(struct xtr_redact *x, struct redact_part *p, uint64_t *done, uint64_t all)
{
	const struct xtr_clock_snapshot *clock;
	int err = make_plans(x, p) ?: note_tables(x, p) ?: note_config(x, xtr_section_meta(p->s));

	for (size_t i = 0; (clock = xtr_section_clock(p->s, i)); i++)
		if (clock->realtime && (!x->clock_zero || clock->realtime < x->clock_zero))
			x->clock_zero = clock->realtime;
	for (size_t i = 0; i < xtr_section_n_chunks(p->s) && !err; i++, ++*done) {
		const struct xtr_chunk *c = xtr_section_chunk(p->s, i);

		if (c->type == XTR_CHUNK_EVENTS && c->n_records)
			err = note_events(x, p, c);
		if (x->o.progress)
			x->o.progress(x->o.ctx, *done, all);
	}
	return err;
}

static int make_parts(struct xtr_redact *x, const struct xtr_reader *const *r, size_t n)
{
	size_t k = 0;

	x->n_files = n;
	for (size_t i = 0; i < n; i++)
		x->n_parts += xtr_reader_n_sections(r[i]);
	x->part = calloc(x->n_parts + 1, sizeof(*x->part));
	if (!x->part)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		for (size_t s = 0; s < xtr_reader_n_sections(r[i]); s++, k++)
			x->part[k] =
				(struct redact_part){ .r = r[i], .s = xtr_reader_section(r[i], s) };
	return 0;
}

/* It depends on all that the mapping depends on, and tells nothing of it: the key is secret. */
static void name_mapping(struct xtr_redact *x)
{
	const struct xtr_siphash_key *key = &x->values.key;

	x->mapping = xtr_siphash(key, (uint64_t)x->o.policy);
	for (size_t i = 0; i < x->n_parts; i++)
		x->mapping = xtr_siphash(key, x->mapping ^ xtr_section_file_id(x->part[i].s));
}

int redact_read(struct xtr_redact *x, const struct xtr_reader *const *r, size_t n)
{
	uint64_t done = 0, all = 0;
	int err = make_parts(x, r, n);

	for (size_t i = 0; i < x->n_parts && !err; i++)
		all += 2 * (uint64_t)xtr_section_n_chunks(x->part[i].s);
	for (size_t i = 0; i < x->n_parts && !err; i++)
		err = read_part(x, &x->part[i], &done, all);
	if (err)
		return err;
	name_mapping(x);
	return redact_rank_pids(&x->values) ?: redact_rank_contexts(&x->values);
}

void redact_part_free(struct redact_part *p)
{
	for (size_t i = 0; i < p->n_plans; i++)
		free(p->plan[i].step);
	free(p->plan);
	free(p->plan_of);
	xtr_map_free(&p->strings);
	xtr_meta_free(p->meta);
	xtr_tables_free(p->tables);
	xtr_loss_free(p->loss);
	*p = (struct redact_part){ .r = p->r, .s = p->s };
}
