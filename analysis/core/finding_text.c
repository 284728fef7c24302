/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings for people: a line for each, or for stalls that are one fact, and what to do next. */
#include "finding_chain.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Of what is a finding from the first time on, the limit says nothing. */
static bool has_limits(const struct xtr_finding *one)
{
	for (uint32_t i = 0; i < one->n_evidence; i++)
		if (!strncmp(one->evidence[i].key, "limit", 5) && one->evidence[i].value > 1)
			return true;
	return false;
}

#define RING_NAME (2 * XTR_TEXT_NAME)
#define NAMED     4u /* rings of one line that waited for the same one */

/* A ring of a chain, without its device if that is the one of the ring before; last: its name. */
static void ring(const struct xtr_findings_view *v, uint64_t id, char last[RING_NAME])
{
	char buf[RING_NAME];
	const char *name = v->ring(v->ctx, (uint32_t)id, buf, sizeof(buf));
	const char *slash = strchr(name, '/');
	bool same = slash && !strncmp(name, last, (size_t)(slash + 1 - name));

	fputs(same ? slash + 1 : name, v->f);
	snprintf(last, RING_NAME, "%s", name);
}

/* "A <- B <- C: each was idle while its jobs waited for the next, for 40 ms (12 %), 33 ms (10 %)"
 */
static void chain_text(const struct xtr_findings *f, const struct xtr_findings_view *v,
		       const struct xtr_chains *c, uint32_t i)
{
	char ns[XTR_TEXT_NUMBER], share[XTR_TEXT_NUMBER], last[RING_NAME] = "";
	const char *before = ", for ";

	ring(v, xtr_finding_number(&f->finding[i], "ring_id"), last);
	for (uint32_t k = i; k != XTR_CHAIN_NONE; k = c->next[k]) {
		fputs(" <- ", v->f);
		ring(v, xtr_finding_number(&f->finding[k], "blocked_by_ring_id"), last);
	}
	fputs(": each was idle while its jobs waited for the next", v->f);
	for (; i != XTR_CHAIN_NONE; i = c->next[i], before = ", ") {
		uint64_t stall = xtr_finding_number(&f->finding[i], "stall_ns");

		xtr_text_percent(share, stall, xtr_finding_number(&f->finding[i], "span_ns"));
		fprintf(v->f, "%s%s (%s)", before, xtr_text_ns(ns, stall), share);
	}
}

/* Is it a stall that is in no chain, on the ring that number i waited for? */
static bool is_beside(const struct xtr_findings *f, const struct xtr_chains *c, uint32_t i,
		      uint32_t k)
{
	static const char by[] = "blocked_by_ring_id";
	const struct xtr_finding *a = &f->finding[i], *b = &f->finding[k];

	return c->next[k] == XTR_CHAIN_NONE && c->before[k] == XTR_CHAIN_NONE &&
	       c->next[i] == XTR_CHAIN_NONE && c->before[i] == XTR_CHAIN_NONE &&
	       !strcmp(a->id, b->id) && xtr_finding_number(a, by) &&
	       xtr_finding_number(a, by) == xtr_finding_number(b, by);
}

/* "A, B and C were each idle while their jobs waited for D, for up to 40 ms (12 %)": n of them. */
static void beside_text(const struct xtr_findings *f, const struct xtr_findings_view *v,
			const struct xtr_chains *c, uint32_t i, uint32_t n)
{
	char ns[XTR_TEXT_NUMBER], share[XTR_TEXT_NUMBER], last[RING_NAME] = "";
	uint64_t most = 0, stall;
	uint32_t at = 0;

	for (uint32_t k = i; k < f->n; k++) {
		if (!is_beside(f, c, i, k))
			continue;
		stall = xtr_finding_number(&f->finding[k], "stall_ns");
		most = stall > most ? stall : most;
		if (at++ >= NAMED)
			continue;
		fputs(at == 1 ? "" : at == n ? " and " : ", ", v->f);
		ring(v, xtr_finding_number(&f->finding[k], "ring_id"), last);
	}
	if (n > NAMED)
		fprintf(v->f, " and %" PRIu32 " more", n - NAMED);
	fputs(" were each idle while their jobs waited for ", v->f);
	*last = 0;
	ring(v, xtr_finding_number(&f->finding[i], "blocked_by_ring_id"), last);
	xtr_text_percent(share, most, xtr_finding_number(&f->finding[i], "span_ns"));
	fprintf(v->f, ", for up to %s (%s)", xtr_text_ns(ns, most), share);
}

/* Marks all that its line says, itself too; n: how many of them are beside it. */
static uint32_t mark(const struct xtr_findings *f, const struct xtr_chains *c, uint32_t i,
		     bool *said)
{
	uint32_t n = 0;

	for (uint32_t k = xtr_chain_begin(c, i); k != XTR_CHAIN_NONE; k = c->next[k])
		said[k] = true;
	for (uint32_t k = i; k < f->n; k++) {
		if (!is_beside(f, c, i, k))
			continue;
		said[k] = true;
		n++;
	}
	return n;
}

static void line(const struct xtr_findings *f, const struct xtr_findings_view *v,
		 const struct xtr_chains *c, uint32_t i, uint32_t n)
{
	const struct xtr_finding *one = &f->finding[i];
	char at[XTR_TEXT_NUMBER], rule[XTR_FINDING_RULE_MAX];
	uint32_t begin = xtr_chain_begin(c, i);

	fprintf(v->f, "  %s ", one->notable ? "!" : "-");
	if (c->next[begin] != XTR_CHAIN_NONE)
		chain_text(f, v, c, begin);
	else if (n > 1)
		beside_text(f, v, c, i, n);
	else
		fputs(one->text, v->f);
	if (has_limits(one) && *xtr_finding_rule_text(one, rule))
		fprintf(v->f, " (%s)", rule);
	if (one->at_ns && v->times)
		fprintf(v->f, " [%s s]", xtr_text_stamp(at, one->at_ns));
	else if (one->at_ns)
		fprintf(v->f, " [event %" PRIu64 "]", one->at_ns);
	fputc('\n', v->f);
}

/* Below the first finding that it belongs to. */
static void advice(const struct xtr_findings *f, const struct xtr_findings_view *v, uint32_t i)
{
	const char *next = xtr_finding_advice(f->finding[i].id);

	if (!next)
		return;
	for (uint32_t k = 0; k < i; k++) {
		const char *said = xtr_finding_advice(f->finding[k].id);

		if (said && !strcmp(said, next))
			return;
	}
	fprintf(v->f, "      next: %s\n", next);
}

/* "  ... and 12 more: 9 cpu-delay (notable), 3 boot-polling (note)" */
static void left_out(const struct xtr_findings *f, FILE *out)
{
	const struct xtr_finding_kind *k;
	const char *before = ": ";
	char n[XTR_TEXT_NUMBER];
	uint32_t at = 0;

	fprintf(out, "  ... and %s more", xtr_text_count(n, f->more));
	for (; (k = xtr_findings_next_left_out(f, &at)); before = ", ")
		fprintf(out, "%s%s %s (%s)", before, xtr_text_count(n, k->left_out), k->id,
			xtr_severity_name(k->severity));
	fputc('\n', out);
}

void xtr_findings_text(const struct xtr_findings *f, const struct xtr_findings_view *v)
{
	bool said[XTR_FINDINGS_MAX] = { false };
	uint64_t lines = 0, rest = f->more;
	struct xtr_chains c;
	char n[XTR_TEXT_NUMBER];

	xtr_chains_find(&c, f);
	for (uint32_t i = 0; i < f->n; i++) {
		if (said[i])
			continue;
		if (v->lines && lines == v->lines) {
			rest++;
			continue;
		}
		lines++;
		line(f, v, &c, i, mark(f, &c, i, said));
		advice(f, v, i);
	}
	if (v->lines && rest)
		fprintf(v->f, "  ... and %s more (-s findings)\n", xtr_text_count(n, rest));
	else if (f->more)
		left_out(f, v->f);
}
