/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the kernel's `trace` file and of trace-cmd report. */
#include "converters/in/text/import_ftrace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "comm tid/pid cpu ns digits system:event text", or "no". */
static char *line_of(const char *line)
{
	static char out[1024];
	struct textin_event e;
	unsigned int digits;

	if (!ftrace_line(line, strlen(line), &e, &digits))
		return strcpy(out, "no");
	snprintf(out, sizeof(out), "%.*s %u/%u %u %" PRIu64 " %u %.*s%s:%s%.*s|%.*s",
		 e.at.comm ? (int)e.at.comm_len : 1, e.at.comm ? e.at.comm : "-", e.at.tid,
		 e.at.pid, e.at.cpu, e.at.ts, digits, (int)e.system_len, e.system ? e.system : "",
		 e.of_system ? e.of_system : "", e.prefix ? e.prefix : "", (int)e.name_len, e.name,
		 (int)e.text_len, e.text);
	return out;
}

static const struct {
	const char *line, *expected;
} cases[] = {
	/* the kernel's columns: plain, with flags, with TGID, old and new widths of flags */
	{ "            bash-1234    [003]  12.345678: ev: a=1",
	  "bash 1234/0 3 12345678000 6 :ev|a=1" },
	{ "            bash-1234    [003] d..2. 12.345678: ev: a=1",
	  "bash 1234/0 3 12345678000 6 :ev|a=1" },
	{ "            bash-1234    [003] dNh1 12.345678: ev: a=1",
	  "bash 1234/0 3 12345678000 6 :ev|a=1" },
	{ "            bash-1234    (   1230) [003] ..... 12.345678: ev: a=1",
	  "bash 1234/1230 3 12345678000 6 :ev|a=1" },
	{ "          <idle>-0       (-------) [001] d.s2. 12.345678: ev: a=1",
	  "- 0/0 1 12345678000 6 :ev|a=1" },
	{ "           <...>-77      (-------) [001] d.s2. 12.345678: ev:",
	  "- 77/0 1 12345678000 6 :ev|" },
	{ "          <idle>-0       [001] (-------) d.s2. 12.345678: ev: a=1",
	  "- 0/0 1 12345678000 6 :ev|a=1" },
	{ "            bash-1234    [003] ( 1230) d.h.1.. 12.345678: ev: a=1",
	  "bash 1234/1230 3 12345678000 6 :ev|a=1" },
	/* other clocks, nanoseconds */
	{ "            bash-1234    [000] .....           11: ev: a=1",
	  "bash 1234/0 0 11 0 :ev|a=1" },
	{ "            bash-1234    [000] ..... 30222562862074: ev: a=1",
	  "bash 1234/0 0 30222562862074 0 :ev|a=1" },
	{ "            bash-1234    [000] 1795250890.756801123: ev: a=1",
	  "bash 1234/0 0 1795250890756801123 9 :ev|a=1" },
	/* the latency format */
	{ "    bash-18758     1d..2. 16270us+: ev: a=1", "bash 18758/0 1 16270000 6 :ev|a=1" },
	{ "rcu_pree-15        1..... 16467us : ev: a=1", "rcu_pree 15/0 1 16467000 6 :ev|a=1" },
	/* names of threads */
	{ "     Web Content-55      [000] ..... 1.000000: ev: a=1",
	  "Web Content 55/0 0 1000000000 6 :ev|a=1" },
	{ "kworker/u16:3-ev-8       [000] ..... 1.000000: ev: a=1",
	  "kworker/u16:3-ev 8/0 0 1000000000 6 :ev|a=1" },
	{ "  a-1 [2] 3.4: b-9       [000] ..... 1.000000: ev: a=1",
	  "a-1 [2] 3.4: b 9/0 0 1000000000 6 :ev|a=1" },
	{ "  memfd:sealed-1-9       [000] ..... 1.000000: ev: a=1",
	  "memfd:sealed-1 9/0 0 1000000000 6 :ev|a=1" },
	{ "                -9       [000] ..... 1.000000: ev: a=1",
	  "- 9/0 0 1000000000 6 :ev|a=1" },
	{ "bash-1234 [003] 12.345678: ev: a=1", "bash 1234/0 3 12345678000 6 :ev|a=1" },
	{ "a-b-1234 [003] 12.345678: ev: a=1", "a-b 1234/0 3 12345678000 6 :ev|a=1" },
	/* trace-cmd report */
	{ "          <idle>-0     [001]  1234.567890: sched_switch:         swapper/0:0 [120] R ==> a:1 [120]",
	  "- 0/0 1 1234567890000 6 :sched_switch|swapper/0:0 [120] R ==> a:1 [120]" },
	{ "trace.dat:            bash-77    [001]  1.567890: ev: a=1",
	  "bash 77/0 1 1567890000 6 :ev|a=1" },
	{ "    bash-77      1d..2 1.567890: ev: a=1", "bash 77/0 1 1567890000 6 :ev|a=1" },
	/* names of events */
	{ "a-1 [0] 1.000000: sched:sched_switch: a=1",
	  "a 1/0 0 1000000000 6 sched:sched_switch|a=1" },
	{ "a-1 [0] 1.000000: sys_ioctl(fd: 3, cmd: 7)",
	  "a 1/0 0 1000000000 6 syscalls:sys_enter_ioctl|fd: 3, cmd: 7" },
	{ "a-1 [0] 1.000000: sys_ioctl -> 0x0",
	  "a 1/0 0 1000000000 6 syscalls:sys_exit_ioctl|0x0" },
	{ "a-1 [0] 1.000000: do_idle <-cpu_startup_entry",
	  "a 1/0 0 1000000000 6 ftrace:function|do_idle <-cpu_startup_entry" },
	{ "a-1 [0] 1.000000: tracing_mark_write: B|1|x",
	  "a 1/0 0 1000000000 6 :tracing_mark_write|B|1|x" },
	{ "a-1 [0] 1.000000: 0: B|1|x", "a 1/0 0 1000000000 6 :0|B|1|x" },
	{ "a-1 [0] 1.000000: 0xffffffff81000000: B|1|x",
	  "a 1/0 0 1000000000 6 :0xffffffff81000000|B|1|x" },
	/* no events */
	{ "", "no" },
	{ "a-1 [0] 1.000000: 0xg: b", "no" },
	{ "a-1 [0] 1.000000: (+12)   ev: a=1", "no" },
	{ "-", "no" },
	{ "# tracer: nop", "no" },
	{ "a-1 [0] 1.000000:", "no" },
	{ "a-1 [0] 1.000000: ", "no" },
	{ "a-1 [0] 1.000000: 77: b", "no" },
	{ "a-1 [4096] 1.000000: ev: a=1", "no" },
	{ "a-4294967296 [0] 1.000000: ev: a=1", "no" },
	{ "a-1 [0] 99999999999.000000: ev: a=1", "no" },
	{ "a 1 [0] 1.000000: sched:ev: a=1", "no" },
};

Test(import_ftrace, lines)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(str, line_of(cases[i].line), (char *)cases[i].expected), "%s",
			  cases[i].line);
}

static bool detects(const char *text)
{
	return xtr_ftrace_detect((const uint8_t *)text, strlen(text));
}

Test(import_ftrace, is_told_by_its_first_lines)
{
	cr_expect(detects("# tracer: nop\n#\n"));
	cr_expect(detects("cpus=2\n          <idle>-0     [001]  1.567890: ev: a=1\n"));
	cr_expect(detects("\n\nnoise\na-1 [0] 1.000000: ev: a=1\n"));
	cr_expect(not(detects("")));
	cr_expect(not(detects("cpus=2\n")));
	cr_expect(not(detects("a 1 [0] 1.000000: sched:ev: a=1\n")));
	cr_expect(not(detects("int main(void)\n{\n\treturn 0;\n}\n")));
}
