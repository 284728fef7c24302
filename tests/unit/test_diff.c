/* SPDX-License-Identifier: BSD-2-Clause */
/* Two sides of made-up jobs and calls whose differences are known. */
#include "gpu_sim.h"
#include "oom.h"
#include "random.h"
#include "analysis/diff/diff.h"
#include "base/buf.h"
#include "base/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define US 1000ull
#define MS 1000000ull

static struct xtr_diff *d;
static char *text;

/* What a recording is made of. */
struct made {
	unsigned int jobs;
	double median, spread; /* of execution: ns, of its logarithm */
	uint64_t queue;        /* ns between queue and run */
	uint64_t seed;
	uint32_t pid;
	const char *release;
};

static void setup(void)
{
	struct xtr_diff_opts o = { .sz = sizeof(o) };

	cr_assert(!xtr_diff_new(&d, &o));
}

static void teardown(void)
{
	xtr_diff_free(d);
	d = NULL;
	free(text);
	text = NULL;
}

TestSuite(diff, .init = setup, .fini = teardown);

/* A device with a ring on which jobs follow each other, 10 us apart. */
static struct sim *sim_of(const struct made *made)
{
	struct xtr_system sys = { .release = made->release, .machine = "x86_64", .cpus = 2 };
	struct sim *s = sim_new();
	uint64_t at = 10 * MS, state = made->seed, ns;

	sim_ring(s, 1, "gpu.0", "gfx", 1);
	sim_task(s, made->pid, made->pid, "game", 0);
	if (made->release)
		cr_assert(!xtr_meta_set_system(s->meta, &sys));
	s->tid = made->pid;
	for (unsigned int i = 0; i < made->jobs; i++) {
		ns = random_time(&state, made->median, made->spread);
		sim_job(s, 11, i + 1, 1, at - made->queue, at, at + ns);
		at += ns + 10 * US;
	}
	sim_jobs(s);
	return s;
}

static void give_sim(struct sim *s, unsigned int side)
{
	cr_assert(!xtr_diff_begin(d, side, side ? "b.xtr" : "a.xtr"));
	cr_assert(!xtr_diff_source(d, s->meta, s->tables));
	for (size_t i = 0; i < s->n_jobs; i++)
		cr_assert(!xtr_diff_job(d, &s->job[i]));
	cr_assert(!xtr_diff_end(d, 0, 0));
	sim_free(s);
}

static void give(unsigned int side, const struct made *made)
{
	give_sim(sim_of(made), side);
}

static const struct xtr_diff_row *row_of(enum xtr_diff_by by, enum xtr_diff_metric metric)
{
	for (size_t i = 0; i < xtr_diff_n_rows(d); i++)
		if (xtr_diff_row(d, i)->by == by && xtr_diff_row(d, i)->metric == metric)
			return xtr_diff_row(d, i);
	return NULL;
}

static void near(double is, double should_be, double by)
{
	cr_assert(fabs(is - should_be) <= by, "%.9f, not %.9f", is, should_be);
}

static const char *shown(bool plot)
{
	struct xtr_buf b = { 0 };
	FILE *f = xtr_memory_stream(&b);
	struct xtr_diff_view v = { .f = f, .d = d, .plot = plot, .top = 40, .all = true };

	cr_assert(f && !xtr_diff_text(&v));
	free(text);
	text = xtr_memory_text(f, &b);
	return text;
}

static void has(const char *part)
{
	cr_assert(strstr(text, part), "no '%s' in:\n%s", part, text);
}

/*
 * 10, 20 and 30 us against 20, 30 and 40: the differences of pairs are -10, 0, 0, 10, 10, 10, 20,
 * 20, 30 us, their ratios 2/3, 1, 1, 4/3, 3/2, 2, 2, 3, 4; B is larger in 6 of 9, equal in 2. Of 20
 * ways to divide them, 5 are as far off.
 */
Test(diff, by_hand)
{
	static const uint64_t ns[2][3] = { { 10 * US, 20 * US, 30 * US },
					   { 20 * US, 30 * US, 40 * US } };
	const struct xtr_diff_row *row;

	for (unsigned int side = 0; side < 2; side++) {
		struct sim *s = sim_new();

		sim_ring(s, 1, "gpu.0", "gfx", 1);
		sim_task(s, 90, 90, "game", 0);
		s->tid = 90;
		for (unsigned int i = 0; i < 3; i++)
			sim_job(s, 11, i + 1, 1, (i + 1) * MS - 5 * US, (i + 1) * MS,
				(i + 1) * MS + ns[side][i]);
		sim_jobs(s);
		give_sim(s, side);
	}
	cr_assert(!xtr_diff_finish(d));
	row = row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION);
	cr_assert(row && row->tested);
	cr_expect(!strcmp(row->name, "gpu.0/gfx"));
	cr_expect(row->side[0].p50 == 20 * US);
	cr_expect(row->side[1].p50 == 30 * US);
	cr_expect(row->side[0].sum == 60 * US);
	near(row->test.superiority, 7.0 / 9, 1e-12);
	near(row->shift.shift, 10000, 1e-9);
	near(row->ratio.ratio, 1.5, 1e-12);
	cr_expect(row->ratio.low == 0 && isinf(row->ratio.high)); /* too few for one */
	near(row->test.p, 2 * 5.0 / 20, 1e-12);
	cr_expect(row->verdict == XTR_DIFF_FEW); /* even 1,2,3 and 4,5,6 give no less than 0.1 */
	/* Queue waits are all the same. */
	row = row_of(XTR_DIFF_RING, XTR_DIFF_QUEUE);
	near(row->ratio.ratio, 1, 0);
	near(row->p, 1, 0);
	/* Latency is done - queue: execution and 5 us. */
	row = row_of(XTR_DIFF_PROCESS, XTR_DIFF_LATENCY);
	cr_expect(!strcmp(row->name, "game"));
	cr_expect(row->side[1].p50 == 35 * US);
	cr_expect(!row_of(XTR_DIFF_RING, XTR_DIFF_DEPENDENCY));
	cr_expect(!row_of(XTR_DIFF_RING, XTR_DIFF_RESIDENCE));
	/* device, ring and process; execution, queue and latency */
	cr_expect(xtr_diff_n_rows(d) == 9);
	cr_expect(xtr_diff_n_tests(d) == 9);
}

Test(diff, a_known_change_is_found)
{
	const struct xtr_diff_row *row;

	give(0, &(struct made){ 1500, 1e6, 0.2, 5 * US, 1, 90, "6.12" });
	give(1, &(struct made){ 1500, 1.05e6, 0.2, 5 * US, 2, 4711, "6.12" });
	cr_assert(!xtr_diff_finish(d));
	row = row_of(XTR_DIFF_PROCESS, XTR_DIFF_EXECUTION);
	cr_assert(row && row->verdict == XTR_DIFF_SLOWER);
	cr_expect(row->ratio.low < 1.05 && row->ratio.high > 1.05, "%f .. %f", row->ratio.low,
		  row->ratio.high);
	cr_expect(row->ratio.high - row->ratio.low < 0.04);
	near(xtr_diff_change(row), 0.05, 0.02);
	cr_expect(!strcmp(row->known[0], "exact"));
	cr_expect(row_of(XTR_DIFF_RING, XTR_DIFF_QUEUE)->verdict == XTR_DIFF_SAME);
	cr_expect(xtr_diff_n_facts(d) == 0);
	/* Largest change first. */
	cr_expect(xtr_diff_row(d, 0)->verdict == XTR_DIFF_SLOWER);
	shown(true);
	has("slower");
	has("no difference seen (detectable: ");
	has("Lost: nothing.");
	has("Where the values lie");
	has("    A |");
	has("One recording on a side");
}

Test(diff, nothing_is_found_where_nothing_is)
{
	give(0, &(struct made){ 1500, 1e6, 0.2, 5 * US, 3, 90, NULL });
	give(1, &(struct made){ 1500, 1e6, 0.2, 5 * US, 4, 90, NULL });
	cr_assert(!xtr_diff_finish(d));
	for (size_t i = 0; i < xtr_diff_n_rows(d); i++)
		cr_expect(xtr_diff_row(d, i)->verdict == XTR_DIFF_SAME);
	/* 2 of 1,500 values with this spread: 0.2 * sqrt(2 / 1500) * (2.77 + 0.84) is 2.6 % */
	near(row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION)->detectable, 0.026, 0.004);
}

Test(diff, the_same_is_the_same)
{
	give(0, &(struct made){ 500, 1e6, 0.2, 5 * US, 3, 90, NULL });
	give(1, &(struct made){ 500, 1e6, 0.2, 5 * US, 3, 90, NULL });
	cr_assert(!xtr_diff_finish(d));
	for (size_t i = 0; i < xtr_diff_n_rows(d); i++) {
		cr_expect(xtr_diff_row(d, i)->verdict == XTR_DIFF_SAME);
		near(xtr_diff_row(d, i)->ratio.ratio, 1, 0);
		near(xtr_diff_row(d, i)->test.superiority, 0.5, 1e-12);
	}
}

Test(diff, what_is_faster)
{
	give(0, &(struct made){ 800, 1e6, 0.1, 50 * US, 5, 90, NULL });
	give(1, &(struct made){ 800, 1e6, 0.1, 20 * US, 6, 90, NULL });
	cr_assert(!xtr_diff_finish(d));
	cr_expect(row_of(XTR_DIFF_RING, XTR_DIFF_QUEUE)->verdict == XTR_DIFF_FASTER);
	near(row_of(XTR_DIFF_RING, XTR_DIFF_QUEUE)->ratio.ratio, 0.4, 1e-12);
	cr_expect(xtr_diff_row(d, 0)->metric == XTR_DIFF_QUEUE);
}

/* Recordings of the same thing that differ by 10 % from each other: jobs alone would tell nonsense.
 */
Test(diff, recordings_are_the_unit)
{
	const struct xtr_diff_row *row;
	uint64_t state = 21;

	for (unsigned int i = 0; i < 12; i++)
		give(i % 2, &(struct made){ 300, 1e6 * exp(0.1 * random_normal(&state)), 0.05,
					    5 * US, 100 + i, 90, NULL });
	cr_assert(!xtr_diff_finish(d));
	row = row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION);
	cr_expect(row->side[0].runs == 6);
	cr_expect(row->side[0].n == 1800);
	cr_expect(row->p < 0.001, "jobs: %f", row->p);
	cr_expect(row->runs_tell && row->runs_p > 0.05, "recordings: %f", row->runs_p);
	cr_expect(row->verdict == XTR_DIFF_SAME);
	shown(false);
	has("no difference seen (not in all recordings)");
	has("Recordings: 6 and 6: a difference must show in their medians, too (the same test, ");
}

Test(diff, recordings_that_agree)
{
	const struct xtr_diff_row *row;

	for (unsigned int i = 0; i < 12; i++)
		give(i % 2,
		     &(struct made){ 300, i % 2 ? 1.2e6 : 1e6, 0.1, 5 * US, 100 + i, 90, NULL });
	cr_assert(!xtr_diff_finish(d));
	row = row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION);
	near(row->runs_test.p, 2.0 / 924, 1e-9);
	near(row->runs_p, 9 * 2.0 / 924, 1e-9); /* Holm: the smallest of nine */
	cr_expect(row->verdict == XTR_DIFF_SLOWER);
	near(xtr_diff_change(row), 0.2, 0.02);
}

/* Two and two: too few for a test, so one side's medians must all lie above the other's. */
Test(diff, few_recordings)
{
	static const double median[2][4] = { { 1e6, 1.2e6, 1.01e6, 1.19e6 },
					     { 1e6, 1.1e6, 1.3e6, 1.25e6 } };

	for (unsigned int k = 0; k < 2; k++) {
		for (unsigned int i = 0; i < 4; i++)
			give(i % 2,
			     &(struct made){ 300, median[k][i], 0.05, 5 * US, 7 + i, 90, NULL });
		cr_assert(!xtr_diff_finish(d));
		cr_expect(!row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION)->runs_tell);
		shown(false);
		has("too few for a test of 9 rows");
		has("as they do by chance in 33.3 % of rows");
		cr_expect(row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION)->verdict ==
			  (k ? XTR_DIFF_SAME : XTR_DIFF_SLOWER));
		teardown();
		setup();
	}
}

/* Rings of which execution is only bounded are compared by residence, which says so. */
Test(diff, what_is_bounded_is_not_compared_as_execution)
{
	const struct xtr_diff_row *row;

	for (unsigned int side = 0; side < 2; side++) {
		struct sim *s = sim_new();

		sim_device(s, "gpu.1", "xe");
		sim_ring(s, 4, "gpu.1", "rcs0", 8);
		for (unsigned int i = 0; i < 100; i++)
			sim_job(s, 41 + 2 * (i % 2), i + 1, 4, (i + 1) * MS, (i + 1) * MS + 1,
				(i + 2) * MS + 2 + side * MS);
		sim_jobs(s);
		give_sim(s, side);
	}
	cr_assert(!xtr_diff_finish(d));
	cr_expect(!row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION));
	row = row_of(XTR_DIFF_RING, XTR_DIFF_RESIDENCE);
	cr_assert(row && row->instead);
	cr_expect(!strcmp(row->known[0], "bounded, as residence"));
	cr_expect(row->verdict == XTR_DIFF_SLOWER);
	near(row->shift.shift, 1e6, 1);
}

Test(diff, what_is_only_in_one)
{
	struct sim *s = sim_new();

	give(0, &(struct made){ 20, 1e6, 0.1, 5 * US, 5, 90, "6.1" });
	sim_ring(s, 1, "gpu.0", "comp", 1);
	sim_job(s, 11, 1, 1, MS, 2 * MS, 3 * MS);
	sim_jobs(s);
	give_sim(s, 1);
	cr_assert(!xtr_diff_finish(d));
	cr_expect(!row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION));
	cr_expect(row_of(XTR_DIFF_DEVICE, XTR_DIFF_EXECUTION));
	shown(false);
	has("Only in A\n  ring gpu.0/gfx: 20\n");
	has("Only in B\n  ring gpu.0/comp: 1\n");
	has("kernel: 6.1 -> -\n");
}

/* A process that redacting called name#7, in a recording of the mapping that its name tells. */
static void give_redacted(unsigned int side, uint64_t seed, const char *mapping)
{
	struct made made = { 100, 1e6, 0.1, 5 * US, seed, 90, NULL };
	struct sim *s = sim_of(&made);

	sim_task(s, 90, 90, "name#7", 0);
	cr_assert(!xtr_meta_set_config_str(s->meta, "redacted-by", "xtr"));
	if (mapping)
		cr_assert(!xtr_meta_set_config_str(s->meta, "redacted-mapping", mapping));
	give_sim(s, side);
}

Test(diff, names_of_one_mapping_are_matched)
{
	static const struct {
		const char *a, *b;
		bool alike;
	} pairs[] = {
		{ "00000000000000aa", "00000000000000aa", true },
		{ "00000000000000aa", "00000000000000ab", false },
		{ "00000000000000aa", NULL, false },
		{ NULL, NULL, false },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		give_redacted(0, 1, pairs[i].a);
		give_redacted(1, 2, pairs[i].b);
		cr_assert(!xtr_diff_finish(d));
		cr_expect(xtr_diff_redacted_alike(d) == pairs[i].alike, "%zu", i);
		cr_expect(!!row_of(XTR_DIFF_PROCESS, XTR_DIFF_EXECUTION) == pairs[i].alike, "%zu",
			  i);
		cr_expect(row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION), "%zu", i);
		shown(false);
		has(pairs[i].alike ? "REDACTED, A and B: together" : "are not paired");
		if (!pairs[i].alike)
			has("Only in B\n  process name#7: 100\n");
		teardown();
		setup();
	}
}

/* Two of one mapping and one of another on a side: only those of one meet. */
Test(diff, a_side_of_two_mappings)
{
	give_redacted(0, 1, "00000000000000aa");
	give_redacted(0, 2, "00000000000000bb");
	give_redacted(1, 3, "00000000000000bb");
	cr_assert(!xtr_diff_finish(d));
	cr_expect(!xtr_diff_redacted_alike(d));
	cr_assert(row_of(XTR_DIFF_PROCESS, XTR_DIFF_EXECUTION));
	cr_expect(row_of(XTR_DIFF_PROCESS, XTR_DIFF_EXECUTION)->side[0].n == 100);
	cr_expect(row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION)->side[0].n == 200);
}

Test(diff, json_is_whole)
{
	struct xtr_buf b = { 0 };
	struct xtr_json j;
	FILE *f = xtr_memory_stream(&b);

	give(0, &(struct made){ 100, 1e6, 0.2, 5 * US, 1, 90, "a\n\xff" });
	give(1, &(struct made){ 100, 2e6, 0.2, 5 * US, 2, 90, "b" });
	cr_assert(!xtr_diff_finish(d));
	xtr_json_init(&j, f, false);
	xtr_json_begin_object(&j);
	xtr_diff_json(d, &j);
	xtr_json_end_object(&j);
	xtr_json_newline(&j);
	text = xtr_memory_text(f, &b);
	has("\"verdict\":\"slower\"");
	has("\"what\":\"kernel\",\"a\":\"a\\n\\ufffd\",\"b\":\"b\"");
	has("\"metric\":\"execution\"");
	has("\"tests\":9");
}

/* Metrics and groups that were not asked for are not there. */
Test(diff, what_is_asked_for)
{
	struct xtr_diff_opts o = { .sz = sizeof(o),
				   .by = 1u << XTR_DIFF_RING,
				   .metrics = 1u << XTR_DIFF_RESIDENCE | 1u << XTR_DIFF_EXECUTION };

	xtr_diff_free(d);
	cr_assert(!xtr_diff_new(&d, &o));
	cr_expect(!xtr_diff_wants_calls(d));
	give(0, &(struct made){ 50, 1e6, 0.2, 5 * US, 1, 90, NULL });
	give(1, &(struct made){ 50, 1e6, 0.2, 5 * US, 2, 90, NULL });
	cr_assert(!xtr_diff_finish(d));
	cr_expect(xtr_diff_n_rows(d) == 2);
	cr_expect(row_of(XTR_DIFF_RING, XTR_DIFF_EXECUTION) &&
		  row_of(XTR_DIFF_RING, XTR_DIFF_RESIDENCE) &&
		  !row_of(XTR_DIFF_RING, XTR_DIFF_RESIDENCE)->instead);
}

struct without_memory {
	struct sim *s[2];
};

static int compare_without_memory(void *arg)
{
	const struct without_memory *w = arg;
	struct xtr_diff_opts o = { .sz = sizeof(o) };
	struct xtr_diff *mine;
	int ret = xtr_diff_new(&mine, &o);

	if (ret)
		return ret;
	for (unsigned int side = 0; side < 2 && !ret; side++) {
		ret = xtr_diff_begin(mine, side, "x");
		if (!ret)
			ret = xtr_diff_source(mine, w->s[side]->meta, w->s[side]->tables);
		for (size_t i = 0; i < w->s[side]->n_jobs && !ret; i++)
			ret = xtr_diff_job(mine, &w->s[side]->job[i]);
		if (!ret)
			ret = xtr_diff_end(mine, 0, 0);
	}
	if (!ret)
		ret = xtr_diff_finish(mine);
	xtr_diff_free(mine);
	return ret;
}

Test(diff, no_memory)
{
	struct without_memory w = {
		{ sim_of(&(struct made){ 40, 1e6, 0.2, 5 * US, 1, 90, "6.1" }),
		  sim_of(&(struct made){ 40, 1e6, 0.2, 5 * US, 2, 90, "6.2" }) }
	};

	cr_expect(oom_each(compare_without_memory, &w, 0) > 50);
	sim_free(w.s[0]);
	sim_free(w.s[1]);
}
