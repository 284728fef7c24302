/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes made of rows of a group's table, on functions that every kernel has. */
#include "recorder/groups/func_select.h"
#include "recorder/groups/group_probes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct xtr_group_probe row = {
	.purpose = "read",
	.module = "vmlinux",
	.candidates = { "no_such_function", "vfs_read", "vfs_write" },
	.ret = XTR_RET_INT,
	.captures = { { .name = "count", .repr = XTR_REPR_U64, .argument = "count" },
		      { .name = "nothing", .repr = XTR_REPR_U32, .argument = "no_such_argument" },
		      { .name = "position",
			.repr = XTR_REPR_S64,
			.number = 3,
			.deref = true,
			.offset = 8,
			.at_ret = true },
		      { .name = "prev",
			.repr = XTR_REPR_HEX64,
			.deref = true,
			.structure = "list_head",
			.member = "prev" } },
};

static void skip_without_types(void)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK) || access("/proc/kallsyms", R_OK))
		cr_skip("this kernel does not show its functions and types");
}

static struct xtr_probe *make(struct xtr_selection *s, const struct xtr_group_probe *r)
{
	struct xtr_probe *p = NULL;

	*s = (struct xtr_selection){ 0 };
	cr_assert(zero(int, xtr_group_probe(s, r, &p)));
	return p;
}

Test(group_probes, take_the_first_name_that_exists)
{
	struct xtr_selection s;
	struct xtr_probe *p;

	skip_without_types();
	p = make(&s, &row);
	cr_expect(eq(str, p->name, "func:vmlinux:vfs_read"));
	cr_expect(eq(str, p->target, "vfs_read"));
	cr_expect(zero(int, p->why[0]), "%s", p->why);
	cr_expect(p->want_ret);
	xtr_probe_free(p);
	xtr_selection_free(&s);
}

Test(group_probes, capture_by_number_by_name_and_by_member)
{
	struct xtr_selection s;
	struct xtr_probe *p;

	skip_without_types();
	p = make(&s, &row);
	/* context, count, prev; what the function does not have is left out */
	cr_assert(eq(u32, p->entry.desc.n_fields, 3));
	cr_expect(eq(str, (char *)p->entry.fields[1].name, "count"));
	cr_expect(eq(u32, p->entry.fields[1].offset, 24));
	cr_expect(eq(int, p->entry.cfg.load[0].from, XTR_FROM_ARG + 2));
	cr_expect(zero(int, p->entry.cfg.load[0].n_deref));
	cr_expect(eq(str, (char *)p->entry.fields[2].name, "prev"));
	cr_expect(eq(int, p->entry.cfg.load[1].off[0], (int)sizeof(void *)));
	cr_expect(eq(int, p->entry.cfg.load[1].n_deref, 1));
	/* context, ret, position */
	cr_assert(eq(u32, p->ret.desc.n_fields, 3));
	cr_expect(eq(int, p->ret.fields[1].repr, XTR_REPR_S32));
	cr_expect(eq(u32, p->ret.fields[2].offset, 32));
	cr_expect(eq(int, p->ret.cfg.load[0].from, XTR_FROM_SAVED + 3));
	cr_expect(eq(int, p->ret.cfg.load[0].off[0], 8));
	cr_expect(p->entry.cfg.save && p->ret.cfg.save);
	xtr_probe_free(p);
	xtr_selection_free(&s);
}

Test(group_probes, that_are_missing_name_what_was_looked_for)
{
	static const struct xtr_group_probe none = { .purpose = "none",
						     .module = "vmlinux",
						     .candidates = { "no_such_a", "no_such_b" } };
	struct xtr_selection s;
	struct xtr_probe *p;

	skip_without_types();
	p = make(&s, &none);
	cr_expect(eq(int, p->state, XTR_PROVIDER_MISSING));
	cr_expect(strstr(p->why, "no_such_a") && strstr(p->why, "no_such_b"), "%s", p->why);
	cr_expect(eq(str, p->name, "func:vmlinux:no_such_a"));
	xtr_probe_free(p);
	xtr_selection_free(&s);
}

Test(group_probes, of_patterns_can_be_read)
{
	struct xtr_record_err err;
	struct xtr_func_pattern pat;

	for (size_t i = 0; i < xtr_n_groups; i++) {
		if (!xtr_groups[i].functions)
			continue;
		cr_expect(zero(int, xtr_func_pattern(&pat, xtr_groups[i].functions, &err)));
		cr_expect(eq(str, pat.module, (char *)xtr_groups[i].module));
		cr_expect(eq(int, pat.ret, strstr(xtr_groups[i].name, ":ret") != NULL));
	}
}

/* The third argument of the first, the second of the second: by the name that is taken. */
static const struct xtr_group_probe by_candidate = {
	.purpose = "read",
	.module = "vmlinux",
	.candidates = { "no_such_function", "vfs_read" },
	.captures = { { .name = "count",
			.repr = XTR_REPR_U64,
			.number = 5,
			.only = "no_such_function" },
		      { .name = "count", .repr = XTR_REPR_U64, .number = 2, .only = "vfs_read" },
		      { .name = "text",
			.repr = XTR_REPR_HEX32,
			.number = 1,
			.deref = true,
			.user = true,
			.offset = 8,
			.only = "vfs_read" },
		      { .name = "file", .repr = XTR_REPR_HEX64, .sens = XTR_SENS_KPTR },
		      { .name = "vm_end",
			.repr = XTR_REPR_HEX64,
			.deref = true,
			.structure = "vm_area_struct",
			.member = "vm_end" } },
	.key = "count",
	.sub = { { 0x2a, "text" }, { 0x2b, "file" } },
};

Test(group_probes, capture_by_candidate_from_the_caller_and_in_unnamed_members)
{
	struct xtr_selection s;
	struct xtr_probe *p;

	skip_without_types();
	p = make(&s, &by_candidate);
	cr_assert(eq(u32, p->entry.desc.n_fields, 5));
	cr_expect(eq(int, p->entry.cfg.load[0].from, XTR_FROM_ARG + 2));
	cr_expect(eq(int, p->entry.cfg.load[1].flags, XTR_LOAD_USER));
	cr_expect(eq(int, p->entry.cfg.load[1].off[0], 8));
	cr_expect(eq(int, p->entry.fields[1].sens, XTR_SENS_PLAIN));
	cr_expect(eq(int, p->entry.fields[3].sens, XTR_SENS_KPTR));
	cr_expect(eq(int, p->entry.cfg.load[3].off[0], (int)sizeof(void *)));
	/* By what it is counted if it is sampled. */
	cr_expect(p->key && p->entry.cfg.key == 1 && !p->entry.cfg.sample);
	cr_expect(p->entry.cfg.sub[0].nr == 0x2a && p->entry.cfg.sub[0].load == 2);
	cr_expect(p->entry.cfg.sub[1].nr == 0x2b && p->entry.cfg.sub[1].load == 3);
	cr_expect(eq(str, (char *)xtr_probe_captured(p, 2)->name, "text"));
	cr_expect(eq(ptr, (void *)xtr_probe_captured(p, 0), NULL));
	cr_expect(eq(int, xtr_probe_key(p, "context"), -ENOENT));
	xtr_probe_sample(p, 7);
	cr_expect(eq(u32, p->entry.cfg.sample, 7));
	xtr_probe_free(p);
	xtr_selection_free(&s);
}
