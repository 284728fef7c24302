/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the selected events get stacks. */
#include "recorder/groups/stacks.h"
#include "kernel_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct xtr_generic *generics[2];
static struct xtr_probe *probes[2];
static struct xtr_selection sel;
static struct xtr_record_err err;

static void setup(void)
{
	generics[0] = kernel_format("sched_switch", "sched");
	generics[1] = kernel_format("7.2/i915/i915_request_queue", "i915");
	cr_assert(zero(int, xtr_probe_new(&probes[0], XTR_PROBE_FUNC, "mod", "f")));
	cr_assert(zero(int, xtr_probe_new(&probes[1], XTR_PROBE_FUNC, "intel_vpu",
					  "ivpu_cmdq_submit_ioctl")));
	sel = (struct xtr_selection){
		.generics = generics, .n_generics = 2, .probes = probes, .n_probes = 2
	};
	err = (struct xtr_record_err){ 0 };
}

static void teardown(void)
{
	for (size_t i = 0; i < 2; i++) {
		xtr_generic_free(generics[i]);
		xtr_probe_free(probes[i]);
	}
}

TestSuite(stacks, .init = setup, .fini = teardown);

static bool of_probe(size_t i)
{
	return probes[i]->entry.cfg.flags & XTR_PROBE_STACK;
}

Test(stacks, those_that_submit)
{
	cr_assert(zero(int, xtr_stacks_apply(&sel, NULL, 0, &err)));
	cr_expect(eq(u32, generics[0]->cfg.stack, 0));
	cr_expect(eq(u32, generics[1]->cfg.stack, 1));
	cr_expect(eq(int, of_probe(0), 0));
	cr_expect(eq(int, of_probe(1), 1));
}

Test(stacks, those_that_are_named)
{
	static const char *const more[] = { "sched:*", "func:mod:f", "i915:i915_request_queue" };

	cr_assert(zero(int, xtr_stacks_apply(&sel, more, 3, &err)));
	cr_expect(eq(u32, generics[0]->cfg.stack, 1));
	cr_expect(eq(u32, generics[1]->cfg.stack, 1));
	cr_expect(eq(int, of_probe(0), 1));
	cr_expect(eq(int, of_probe(1), 1));
}

Test(stacks, where_none_submits)
{
	static const char *const more[] = { "sched:*" };

	sel.n_generics = 1; /* sched_switch, and a function that does not submit */
	sel.n_probes = 1;
	cr_assert(zero(int, xtr_stacks_apply(&sel, more, 1, &err)));
	cr_expect(zero(sz, sel.n_notes), "--stack-at has an effect");
	cr_assert(zero(int, xtr_stacks_apply(&sel, NULL, 0, &err)));
	cr_assert(eq(sz, sel.n_notes, 1));
	cr_expect(strstr(sel.notes[0], "--stack has no effect") != NULL);
	sel.n_notes = 0;
	sel.types[XTR_EV_JOB_QUEUE] = true;
	cr_assert(zero(int, xtr_stacks_apply(&sel, NULL, 0, &err)));
	cr_expect(zero(sz, sel.n_notes), "jobs have stacks");
	sel.types[XTR_EV_JOB_QUEUE] = false;
	sel.n_probes = 2;
	cr_assert(zero(int, xtr_stacks_apply(&sel, NULL, 0, &err)));
	cr_expect(zero(sz, sel.n_notes), "a function that submits");
}

Test(stacks, one_that_is_not_recorded)
{
	static const char *const more[] = { "sched:*", "irq:*" };

	cr_assert(eq(int, xtr_stacks_apply(&sel, more, 2, &err), -EINVAL));
	cr_expect(eq(int, err.kind, XTR_FAIL_USAGE));
	cr_expect(eq(str, err.what, "--stack-at 'irq:*': no such event is recorded"));
}

/* An entry that captures all it can has no room. Where the table asks for it, it goes without. */
Test(stacks, no_room)
{
	static const char *const more[] = { "func:intel_vpu:*" };
	struct xtr_capture c = { .repr = XTR_REPR_U64, .load.width = 8 };
	char name[8];

	for (uint32_t i = 0; i < XTR_PROBE_LOADS; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		c.name = name;
		cr_assert(zero(int, xtr_probe_capture(probes[1], false, &c)));
	}
	cr_assert(zero(int, xtr_stacks_apply(&sel, NULL, 0, &err)));
	cr_expect(eq(int, of_probe(1), 0));
	cr_assert(eq(int, xtr_stacks_apply(&sel, more, 1, &err), -E2BIG));
	cr_expect(eq(str, err.what,
		     "--stack-at 'func:intel_vpu:*': the event has no room for a stack"));
}
