/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of perf script. */
#include "converters/in/text/import_perf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "comm tid/pid cpu missing ns digits system:event|text", or "no". */
static char *line_of(const char *line)
{
	static char out[1024];
	struct textin_event e;
	unsigned int digits, missing;

	if (!perf_line(line, strlen(line), &e, &digits, &missing))
		return strcpy(out, "no");
	snprintf(out, sizeof(out), "%.*s %u/%u %u %u %" PRIu64 " %u %.*s%s:%.*s|%.*s",
		 e.at.comm ? (int)e.at.comm_len : 1, e.at.comm ? e.at.comm : "-", e.at.tid,
		 e.at.pid, e.at.cpu, missing, e.at.ts, digits, (int)e.system_len,
		 e.system ? e.system : "", e.of_system ? e.of_system : "", (int)e.name_len, e.name,
		 (int)e.text_len, e.text);
	return out;
}

static const struct {
	const char *line, *expected;
} cases[] = {
	/* default columns, and those that -F adds or leaves out */
	{ "            perf 29156 [001] 13.717877: sched:ev: a=1 b=2",
	  "perf 29156/0 1 0 13717877000 6 sched:ev|a=1 b=2" },
	{ "perf 29156 [001] 13.717877189: sched:ev: a=1",
	  "perf 29156/0 1 0 13717877189 9 sched:ev|a=1" },
	{ "            perf 29156/29157 [001] 13.717877:          1 sched:ev: a=1",
	  "perf 29157/29156 1 0 13717877000 6 sched:ev|a=1" },
	{ "     migration/0    18/18    [000] 13.717877:  sched:ev: a=1",
	  "migration/0 18/18 0 0 13717877000 6 sched:ev|a=1" },
	{ "            perf 29156 13.717877: sched:ev: a=1",
	  "perf 29156/0 0 2 13717877000 6 sched:ev|a=1" },
	{ "29156 13.717877: sched:ev: a=1", "- 29156/0 0 2 13717877000 6 sched:ev|a=1" },
	{ "[001] 13.717877: sched:ev: a=1", "- 0/0 1 1 13717877000 6 sched:ev|a=1" },
	{ "            perf 29156 [001] U   13.717877: sched:ev: a=1",
	  "perf 29156/0 1 0 13717877000 6 sched:ev|a=1" },
	{ "perf 29156 [001] 13.717877: sched:ev: ", "perf 29156/0 1 0 13717877000 6 sched:ev|" },
	{ "perf 29156 [001] 13.717877: sched:ev:", "perf 29156/0 1 0 13717877000 6 sched:ev|" },
	/* -L; with a name that ends in a number the columns tell */
	{ "    perf 29156   3 13.717877: sched:ev: a=1",
	  "perf 29156/0 3 0 13717877000 6 sched:ev|a=1" },
	{ "        Thread 5    77 13.717877: sched:ev: a=1",
	  "Thread 5 77/0 0 2 13717877000 6 sched:ev|a=1" },
	/* names of threads */
	{ "         swapper     0 [000] 1.000001: sched:ev: a=1",
	  "- 0/0 0 0 1000001000 6 sched:ev|a=1" },
	{ "     Web Content  77 [000] 1.000001: sched:ev: a=1",
	  "Web Content 77/0 0 0 1000001000 6 sched:ev|a=1" },
	{ " a 1 [1] 2.5: b:c  77 [000] 1.000001: sched:ev: a=1",
	  "a 1 [1] 2.5: b:c 77/0 0 0 1000001000 6 sched:ev|a=1" },
	{ "             :77  77 [000] 1.000001: sched:ev: a=1",
	  "- 77/0 0 0 1000001000 6 sched:ev|a=1" },
	{ "             :-1  -1/-1 [000] 1.000001: sched:ev: a=1",
	  "- 0/0 0 0 1000001000 6 sched:ev|a=1" },
	/* names of events */
	{ "a 1 [0] 1.000001: 250000 cycles:ppp:  ffff8 foo+0x1 (x)",
	  "a 1/0 0 0 1000001000 6 perf:cycles|ffff8 foo+0x1 (x)" },
	{ "a 1 [0] 1.000001: cpu-clock: ffff8", "a 1/0 0 0 1000001000 6 perf:cpu-clock|ffff8" },
	{ "a 1 [0] 1.000001: sched:ev:u: a=1", "a 1/0 0 0 1000001000 6 sched:ev|a=1" },
	{ "a 1 [0] 1.000001: PERF_RECORD_LOST lost 12",
	  "a 1/0 0 0 1000001000 6 :PERF_RECORD_LOST| lost 12" },
	{ "a 1 [0] 1.000001: PERF_RECORD_FORK(3:4):(1:2)",
	  "a 1/0 0 0 1000001000 6 :PERF_RECORD_FORK|(3:4):(1:2)" },
	/* no events */
	{ "", "no" },
	{ "# captured on    : Sat", "no" },
	{ "\tffffffff821facd8 __schedule+0x618 ([kernel.kallsyms])", "no" },
	{ "            perf 29156/29156 [000] 13246.717877: ", "no" },
	{ "            perf 13246.717877: sched:sched_switch: ", "no" },
	{ "a 1 [0] 1.000001 sched:ev: a=1", "no" },
	{ "a 1 [0] 1.01: sched:ev: a=1", "no" },
	{ "a 4294967296 1.000001: sched:ev: a=1", "no" },
	{ "a 1 [0] 1.000001: 5", "no" },
	{ "a 1 [0] 1.000001: ::", "no" },
	{ "            bash-1234    [003]  12.345678: ev: a=1", "no" },
};

Test(import_perf, lines)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(str, line_of(cases[i].line), (char *)cases[i].expected), "%s",
			  cases[i].line);
}

static bool detects(const char *text)
{
	return xtr_perf_detect((const uint8_t *)text, strlen(text));
}

Test(import_perf, is_told_by_its_first_lines)
{
	cr_expect(detects("# ========\n# captured on    : Sat\n"));
	cr_expect(detects("\nnoise\na 1 [0] 1.000001: sched:ev: a=1\n"));
	cr_expect(not(detects("")));
	cr_expect(not(detects("# nothing\n")));
	cr_expect(not(detects("int main(void)\n{\n\treturn 0;\n}\n")));
}
