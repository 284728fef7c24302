/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void xtr_finding_evidence(struct xtr_finding *f, const char *key, uint64_t value)
{
	f->evidence[f->n_evidence++] = (struct xtr_evidence){ key, value };
}

uint64_t xtr_finding_number(const struct xtr_finding *f, const char *key)
{
	for (uint32_t i = 0; i < f->n_evidence; i++)
		if (!strcmp(f->evidence[i].key, key))
			return f->evidence[i].value;
	return 0;
}

enum xtr_severity xtr_finding_severity(const struct xtr_finding *f)
{
	if (f->fault)
		return XTR_SEVERITY_FAULT;
	return f->notable ? XTR_SEVERITY_NOTABLE : XTR_SEVERITY_NOTE;
}

const char *xtr_severity_name(enum xtr_severity severity)
{
	static const char *const names[] = {
		[XTR_SEVERITY_NOTE] = "note",
		[XTR_SEVERITY_NOTABLE] = "notable",
		[XTR_SEVERITY_FAULT] = "fault",
	};

	return names[severity];
}

/* --- what is kept ----------------------------------------------------------------------------- */

/* The kind that it is of; -ENOMEM. */
static int64_t kind_of(struct xtr_findings *f, const struct xtr_finding *one)
{
	enum xtr_severity severity = xtr_finding_severity(one);
	uint32_t cap = f->cap_kinds ? f->cap_kinds * 2 : 8;
	struct xtr_finding_kind *more;

	for (uint32_t i = 0; i < f->n_kinds; i++)
		if (f->kind[i].severity == severity && !strcmp(f->kind[i].id, one->id))
			return i;
	if (f->n_kinds == f->cap_kinds) {
		more = reallocarray(f->kind, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->kind = more;
		f->cap_kinds = cap;
	}
	f->kind[f->n_kinds] = (struct xtr_finding_kind){ .id = one->id, .severity = severity };
	return f->n_kinds++;
}

/* Room for one more: 0 or -ENOMEM. */
static int grow(struct xtr_findings *f)
{
	uint32_t cap = f->cap ? f->cap * 2 : 8;
	struct xtr_finding *more;

	if (f->n < f->cap)
		return 0;
	more = reallocarray(f->finding, cap, sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->finding = more;
	f->cap = cap;
	return 0;
}

/* Of which kind one goes, where one of new_kind has come. */
static uint32_t fullest(const struct xtr_findings *f, uint32_t new_kind)
{
	uint32_t least = new_kind;

	for (uint32_t i = 0; i < f->n_kinds; i++) {
		const struct xtr_finding_kind *k = &f->kind[i], *l = &f->kind[least];

		if (k->kept && (k->severity < l->severity ||
				(k->severity == l->severity && k->kept > l->kept)))
			least = i;
	}
	return least;
}

/* There is no room for it: one goes. */
static void replace(struct xtr_findings *f, const struct xtr_finding *one, uint32_t kind)
{
	uint32_t gone, i = f->n;

	f->kind[kind].kept++;
	gone = fullest(f, kind);
	f->kind[gone].kept--;
	f->kind[gone].left_out++;
	f->more++;
	if (gone == kind)
		return;
	/* In the order in which they came; one of the kind is there */
	while (f->finding[i - 1].kind != gone)
		i--;
	memmove(&f->finding[i - 1], &f->finding[i], (f->n - i) * sizeof(*f->finding));
	f->finding[f->n - 1] = *one;
	f->finding[f->n - 1].kind = kind;
}

int xtr_findings_add(struct xtr_findings *f, const struct xtr_finding *one)
{
	int64_t kind = kind_of(f, one);

	if (kind < 0)
		return (int)kind;
	if (f->n == XTR_FINDINGS_MAX) {
		replace(f, one, (uint32_t)kind);
		return 0;
	}
	if (grow(f))
		return -ENOMEM;
	f->kind[kind].kept++;
	f->finding[f->n] = *one;
	f->finding[f->n++].kind = (uint32_t)kind;
	return 0;
}

static uint64_t lost(const struct xtr_finding *f)
{
	const char *key = xtr_finding_lost(f->id);

	return key ? xtr_finding_number(f, key) : 0;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct xtr_finding *a = pa, *b = pb;
	int of_a = xtr_finding_severity(a), of_b = xtr_finding_severity(b);

	if (of_a != of_b)
		return of_b - of_a;
	if (lost(a) != lost(b))
		return lost(a) < lost(b) ? 1 : -1;
	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

void xtr_findings_sort(struct xtr_findings *f)
{
	if (f->n)
		qsort(f->finding, f->n, sizeof(*f->finding), by_weight);
}

void xtr_findings_free(struct xtr_findings *f)
{
	free(f->finding);
	free(f->kind);
	*f = (struct xtr_findings){ 0 };
}

const struct xtr_finding_kind *xtr_findings_next_left_out(const struct xtr_findings *f,
							  uint32_t *at)
{
	while (*at < f->n_kinds * (XTR_SEVERITY_FAULT + 1)) {
		const struct xtr_finding_kind *k = &f->kind[*at % f->n_kinds];
		enum xtr_severity severity = XTR_SEVERITY_FAULT - *at / f->n_kinds;

		++*at;
		if (k->severity == severity && k->left_out)
			return k;
	}
	return NULL;
}

/* --- rules ------------------------------------------------------------------------------------ */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* A limit is a round number: "1.00 ms" is "1 ms", "10.0 %" is "10 %". */
static void drop_zeros(char *s)
{
	char *end = s + strcspn(s, " "), *last = end;

	if (!memchr(s, '.', (size_t)(end - s)))
		return;
	while (last[-1] == '0')
		last--;
	last -= last[-1] == '.';
	memmove(last, end, strlen(end) + 1);
}

/* "1 ms", by the unit in the key. */
static void limit_text(const struct xtr_evidence *e, char *buf, size_t cap)
{
	char n[XTR_TEXT_NUMBER];

	if (ends_with(e->key, "_ns"))
		snprintf(buf, cap, "%s", xtr_text_ns(n, e->value));
	else if (ends_with(e->key, "_permille"))
		snprintf(buf, cap, "%s", xtr_text_percent(n, e->value, 1000));
	else if (ends_with(e->key, "_per_s"))
		snprintf(buf, cap, "%s/s", xtr_text_count(n, e->value));
	else
		snprintf(buf, cap, "%s", xtr_text_count(n, e->value));
	drop_zeros(buf);
}

/* The next of its limits; *at: where to look on. NULL: no more. */
static const struct xtr_evidence *next_limit(const struct xtr_finding *f, uint32_t *at)
{
	while (*at < f->n_evidence) {
		const struct xtr_evidence *e = &f->evidence[(*at)++];

		if (!strncmp(e->key, "limit", 5))
			return e;
	}
	return NULL;
}

const char *xtr_finding_rule_text(const struct xtr_finding *f, char buf[XTR_FINDING_RULE_MAX])
{
	const char *rule = xtr_finding_rule(f->id), *place;
	char limit[XTR_TEXT_NUMBER + 8];
	const struct xtr_evidence *e;
	size_t n = 0;
	uint32_t at = 0;

	*buf = 0;
	for (; rule && n < XTR_FINDING_RULE_MAX; rule = *place ? place + 2 : NULL) {
		place = strstr(rule, "{}");
		place = place ? place : rule + strlen(rule);
		e = *place ? next_limit(f, &at) : NULL;
		*limit = 0;
		if (e)
			limit_text(e, limit, sizeof(limit));
		n += (size_t)snprintf(buf + n, XTR_FINDING_RULE_MAX - n, "%.*s%s",
				      (int)(place - rule), rule, limit);
	}
	return buf;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* The first event, and the others that show it. */
static void events_json(const struct xtr_finding *one, struct xtr_json *j)
{
	xtr_json_kv_array(j, "events_ns");
	if (one->at_ns)
		xtr_json_u64(j, one->at_ns);
	for (uint32_t i = 0; i < one->n_events && i < XTR_FINDING_EVENTS_MAX; i++)
		xtr_json_u64(j, one->event_ns[i]);
	xtr_json_end_array(j);
}

void xtr_findings_json(const struct xtr_findings *f, struct xtr_json *j)
{
	char rule[XTR_FINDING_RULE_MAX];

	xtr_json_begin_array(j);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct xtr_finding *one = &f->finding[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "id", one->id);
		xtr_json_kv_bool(j, "notable", one->notable);
		xtr_json_kv_u64(j, "at_ns", one->at_ns);
		xtr_json_kv_str(j, "text", one->text);
		events_json(one, j);
		xtr_json_kv_str(j, "severity", xtr_severity_name(xtr_finding_severity(one)));
		xtr_json_kv_str(j, "rule", *xtr_finding_rule_text(one, rule) ? rule : NULL);
		xtr_json_kv_object(j, "evidence");
		for (uint32_t k = 0; k < one->n_evidence; k++)
			xtr_json_kv_u64(j, one->evidence[k].key, one->evidence[k].value);
		xtr_json_end_object(j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void xtr_findings_left_out_json(const struct xtr_findings *f, struct xtr_json *j)
{
	const struct xtr_finding_kind *k;
	uint32_t at = 0;

	xtr_json_begin_array(j);
	while ((k = xtr_findings_next_left_out(f, &at))) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "id", k->id);
		xtr_json_kv_str(j, "severity", xtr_severity_name(k->severity));
		xtr_json_kv_u64(j, "n", k->left_out);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}
