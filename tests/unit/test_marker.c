/* SPDX-License-Identifier: BSD-2-Clause */
/* Markers: their texts taken apart, and what calls and marks make of them. */
#include "named.h"
#include "trace.h"
#include "replay/calls/call.h"
#include "replay/calls/mark.h"
#include "replay/calls/marker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct xtr_marker m;

static void parse(const char *s)
{
	xtr_marker_parse(&m, s, strlen(s));
}

static void expect(const char *s, enum xtr_marker_kind kind, const char *name)
{
	parse(s);
	cr_expect_eq(m.kind, kind, "%s: %d", s, m.kind);
	cr_expect_str_eq(m.name, name, "%s: %s", s, m.name);
}

Test(marker, atrace)
{
	expect("B|12|a|b\n", XTR_MARKER_BEGIN, "a|b");
	cr_expect(m.pid == 12 && m.scope == XTR_MARKER_THREAD && m.form == XTR_MARKER_ATRACE);
	expect("B|12|", XTR_MARKER_BEGIN, "");
	expect("B|12", XTR_MARKER_BEGIN, "");
	expect("E|12", XTR_MARKER_END, "");
	expect("E", XTR_MARKER_END, "");
	expect("S|12|load|-7", XTR_MARKER_BEGIN, "load");
	cr_expect(m.number == (uint64_t)-7 && m.scope == XTR_MARKER_PROCESS);
	cr_expect_str_eq(m.track, "load");
	expect("F|12|load|7|more", XTR_MARKER_END, "load");
	expect("G|12|lane|fetch|5", XTR_MARKER_BEGIN, "fetch");
	cr_expect_str_eq(m.track, "lane");
	expect("H|12|lane|5", XTR_MARKER_END, "");
	cr_expect_eq(m.number, 5);
	expect("H|12|lane|fetch|6", XTR_MARKER_END, "fetch");
	cr_expect_eq(m.number, 6);
	expect("I|12|tick", XTR_MARKER_MOMENT, "tick");
	expect("N|12|lane|tock", XTR_MARKER_MOMENT, "tock");
	cr_expect_str_eq(m.track, "lane");
	expect("C|12|budget|-9223372036854775807|Blob", XTR_MARKER_COUNTER, "budget");
	cr_expect_eq(m.value, -INT64_MAX);
	expect("trace_event_clock_sync: parent_ts=1.5", XTR_MARKER_NOTHING, "");
}

/* What misses a part is a text as any other. */
Test(marker, not_quite_atrace)
{
	static const char *const texts[] = {
		"B",
		"B|",
		"B|x|y",
		"B|-5|y",
		"B|4294967296|y",
		"S|12|x",
		"S|12||7",
		"S|12|x|y",
		"F|12|x|9223372036854775808",
		"C|12|x",
		"C|12|x|1.5",
		"C|12||1",
		"I|12|",
		"I|12",
		"N|12|x",
		"N|12||x",
		"G|12|x|y",
		"H|12|x",
		"H|12||5",
		"Q|12|x",
		"Bx|12|x",
		"",
		"|",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		expect(texts[i], XTR_MARKER_MOMENT, texts[i]);
		cr_expect_eq(m.form, XTR_MARKER_TEXT, "%s", texts[i]);
	}
	expect("first\nsecond", XTR_MARKER_MOMENT, "first");
}

Test(marker, gpuvis)
{
	expect("draw (lduration=-4000)", XTR_MARKER_SLICE, "draw");
	cr_expect(m.length_ns == 4000 && m.offset_ns == -4000);
	cr_expect_eq(xtr_marker_time(&m, 10000), 6000);
	cr_expect_eq(xtr_marker_time(&m, 4000), 0, "before all times");
	expect("glFinish calls:3 (lduration=50 tid=77 offset=-60)\n", XTR_MARKER_SLICE,
	       "glFinish calls:3");
	cr_expect(m.length_ns == 50 && m.offset_ns == -60 && m.tid == 77);
	expect("a duration=-1.25 ms b", XTR_MARKER_SLICE, "a b");
	cr_expect(m.length_ns == 1250000 && m.offset_ns == -1250000);
	expect("half (duration=0.5000001)", XTR_MARKER_SLICE, "half");
	cr_expect_eq(m.length_ns, 500000);
	expect("paint (begin_ctx=42)", XTR_MARKER_BEGIN, "paint");
	cr_expect(m.number == 42 && m.scope == XTR_MARKER_BESIDE);
	expect("(end_ctx=42)", XTR_MARKER_END, "");
	expect("x end_gctx=7", XTR_MARKER_END, "x");
	cr_expect_eq(m.scope, XTR_MARKER_GLOBAL);
	expect("late (dtime=-5)", XTR_MARKER_MOMENT, "late");
	cr_expect_eq(xtr_marker_time(&m, 10), 5);
	expect("at ltime=99", XTR_MARKER_MOMENT, "at");
	cr_expect_eq(xtr_marker_time(&m, 10), 99);
	/* Part of another word, no number, too large a number. */
	expect("xduration=5", XTR_MARKER_MOMENT, "xduration=5");
	expect("duration=abc", XTR_MARKER_MOMENT, "duration=abc");
	expect("lduration=9223372036854775808", XTR_MARKER_MOMENT, "lduration=9223372036854775808");
	expect("duration=9223372036854", XTR_MARKER_MOMENT, "duration=9223372036854");
	expect("y (offset=-9223372036854775807 lduration=-9)", XTR_MARKER_SLICE, "y");
	cr_expect_eq(xtr_marker_time(&m, 10), 0);
}

Test(marker, chromeos)
{
	expect("mali_driver: (mali-1) cros_trace_print_enter: gles/api.c@992: glTex: x",
	       XTR_MARKER_BEGIN, "glTex: x");
	cr_expect_str_eq(m.track, "mali_driver: (mali-1)");
	cr_expect_str_eq(m.key, "gles/api.c@992");
	expect("mali_driver: cros_trace_print_exit: gles/api.c992: ", XTR_MARKER_END,
	       "gles/api.c992");
	cr_expect_str_eq(m.track, "mali_driver");
	cr_expect_str_eq(m.key, "gles/api.c992");
}

Test(marker, words)
{
	static const char *const pairs[][3] = {
		{ "[C] Before flush", "[C] After flush", "[C] flush" },
		{ "[C] Before flush: Graphics", "[C] After flush: Graphics",
		  "[C] flush: Graphics" },
		{ "[C] Begin Present(nowait)", "[C] End Present", "[C] Present(nowait)" },
		{ "[C] Sleep - begin: 6", "[C] Sleep - end", "[C] Sleep" },
		{ "[C] Wait Begin ThreadId=5", "[C] Wait End ThreadId=5", "[C] Wait ThreadId=5" },
		{ "[N]Map(begin)", "[N]Map(end)", "[N]Map" },
		{ "[C] Submit Left", "[C] Submit End", "[C] Submit Left" },
		{ "Begin x", "End x", "x" },
	};
	char key[XTR_MARKER_NAME_MAX];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		expect(pairs[i][0], XTR_MARKER_BEGIN, pairs[i][2]);
		cr_expect(m.loose && m.scope == XTR_MARKER_BESIDE);
		cr_expect_str_eq(m.whole, pairs[i][0]);
		strcpy(key, m.key);
		parse(pairs[i][1]);
		cr_expect_eq(m.kind, XTR_MARKER_END);
		cr_expect_str_eq(m.key, key);
	}
	expect("Beginning", XTR_MARKER_MOMENT, "Beginning");
	expect("Send", XTR_MARKER_MOMENT, "Send");
}

/* Names are cut, whatever the form; nothing is read past the end. */
Test(marker, long_texts)
{
	static const char *const heads[] = {
		"B|1|", "S|1|", "x cros_trace_print_enter: ", "a=", "Begin ", "lduration=5 ", ""
	};
	char text[2048];

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		for (size_t n = strlen(heads[i]); n < sizeof(text); n += 97) {
			memset(text, 'x', sizeof(text));
			memcpy(text, heads[i], strlen(heads[i]));
			xtr_marker_parse(&m, text, n);
			cr_expect_lt(strlen(m.name), XTR_MARKER_NAME_MAX);
		}
	}
	xtr_marker_parse(&m, "ab\0\n\0", 5);
	cr_expect_str_eq(m.name, "ab");
}

/* --- calls and marks -------------------------------------------------------------------------- */

#define GOT_MAX 300u

static struct named n;
static struct xtr_calls *calls;
static struct xtr_marks *marks;
static struct xtr_call got[GOT_MAX];
static char names[GOT_MAX][64], tracks[GOT_MAX][64];
static size_t n_got;

static int take(void *ctx, const struct xtr_call *c)
{
	(void)ctx;
	cr_assert(n_got < GOT_MAX);
	got[n_got] = *c;
	snprintf(names[n_got], sizeof(names[0]), "%s", c->name);
	snprintf(tracks[n_got], sizeof(tracks[0]), "%s", c->track ? c->track : "-");
	n_got++;
	return 0;
}

static void setup(void)
{
	struct xtr_calls_opts o = { .sz = sizeof(o), .call = take, .ctx = &n, .max_open = 200 };

	named_init(&n);
	named_describe(&n, "ftrace:print", "ip:u64:8 buf:strid:4");
	named_describe(&n, "sde:tracing_mark_write",
		       "trace_type:str:1 pid:s32:4 trace_name:strid:4 value:s32:4");
	named_describe(&n, "mdss:tracing_mark_write",
		       "pid:s32:4 trace_name:strid:4 trace_begin:u8:1");
	named_describe(&n, "syscalls:sys_enter_write", "fd:s32:4");
	named_describe(&n, "syscalls:sys_exit_write", "nr:s32:4 ret:s64:8");
	named_task(&n, 7, 5, "game");
	named_task(&n, 8, 5, "helper");
	named_task(&n, 30, 30, "other");
	o.meta = n.meta;
	o.tables = n.tables;
	n_got = 0;
	cr_assert(!xtr_calls_new(&calls, &o));
	cr_assert(!xtr_marks_new(&marks, n.meta, n.tables));
}

static void teardown(void)
{
	xtr_calls_free(calls);
	xtr_marks_free(marks);
	named_free(&n);
}

TestSuite(marker_model, .init = setup, .fini = teardown);

static int say(uint64_t ts, uint32_t tid, const char *text)
{
	named_emit(&n, "ftrace:print", ts, tid, 0);
	named_set(&n, "buf", named_string(&n, text));
	return xtr_calls_event(calls, &n.ev);
}

static void check(size_t i, const char *name, uint64_t begin, uint64_t end)
{
	cr_assert_lt(i, n_got, "%s", name);
	cr_expect_eq(got[i].kind, XTR_CALL_MARKER);
	cr_expect_str_eq(names[i], name);
	cr_expect_eq(got[i].begin_ns, begin, "%s", name);
	cr_expect_eq(got[i].end_ns, end, "%s", name);
}

/* A slice begins and ends inside system calls that write it, and nests in none of them. */
Test(marker_model, slices_nest_in_each_other_alone)
{
	xtr_calls_event(calls, named_emit(&n, "syscalls:sys_enter_write", 10, 7, 0));
	cr_expect_eq(say(11, 7, "B|5|outer"), 1);
	xtr_calls_event(calls, named_emit(&n, "syscalls:sys_exit_write", 12, 7, 0));
	cr_expect_eq(say(13, 7, "B|5|inner"), 1);
	cr_expect_eq(say(14, 8, "E|5"), 1, "another thread's");
	cr_expect_eq(say(15, 7, "E|5"), 1);
	xtr_calls_event(calls, named_emit(&n, "syscalls:sys_enter_write", 16, 7, 0));
	cr_expect_eq(say(17, 7, "E"), 1);
	xtr_calls_event(calls, named_emit(&n, "syscalls:sys_exit_write", 18, 7, 0));
	cr_assert_eq(n_got, 5);
	cr_expect(got[0].kind == XTR_CALL_SYSCALL && got[0].end_ns == 12);
	check(1, "", 0, 14);
	check(2, "inner", 13, 15);
	cr_expect(got[2].depth == 1 && got[2].pid == 5 && got[2].tid == 7 && !got[2].overlaps);
	check(3, "outer", 11, 17);
	cr_expect_eq(got[3].inner_ns, 2);
	cr_expect(got[4].kind == XTR_CALL_SYSCALL && got[4].begin_ns == 16);
}

Test(marker_model, overlapping_slices_are_told_by_cookie)
{
	say(10, 7, "S|5|load|1");
	say(11, 8, "S|5|load|2");
	say(12, 8, "F|5|load|1");
	say(13, 7, "F|5|load|2");
	say(14, 7, "G|5|lane|fetch|1");
	say(15, 8, "H|5|lane|1");
	say(16, 7, "x (begin_ctx=9)");
	say(17, 8, "(end_ctx=9)");
	say(18, 7, "(end_ctx=9)");
	cr_assert_eq(n_got, 5);
	check(0, "load", 10, 12);
	check(1, "load", 11, 13);
	cr_expect(got[1].overlaps && got[1].of_process && !strcmp(tracks[1], "load"));
	check(2, "fetch", 14, 15);
	cr_expect_str_eq(tracks[2], "lane");
	check(3, "", 0, 17);
	check(4, "x", 16, 18);
	cr_expect(got[4].overlaps && !got[4].of_process);
}

/* Half of a pair by words is a moment: the begin one as a call, the end one as a mark. */
Test(marker_model, words_need_no_other_half)
{
	struct xtr_mark mark[XTR_MARKS_MAX];

	cr_expect_eq(say(10, 7, "[C] After flush"), 0);
	cr_assert_eq(xtr_marks_event(marks, &n.ev, mark), 1);
	cr_expect_str_eq(mark[0].name, "[C] After flush");
	cr_expect_eq(mark[0].kind, XTR_MARK_MARKER);
	say(11, 7, "[C] Before flush: 1");
	say(12, 7, "[C] Before flush: 2");
	say(13, 7, "[C] After flush");
	cr_assert_eq(n_got, 2);
	check(0, "[C] Before flush: 1", 11, 0);
	cr_expect(got[0].loose);
	check(1, "[C] flush", 12, 13);
}

Test(marker_model, whole_slices_and_threads_spoken_for)
{
	say(1000, 7, "draw (lduration=-400)");
	say(1000, 7, "next (lduration=50 tid=30 offset=-60)");
	say(1000, 7, "too long (lduration=-1000)");
	cr_assert_eq(n_got, 2);
	check(0, "draw", 600, 1000);
	check(1, "next", 940, 990);
	cr_expect(got[1].tid == 30 && got[1].pid == 30);
}

Test(marker_model, counters_and_moments)
{
	struct xtr_mark mark[XTR_MARKS_MAX];

	cr_expect_eq(say(10, 7, "C|77|budget|-5"), 0);
	cr_assert_eq(xtr_marks_event(marks, &n.ev, mark), 1);
	cr_expect(mark[0].kind == XTR_MARK_COUNTER && mark[0].is_signed && mark[0].of_process);
	cr_expect_eq((int64_t)mark[0].value, -5);
	cr_expect_eq(mark[0].pid, 5, "the writer's, whatever its namespace calls it");
	cr_expect_str_eq(mark[0].track, "budget");
	say(11, 99, "N|77|lane|tock");
	cr_assert_eq(xtr_marks_event(marks, &n.ev, mark), 1);
	cr_expect(mark[0].kind == XTR_MARK_MARKER && mark[0].pid == 77 && mark[0].of_process);
	cr_expect_str_eq(mark[0].track, "lane");
	say(12, 7, "trace_event_clock_sync: parent_ts=1.0");
	cr_expect_eq(xtr_marks_event(marks, &n.ev, mark), 0);
	/* Without a text it is an event as any other. */
	named_emit(&n, "ftrace:print", 13, 7, 0);
	cr_assert_eq(xtr_marks_event(marks, &n.ev, mark), 1);
	cr_expect_eq(mark[0].kind, XTR_MARK_EVENT);
}

/* Events of drivers have fields, and may speak for another process. */
Test(marker_model, events_of_drivers)
{
	struct xtr_mark mark[XTR_MARKS_MAX];

	named_emit(&n, "sde:tracing_mark_write", 10, 7, 0);
	named_text(&n, "trace_type", "C", 1);
	named_set(&n, "pid", 30);
	named_set(&n, "trace_name", named_string(&n, "vsync"));
	named_set(&n, "value", 3);
	cr_assert_eq(xtr_marks_event(marks, &n.ev, mark), 1);
	cr_expect(mark[0].pid == 30 && mark[0].value == 3);
	cr_expect_str_eq(mark[0].track, "vsync");
	for (uint32_t i = 0; i < 2; i++) {
		named_emit(&n, "mdss:tracing_mark_write", 11 + i, 7, 0);
		named_set(&n, "trace_begin", !i);
		named_set(&n, "trace_name", named_string(&n, "commit"));
		cr_expect_eq(xtr_calls_event(calls, &n.ev), 1);
	}
	check(0, "commit", 11, 12);
}

/* However many are open: the oldest go, and each that began is handed out. */
Test(marker_model, what_is_open_is_bounded)
{
	char text[40];

	for (uint64_t i = 0; i < 250; i++) {
		snprintf(text, sizeof(text), "S|5|load|%u", (unsigned int)i);
		say(10 + i, 7, text);
	}
	cr_expect_eq(n_got, 50);
	check(0, "load", 10, 0);
	cr_assert(!xtr_calls_finish(calls));
	cr_expect_eq(n_got, 250);
}

Test(marker_model, what_nests_is_bounded)
{
	for (uint64_t i = 0; i < 150; i++)
		say(10 + i, 7, "B|5|deeper");
	cr_expect_eq(n_got, 128);
	cr_expect_eq(got[0].depth, 127);
}
