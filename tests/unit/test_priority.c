/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels call the priorities of queues, and how they choose among them. */
#include "replay/event/priority.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const char *name(const char *release, int32_t prio)
{
	const char *text = xtr_priority_name(release, prio);

	return text ? text : "-";
}

Test(priority, kernels_number_them_differently)
{
	static const struct {
		const char *release, *names[4];
	} kernels[] = {
		{ "6.1.0-56-amd64", { "low", "normal", "high", "kernel" } },
		{ "6.7.12", { "low", "normal", "high", "kernel" } },
		{ "6.8.0-rc1", { "kernel", "high", "normal", "low" } },
		{ "6.12.95+deb12-amd64", { "kernel", "high", "normal", "low" } },
		{ "7.2.13", { "kernel", "high", "normal", "low" } },
		/* Their drivers are of later versions than their number says. */
		{ "5.14.0-427.el9.x86_64", { "-", "-", "-", "-" } },
		{ "", { "-", "-", "-", "-" } },
		{ "6", { "-", "-", "-", "-" } },
		{ "6.", { "-", "-", "-", "-" } },
		{ "next", { "-", "-", "-", "-" } },
		{ "99999999999999999999.1", { "-", "-", "-", "-" } },
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		for (int32_t prio = 0; prio < 4; prio++)
			cr_expect(eq(str, (char *)name(kernels[i].release, prio),
				     (char *)kernels[i].names[prio]),
				  "%s: %d", kernels[i].release, prio);
	cr_expect(eq(str, (char *)name("6.12.0", -1), "-"));
	cr_expect(eq(str, (char *)name("6.12.0", 4), "-"));
	cr_expect(eq(str, (char *)name(NULL, 1), "-"));
}

Test(priority, several_in_one_text)
{
	struct xtr_priorities p = { 0 };
	char text[XTR_PRIORITY_TEXT];

	cr_expect(eq(str, xtr_priorities_text(&p, "6.12.0", text), ""));
	xtr_priorities_add(&p, 2);
	cr_expect(eq(str, xtr_priorities_text(&p, "6.12.0", text), "normal"));
	cr_expect(eq(str, xtr_priorities_text(&p, "", text), "2"));
	xtr_priorities_add(&p, 1);
	xtr_priorities_add(&p, 2);
	cr_expect(eq(str, xtr_priorities_text(&p, "6.12.0", text), "high to normal"));
	xtr_priorities_add(&p, INT32_MAX);
	cr_expect(eq(str, xtr_priorities_text(&p, "6.12.0", text), "high to 2147483647"));
	xtr_priorities_add(&p, INT32_MIN);
	cr_expect(eq(str, xtr_priorities_text(&p, "6.12.0", text), "-2147483648 to 2147483647"));
}

Test(priority, levels_have_names)
{
	cr_expect(eq(int, xtr_priority_level("kernel"), 0));
	cr_expect(eq(int, xtr_priority_level("normal"), XTR_PRIORITY_NORMAL));
	cr_expect(eq(int, xtr_priority_level("low"), XTR_PRIORITY_LEVELS - 1));
	cr_expect(eq(int, xtr_priority_level("urgent"), -1));
	cr_expect(eq(int, xtr_priority_level(NULL), -1));
}

Test(priority, how_the_scheduler_chooses)
{
	cr_expect(eq(int, xtr_sched_order("6.1.0"), XTR_SCHED_HIGHEST));
	cr_expect(eq(int, xtr_sched_order("7.1.9"), XTR_SCHED_HIGHEST));
	cr_expect(eq(int, xtr_sched_order("7.2.0-rc1"), XTR_SCHED_FAIR));
	cr_expect(eq(int, xtr_sched_order("10.0"), XTR_SCHED_FAIR));
	cr_expect(eq(int, xtr_sched_order("5.14.0-427.el9"), XTR_SCHED_UNKNOWN));
	cr_expect(eq(int, xtr_sched_order(""), XTR_SCHED_UNKNOWN));
}
