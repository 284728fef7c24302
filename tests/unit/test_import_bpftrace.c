/* SPDX-License-Identifier: BSD-2-Clause */
#include "converters/in/text/bpftrace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

/* "func module symbol", "event system name", "-" for a name that is not there; "no". */
static const char *probe(const char *text)
{
	static char out[256];
	struct textin_event e;

	if (!bpftrace_probe(text, strlen(text), &e))
		return "no";
	snprintf(out, sizeof(out), "%s%s %.*s %.*s", e.call ? e.api ? "api" : "func" : "event",
		 e.ret ? ":ret" : "", e.system ? (int)e.system_len : 1, e.system ? e.system : "-",
		 (int)e.name_len, e.name);
	return out;
}

#define IS(text, want) cr_expect(eq(str, (char *)probe(text), want), "%s", text)

Test(bpftrace, names_of_probes_tell_what_was_called)
{
	IS("kprobe:intel_vpu:ivpu_open", "func intel_vpu ivpu_open");
	IS("kretprobe:intel_vpu:ivpu_open", "func:ret intel_vpu ivpu_open");
	IS("kprobe:ivpu_open", "func - ivpu_open");
	IS("kprobe:ivpu_open+0", "func - ivpu_open");
	IS("fentry:vmlinux:vfs_read", "func vmlinux vfs_read");
	IS("fexit:vmlinux:vfs_read", "func:ret vmlinux vfs_read");
	IS("kfunc:vmlinux:vfs_read", "func vmlinux vfs_read");
	IS("kretfunc:vfs_read", "func:ret - vfs_read");
	IS("uprobe:/opt/libze_loader.so.1:zeInit", "api libze_loader.so.1 zeInit");
	IS("uretprobe:libze_loader.so.1:zeInit", "api:ret libze_loader.so.1 zeInit");
	IS("tracepoint:vpu:jsm", "event vpu jsm");
	IS("rawtracepoint:sched_switch", "event - sched_switch");
	IS("rawtracepoint:vmlinux:sched_switch", "event - sched_switch");
}

Test(bpftrace, a_library_goes_by_its_soname_where_the_file_name_has_it)
{
	IS("uprobe:/a/libze_loader.so.1.17.6:zeInit", "api libze_loader.so.1 zeInit");
	IS("uprobe:/a/libcrypto.so.1.1:f", "api libcrypto.so.1.1 f");
	IS("uprobe:/a/libx.so.1.2.rc3:f", "api libx.so.1.2.rc3 f");
	IS("uprobe:/bin/bash:readline", "api bash readline");
}

Test(bpftrace, what_is_no_call_keeps_its_name)
{
	IS("kprobe:vfs_read+12", "event kprobe vfs_read+12");
	IS("kprobe:0xffffffff81000000", "event kprobe 0xffffffff81000000");
	IS("uprobe:/bin/bash:0x1234", "event uprobe /bin/bash:0x1234");
	IS("interval:s:1", "event interval s:1");
	IS("kprobe:a:b:c", "event kprobe a:b:c");
	IS("kprobe::f", "event kprobe :f");
}

Test(bpftrace, other_words_are_no_probes)
{
	IS("kprobe:", "no");
	IS("kprobe", "no");
	IS("xkprobe:f", "no");
	IS("", "no");
	IS(":", "no");
}

static struct bpftrace_line taken(const char *text, unsigned int column)
{
	struct bpftrace_line line;

	cr_assert(bpftrace_line(text, strlen(text), column, &line), "%s", text);
	return line;
}

static bool refused(const char *text)
{
	struct bpftrace_line line;

	return !bpftrace_line(text, strlen(text), BPFTRACE_NO_COLUMN, &line);
}

/* n bytes as a string, until the next one. */
static char *text(const char *p, size_t n)
{
	static char buf[64];

	cr_assert(n < sizeof(buf));
	memcpy(buf, p, n);
	buf[n] = '\0';
	return buf;
}

Test(bpftrace, columns_in_front_are_told_by_their_looks)
{
	struct bpftrace_line l = taken("[123456789] 42 43 Web Content kprobe:f", 0);

	cr_assert(l.has_time);
	cr_assert(eq(u64, l.ns, 123456789));
	cr_assert(eq(u32, l.e.at.pid, 42));
	cr_assert(eq(u32, l.e.at.tid, 43));
	cr_assert(eq(str, text(l.e.at.comm, l.e.at.comm_len), "Web Content"));
	l = taken("12.345678: [003] bash(42) kprobe:f", BPFTRACE_NO_COLUMN);
	cr_assert(eq(u64, l.ns, 12345678000));
	cr_assert(eq(u32, l.digits, 6));
	cr_assert(eq(u32, l.e.at.cpu, 3));
	cr_assert(eq(u32, l.e.at.tid, 42));
	cr_assert(eq(str, text(l.e.at.comm, l.e.at.comm_len), "bash"));
	l = taken("10:11:12.345 kprobe:f", BPFTRACE_NO_COLUMN);
	cr_assert(not(l.has_time), "the time of day is an order, not a time");
	cr_assert(eq(str, text(l.wall, 8), "10:11:12"));
}

Test(bpftrace, labels_are_understood_on_both_sides)
{
	struct bpftrace_line l =
		taken("cpu=2, pid: 7 kprobe:f: tid=8 comm=bash ts=99 size=4 x", BPFTRACE_NO_COLUMN);

	cr_assert(eq(u32, l.e.at.cpu, 2));
	cr_assert(eq(u32, l.e.at.pid, 7));
	cr_assert(eq(u32, l.e.at.tid, 8));
	cr_assert(eq(u64, l.ns, 99));
	cr_assert(eq(str, text(l.e.text, l.e.text_len), "size=4 x"));
	cr_assert(not(l.e.comm_value));
}

Test(bpftrace, bare_numbers_behind_the_probe_are_values)
{
	struct bpftrace_line l = taken("kprobe:f 4096 bash", BPFTRACE_NO_COLUMN);

	cr_assert(eq(str, text(l.e.text, l.e.text_len), "4096 bash"));
	cr_assert(zero(u32, l.e.at.tid));
	l = taken("kprobe:f 4096 bash", BPFTRACE_COLUMNS);
	cr_assert(eq(u64, l.ns, 4096), "unless the file says that they are the time");
	cr_assert(eq(str, text(l.e.text, l.e.text_len), "bash"));
}

Test(bpftrace, a_name_without_a_thread_is_a_value)
{
	struct bpftrace_line l = taken("bash kprobe:f", BPFTRACE_NO_COLUMN);

	cr_assert(l.e.comm_value);
}

Test(bpftrace, messages_of_bpftrace_are_no_events)
{
	cr_assert(refused("WARNING: Could not attach kprobe:f"));
	cr_assert(refused("Error attaching probe: kprobe:f"));
	cr_assert(refused("a name that is far too long for a thread kprobe:f"));
	cr_assert(refused("1 2 3 kprobe:f"), "more numbers than process and thread");
	cr_assert(refused("[99999] kprobe:f"), "no CPU has this number");
	cr_assert(refused("nothing at all"));
	cr_assert(refused(""));
}

Test(bpftrace, the_content_tells_the_format)
{
	static const char *const yes[] = { "Attaching 223 probes...\n", "Attached 1 probe\n",
					   "\n\nkprobe:f\n", "12 bash tracepoint:a:b\n" };
	static const char *const no[] = { "", "interval:s:1\n", "hardware: none\n", "text\n" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		cr_expect(xtr_bpftrace_detect((const uint8_t *)yes[i], strlen(yes[i])), "%s",
			  yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		cr_expect(not(xtr_bpftrace_detect((const uint8_t *)no[i], strlen(no[i]))), "%s",
			  no[i]);
}
