/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparing calls, and what there is too much or too little of. */
#include "analysis/diff/diff.h"
#include "base/buf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

static struct xtr_diff *d;
static char *text;

static void setup(void)
{
	struct xtr_diff_opts o = { .sz = sizeof(o) };

	cr_assert(!xtr_diff_new(&d, &o));
}

static void teardown(void)
{
	xtr_diff_free(d);
	free(text);
}

TestSuite(diff_calls, .init = setup, .fini = teardown);

static void shown(void)
{
	struct xtr_buf b = { 0 };
	FILE *f = xtr_memory_stream(&b);
	struct xtr_diff_view v = { .f = f, .d = d, .top = 40, .all = true };

	cr_assert(f && !xtr_diff_text(&v));
	text = xtr_memory_text(f, &b);
}

static void has(const char *part)
{
	cr_assert(strstr(text, part), "no '%s' in:\n%s", part, text);
}

static void give_call(const char *name, uint64_t ns)
{
	struct xtr_call c = {
		.kind = XTR_CALL_SYSCALL, .name = name, .begin_ns = MS, .end_ns = ns ? MS + ns : 0
	};

	cr_assert(!xtr_diff_call(d, &c));
}

Test(diff_calls, calls)
{
	const struct xtr_meta *none = xtr_meta_none();
	const struct xtr_diff_count *c;

	for (unsigned int side = 0; side < 2; side++) {
		cr_assert(!xtr_diff_begin(d, side, "x"));
		cr_assert(!xtr_diff_source(d, none, NULL));
		for (unsigned int i = 0; i < 50; i++)
			give_call("ioctl", 1000 + i * (1 + side));
		give_call("ioctl", 0);
		cr_assert(!xtr_diff_end(d, 0, 0));
	}
	cr_assert(!xtr_diff_finish(d));
	cr_assert(xtr_diff_n_counts(d) == 1);
	c = xtr_diff_count(d, 0);
	cr_expect(!strcmp(c->name, "syscall ioctl"));
	cr_expect(c->n[0] == 51);
	cr_expect(c->open[1] == 1);
	cr_expect(c->time[0] == 50 * 1000 + 1225);
	cr_expect(xtr_diff_n_rows(d) == 1);
	cr_expect(xtr_diff_row(d, 0)->side[1].p50 == 1048);
}

static void give_call_of(uint32_t pid, bool on_cpu, const char *name, uint64_t ns)
{
	struct xtr_call c = { .kind = on_cpu ? XTR_CALL_IRQ : XTR_CALL_SYSCALL,
			      .name = name,
			      .begin_ns = MS,
			      .end_ns = MS + ns,
			      .pid = pid,
			      .tid = pid + 1,
			      .on_cpu = on_cpu };

	cr_assert(!xtr_diff_call(d, &c));
}

/* In one process ioctl takes twice as long, in the other one less: together they hide it. */
Test(diff_calls, calls_by_process)
{
	struct xtr_tables *t = xtr_tables_new();
	static const char *const names[] = { "game", "editor" };
	unsigned int found = 0;

	for (unsigned int i = 0; i < 2; i++) {
		struct xtr_task task = { .tid = 10 * (i + 1), .pid = 10 * (i + 1) };

		cr_assert(!xtr_tables_intern(t, names[i], strlen(names[i]), &task.comm));
		cr_assert(!xtr_tables_add_task(t, &task));
	}
	for (unsigned int side = 0; side < 2; side++) {
		cr_assert(!xtr_diff_begin(d, side, "x"));
		cr_assert(!xtr_diff_source(d, xtr_meta_none(), t));
		for (unsigned int i = 0; i < 60; i++) {
			give_call_of(10, false, "ioctl", (1000 + i * 37 % 60) * (1 + side));
			give_call_of(20, false, "ioctl", (1000 + i * 37 % 60) * (2 - side));
			give_call_of(0, true, "i915", 50 + i * 37 % 60);
			give_call_of(0, false, "poll", 50 + i * 37 % 60);
		}
		cr_assert(!xtr_diff_end(d, 0, 0));
	}
	cr_assert(!xtr_diff_finish(d));
	xtr_tables_free(t);
	for (unsigned int i = 0; i < xtr_diff_n_rows(d); i++) {
		const struct xtr_diff_row *row = xtr_diff_row(d, i);
		enum xtr_diff_verdict want = XTR_DIFF_SAME;

		if (!strcmp(row->name, "game: syscall ioctl"))
			want = XTR_DIFF_SLOWER;
		else if (!strcmp(row->name, "editor: syscall ioctl"))
			want = XTR_DIFF_FASTER;
		cr_expect(row->verdict == want, "%s", row->name);
		cr_expect(xtr_diff_is_of_calls(row->by));
		found += row->by == XTR_DIFF_PROCESS_CALL;
	}
	cr_expect(found == 2, "%u", found);
	cr_expect(xtr_diff_n_rows(d) == 5, "an interrupt, or who is not known, has a process");
}

/* One against many: no such p is small enough, however far off it is. */
Test(diff_calls, one_is_too_few)
{
	for (unsigned int side = 0; side < 2; side++) {
		cr_assert(!xtr_diff_begin(d, side, "x"));
		cr_assert(!xtr_diff_source(d, xtr_meta_none(), NULL));
		for (unsigned int i = 0; i < (side ? 1 : 100); i++) {
			give_call("ioctl", side ? 1000000 : 1000 + i);
			give_call("mmap", 1000 + i);
			give_call("poll", 1000 + i);
		}
		cr_assert(!xtr_diff_end(d, 0, 0));
	}
	cr_assert(!xtr_diff_finish(d));
	cr_assert(xtr_diff_n_rows(d) == 3);
	for (unsigned int i = 0; i < 3; i++) /* 2 of 101 is more than a third of 0.05 */
		cr_expect(xtr_diff_row(d, i)->verdict == XTR_DIFF_FEW);
}

/* All times are the same: any change would be seen. */
Test(diff_calls, what_never_changes)
{
	for (unsigned int side = 0; side < 2; side++) {
		cr_assert(!xtr_diff_begin(d, side, "x"));
		cr_assert(!xtr_diff_source(d, xtr_meta_none(), NULL));
		for (unsigned int i = 0; i < 20; i++)
			give_call("ioctl", 1000);
		cr_assert(!xtr_diff_end(d, 0, 0));
	}
	cr_assert(!xtr_diff_finish(d));
	shown();
	has("no difference seen (detectable: any)");
}

Test(diff_calls, too_many_groups_are_said)
{
	char name[32];

	cr_assert(!xtr_diff_begin(d, 0, "x"));
	cr_assert(!xtr_diff_source(d, xtr_meta_none(), NULL));
	for (unsigned int i = 0; i < XTR_DIFF_GROUPS_MAX + 7; i++) {
		snprintf(name, sizeof(name), "call%u", i);
		give_call(name, 1000);
	}
	cr_assert(!xtr_diff_end(d, 0, 0));
	cr_assert(!xtr_diff_finish(d));
	cr_expect(xtr_diff_total(d, 0)->crowded == 7);
	cr_expect(xtr_diff_n_counts(d) == XTR_DIFF_GROUPS_MAX);
	shown();
	has("Not compared, A: 7 jobs and calls");
}

Test(diff_calls, too_many_recordings)
{
	for (unsigned int i = 0; i < XTR_DIFF_RUNS_MAX; i++)
		cr_assert(!xtr_diff_begin(d, 1, "x"));
	cr_expect(xtr_diff_begin(d, 1, "x") == -E2BIG);
}

Test(diff_calls, without_times_only_counts)
{
	struct xtr_meta *meta = xtr_meta_new();
	static const uint8_t boot[16];

	cr_assert(!xtr_meta_set_clock(meta, XTR_CLOCK_SEQUENCE, boot, 1));
	cr_assert(!xtr_diff_begin(d, 0, "x") && !xtr_diff_source(d, meta, NULL));
	give_call("ioctl", 1000);
	cr_assert(!xtr_diff_end(d, 0, 0));
	cr_assert(!xtr_diff_begin(d, 1, "y") && !xtr_diff_source(d, xtr_meta_none(), NULL));
	give_call("ioctl", 1000);
	cr_assert(!xtr_diff_end(d, 0, 0));
	xtr_meta_free(meta);
	cr_assert(!xtr_diff_finish(d));
	cr_expect(xtr_diff_n_rows(d) == 0);
	cr_expect(xtr_diff_count(d, 0)->n[0] == 1);
	shown();
	has("WITHOUT TIMES, A");
	has("event clock: sequence -> monotonic\n");
}
