/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysed.h"
#include "analysis/core/view.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

void analysed_init(struct analysed *r)
{
	*r = (struct analysed){ 0 };
	named_init(&r->n);
}

void analysed_function(struct analysed *r, const char *name, bool ret, const char *in,
		       const char *out)
{
	char event[256], fields[256];

	snprintf(fields, sizeof(fields), "context:u32:4 pad:u32:4 %s", in);
	named_describe(&r->n, name, fields);
	if (!ret)
		return;
	snprintf(event, sizeof(event), "%s:ret", name);
	snprintf(fields, sizeof(fields), "context:u32:4 pad:u32:4 ret:s32:4 hi:u32:4 %s", out);
	named_describe(&r->n, event, fields);
}

void analysed_no_times(struct analysed *r)
{
	uint8_t boot[16] = { 0 };

	cr_assert(!xtr_meta_set_clock(r->n.meta, XTR_CLOCK_SEQUENCE, boot, 1));
}

void analysed_begin(struct analysed *r, const struct xtr_select *select)
{
	static const struct xtr_select all;

	cr_assert(
		!xtr_analyses_new(&r->a, r->n.meta, r->n.tables, select ? select : &all, ~0u, 10));
}

void analysed_give(struct analysed *r)
{
	cr_assert(!xtr_analyses_event(r->a, &r->n.ev));
}

void analysed_event(struct analysed *r, const char *name, uint64_t ts, uint32_t tid)
{
	named_emit(&r->n, name, ts, tid, 0);
	analysed_give(r);
}

void analysed_ret(struct analysed *r, const char *name, uint64_t ts, uint32_t tid, int64_t ret)
{
	char event[256];

	snprintf(event, sizeof(event), "%s:ret", name);
	named_emit(&r->n, event, ts, tid, 0);
	named_set(&r->n, "ret", (uint64_t)ret);
	analysed_give(r);
}

void analysed_job(struct analysed *r, const struct xtr_job *j)
{
	static const struct xtr_model_ring some = {
		.id = 1, .name = "compute", .device_name = "npu", .driver = "intel_vpu"
	};
	struct xtr_job with = *j;

	with.ring = j->ring ? j->ring : &some;
	cr_assert(!xtr_analyses_job(r->a, &with));
}

void analysed_gap(struct analysed *r, uint64_t first, uint64_t last)
{
	named_gap(&r->n, first, last);
	analysed_give(r);
}

static void write_json(struct analysed *r, size_t i)
{
	struct xtr_json j;
	size_t size;
	FILE *f = open_memstream(&r->section, &size);

	xtr_json_init(&j, f, false);
	xtr_analyses_json(r->a, i, &j);
	fclose(f);
}

static void write_text(struct analysed *r, size_t i)
{
	struct xtr_view v = { .analyses = r->a };
	size_t size;

	v.f = open_memstream(&r->text, &size);
	cr_assert(!xtr_analyses_text(r->a, i, &v));
	fclose(v.f);
}

/* Places for limits in its rule. */
static uint32_t places(const char *rule)
{
	uint32_t n = 0;

	for (; rule && (rule = strstr(rule, "{}")); rule += 2)
		n++;
	return n;
}

/* What --fail-on finding:ID and the documents go by; and that its rule says what each limit is of.
 */
static void check_kind(const struct xtr_finding *f)
{
	uint32_t limits = 0;
	size_t i;

	for (i = 0; xtr_finding_id(i); i++)
		if (!strcmp(xtr_finding_id(i), f->id))
			break;
	cr_assert(xtr_finding_id(i), "'%s' is not in finding_ids.c", f->id);
	for (uint32_t k = 0; k < f->n_evidence; k++)
		limits += !strncmp(f->evidence[k].key, "limit", 5);
	cr_assert(places(xtr_finding_rule(f->id)) == limits, "%s: %u limits for '%s'", f->id,
		  limits, xtr_finding_rule(f->id));
}

static void check_kinds(const struct xtr_findings *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		check_kind(&f->finding[i]);
}

void analysed_end(struct analysed *r, uint64_t span_ns, const char *section)
{
	struct xtr_json j;
	size_t size;
	FILE *f;

	cr_assert(!xtr_analyses_finish(r->a, span_ns));
	for (size_t i = 0; i < xtr_n_analyses; i++)
		if (!strcmp(xtr_analyses[i]->name, section) && xtr_analyses_has(r->a, i)) {
			write_json(r, i);
			write_text(r, i);
		}
	check_kinds(xtr_analyses_findings(r->a));
	f = open_memstream(&r->findings, &size);
	xtr_json_init(&j, f, false);
	xtr_findings_json(xtr_analyses_findings(r->a), &j);
	fclose(f);
}

void analysed_free(struct analysed *r)
{
	xtr_analyses_free(r->a);
	named_free(&r->n);
	free(r->section);
	free(r->findings);
	free(r->text);
}

void analysed_has(const char *text, const char *part)
{
	cr_assert(text);
	cr_expect(strstr(text, part), "no %s in %.8000s", part, text);
}

void analysed_has_not(const char *text, const char *part)
{
	cr_assert(text);
	cr_expect(!strstr(text, part), "%s in %.8000s", part, text);
}
