/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: their order, their limits and events, in text and JSON. */
#include "analysis/finding.h"

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

Test(finding, text_shows_each_limit_in_its_unit)
{
	static const struct xtr_evidence e[] = {
		{ "jobs", 7 },
		{ "limit_ns", 1000000 },
		{ "limit_permille", 15 },
		{ "limit_per_s", 10000 },
		{ "limit_bytes", 1u << 20 },
		{ "limit", 3 },
		{ "limit_frames", 2 },
	};
	struct xtr_finding f = { .id = "x", .notable = true, .text = "it" };

	memcpy(f.evidence, e, sizeof(e));
	f.n_evidence = sizeof(e) / sizeof(e[0]);
	cr_assert(!xtr_findings_add(&all, &f));
	text(true);
	cr_expect_str_eq(out, "  ! it (limit 1.00 ms, limit 1.5 %, limit 10,000/s, "
			      "limit 1,048,576 bytes, limit 3, limit 2)\n");
}

Test(finding, no_limit_no_brackets)
{
	add("a", true, 0);
	text(true);
	cr_expect_str_eq(out, "  ! a is seen\n");
}

Test(finding, json_has_events_and_limits)
{
	struct xtr_finding f = { .id = "x",
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
	cr_expect_str_eq(out, "[{\"id\":\"x\",\"notable\":true,\"at_ns\":5,\"text\":\"it\","
			      "\"events_ns\":[5,6,9],\"evidence\":{\"limit_ns\":100}},"
			      "{\"id\":\"y\",\"notable\":false,\"at_ns\":0,\"text\":\"y is seen\","
			      "\"events_ns\":[],\"evidence\":{}}]");
}

Test(finding, beyond_the_most_they_are_counted)
{
	uint32_t i;

	for (i = 0; i < XTR_FINDINGS_MAX + 3; i++)
		add("a", true, 0);
	cr_expect_eq(all.n, XTR_FINDINGS_MAX);
	cr_expect_eq(all.more, 3);
	text(true);
	cr_expect(strstr(out, "  ... and 3 more\n"));
}
