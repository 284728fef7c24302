/* SPDX-License-Identifier: BSD-2-Clause */
/* A record is made of zeros: what no field of META describes does not get into it. */
#include "base/bytes.h"
#include "redact_impl.h"
#include "replay/calls/marker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint32_t redact_string(const struct redact_part *p, enum redact_kind kind, uint64_t id)
{
	const uint64_t *new = xtr_map_get(&p->strings, id, kind);

	return new ? (uint32_t) * new : 0;
}

/* Could other bytes make this number by chance? Not if few of its own are 0. */
static bool is_rare(uint64_t v)
{
	unsigned int n = 0;

	for (; v; v >>= 8)
		n += (v & 255) != 0;
	return n >= 5;
}

/* For the search: this must not be found, and if it is rare, among no bytes. */
static uint64_t note_pointer(struct xtr_redact *x, uint64_t from, uint64_t to, uint32_t width)
{
	if (x->pointers && width == 8 && from != to && x->pointers->n < (size_t)1 << 20)
		(void)xtr_map_put(x->pointers, from, 0,
				  is_rare(from)); /* else it is not looked for */
	return to;
}

uint64_t redact_number(struct xtr_redact *x, const struct redact_part *p,
		       const struct redact_rule *rule, uint64_t v, uint32_t width)
{
	switch (rule->action) {
	case REDACT_KEEP:
		return v;
	case REDACT_NUMBER:
		return width == 8 && redact_looks_kernel(v)
			       ? note_pointer(x, v, redact_kptr(&x->values, v, width), width)
			       : v;
	case REDACT_PID:
		return redact_pid(&x->values, v);
	case REDACT_CONTEXT:
		return redact_context(&x->values, v);
	case REDACT_KPTR:
		return note_pointer(x, v, redact_kptr(&x->values, v, width), width);
	case REDACT_UPTR:
		return note_pointer(x, v, redact_uptr(&x->values, v, width), width);
	case REDACT_STRID:
		return redact_string(p, rule->kind, v);
	default:
		return 0;
	}
}

/* A number of 1, 2, 4 or 8 bytes. An id of less than 4 bytes fits: a rank is never larger. */
static void put_number(struct xtr_redact *x, const struct redact_part *p,
		       const struct redact_step *s, const uint8_t *from, uint8_t *to)
{
	uint64_t v = 0;

	if (s->size > sizeof(v))
		return;
	memcpy(&v, from, s->size);
	v = htole64(redact_number(x, p, &s->rule, le64toh(v), s->size));
	memcpy(to, &v, s->size);
}

/* What does not fit is shortened to #NUMBER, or gone. */
static int put_text(struct xtr_redact *x, const struct redact_step *s, const uint8_t *from,
		    uint8_t *to)
{
	struct redact_text text;
	const char *hash;
	int err = redact_text(&x->texts, s->rule.kind, (const char *)from,
			      strnlen((const char *)from, s->size), &text);

	memset(to, 0, s->size);
	hash = text.n > s->size ? memchr(text.p, '#', text.n) : NULL;
	if (hash) {
		text.n -= (size_t)(hash - text.p);
		text.p = hash;
	}
	if (!err && text.n <= s->size)
		memcpy(to, text.p, text.n);
	return err;
}

static int put_step(struct xtr_redact *x, const struct redact_part *p, const struct redact_step *s,
		    const uint8_t *rec, uint8_t *out)
{
	const uint8_t *from = rec + s->offset;
	uint8_t *to = out + s->offset;

	switch (s->rule.action) {
	case REDACT_ZERO:
		memset(to, 0, s->size);
		return 0;
	case REDACT_STR:
		return put_text(x, s, from, to);
	case REDACT_KEEP:
		memcpy(to, from, s->size);
		return 0;
	default:
		put_number(x, p, s, from, to);
		return 0;
	}
}

/* A value of another event's field; field_at, value_at: where the record has the field's name and
 * the value. */
static void put_total(struct xtr_redact *x, const struct redact_part *p, const uint8_t *rec,
		      uint8_t *out, uint32_t field_at, uint32_t value_at)
{
	const struct redact_rule rule = redact_total_rule(x, p, rec, field_at);

	xtr_put_le64(out + value_at, redact_number(x, p, &rule, xtr_le64(rec + value_at), 8));
}

int redact_record(struct xtr_redact *x, const struct redact_part *p, const uint8_t *rec,
		  uint8_t *out)
{
	const struct redact_plan *plan = redact_plan_of(p, xtr_rec_type(rec));
	const uint32_t size = xtr_rec_size(rec);
	int err = 0;

	memcpy(out, rec, 12); /* time, type, size */
	memset(out + 12, 0, size - 12);
	xtr_put_le32(out + 12, (uint32_t)redact_pid(&x->values, xtr_rec_tid(rec)));
	for (uint32_t i = 0; plan && i < plan->n && !err; i++)
		if (plan->step[i].offset <= size &&
		    plan->step[i].size <= size - plan->step[i].offset)
			err = put_step(x, p, &plan->step[i], rec, out);
	if (xtr_rec_type(rec) == XTR_EV_TOTAL && size >= XTR_REC_END(total, subkey)) {
		put_total(x, p, rec, out, XTR_REC_AT(total, field), XTR_REC_AT(total, key));
		put_total(x, p, rec, out, XTR_REC_AT(total, subfield), XTR_REC_AT(total, subkey));
	}
	return err;
}

/* --- redact marker ---------------------------------------------------------------------------- */

#define LABEL 24u /* bytes of "name#4294967295", with the NUL */

/* The parts of a marker under their new names; "" where there is none. */
struct parts {
	char name[LABEL], track[LABEL], key[LABEL];
	uint64_t pid, tid;
	uint64_t number;
};

static int label(struct redact_texts *t, const char *what, const char *s, char to[LABEL])
{
	struct redact_text text;
	int err = 0;

	to[0] = '\0';
	if (!*s)
		return 0;
	err = redact_label(t, what, s, strlen(s), &text);
	snprintf(to, LABEL, "%.*s", (int)text.n, text.p);
	return err;
}

static int map_parts(struct redact_texts *t, const struct xtr_marker *m, struct parts *p)
{
	int err = label(t, "name", m->name, p->name) ?: label(t, "name", m->track, p->track) ?:
		  label(t, m->form == XTR_MARKER_CROS ? "path" : "name", m->key, p->key);

	p->pid = redact_pid(t->values, m->pid);
	p->tid = redact_pid(t->values, m->tid);
	p->number = xtr_siphash(&t->values->key, m->number) & INT32_MAX;
	return err;
}

static int put_atrace(char *to, size_t room, char letter, const struct parts *p)
{
	switch (letter) {
	case 'E':
		return snprintf(to, room, "E|%" PRIu64, p->pid);
	case 'S':
	case 'F':
		return snprintf(to, room, "%c|%" PRIu64 "|%s|%" PRIu64, letter, p->pid, p->name,
				p->number);
	case 'G':
		return snprintf(to, room, "G|%" PRIu64 "|%s|%s|%" PRIu64, p->pid, p->track, p->name,
				p->number);
	case 'H':
		return snprintf(to, room, "H|%" PRIu64 "|%s|%" PRIu64, p->pid, p->track, p->number);
	case 'N':
		return snprintf(to, room, "N|%" PRIu64 "|%s|%s", p->pid, p->track, p->name);
	case 'C':
		return snprintf(to, room, "C|%" PRIu64 "|%s|0", p->pid, p->name);
	default:
		return snprintf(to, room, "%c|%" PRIu64 "|%s", letter, p->pid, p->name);
	}
}

static int put_gpuvis(char *to, size_t room, const struct xtr_marker *m, const struct parts *p)
{
	char at[40] = "", tid[40] = "", what[80] = "";

	if (m->at_ns)
		snprintf(at, sizeof(at), " (ltime=%" PRIu64 ")", m->at_ns);
	else if (m->offset_ns && m->kind != XTR_MARKER_SLICE)
		snprintf(at, sizeof(at), " (dtime=%" PRId64 ")", m->offset_ns);
	if (m->tid)
		snprintf(tid, sizeof(tid), " tid=%" PRIu64, p->tid);
	if (m->kind == XTR_MARKER_SLICE)
		snprintf(what, sizeof(what), " (lduration=%" PRIu64 "%s offset=%" PRId64 ")",
			 m->length_ns, tid, m->offset_ns);
	else if (m->kind != XTR_MARKER_MOMENT)
		snprintf(what, sizeof(what), " (%s_%sctx=%" PRIu64 ")",
			 m->kind == XTR_MARKER_BEGIN ? "begin" : "end",
			 m->scope == XTR_MARKER_GLOBAL ? "g" : "", p->number);
	return snprintf(to, room, "%s%s%s", p->name, at, what);
}

static int put(char *to, size_t room, char letter, const struct xtr_marker *m,
	       const struct parts *p)
{
	bool begins = m->kind == XTR_MARKER_BEGIN;

	switch (m->form) {
	case XTR_MARKER_ATRACE:
		return put_atrace(to, room, letter, p);
	case XTR_MARKER_GPUVIS:
		return put_gpuvis(to, room, m, p);
	case XTR_MARKER_CROS:
		return snprintf(to, room, "%s%scros_trace_print_%s: %s%s%s", p->track,
				*p->track ? ": " : "", begins ? "enter" : "exit", p->key,
				begins ? ": " : "", begins ? p->name : "");
	case XTR_MARKER_WORDS:
		return snprintf(to, room, "%s %s", begins ? "Begin" : "End", p->key);
	default:
		if (m->kind == XTR_MARKER_NOTHING)
			return snprintf(to, room, "trace_event_clock_sync:");
		return snprintf(to, room, "%s", p->name);
	}
}

/* The name of a pair of words is told by its key, which both texts have. */
static void forget_unused(struct xtr_marker *m)
{
	if (m->form == XTR_MARKER_WORDS ||
	    (m->form == XTR_MARKER_CROS && m->kind != XTR_MARKER_BEGIN))
		m->name[0] = '\0';
	if (m->form != XTR_MARKER_WORDS && m->form != XTR_MARKER_CROS)
		m->key[0] = '\0';
}

int redact_marker(struct redact_texts *t, const char *s, size_t n, struct redact_text *out)
{
	struct xtr_marker m;
	struct parts p;
	int err;

	xtr_marker_parse(&m, s, n);
	forget_unused(&m);
	err = map_parts(t, &m, &p);
	if (err)
		return err;
	out->p = out->buf;
	out->n = (size_t)put(out->buf, sizeof(out->buf), n ? *s : '\0', &m, &p);
	return 0;
}

void redact_marker_note(struct redact_values *v, const char *s, size_t n)
{
	struct xtr_marker m;

	xtr_marker_parse(&m, s, n);
	redact_note_pid(v, m.pid);
	redact_note_pid(v, m.tid);
}

static bool is_made(const char *s)
{
	return !*s || redact_is_label(s, strlen(s));
}

bool redact_marker_is_made(const char *s, size_t n, uint32_t *pid, uint32_t *tid)
{
	static const char end[] = "End ";
	struct xtr_marker m;
	const char *key = m.key;

	xtr_marker_parse(&m, s, n);
	*pid = m.pid;
	*tid = m.tid;
	if (m.form == XTR_MARKER_GPUVIS)
		m.key[0] = '\0';
	if (m.form == XTR_MARKER_WORDS && !strncmp(key, end, strlen(end)))
		key += strlen(end);
	if (m.kind == XTR_MARKER_COUNTER && m.value)
		return false;
	return is_made(m.name) && is_made(m.track) && is_made(key);
}
