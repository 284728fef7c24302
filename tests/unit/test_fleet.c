/* SPDX-License-Identifier: BSD-2-Clause */
/* Many recordings: sums, cohorts and outliers of hand-made summaries. */
#include "random.h"
#include "analysis/fleet/fleet_impl.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fleet of one recording with one group: so many jobs, each of which took that long. */
static struct xtr_fleet *one(uint64_t id, const char *host, const char *cohort, uint64_t ns,
			     uint64_t jobs)
{
	struct xtr_fleet_row row = { .group = 1, .whole = true, .part = true };
	struct xtr_fleet *f;

	cr_assert(!xtr_fleet_new(&f));
	cr_assert(fleet_group(f, "amdgpu gfx") == 1);
	f->recording = calloc(1, sizeof(*f->recording));
	f->n_recordings = f->cap_recordings = 1;
	*f->recording = (struct xtr_fleet_recording){ .file_id = id,
						      .host = host ? strdup(host) : NULL,
						      .cohort = strdup(cohort),
						      .times = true,
						      .span_ns = 1000000,
						      .events = 4 * jobs,
						      .jobs = jobs,
						      .rings = 1 };
	f->group[1].recordings = 1;
	f->group[1].sums = (struct xtr_fleet_sums){ .jobs = jobs,
						    .completed = jobs,
						    .busy_ns = 250000,
						    .recorded_ns = 1000000,
						    .rings = 1 };
	for (uint64_t i = 0; i < jobs; i++)
		cr_assert(!xtr_hist_add(&f->group[1].sums.exec, ns));
	fleet_sums_values(&f->group[1].sums, &row);
	cr_assert(!fleet_row(f, &row));
	return f;
}

/* Only what is compared. */
static void add(struct xtr_fleet *f, uint64_t id, const char *cohort, uint64_t ns)
{
	struct xtr_fleet *part = one(id, NULL, cohort, ns, 10);
	int64_t file = xtr_fleet_file(f, "x.xtr", XTR_FLEET_WHOLE);

	cr_assert(file >= 0 && !xtr_fleet_merge(f, part, (uint32_t)file));
	xtr_fleet_free(part);
}

Test(fleet, sums_are_of_all_recordings_once)
{
	struct xtr_fleet *f, *part;
	struct xtr_fleet_total t;

	cr_assert(!xtr_fleet_new(&f));
	for (unsigned int i = 0; i < 3; i++) {
		part = one(i ? 2 : 1, i ? "b" : "a", "", i ? 9000 : 1000, i ? 30 : 10);
		cr_assert(xtr_fleet_file(f, "x.xtr", XTR_FLEET_WHOLE) == i);
		cr_assert(!xtr_fleet_merge(f, part, i));
		xtr_fleet_free(part);
	}
	cr_assert(!xtr_fleet_total(f, &t));
	cr_assert(t.recordings == 2 && t.repeated == 1 && t.hosts == 2 && t.jobs == 40);
	cr_assert(t.span_ns == 2000000 && t.events == 160 && t.files[XTR_FLEET_WHOLE] == 3);
	cr_assert(f->n_groups == 2 && f->group[1].recordings == 2 && f->group[1].sums.jobs == 40);
	/* Of 40 times 30 are 9,000: not the mean of two medians. */
	cr_expect(xtr_hist_quantile(&f->group[1].sums.exec, 500) > 8900);
	cr_expect(xtr_hist_quantile(&f->group[1].sums.exec, 200) < 1010);
	cr_expect(fleet_ppm(f->group[1].sums.busy_ns, f->group[1].sums.recorded_ns) == 250000);
	xtr_fleet_free(f);
}

Test(fleet, percentiles_need_times)
{
	struct xtr_fleet *few = one(1, NULL, "", 1000, 99), *many = one(2, NULL, "", 1000, 100);

	cr_expect(few->row[0].known & 1u << XTR_FLEET_EXEC_P50);
	cr_expect(!(few->row[0].known & 1u << XTR_FLEET_EXEC_P99));
	cr_expect(many->row[0].known & 1u << XTR_FLEET_EXEC_P99);
	cr_expect(!(many->row[0].known & 1u << XTR_FLEET_RESIDENCE_P50));
	xtr_fleet_free(few);
	xtr_fleet_free(many);
}

/* --- outliers --------------------------------------------------------------------------------- */

static struct xtr_fleet *of_values(const uint64_t *v, size_t n)
{
	struct xtr_fleet *f;

	cr_assert(!xtr_fleet_new(&f));
	for (size_t i = 0; i < n; i++)
		add(f, i + 1, "", v[i]);
	xtr_fleet_choose(f, 1u << XTR_FLEET_EXEC_P50);
	cr_assert(!xtr_fleet_outliers(f));
	return f;
}

/* Values below 64 are kept as they are by histograms. */
Test(fleet, the_modified_z_score)
{
	const uint64_t v[] = { 10, 11, 12, 13, 14, 40 };
	struct xtr_fleet *f = of_values(v, 6);
	const struct xtr_fleet_outlier *o;

	/* median 12, distances 2 1 0 1 2 28: MAD (1 + 2) / 2 in whole numbers */
	cr_assert(xtr_fleet_n_outliers(f) == 1 && f->n_sets == 1 && !f->n_small_sets);
	o = xtr_fleet_outlier(f, 0);
	cr_assert(o->value == 40 && o->median == 12 && !o->mean_deviation && o->members == 6);
	cr_expect(fabs(o->z - 0.6745 * 28 / 1) < 1e-9);
	xtr_fleet_free(f);
}

Test(fleet, where_most_values_are_equal)
{
	const uint64_t same[] = { 20, 20, 20, 20, 20 }, one_off[] = { 20, 20, 20, 20, 60 };
	struct xtr_fleet *f = of_values(same, 5);

	cr_expect(!xtr_fleet_n_outliers(f) && f->n_sets == 1);
	xtr_fleet_free(f);
	f = of_values(one_off, 5);
	cr_assert(xtr_fleet_n_outliers(f) == 1 && xtr_fleet_outlier(f, 0)->mean_deviation);
	/* The mean distance is 40 / 5. */
	cr_expect(fabs(xtr_fleet_outlier(f, 0)->z - 40 / (1.253314 * 8)) < 1e-9);
	xtr_fleet_free(f);
	f = of_values(one_off, 4);
	cr_expect(!xtr_fleet_n_outliers(f) && !f->n_sets && f->n_small_sets == 1);
	xtr_fleet_free(f);
}

/* A bucket of a histogram is not a difference. */
Test(fleet, what_a_histogram_rounds_is_no_outlier)
{
	const uint64_t v[] = { 100000, 100000, 100000, 100000, 100000, 102000 };
	struct xtr_fleet *f = of_values(v, 6);

	cr_expect(!xtr_fleet_n_outliers(f));
	xtr_fleet_free(f);
}

/* How many of n values of one normal distribution are called outliers, in 1,000. */
static double called(size_t n, unsigned int tries, uint64_t *state)
{
	uint64_t found = 0, v[64];

	for (unsigned int t = 0; t < tries; t++) {
		struct xtr_fleet *f;

		for (size_t i = 0; i < n; i++)
			v[i] = (uint64_t)(1e6 * (1 + 0.1 * random_normal(state)));
		f = of_values(v, n);
		found += xtr_fleet_n_outliers(f);
		xtr_fleet_free(f);
	}
	return 1000.0 * (double)found / ((double)n * tries);
}

Test(fleet, how_often_normal_values_are_called_outliers)
{
	uint64_t state = 11;
	const double five = called(5, 400, &state), twelve = called(12, 300, &state),
		     fifty = called(50, 100, &state);

	printf("outliers of 1,000 normal values: %.1f of 5, %.1f of 12, %.1f of 50 members\n", five,
	       twelve, fifty);
	cr_expect(five < 120 && twelve < 40 && fifty < 10);
}

/* --- cohorts ---------------------------------------------------------------------------------- */

/* n recordings of each of two cohorts; the second takes so many times as long. */
static struct xtr_fleet *two_cohorts(size_t n, double times, uint64_t *state)
{
	struct xtr_fleet *f;

	cr_assert(!xtr_fleet_new(&f));
	for (size_t i = 0; i < 2 * n; i++)
		add(f, i + 1, i % 2 ? "1.10" : "1.9",
		    random_time(state, i % 2 ? 1e6 * times : 1e6, 0.1));
	cr_assert(!xtr_fleet_compare(f, XTR_FLEET_AGAINST_PREVIOUS));
	return f;
}

static bool differs(struct xtr_fleet *f, enum xtr_fleet_verdict v)
{
	bool found = false;

	for (size_t i = 0; i < f->n_changes; i++)
		found |= f->change[i].verdict == v;
	xtr_fleet_free(f);
	return found;
}

Test(fleet, versions_are_in_order_of_their_numbers)
{
	uint64_t state = 3;
	struct xtr_fleet *f = two_cohorts(5, 2, &state);

	cr_assert(f->n_cohorts == 2 && !strcmp(f->cohort[0].name, "1.9"));
	cr_assert(f->cohort[0].recordings == 5 && !f->cohort[0].hosts);
	cr_assert(differs(f, XTR_FLEET_MORE));
}

Test(fleet, how_often_equal_cohorts_differ)
{
	unsigned int false_alarms = 0, found = 0, tries = 600;
	uint64_t state = 5;

	for (unsigned int t = 0; t < tries; t++) {
		struct xtr_fleet *f = two_cohorts(8, 1, &state);
		bool any = false;

		for (size_t i = 0; i < f->n_changes; i++)
			any |= f->change[i].verdict < XTR_FLEET_SAME;
		false_alarms += any;
		xtr_fleet_free(f);
		found += differs(two_cohorts(8, 1.3, &state), XTR_FLEET_MORE);
	}
	printf("8 and 8 recordings: %u of %u false alarms, 30 %% more found in %u\n", false_alarms,
	       tries, found);
	cr_expect(false_alarms <= 50 && found >= tries * 9 / 10);
}

Test(fleet, three_and_three_tell_nothing)
{
	uint64_t state = 7;

	cr_expect(!differs(two_cohorts(3, 10, &state), XTR_FLEET_MORE));
	cr_expect(differs(two_cohorts(4, 10, &state), XTR_FLEET_MORE));
}

Test(fleet, too_many_cohorts)
{
	struct xtr_fleet *f;
	char name[16];

	cr_assert(!xtr_fleet_new(&f));
	for (unsigned int i = 0; i <= XTR_FLEET_COHORTS_MAX; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		add(f, i + 1, name, 1000);
	}
	cr_expect(xtr_fleet_compare(f, XTR_FLEET_AGAINST_REST) == -E2BIG);
	xtr_fleet_free(f);
}

/* --- keys ------------------------------------------------------------------------------------- */

Test(fleet, keys)
{
	const struct xtr_system sys = { .release = "6.18.0", .version = "", .machine = "x" };
	const struct xtr_device dev[] = {
		{ .name = "a", .driver = "nvidia", .driver_version = "550.1", .pci_id = "10de:1" },
		{ .name = "b", .driver = "nvidia", .driver_version = "550.1", .pci_id = "10de:2" },
	};
	struct xtr_meta *m = xtr_meta_new();
	char buf[XTR_FLEET_NAME_MAX];
	const char *label;

	cr_assert(m && !xtr_meta_set_system(m, &sys) && !xtr_meta_add_device(m, &dev[0]));
	cr_assert(!xtr_meta_add_device(m, &dev[1]));
	cr_expect_str_eq(xtr_fleet_key_of(XTR_FLEET_BY_KERNEL, NULL, m, buf), "6.18.0");
	cr_expect_str_eq(xtr_fleet_key_of(XTR_FLEET_BY_HOST, NULL, m, buf), "(unknown)");
	cr_expect_str_eq(xtr_fleet_key_of(XTR_FLEET_BY_DRIVER, NULL, m, buf), "nvidia 550.1");
	cr_expect_str_eq(xtr_fleet_key_of(XTR_FLEET_BY_DEVICE, NULL, m, buf),
			 "nvidia 10de:1, nvidia 10de:2");
	cr_expect(xtr_fleet_key_parse("label:x", &label) == XTR_FLEET_BY_LABEL);
	cr_expect_str_eq(label, "x");
	cr_expect(xtr_fleet_key_parse("label:", &label) == -EINVAL);
	cr_expect(xtr_fleet_key_parse("label", &label) == -EINVAL);
	cr_expect(xtr_fleet_key_parse("kernel", &label) == XTR_FLEET_BY_KERNEL);
	xtr_meta_free(m);
}
