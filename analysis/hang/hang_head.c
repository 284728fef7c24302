/* SPDX-License-Identifier: BSD-2-Clause */
#include "hang_head.h"
#include "base/buf.h"
#include "base/text.h"
#include "hang_join.h"
#include "hang_key.h"
#include "replay/event/process.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FRAMES     5u /* of the stack in the line */
#define FRAMES_OF  64u
#define FILES      4u /* in the line of dumps */
#define EXACT      "exact"
#define INFERRED   "inferred"
#define NOT_KNOWN  "not-known"
#define TOLD       "told"
#define FROM_TRACE "trace"

struct making {
	struct xtr_hang_head *head;
	const struct hang_section *s; /* NULL: not analysed */
	const struct xtr_hang *h;     /* NULL: the trace has none */
	const struct xtr_hang_job *guilty;
	const struct xtr_dumps *d;                       /* NULL: none */
	const struct xtr_dump *of[XTR_DUMP_REPORTS_MAX]; /* that speak of this hang */
	size_t n;
};

static struct xtr_hang_line *line(struct making *m, const char *label, const char *known,
				  const char *from, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static struct xtr_hang_line *line(struct making *m, const char *label, const char *known,
				  const char *from, const char *fmt, ...)
{
	struct xtr_hang_line *l = &m->head->line[m->head->n];
	va_list ap;

	if (m->head->n == HANG_LINES_MAX)
		return l - 1;
	m->head->n++;
	*l = (struct xtr_hang_line){ .label = label, .known = known };
	snprintf(l->from, sizeof(l->from), "%s", from);
	va_start(ap, fmt);
	vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
	return l;
}

static void add(struct xtr_hang_line *l, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct xtr_hang_line *l, const char *fmt, ...)
{
	const size_t n = strlen(l->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->text + n, sizeof(l->text) - n, fmt, ap);
	va_end(ap);
}

static const struct xtr_tables *tables(const struct making *m)
{
	return m->s->o->tables;
}

/* "game (pid 4711)" */
static const char *who(const struct making *m, const struct xtr_hang_job *j, char buf[160])
{
	char name[XTR_TEXT_NAME] = "", pid[XTR_TEXT_PROCESS];
	size_t n = 0;
	const char *comm = j->comm && tables(m) ? xtr_tables_string(tables(m), j->comm, &n) : NULL;

	if (comm && n)
		xtr_text_name(name, sizeof(name), comm, n);
	if (j->process)
		snprintf(buf, 160, "%s%s(pid %s)", name, *name ? " " : "",
			 xtr_text_process(pid, j->process));
	else
		snprintf(buf, 160, "%s", *name ? name : "a process that is not known");
	return buf;
}

/* --- of the trace ----------------------------------------------------------------------------- */

/* A name of the trace, which is a stranger's. */
#define NAME(s) xtr_text_name((char[XTR_TEXT_NAME]){ 0 }, 64, s, strlen(s))

static void hang_line(struct making *m)
{
	const struct xtr_hang *h = m->h;
	const bool times = m->s->o->times;
	struct xtr_hang_line *l;
	char at[XTR_TEXT_NUMBER];

	l = line(m, "hang", EXACT, FROM_TRACE, "%s%s%s", NAME(h->device),
		 *h->device && *h->ring ? "/" : "", NAME(h->ring));
	if (!*l->text)
		add(l, "a device that is not known");
	if (*h->driver)
		add(l, " of %s", NAME(h->driver));
	add(l, " at %s%s, told by %s", xtr_text_place(at, times, h->at_ns), times ? " s" : "",
	    NAME(h->told));
	if (m->head->hangs > 1)
		add(l, "; and %" PRIu64 " more (-s hang)", m->head->hangs - 1);
}

static void guilty_line(struct making *m)
{
	const struct xtr_hang_job *g = m->guilty;
	char buf[160], ns[XTR_TEXT_NUMBER];
	struct xtr_hang_line *l;

	if (!g) {
		line(m, "guilty", NOT_KNOWN, FROM_TRACE, "not known: %s",
		     m->h->why ? m->h->why : "the events do not tell");
		return;
	}
	l = line(m, "guilty", xtr_hang_guilt_name(m->h->guilt), FROM_TRACE,
		 "job %" PRIu64 ":%" PRIu64 " (%s) of %s", g->name.ctx, g->name.seqno,
		 xtr_job_kind_name(g->kind), who(m, g, buf));
	if (g->run_ns && g->run_ns <= m->h->at_ns && m->s->o->times)
		add(l, ", on the hardware for %s", xtr_text_ns(ns, m->h->at_ns - g->run_ns));
}

static void stack_line(struct making *m)
{
	struct xtr_hang_line *l;
	char frame[USER_FRAME_MAX];
	unsigned int n = 0;
	bool own;

	if (!m->guilty || !m->guilty->stack) {
		line(m, "stack", NOT_KNOWN, "", "not known: %s",
		     m->guilty ? "none was recorded with the job (--stack)"
			       : "whose job it was is not known");
		return;
	}
	l = line(m, "stack", EXACT, FROM_TRACE, "%s", "");
	for (size_t i = 0; i < FRAMES_OF && n < FRAMES; i++) {
		if (!xtr_user_frame(tables(m), m->guilty->stack, i, frame, &own))
			break;
		if (own)
			add(l, "%s%.40s", n++ ? " < " : "", frame);
	}
	if (!n) {
		l->known = NOT_KNOWN;
		add(l, "not known: it has no frame of a program");
	}
}

static void driver_line(struct making *m)
{
	struct xtr_user_driver d = { 0 };

	if (m->guilty)
		xtr_user_driver_of(tables(m), m->guilty->stack, &d);
	if (!*d.name)
		line(m, "user driver", NOT_KNOWN, "", "not known: no stack has a library of one");
	else
		line(m, "user driver", EXACT, FROM_TRACE, "%s, version %s", d.name,
		     *d.version ? d.version : "not known");
}

static void others_line(struct making *m)
{
	const uint64_t *n = m->h->n;

	line(m, "with it", m->h->lost ? "at-least" : EXACT, FROM_TRACE,
	     "%s%s killed, %s waiting for it or behind it, %s on the hardware beside it",
	     m->h->lost ? "at least (events were lost): " : "", XTR_COUNT(n[XTR_HANG_KILLED]),
	     XTR_COUNT(n[XTR_HANG_WAITING]), XTR_COUNT(n[XTR_HANG_RUNNING]));
}

static void before_line(struct making *m)
{
	const struct xtr_hang_job *j = xtr_hang_first(m->h, XTR_HANG_GOOD);
	char buf[160], ns[XTR_TEXT_NUMBER];

	if (!j)
		line(m, "before it", NOT_KNOWN, "",
		     "not known: no job of the ring ended well "
		     "before it in the trace");
	else
		line(m, "before it", EXACT, FROM_TRACE,
		     "job %" PRIu64 ":%" PRIu64 " of %s ended well%s%s%s", j->name.ctx,
		     j->name.seqno, who(m, j, buf), m->s->o->times ? ", " : "",
		     m->s->o->times ? xtr_text_ns(ns, m->h->at_ns - j->done_ns) : "",
		     m->s->o->times ? " before" : "");
}

/* --- of the dumps ----------------------------------------------------------------------------- */

/* The first of the dumps that knows a fact. */
static const struct xtr_dump *knows(const struct making *m, enum xtr_dump_fact_id fact)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->of[i]->fact[fact].known)
			return m->of[i];
	return NULL;
}

static const char *place(const struct xtr_dump *d, enum xtr_dump_fact_id fact, char buf[128])
{
	snprintf(buf, 128, "%s:%" PRIu64, d->name, d->fact[fact].where);
	return buf;
}

static void says_line(struct making *m)
{
	const struct xtr_dump *d = knows(m, XTR_DUMP_MESSAGE_FACT);
	const struct xtr_dump *of = knows(m, XTR_DUMP_PID_FACT);
	struct xtr_hang_line *l;
	char from[128];

	d = d ? d : knows(m, XTR_DUMP_RING_FACT);
	if (!d) {
		line(m, "driver says", NOT_KNOWN, "", "not known: %s",
		     m->d && m->d->n ? "no dump or line of the log is of this hang"
				     : "there is no dump, and no log that tells of it");
		return;
	}
	if (d->fact[XTR_DUMP_MESSAGE_FACT].known)
		l = line(m, "driver says", TOLD, place(d, XTR_DUMP_MESSAGE_FACT, from), "%s",
			 d->fact[XTR_DUMP_MESSAGE_FACT].text);
	else
		l = line(m, "driver says", TOLD, place(d, XTR_DUMP_RING_FACT, from),
			 "ring %s timed out", d->fact[XTR_DUMP_RING_FACT].text);
	if (of)
		add(l, "; process %.32s %" PRIu64,
		    of->fact[XTR_DUMP_COMM_FACT].known ? of->fact[XTR_DUMP_COMM_FACT].text : "",
		    of->fact[XTR_DUMP_PID_FACT].value);
}

static void fault_line(struct making *m)
{
	const struct xtr_dump *d = knows(m, XTR_DUMP_FAULT_FACT);
	const struct xtr_dump_fact *f = d ? d->fact : NULL;
	struct xtr_hang_line *l;
	char from[128];

	if (!d) {
		line(m, "page fault", NOT_KNOWN, "", "none is told of");
		return;
	}
	l = line(m, "page fault", TOLD, place(d, XTR_DUMP_FAULT_FACT, from),
		 "at 0x%" PRIx64 " (%s)", f[XTR_DUMP_FAULT_FACT].value,
		 hang_fault_class(f[XTR_DUMP_FAULT_FACT].value));
	if (f[XTR_DUMP_STATUS_FACT].known)
		add(l, ", status 0x%" PRIx64, f[XTR_DUMP_STATUS_FACT].value);
	if (f[XTR_DUMP_ACCESS_FACT].known)
		add(l, ", %.32s", f[XTR_DUMP_ACCESS_FACT].text);
	if (f[XTR_DUMP_CLIENT_FACT].known)
		add(l, ", by %.32s", f[XTR_DUMP_CLIENT_FACT].text);
}

static void outcome_line(struct making *m)
{
	const struct xtr_dump *o = knows(m, XTR_DUMP_OUTCOME_FACT);
	const struct xtr_dump *k = knows(m, XTR_DUMP_KERNEL_FACT);
	const struct xtr_dump *f = knows(m, XTR_DUMP_FIRMWARE_FACT);
	const char *release =
		m->s && m->s->o->meta ? xtr_meta_system(m->s->o->meta)->release : NULL;
	char from[128] = "", name[XTR_TEXT_NAME];
	struct xtr_hang_line *l;

	l = line(m, "outcome", o ? TOLD : NOT_KNOWN, o ? place(o, XTR_DUMP_OUTCOME_FACT, from) : "",
		 "%s", o ? o->fact[XTR_DUMP_OUTCOME_FACT].text : "not known");
	if (k)
		add(l, "; kernel %.64s", k->fact[XTR_DUMP_KERNEL_FACT].text);
	else if (release && *release)
		add(l, "; kernel %.64s",
		    xtr_text_name(name, sizeof(name), release, strlen(release)));
	add(l, ", firmware %.64s", f ? f->fact[XTR_DUMP_FIRMWARE_FACT].text : "not known");
}

static const struct xtr_meta *meta_of(const struct hang_section *s)
{
	return s->o->meta;
}

void xtr_hang_speaks(const struct hang_section *s, const struct xtr_dump *d, char *text, size_t cap)
{
	const size_t n = s ? xtr_hangs_n(s->hangs) : 0;
	char by[96], first[96] = "";

	for (size_t i = 0; i < n; i++) {
		enum xtr_hang_join is = xtr_hang_join(xtr_hangs_at(s->hangs, i), d, meta_of(s), by);

		if (is == XTR_JOIN_SAME && n > 1)
			snprintf(text, cap, "of hang %zu (%s)", i + 1, by);
		else if (is == XTR_JOIN_SAME)
			snprintf(text, cap, "of this hang (%s)", by);
		if (is == XTR_JOIN_SAME)
			return;
		if (is == XTR_JOIN_OTHER && !*first)
			snprintf(first, sizeof(first), "%s", by);
	}
	if (*first)
		snprintf(text, cap, "of another: it has %s", first);
	else
		snprintf(text, cap, n ? "not known which hang it is of" : "the trace has no hang");
}

static bool is_of_it(const struct making *m, const struct xtr_dump *d)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->of[i] == d)
			return true;
	return false;
}

static void put_file(const struct making *m, struct xtr_hang_line *l, const struct xtr_dump *d)
{
	char text[HANG_SPEAKS];

	if (d->kind)
		xtr_hang_speaks(m->s, d, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "in no format that is known, attached");
	add(l, "%s%.40s: %s", *l->text ? "; " : "", d->name, text);
}

/* Those that speak of this hang first: a log may go far back. */
static void files_line(struct making *m)
{
	struct xtr_hang_line *l;
	size_t said = 0;

	if (!m->d || !m->d->n) {
		line(m, "dumps", NOT_KNOWN, "", "none in the bundle");
		return;
	}
	l = line(m, "dumps", TOLD, "", "%s", "");
	for (; said < m->n && said < FILES; said++)
		put_file(m, l, m->of[said]);
	for (size_t i = 0; i < m->d->n && said < FILES; i++) {
		if (is_of_it(m, &m->d->v[i]))
			continue;
		put_file(m, l, &m->d->v[i]);
		said++;
	}
	if (m->d->n > FILES)
		add(l, "; and %zu more", m->d->n - FILES);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void join(struct making *m)
{
	char by[96];

	for (size_t i = 0; m->d && i < m->d->n && m->n < XTR_DUMP_REPORTS_MAX; i++) {
		const struct xtr_dump *d = &m->d->v[i];

		/* Without a hang in the trace they speak of the first failure that is told. */
		if (m->h ? xtr_hang_join(m->h, d, meta_of(m->s), by) == XTR_JOIN_SAME
			 : d->failure && !m->n)
			m->of[m->n++] = d;
	}
}

static void told_lines(struct making *m)
{
	const struct xtr_dump *d = m->of[0];

	line(m, "hang", TOLD, d->name, "told of by %s (%s%s%s) alone: the trace shows none",
	     d->name, d->kind, d->fact[XTR_DUMP_DEVICE_FACT].known ? ", " : "",
	     d->fact[XTR_DUMP_DEVICE_FACT].known ? d->fact[XTR_DUMP_DEVICE_FACT].text : "");
	line(m, "guilty", NOT_KNOWN, "", "not known: no job of the trace timed out");
}

bool xtr_hang_head_of(struct xtr_hang_head *head, const struct hang_section *s,
		      const struct xtr_dumps *d)
{
	struct making m = { .head = head, .s = s, .d = d };

	*head = (struct xtr_hang_head){ 0 };
	head->hangs = s ? xtr_hangs_n(s->hangs) : 0;
	m.h = head->hangs ? xtr_hangs_at(s->hangs, 0) : NULL;
	m.guilty = m.h ? xtr_hang_guilty(m.h) : NULL;
	join(&m);
	if (!m.h && !m.n)
		return false;
	if (m.h) {
		hang_line(&m);
		guilty_line(&m);
		stack_line(&m);
		driver_line(&m);
		others_line(&m);
		before_line(&m);
	} else {
		told_lines(&m);
	}
	says_line(&m);
	fault_line(&m);
	outcome_line(&m);
	files_line(&m);
	hang_key_of(&head->key, m.h, s ? s->o->tables : NULL, m.of, m.n);
	return true;
}

void xtr_hang_head_text(const struct xtr_hang_head *head, FILE *f)
{
	char text[sizeof(head->line[0].text) + sizeof(head->line[0].from) + 64];

	for (unsigned int i = 0; i < head->n; i++) {
		const struct xtr_hang_line *l = &head->line[i];
		/* The text says itself what is not known, and who says what is told. */
		const bool plain = strcmp(l->known, EXACT) != 0 && strcmp(l->known, INFERRED) != 0;
		int n = snprintf(text, sizeof(text), "  %-12s%s", l->label, l->text);

		if (!plain)
			n += snprintf(text + n, sizeof(text) - (size_t)n, " [%s, %s]", l->known,
				      l->from);
		else if (*l->from)
			n += snprintf(text + n, sizeof(text) - (size_t)n, " [%s]", l->from);
		n += snprintf(text + n, sizeof(text) - (size_t)n, "\n");
		xtr_text_fold(f, text, (size_t)n);
	}
}

void xtr_hang_head_json(const struct xtr_hang_head *head, struct xtr_json *j)
{
	xtr_json_begin_array(j);
	for (unsigned int i = 0; i < head->n; i++) {
		const struct xtr_hang_line *l = &head->line[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "label", l->label);
		xtr_json_kv_str(j, "text", l->text);
		xtr_json_kv_str(j, "known", l->known);
		xtr_json_kv_str(j, "from", *l->from ? l->from : NULL);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void fact_json(const struct xtr_dump_fact *f, unsigned int id, struct xtr_json *j)
{
	xtr_json_kv_object(j, xtr_dump_fact_name(id));
	if (xtr_dump_fact_kind(id) == XTR_DUMP_TEXT)
		xtr_json_kv_str(j, "value", f->text);
	else
		xtr_json_kv_u64(j, "value", f->value);
	if (xtr_dump_fact_kind(id) == XTR_DUMP_TIME)
		xtr_json_kv_str(j, "clock", f->text);
	xtr_json_kv_u64(j, "where", f->where);
	xtr_json_end_object(j);
}

void xtr_hang_dumps_json(const struct xtr_dumps *d, const char (*speaks)[HANG_SPEAKS],
			 struct xtr_json *j)
{
	xtr_json_begin_array(j);
	for (size_t i = 0; d && i < d->n; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "file", d->v[i].name);
		xtr_json_kv_str(j, "kind", d->v[i].kind);
		xtr_json_kv_bool(j, "failure", d->v[i].failure);
		xtr_json_kv_str(j, "speaks", speaks[i]);
		xtr_json_kv_object(j, "facts");
		for (unsigned int k = 0; k < XTR_DUMP_FACT_COUNT; k++)
			if (d->v[i].fact[k].known)
				fact_json(&d->v[i].fact[k], k, j);
		xtr_json_end_object(j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}
