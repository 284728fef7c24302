/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: their order, their limits and events, in text and JSON; chains of stalls. */
#include "analysis/core/finding_chain.h"
#include "analysis/core/view.h"

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

static const char *ring_name(const void *ctx, uint32_t id, char *buf, size_t cap)
{
	(void)ctx;
	snprintf(buf, cap, "card%u/ring%u", id / 10, id % 10);
	return buf;
}

static void text_lines(bool times, uint32_t lines)
{
	FILE *f = open_memstream(&out, &size);
	struct xtr_findings_view v = { .f = f, .times = times, .lines = lines, .ring = ring_name };

	xtr_findings_text(&all, &v);
	fclose(f);
}

static void text(bool times)
{
	text_lines(times, 0);
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

/* Of one severity by the time that they cost, where they tell; those that do not come after them.
 */
Test(finding, what_cost_most_comes_first)
{
	static const struct {
		const char *id, *key;
		uint64_t ns;
	} costs[] = { { "dependency-stall", "stall_ns", 5 },
		      { "blame-ring", "lost_ns", 7 },
		      { "irq-storm", "lost_ns", 9 }, /* its kind tells of no such time */
		      { "blame-thread", "lost_ns", 6 } };

	add("note", false, 1);
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		struct xtr_finding f = { .id = costs[i].id, .notable = true, .at_ns = 1 };

		xtr_finding_evidence(&f, costs[i].key, costs[i].ns);
		cr_assert(!xtr_findings_add(&all, &f));
	}
	xtr_findings_sort(&all);
	cr_expect_str_eq(all.finding[0].id, "blame-ring");
	cr_expect_str_eq(all.finding[1].id, "blame-thread");
	cr_expect_str_eq(all.finding[2].id, "dependency-stall");
	cr_expect_str_eq(all.finding[3].id, "irq-storm");
	cr_expect_str_eq(all.finding[4].id, "note");
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
		  "thresholds: 100 us late, 1.5 % of the ring's jobs, at least 1,234 jobs" },
		{ "irq-storm",
		  2,
		  { { "interrupts", 9 }, { "limit_per_s", 10000 } },
		  "threshold: 10,000/s" },
		{ "cpu-delay",
		  2,
		  { { "limit_ns", 1500000 }, { "limit_permille", 100 } },
		  "thresholds: 1.5 ms late, 10 % of the jobs" },
		{ "xid", 1, { { "xid", 79 } }, "" },
		{ "x", 1, { { "limit_ns", 1 } }, "" },
	};
	char rule[XTR_FINDING_RULE_MAX], line[XTR_FINDING_RULE_MAX + 32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xtr_finding f = { .id = rows[i].id, .text = "it", .n_evidence = rows[i].n };

		memcpy(f.evidence, rows[i].e, sizeof(rows[i].e));
		cr_expect_str_eq(xtr_finding_rule_text(&f, rule), rows[i].rule);
		cr_assert(!xtr_findings_add(&all, &f));
		text(true);
		snprintf(line, sizeof(line), *rule ? "  - it (%s)\n" : "  - it\n", rule);
		cr_expect(!strncmp(out, line, strlen(line)), "%s", out);
		teardown();
	}
}

/* Where a finding lacks limits that its rule has a place for, nothing else stands there. */
Test(finding, a_place_without_a_limit_is_empty)
{
	struct xtr_finding f = { .id = "cpu-delay", .evidence = { { "limit_ns", 1000000 } } };
	char rule[XTR_FINDING_RULE_MAX];

	f.n_evidence = 1;
	cr_expect_str_eq(xtr_finding_rule_text(&f, rule), "thresholds: 1 ms late,  of the jobs");
}

/* What is a finding whenever it happens has a rule, but the line need not say so. */
Test(finding, a_limit_of_one_is_not_in_the_line)
{
	struct xtr_finding f = { .id = "xe-queue-reset",
				 .text = "it",
				 .evidence = { { "count", 2 }, { "limit", 1 } },
				 .n_evidence = 2 };
	char rule[XTR_FINDING_RULE_MAX];

	cr_expect_str_eq(xtr_finding_rule_text(&f, rule), "threshold: 1");
	cr_assert(!xtr_findings_add(&all, &f));
	text(true);
	cr_expect(!strncmp(out, "  - it\n", 7), "%s", out);
}

/* Below the first one of a kind, and below none that says the same of another kind. */
Test(finding, what_to_do_next_stands_there_once)
{
	add("xe-queue-reset", true, 1);
	add("xe-queue-reset", true, 2);
	add("xe-job-timeout", true, 3);
	add("irq-storm", true, 4);
	add("map-calls", false, 5);
	text(false);
	cr_expect_str_eq(out, "  ! xe-queue-reset is seen [event 1]\n"
			      "      next: dmesg and the device coredump have the driver's reason; "
			      "xtr stats -s xe: the queue\n"
			      "  ! xe-queue-reset is seen [event 2]\n"
			      "  ! xe-job-timeout is seen [event 3]\n"
			      "  ! irq-storm is seen [event 4]\n"
			      "      next: xtr stats -s cpu: the time that its handler took\n"
			      "  - map-calls is seen [event 5]\n");
}

/* Whatever an advice names can be asked for. */
Test(finding, advice_names_parts_that_there_are)
{
	uint32_t n = 0;

	for (size_t i = 0; xtr_finding_id(i); i++) {
		const char *advice = xtr_finding_advice(xtr_finding_id(i));
		const char *s = advice ? strstr(advice, " -s ") : NULL;
		char name[32];

		for (s = s ? s + 4 : NULL; s; s = *s == ',' ? s + 1 : NULL) {
			size_t len = strcspn(s, ",: ");

			snprintf(name, sizeof(name), "%.*s", (int)len, s);
			cr_expect(xtr_view_part_bit(name), "%s", name);
			s += len;
			n++;
		}
	}
	cr_expect(n > 25);
	cr_expect_null(xtr_finding_advice("no such finding"));
}

Test(finding, lines_are_limited)
{
	for (uint64_t i = 1; i <= 5; i++)
		add("a", true, i);
	text_lines(false, 3);
	cr_expect_str_eq(out, "  ! a is seen [event 1]\n  ! a is seen [event 2]\n"
			      "  ! a is seen [event 3]\n  ... and 2 more (-s findings)\n");
	free(out);
	text_lines(false, 5);
	cr_expect_null(strstr(out, "more"));
}

/* --- chains ----------------------------------------------------------------------------------- */

static void stall(uint32_t ring, uint32_t by, uint64_t ms)
{
	struct xtr_finding f = { .id = "dependency-stall",
				 .notable = true,
				 .at_ns = all.n + 1,
				 .evidence = { { "ring_id", ring },
					       { "blocked_by_ring_id", by },
					       { "stall_ns", ms * 1000000 },
					       { "span_ns", 1000000000 },
					       { "limit_permille", 100 } },
				 .n_evidence = 5 };

	snprintf(f.text, sizeof(f.text), "%u waited for %u", ring, by);
	cr_assert(!xtr_findings_add(&all, &f));
}

#define NEXT \
	"      next: submit what they wait for earlier; xtr stats -s blame: whose jobs those are\n"

/* In one line, where the first of them in time stands, whatever their order. */
Test(finding, stalls_that_pass_on_are_one_line)
{
	stall(2, 3, 200);
	stall(1, 2, 300);
	add("irq-storm", true, 9);
	stall(3, 14, 150);
	text(false);
	cr_expect_str_eq(
		out,
		"  ! card0/ring1 <- ring2 <- ring3 <- card1/ring4: each was idle while its "
		"jobs waited for the next, for 300 ms (30.0 %), 200 ms (20.0 %), 150 ms "
		"(15.0 %) (threshold: 10 %) [event 1]\n" NEXT "  ! irq-storm is seen [event 9]\n"
		"      next: xtr stats -s cpu: the time that its handler took\n");
}

Test(finding, a_stall_alone_is_no_chain)
{
	stall(1, 2, 300);
	stall(3, 4, 200);
	text(false);
	cr_expect_str_eq(out, "  ! 1 waited for 2 (threshold: 10 %) [event 1]\n" NEXT
			      "  ! 3 waited for 4 (threshold: 10 %) [event 2]\n");
}

/* A ring that two waited for goes on in one chain only, and of its own stalls the longest does. */
Test(finding, chains_do_not_share_a_stall)
{
	stall(1, 2, 300);
	stall(5, 2, 400);
	stall(2, 3, 150);
	stall(2, 4, 160);
	text(false);
	cr_expect_str_eq(out, "  ! card0/ring1 <- ring2 <- ring4: each was idle while its jobs "
			      "waited for the next, for 300 ms (30.0 %), 160 ms (16.0 %) "
			      "(threshold: 10 %) [event 1]\n" NEXT
			      "  ! card0/ring5 <- ring2 <- ring3: each was idle while its jobs "
			      "waited for the next, for 400 ms (40.0 %), 150 ms (15.0 %) "
			      "(threshold: 10 %) [event 2]\n");
}

/* Rings that waited for the same one, and are in no chain, are one line; beyond four only counted.
 */
Test(finding, stalls_on_one_ring_are_one_line)
{
	stall(1, 9, 300);
	stall(12, 9, 400);
	stall(13, 8, 100);
	text(false);
	cr_expect_str_eq(out,
			 "  ! card0/ring1 and card1/ring2 were each idle while their jobs "
			 "waited for card0/ring9, for up to 400 ms (40.0 %) (threshold: 10 %) "
			 "[event 1]\n" NEXT "  ! 13 waited for 8 (threshold: 10 %) [event 3]\n");
	free(out);
	for (uint32_t i = 3; i < 7; i++)
		stall(i, 9, 200);
	text(false);
	cr_expect(!strncmp(out,
			   "  ! card0/ring1, card1/ring2, card0/ring3, ring4 and 2 more were each ",
			   70),
		  "%s", out);
}

/* What goes on from a ring, and what only waits for it, are two lines. */
Test(finding, a_stall_in_a_chain_is_not_beside_others)
{
	stall(1, 2, 300);
	stall(2, 3, 200);
	stall(5, 3, 200);
	stall(6, 3, 250);
	text(false);
	cr_expect(strstr(out, "  ! card0/ring1 <- ring2 <- ring3: each") == out);
	cr_expect(strstr(out, "\n  ! card0/ring5 and ring6 were each idle"), "%s", out);
}

/* Two rings that waited for each other: a circle is cut. */
Test(finding, a_circle_is_one_chain)
{
	struct xtr_chains c;

	stall(1, 2, 300);
	stall(2, 1, 200);
	xtr_chains_find(&c, &all);
	cr_expect(c.next[0] == 1 && c.before[1] == 0);
	cr_expect(c.next[1] == XTR_CHAIN_NONE && c.before[0] == XTR_CHAIN_NONE);
	cr_expect(xtr_chain_begin(&c, 1) == 0);
	text(false);
	cr_expect(!strncmp(out, "  ! card0/ring1 <- ring2 <- ring1: ", 35), "%s", out);
}

/* Limits count chains as what they are: one line. Links beyond are not counted as more. */
Test(finding, a_chain_is_one_of_the_lines)
{
	stall(1, 2, 300);
	stall(3, 4, 200);
	stall(2, 3, 150);
	text_lines(false, 1);
	cr_expect(strstr(out, "ring1 <- ring2 <- ring3 <- ring4") && !strstr(out, "more"));
	stall(7, 8, 200);
	free(out);
	text_lines(false, 1);
	cr_expect(strstr(out, "\n  ... and 1 more (-s findings)\n"), "%s", out);
}

/* As many stalls as there can be, in one chain that comes backwards. */
Test(finding, the_longest_chain)
{
	struct xtr_chains c;

	for (uint32_t i = XTR_FINDINGS_MAX; i; i--)
		stall(i, i + 1, 200);
	xtr_chains_find(&c, &all);
	cr_expect(xtr_chain_begin(&c, 0) == XTR_FINDINGS_MAX - 1);
	text(false);
	cr_expect(strchr(out, '\n') && !strncmp(strchr(out, '\n') + 1, NEXT, strlen(NEXT)));
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
			 "\"rule\":\"threshold: 100 ns\",\"evidence\":{\"limit_ns\":100}},"
			 "{\"id\":\"y\",\"notable\":false,\"at_ns\":0,\"text\":\"y is seen\","
			 "\"events_ns\":[],\"severity\":\"note\",\"rule\":null,\"evidence\":{}}]");
}

Test(finding, beyond_the_most_they_are_counted)
{
	for (uint32_t i = 0; i < XTR_FINDINGS_MAX + 3; i++)
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
	uint32_t n = 0;

	for (uint32_t i = 0; i < all.n; i++)
		n += !strcmp(all.finding[i].id, id);
	return n;
}

/* A reset that comes last, behind more notes than there is room for, is the first that is shown. */
Test(finding, a_fault_at_the_end_is_not_lost)
{
	for (uint32_t i = 0; i < 2 * XTR_FINDINGS_MAX; i++)
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
	for (uint32_t i = 0; i < 1000; i++)
		add("slow", true, i + 1);
	add_fault("reset", 5000);
	add("late", true, 6000);
	for (uint32_t i = 0; i < 1000; i++)
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
	uint32_t stay;

	for (uint32_t o = 0; o < 6; o++) {
		for (uint32_t k = 0; k < 3; k++)
			for (uint32_t i = 0; i < number[order[o][k]]; i++)
				add(ids[order[o][k]], true, i + 1);
		cr_expect(kept("a") == 1 && kept("b") == 100);
		cr_expect(kept("c") == XTR_FINDINGS_MAX - 101 && all.n == XTR_FINDINGS_MAX);
		for (uint32_t i = stay = 0; i < all.n; i++)
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

	for (uint32_t i = 0; i < XTR_FINDINGS_MAX; i++)
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
