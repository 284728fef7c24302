/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: their order, their limits and events, in text and JSON. */
#include "analysis/core/finding.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct xtr_findings all;
static char *out;
static size_t size;

static void teardown(void)
{
	xtr_findings_free(&all);
	free(out);
	out = NULL;
}

TestSuite(finding, .fini = teardown);

static void add(const char *id, bool notable, uint64_t at_ns)
{
	struct xtr_finding f = { .id = id, .notable = notable, .at_ns = at_ns };

	snprintf(f.text, sizeof(f.text), "%s is seen", id);
	cr_assert(!xtr_findings_add(&all, &f));
}

static void text(bool times)
{
	FILE *f = open_memstream(&out, &size);

	xtr_findings_text(&all, times, f);
	fclose(f);
}

Test(finding, notable_ones_come_first_then_earlier_ones)
{
	add("c", false, 1);
	add("b", true, 20);
	add("a", true, 10);
	xtr_findings_sort(&all);
	text(false);
	cr_expect_str_eq(out, "  ! a is seen [event 10]\n  ! b is seen [event 20]\n"
			      "  - c is seen [event 1]\n");
}

/* All units that limits have, and each with what it is of. */
Test(finding, text_says_what_each_limit_is_of)
{
	static const struct {
		const char *id;
		uint32_t n;
		struct xtr_evidence e[4];
		const char *rule;
	} rows[] = {
		{ "amdgpu-scheduling-delay",
		  4,
		  { { "jobs", 7 },
		    { "limit_ns", 100000 },
		    { "limit_permille", 15 },
		    { "limit_jobs", 1234 } },
		  "late: more than 100 us; told from 1.5 % of the ring's jobs on, of at least 1,234" },
		{ "irq-storm",
		  2,
		  { { "interrupts", 9 }, { "limit_per_s", 10000 } },
		  "told above 10,000/s" },
		{ "xe-queue-reset",
		  3,
		  { { "count", 2 }, { "limit", 1 }, { "gt", 0 } },
		  "1 is enough" },
		{ "xid", 1, { { "xid", 79 } }, "" },
		{ "x", 1, { { "limit_ns", 1 } }, "" },
	};
	char rule[XTR_FINDING_RULE_MAX], line[XTR_FINDING_RULE_MAX + 32];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xtr_finding f = { .id = rows[i].id, .text = "it", .n_evidence = rows[i].n };

		memcpy(f.evidence, rows[i].e, sizeof(rows[i].e));
		cr_expect_str_eq(xtr_finding_rule_text(&f, rule), rows[i].rule);
		cr_assert(!xtr_findings_add(&all, &f));
		text(true);
		snprintf(line, sizeof(line), *rule ? "  - it (%s)\n" : "  - it\n", rule);
		cr_expect_str_eq(out, line);
		teardown();
	}
}

/* Where a finding lacks limits that its rule has a place for, nothing else stands there. */
Test(finding, a_place_without_a_limit_is_empty)
{
	struct xtr_finding f = { .id = "cpu-delay", .evidence = { { "limit_ns", 1000000 } } };
	char rule[XTR_FINDING_RULE_MAX];

	f.n_evidence = 1;
	cr_expect_str_eq(xtr_finding_rule_text(&f, rule),
			 "late: more than 1.00 ms; told above  of the jobs");
}

Test(finding, no_limit_no_brackets)
{
	add("a", true, 0);
	text(true);
	cr_expect_str_eq(out, "  ! a is seen\n");
}

Test(finding, json_has_events_and_limits)
{
	struct xtr_finding f = { .id = "i915-long-wait",
				 .notable = true,
				 .text = "it",
				 .at_ns = 5,
				 .event_ns = { 6, 9 },
				 .n_events = 2,
				 .evidence = { { "limit_ns", 100 } },
				 .n_evidence = 1 };
	struct xtr_json j;
	FILE *file = open_memstream(&out, &size);

	cr_assert(!xtr_findings_add(&all, &f));
	add("y", false, 0);
	xtr_json_init(&j, file, false);
	xtr_findings_json(&all, &j);
	fclose(file);
	cr_expect_str_eq(out,
			 "[{\"id\":\"i915-long-wait\",\"notable\":true,\"at_ns\":5,\"text\":\"it\","
			 "\"events_ns\":[5,6,9],\"severity\":\"notable\","
			 "\"rule\":\"long: 100 ns or more\",\"evidence\":{\"limit_ns\":100}},"
			 "{\"id\":\"y\",\"notable\":false,\"at_ns\":0,\"text\":\"y is seen\","
			 "\"events_ns\":[],\"severity\":\"note\",\"rule\":null,\"evidence\":{}}]");
}

Test(finding, beyond_the_most_they_are_counted)
{
	uint32_t i;

	for (i = 0; i < XTR_FINDINGS_MAX + 3; i++)
		add("a", true, 0);
	cr_expect_eq(all.n, XTR_FINDINGS_MAX);
	cr_expect_eq(all.more, 3);
	text(true);
	cr_expect(strstr(out, "  ... and 3 more: 3 a (notable)\n"));
}

static void add_fault(const char *id, uint64_t at_ns)
{
	struct xtr_finding f = { .id = id, .notable = true, .fault = true, .at_ns = at_ns };

	snprintf(f.text, sizeof(f.text), "%s is seen", id);
	cr_assert(!xtr_findings_add(&all, &f));
}

static uint32_t kept(const char *id)
{
	uint32_t i, n = 0;

	for (i = 0; i < all.n; i++)
		n += !strcmp(all.finding[i].id, id);
	return n;
}

/* A reset that comes last, behind more notes than there is room for, is the first that is shown. */
Test(finding, a_fault_at_the_end_is_not_lost)
{
	uint32_t i;

	for (i = 0; i < 2 * XTR_FINDINGS_MAX; i++)
		add("note", false, i + 1);
	add_fault("reset", 9999);
	xtr_findings_sort(&all);
	text(false);
	cr_expect(!strncmp(out, "  ! reset is seen [event 9999]\n", 31), "%.80s", out);
	cr_expect(strstr(out, "  ... and 257 more: 257 note (note)\n"));
	cr_expect(kept("note") == XTR_FINDINGS_MAX - 1 && all.more == 257);
}

/* The same among findings that are notable, too: faults come first, then the others. */
Test(finding, a_fault_is_more_than_what_is_notable)
{
	uint32_t i;

	for (i = 0; i < 1000; i++)
		add("slow", true, i + 1);
	add_fault("reset", 5000);
	add("late", true, 6000);
	for (i = 0; i < 1000; i++)
		add("note", false, i + 1);
	xtr_findings_sort(&all);
	cr_expect_str_eq(all.finding[0].id, "reset");
	cr_expect(kept("late") == 1 && kept("note") == 0);
	cr_expect(kept("slow") == XTR_FINDINGS_MAX - 2);
	text(false);
	cr_expect(strstr(out, "  ... and 1,746 more: 746 slow (notable), 1,000 note (note)\n"),
		  "%s", strstr(out, "..."));
}

/* Of one severity no kind crowds out another, whichever came first; the worst of a kind stay. */
Test(finding, each_kind_has_its_share)
{
	static const char *const ids[] = { "a", "b", "c" };
	static const uint32_t order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
					      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	static const uint32_t number[] = { 1, 100, 4000 };
	uint32_t o, k, i, stay;

	for (o = 0; o < 6; o++) {
		for (k = 0; k < 3; k++)
			for (i = 0; i < number[order[o][k]]; i++)
				add(ids[order[o][k]], true, i + 1);
		cr_expect(kept("a") == 1 && kept("b") == 100);
		cr_expect(kept("c") == XTR_FINDINGS_MAX - 101 && all.n == XTR_FINDINGS_MAX);
		for (i = stay = 0; i < all.n; i++)
			stay += !strcmp(all.finding[i].id, "c") &&
				all.finding[i].at_ns <= XTR_FINDINGS_MAX - 101;
		cr_expect(stay == kept("c"), "those of c that came first: %u", stay);
		xtr_findings_free(&all);
	}
}

Test(finding, json_says_what_was_left_out)
{
	struct xtr_json j;
	FILE *file = open_memstream(&out, &size);
	uint32_t i;

	for (i = 0; i < XTR_FINDINGS_MAX; i++)
		add_fault("reset", i);
	add("note", false, 1);
	add("slow", true, 1);
	add_fault("reset", 1);
	xtr_json_init(&j, file, false);
	xtr_findings_left_out_json(&all, &j);
	fclose(file);
	cr_expect_str_eq(out, "[{\"id\":\"reset\",\"severity\":\"fault\",\"n\":1},"
			      "{\"id\":\"slow\",\"severity\":\"notable\",\"n\":1},"
			      "{\"id\":\"note\",\"severity\":\"note\",\"n\":1}]");
}
