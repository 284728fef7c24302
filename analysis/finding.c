/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding.h"
#include "replay/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void xtr_finding_evidence(struct xtr_finding *f, const char *key, uint64_t value)
{
	f->evidence[f->n_evidence++] = (struct xtr_evidence){ key, value };
}

int xtr_findings_add(struct xtr_findings *f, const struct xtr_finding *one)
{
	uint32_t cap = f->cap ? f->cap * 2 : 8;
	struct xtr_finding *more;

	if (f->n == XTR_FINDINGS_MAX) {
		f->more++;
		return 0;
	}
	if (f->n == f->cap) {
		more = reallocarray(f->finding, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->finding = more;
		f->cap = cap;
	}
	f->finding[f->n++] = *one;
	return 0;
}

static int by_weight(const void *pa, const void *pb)
{
	const struct xtr_finding *a = pa, *b = pb;

	if (a->notable != b->notable)
		return b->notable - a->notable;
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
	*f = (struct xtr_findings){ 0 };
}

/* The first event, and the others that show it. */
static void events_json(const struct xtr_finding *one, struct xtr_json *j)
{
	uint32_t i;

	xtr_json_kv_array(j, "events_ns");
	if (one->at_ns)
		xtr_json_u64(j, one->at_ns);
	for (i = 0; i < one->n_events && i < XTR_FINDING_EVENTS_MAX; i++)
		xtr_json_u64(j, one->event_ns[i]);
	xtr_json_end_array(j);
}

void xtr_findings_json(const struct xtr_findings *f, struct xtr_json *j)
{
	uint32_t i, k;

	xtr_json_begin_array(j);
	for (i = 0; i < f->n; i++) {
		const struct xtr_finding *one = &f->finding[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "id", one->id);
		xtr_json_kv_bool(j, "notable", one->notable);
		xtr_json_kv_u64(j, "at_ns", one->at_ns);
		xtr_json_kv_str(j, "text", one->text);
		events_json(one, j);
		xtr_json_kv_object(j, "evidence");
		for (k = 0; k < one->n_evidence; k++)
			xtr_json_kv_u64(j, one->evidence[k].key, one->evidence[k].value);
		xtr_json_end_object(j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* "limit 1.00 ms", by the unit in the key. */
static void limit_text(const struct xtr_evidence *e, FILE *out)
{
	char n[XTR_TEXT_NUMBER];

	if (ends_with(e->key, "_ns"))
		fprintf(out, "limit %s", xtr_text_ns(n, e->value));
	else if (ends_with(e->key, "_permille"))
		fprintf(out, "limit %s", xtr_text_percent(n, e->value, 1000));
	else if (ends_with(e->key, "_per_s"))
		fprintf(out, "limit %s/s", xtr_text_count(n, e->value));
	else if (ends_with(e->key, "_bytes"))
		fprintf(out, "limit %s bytes", xtr_text_count(n, e->value));
	else
		fprintf(out, "limit %s", xtr_text_count(n, e->value));
}

static void limits_text(const struct xtr_finding *one, FILE *out)
{
	const char *before = " (";
	uint32_t i;

	for (i = 0; i < one->n_evidence; i++) {
		if (strncmp(one->evidence[i].key, "limit", 5))
			continue;
		fputs(before, out);
		limit_text(&one->evidence[i], out);
		before = ", ";
	}
	if (*before == ',')
		fputc(')', out);
}

void xtr_findings_text(const struct xtr_findings *f, bool times, FILE *out)
{
	char at[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < f->n; i++) {
		const struct xtr_finding *one = &f->finding[i];

		fprintf(out, "  %s %s", one->notable ? "!" : "-", one->text);
		limits_text(one, out);
		if (one->at_ns && times)
			fprintf(out, " [%s s]", xtr_text_stamp(at, one->at_ns));
		else if (one->at_ns)
			fprintf(out, " [event %" PRIu64 "]", one->at_ns);
		fputc('\n', out);
	}
	if (f->more)
		fprintf(out, "  ... and %" PRIu64 " more\n", f->more);
}
