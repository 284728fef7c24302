/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel functions: from patterns and symbols to probes, and the layout of their records. */
#include "recorder/groups/btf_types.h"
#include "recorder/groups/func_select.h"
#include "recorder/attach/kprobe_events.h"
#include "recorder/groups/function_probe.h"

#include <bpf/btf.h>
#include "sysfail.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

Test(func, patterns)
{
	struct xtr_record_err err = { 0 };
	struct xtr_func_pattern p;

	cr_assert_eq(xtr_func_pattern(&p, "func:intel-vpu:ivpu_*", &err), 0);
	cr_assert_str_eq(p.module, "intel_vpu");
	cr_assert_str_eq(p.glob, "ivpu_*");
	cr_assert(!p.ret && !p.args);
	cr_assert_eq(xtr_func_pattern(&p, "func:vmlinux:f:args:ret", &err), 0);
	cr_assert(p.ret && p.args);
}

Test(func, bad_patterns)
{
	static const char *const bad[] = { "func:",   "func:m",       "func:m:",
					   "func::f", "func:m:f:rat", "func:m:f::ret" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct xtr_record_err err = { 0 };
		struct xtr_func_pattern p;

		cr_expect_eq(xtr_func_pattern(&p, bad[i], &err), -EINVAL, "%s", bad[i]);
		cr_expect(err.what[0] && err.kind == XTR_FAIL_USAGE, "%s", bad[i]);
	}
}

Test(func, names_in_the_source)
{
	cr_expect_eq(xtr_func_base("ivpu_submit"), 11);
	cr_expect_eq(xtr_func_base("ivpu_submit.constprop.0"), 11);
	cr_expect_eq(xtr_func_base("ivpu_job_signal_and_destroy.isra.0.part.0"), 27);
	cr_expect_eq(xtr_func_base("ivpu_submit.cold"), 0);
	cr_expect_eq(xtr_func_base("ivpu_submit.part.0.cold"), 0);
	cr_expect_eq(xtr_func_base("ivpu_cold"), 9);
	cr_expect_eq(xtr_func_base("__pfx_ivpu_submit"), 0);
	cr_expect_eq(xtr_func_base("$x"), 0);
}

static char *temp_file(const char *text)
{
	char *path = strdup("/tmp/xtr-func-XXXXXX");
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

static const char kallsyms[] = "ffffffff81000000 T kernel_one\n"
			       "ffffffff81000010 D kernel_data\n"
			       "ffffffffc0000000 t foo.isra.0\t[mod]\n"
			       "ffffffffc0000020 t __pfx_bar\t[mod]\n"
			       "ffffffffc0000030 T bar\t[mod]\n"
			       "ffffffffc0000040 t foo.cold\t[mod]\n"
			       "ffffffffc0000050 t foo.part.0\t[mod]\n"
			       "ffffffffc0000060 d table\t[mod]\n"
			       "ffffffffc0000070 t init_module\t[mod]\n"
			       "ffffffffc0000070 t mod_start\t[mod]\n"
			       "ffffffffc0000080 t other\t[mod2]\n";

/* A part of the list would be taken for all there is. */
Test(func, a_list_that_cannot_be_read_to_its_end)
{
	char *path = temp_file(kallsyms);
	struct xtr_func_symbols f;

	sys_fail("read", 2, EIO);
	cr_expect_eq(xtr_func_symbols_read(&f, path, "mod"), -EIO);
	cr_expect_eq(sys_end(), 1);
	cr_expect_eq(f.n, 0);
	cr_assert_eq(xtr_func_symbols_read(&f, path, "mod"), 0);
	sys_fail("read", 1, EIO);
	cr_expect_eq(xtr_func_symbols_check(&f, path, "mod"), -EIO);
	cr_expect_eq(sys_end(), 1);
	cr_expect(!f.checked);
	for (size_t i = 0; i < f.n; i++)
		cr_expect(!f.v[i].untraced);
	xtr_func_symbols_free(&f);
	unlink(path);
	free(path);
}

Test(func, symbols_of_a_module)
{
	static const char *const want[] = { "bar", "foo.isra.0", "foo.part.0", "mod_start" };
	char *path = temp_file(kallsyms), *list = temp_file("kernel_one\nbar [mod]\n"
							    "foo.isra.0 [mod]\nother [mod2]\n");
	struct xtr_func_symbols f;

	cr_assert_eq(xtr_func_symbols_read(&f, path, "mod"), 0);
	cr_assert_eq(f.n, 4);
	for (size_t i = 0; i < f.n; i++)
		cr_expect_str_eq(f.v[i].symbol, want[i]);
	cr_expect_eq(f.v[1].base, 3);
	cr_expect_eq(f.v[1].addr, 0xffffffffc0000000);
	cr_assert_eq(xtr_func_symbols_check(&f, list, "mod"), 0);
	cr_expect(!f.v[0].untraced && !f.v[1].untraced);
	cr_expect(f.v[2].untraced && f.v[3].untraced);
	xtr_func_symbols_free(&f);
	cr_assert_eq(xtr_func_symbols_read(&f, path, "vmlinux"), 0);
	cr_assert_eq(f.n, 1);
	xtr_func_symbols_free(&f);
	unlink(path);
	unlink(list);
	free(path);
	free(list);
}

static bool only_42(long pid)
{
	return pid == 42;
}

Test(func, probes_of_dead_recorders)
{
	char name[64];

	cr_expect(xtr_kprobe_event_stale("p:xtr_7/x7_0 0xffff", only_42, name, sizeof(name)));
	cr_expect_str_eq(name, "xtr_7/x7_0");
	cr_expect(xtr_kprobe_event_stale("r128:xtr_7/x7_1 mod:f", only_42, name, sizeof(name)));
	cr_expect(!xtr_kprobe_event_stale("p:xtr_42/x42_0 f", only_42, name, sizeof(name)));
	cr_expect(!xtr_kprobe_event_stale("p:kprobes/x7_0 f", only_42, name, sizeof(name)));
	cr_expect(!xtr_kprobe_event_stale("p:xtr_x/x7_0 f", only_42, name, sizeof(name)));
}

Test(func, layout_of_records)
{
	struct xtr_capture size = { .name = "size",
				    .unit = "bytes",
				    .repr = XTR_REPR_U64,
				    .load = { .from = 1, .width = 8, .n_deref = 1 } };
	struct xtr_capture ret = { .name = "ret", .repr = XTR_REPR_S32, .load.width = 4 };
	struct xtr_capture handle = {
		.name = "handle",
		.repr = XTR_REPR_U32,
		.load = { .from = XTR_FROM_SAVED + 1, .width = 4, .n_deref = 1, .off = { 12 } }
	};
	struct xtr_probe *p;

	cr_assert_eq(xtr_probe_new(&p, XTR_PROBE_FUNC, "mod", "f"), 0);
	cr_assert_eq(xtr_probe_capture(p, false, &size), 0);
	cr_assert_eq(xtr_probe_capture(p, true, &handle), -EINVAL, "no return yet");
	cr_assert_eq(xtr_probe_want_ret(p, &ret), 0);
	cr_assert_eq(xtr_probe_capture(p, true, &handle), 0);
	cr_assert_eq(xtr_probe_capture(p, false, &handle), -EINVAL, "kept for the return only");
	cr_assert_eq(xtr_probe_number(p, 3), 2);
	cr_expect_str_eq(p->entry.desc.name, "func:mod:f");
	cr_expect_str_eq(p->ret.desc.name, "func:mod:f:ret");
	cr_expect_eq(p->entry.desc.type, 1027);
	cr_expect_eq(p->ret.cfg.slot, XTR_SLOT_GENERIC + 4);
	cr_expect_eq(p->entry.desc.size, 32);
	cr_expect_eq(p->ret.desc.size, 40);
	cr_expect_eq(xtr_event_field(&p->entry.desc, "context")->offset, 16);
	cr_expect_eq(xtr_event_field(&p->entry.desc, "size")->offset, 24);
	cr_expect_eq(xtr_event_field(&p->ret.desc, "ret")->offset, 24);
	cr_expect_eq(xtr_event_field(&p->ret.desc, "handle")->offset, 32);
	cr_expect(p->entry.cfg.save && p->ret.cfg.save);
	/* A stack is one value more of the entry, numbered or not. */
	cr_assert_eq(xtr_probe_stack(p), 0);
	cr_assert_eq(xtr_probe_stack(p), -EEXIST);
	cr_expect_eq(xtr_event_field(&p->entry.desc, "stack")->offset, 32);
	cr_expect_eq(xtr_event_field(&p->entry.desc, "stack")->repr, XTR_REPR_STACK);
	cr_expect_eq(p->entry.desc.size, 40);
	cr_expect_eq(p->entry.cfg.size, 40);
	cr_expect_eq(p->entry.cfg.load[1].from, XTR_FROM_STACK);
	cr_expect(p->entry.cfg.flags & XTR_PROBE_STACK);
	cr_expect(!(p->ret.cfg.flags & XTR_PROBE_STACK));
	xtr_probe_free(p);
}

Test(func, joined_probes_record_what_either_does)
{
	struct xtr_capture c = { .name = "a", .repr = XTR_REPR_U64, .load.width = 8 };
	struct xtr_probe *p, *more;

	cr_assert_eq(xtr_probe_new(&p, XTR_PROBE_FUNC, "mod", "f"), 0);
	cr_assert_eq(xtr_probe_new(&more, XTR_PROBE_FUNC, "mod", "f"), 0);
	cr_assert_eq(xtr_probe_want_ret(p, NULL), 0);
	cr_assert_eq(xtr_probe_capture(more, false, &c), 0);
	xtr_probe_join(p, more);
	cr_expect(p->want_ret);
	cr_expect_eq(p->ret.desc.size, 24);
	cr_expect_eq(p->entry.desc.size, 32);
	xtr_probe_free(p);
}

/* int f(struct *ptr, u8 small, enum color c, long ret): as the compiler would describe it. */
static struct btf *made_types(void)
{
	struct btf *b = btf__new_empty();
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	int u8 = btf__add_int(b, "u8", 1, 0);
	int s64 = btf__add_int(b, "long", 8, BTF_INT_SIGNED);
	int ptr = btf__add_ptr(b, 0);
	int color = btf__add_enum(b, "color", 4), proto;

	btf__add_enum_value(b, "GREEN", 2);
	btf__add_enum_value(b, "RED", 1);
	proto = btf__add_func_proto(b, i32);
	btf__add_func_param(b, "ptr", ptr);
	btf__add_func_param(b, "small", u8);
	btf__add_func_param(b, "c", color);
	btf__add_func_param(b, "ret", s64);
	btf__add_func(b, "f", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(b, 0);
	btf__add_func(b, "nothing", BTF_FUNC_STATIC, proto);
	return b;
}

Test(func, arguments_from_types)
{
	struct btf *b = made_types();
	const struct xtr_field *c;
	struct xtr_probe *p;

	cr_assert_eq(xtr_probe_new(&p, XTR_PROBE_FUNC, "mod", "f"), 0);
	cr_assert_eq(xtr_probe_add_target(p, "f", NULL, 1), 0);
	cr_assert_eq(xtr_func_describe_btf(p, b, "f", true, true), 0);
	cr_expect_eq(p->entry.desc.n_fields, 5);
	cr_expect_eq(xtr_event_field(&p->entry.desc, "ptr")->sens, XTR_SENS_KPTR);
	cr_expect_eq(xtr_event_field(&p->entry.desc, "small")->repr, XTR_REPR_U8);
	cr_expect_eq(xtr_event_field(&p->entry.desc, "arg_ret")->repr, XTR_REPR_S64);
	c = xtr_event_field(&p->entry.desc, "c");
	cr_assert_eq(c->n_names, 2);
	cr_expect_str_eq(c->names[0].name, "RED");
	cr_expect_eq(xtr_event_field(&p->ret.desc, "ret")->repr, XTR_REPR_S32);
	xtr_probe_free(p);
	btf__free(b);
}

Test(func, unknown_types_and_changed_arguments)
{
	struct btf *b = made_types();
	struct xtr_probe *p;

	cr_assert_eq(xtr_probe_new(&p, XTR_PROBE_FUNC, "mod", "f"), 0);
	cr_assert_eq(xtr_probe_add_target(p, "f.isra.0", NULL, 1), 0);
	cr_assert_eq(xtr_func_describe_btf(p, b, "f", true, true), 0);
	cr_expect(xtr_event_field(&p->entry.desc, "arg5"));
	cr_expect_eq(xtr_event_field(&p->ret.desc, "ret")->repr, XTR_REPR_S32);
	xtr_probe_free(p);
	cr_assert_eq(xtr_probe_new(&p, XTR_PROBE_FUNC, "mod", "g"), 0);
	cr_assert_eq(xtr_func_describe_btf(p, NULL, "g", true, false), 0);
	cr_expect_eq(xtr_event_field(&p->ret.desc, "ret")->repr, XTR_REPR_S64);
	xtr_probe_free(p);
	cr_assert_eq(xtr_probe_new(&p, XTR_PROBE_FUNC, "mod", "nothing"), 0);
	cr_assert_eq(xtr_func_describe_btf(p, b, "nothing", true, false), 0);
	cr_expect_null(xtr_event_field(&p->ret.desc, "ret"));
	xtr_probe_free(p);
	btf__free(b);
}
