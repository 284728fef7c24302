/* SPDX-License-Identifier: BSD-2-Clause */
/* As test_oom.c, for the parts of format/: tables, META, losses, descriptions of tracepoints. */
#include "format/read/merge.h"
#include "format/meta/printfmt.h"
#include "format/write/recover.h"
#include "format/meta/tpevent.h"
#include "format/meta/tpformat.h"
#include "oom.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int merge_tables(void *to, const uint8_t *buf, size_t n)
{
	struct xtr_err err;

	return xtr_tables_merge(to, buf, n, &err);
}

static int fill(struct xtr_tables *t)
{
	const uint32_t frames[] = { 1, 2 };
	char text[16];
	uint32_t id;
	int err = 0;

	for (uint32_t i = 0; i < 20 && !err; i++) {
		struct xtr_ring ring = { i + 1, 5, i, 1, 1, 4 };
		struct xtr_frame frame = { 1, i, 1, i % 2 };

		snprintf(text, sizeof(text), "text %u", i);
		err = xtr_tables_intern(t, text, strlen(text), &id);
		if (!err)
			err = xtr_tables_intern_frame(t, &frame, &id);
		if (!err)
			err = xtr_tables_add_ring(t, &ring);
		if (!err)
			err = xtr_tables_add_stack(t, i + 1, frames, 2);
	}
	for (uint32_t i = 0; i < 300 && !err; i++) {
		struct xtr_task task = {
			.tid = 300 - i, .pid = 1, .since = i, .comm = 1, .flags = 0
		};

		err = xtr_tables_add_task(t, &task);
	}
	return err;
}

static int tables(void *arg)
{
	struct xtr_tables *t = xtr_tables_new(), *back = xtr_tables_new(), *copy = NULL;
	int err = t && back ? fill(t) : -ENOMEM;
	struct xtr_frame frame = { 9, 9, 9, 9 };
	uint32_t id;

	(void)arg;
	if (!err)
		err = xtr_tables_encode(t, false, merge_tables, back);
	if (!err)
		err = xtr_tables_intern(back, "text 3", 6, &id); /* what was read becomes known */
	if (!err) {
		cr_assert(eq(u32, id, 4));
		err = xtr_tables_intern_frame(back, &frame, &id);
	}
	if (!err)
		err = (copy = xtr_tables_copy(back)) ? 0 : -ENOMEM;
	if (!err)
		cr_assert(eq(u32, xtr_tables_task(copy, 300, 0)->pid, 1));
	xtr_tables_free(copy);
	xtr_tables_free(back);
	xtr_tables_free(t);
	return err;
}

Test(oom, tables_are_filled_written_read_and_copied)
{
	/* Sorting tasks, here and in the copy: looking up without only takes longer. */
	cr_assert(ge(u32, oom_each(tables, NULL, 4), 200));
}

static const char *const nodes[] = { "card0", "renderD128" };

static int describe(struct xtr_meta *m)
{
	const struct xtr_device devs[] = { { .name = "a",
					     .driver = "amdgpu",
					     .pci_id = "1:2",
					     .driver_version = "v",
					     .firmware = "fw",
					     .nodes = nodes,
					     .n_nodes = 2,
					     .model = "m",
					     .uuid = "u" },
					   { .name = "b" } };
	const struct xtr_provider p[] = {
		{ 1, "a:b", "raw_tp", "x", XTR_PROVIDER_REFUSED, "EPERM", "mod" },
		{ 2, "a:c", "raw_tp", "x", XTR_PROVIDER_ATTACHED, NULL, NULL }
	};
	const uint8_t boot[16] = { 1 };
	const struct xtr_system sys = { "6", "#1", "x86_64", 1, 4096, "kvm", "host", NULL };
	int err = xtr_meta_set_writer(m, "w", "1");

	err = err ? err : xtr_meta_set_clock(m, "boottime", boot, 1);
	err = err ? err : xtr_meta_set_system(m, &sys);
	for (int i = 0; i < 2 && !err; i++) {
		err = xtr_meta_add_device(m, &devs[i]);
		err = err ? err : xtr_meta_add_provider(m, &p[i]);
	}
	for (size_t i = 0; i < 4 && !err; i++)
		err = xtr_meta_add_event(m, &xtr_builtin_events[i]);
	err = err ? err : xtr_meta_set_config_u64(m, "rings", 8);
	err = err ? err : xtr_meta_set_config_str(m, "rings", "eight");
	return err ? err : xtr_meta_set_config_str(m, "wakeup", "never");
}

static int meta(void *arg)
{
	struct xtr_meta *m = xtr_meta_new(), *back = xtr_meta_new();
	int err = m && back ? describe(m) : -ENOMEM;
	uint8_t *buf = NULL;
	struct xtr_err why;
	size_t n = 0;

	(void)arg;
	if (!err)
		err = xtr_meta_encode(m, &buf, &n);
	if (!err)
		err = xtr_meta_merge(back, buf, n, &why);
	if (!err) {
		const char *name = xtr_builtin_events[3].name;

		cr_assert(eq(str, (char *)xtr_meta_event_by_name(back, name)->name, (char *)name));
		cr_assert(eq(ptr, (void *)xtr_meta_event_by_name(back, "no:name"), NULL));
		cr_assert(eq(u64, xtr_meta_clock_res(back), 1));
	}
	free(buf);
	xtr_meta_free(m);
	xtr_meta_free(back);
	return err;
}

Test(oom, meta_is_described_written_and_read)
{
	/* The index of names: searching goes on without. */
	cr_assert(ge(u32, oom_each(meta, NULL, 2), 60));
}

static int losses(void *arg)
{
	struct xtr_loss *l = xtr_loss_new(), *back = xtr_loss_new(), *copy = NULL;
	int err = l && back ? 0 : -ENOMEM;
	struct xtr_err why;
	uint8_t *buf = NULL;
	size_t n = 0;

	(void)arg;
	for (uint32_t i = 0; i < 20 && !err; i++) {
		struct xtr_gap gap = { i, 1000 - i, 2000, 3 };

		err = xtr_loss_set(l, i, 17, i % 2 ? XTR_LOSS_RING_FULL : (enum xtr_loss_cause)0,
				   3);
		err = err ? err : xtr_loss_add_gap(l, &gap);
	}
	if (!err)
		err = xtr_loss_encode(l, &buf, &n);
	if (!err)
		err = xtr_loss_merge(back, buf, n, &why);
	if (!err)
		err = (copy = xtr_loss_copy(back, 0, UINT64_MAX)) ? 0 : -ENOMEM;
	if (!err)
		cr_assert(eq(sz, xtr_loss_n_gaps(copy), 20));
	free(buf);
	xtr_loss_free(l);
	xtr_loss_free(back);
	xtr_loss_free(copy);
	return err;
}

Test(oom, losses_are_set_written_read_and_copied)
{
	cr_assert(ge(u32, oom_each(losses, NULL, 0), 20));
}

/* --- tracepoints ----------------------------------------------------------------------------- */

static const char format[] =
	"name: drm_test\nID: 372\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 state;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 state;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 state;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * text;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:struct x y;\toffset:48;\tsize:24;\tsigned:0;\n"
	"\tfield:u8 tail[];\toffset:72;\tsize:0;\tsigned:0;\n"
	"print fmt: \"%s %s %s\", __get_str(name), __print_symbolic(REC->state, { 0, \"idle\" }, { 1, \"busy\" }),"
	" REC->text\n";

static int tracepoint(void *arg)
{
	const struct xtr_tp_limits limits = {
		.fixed = 256, .texts = 4, .tails = true, .pointed_text = true
	};
	struct xtr_tp_format *f;
	struct xtr_tp_event *e;
	int err = xtr_tp_format_parse(&f, format, sizeof(format) - 1);

	(void)arg;
	if (err)
		return err;
	err = xtr_tp_event_new(&e, "drm", f->name, f, 1024, &limits);
	xtr_tp_format_free(f);
	if (err)
		return err;
	cr_assert(eq(str, (char *)e->desc.name, "drm:drm_test"));
	cr_assert(xtr_event_field(&e->desc, "state_3") != NULL);
	cr_assert(eq(u32, xtr_event_field(&e->desc, "state")->n_names, 2));
	xtr_tp_event_free(e);
	return 0;
}

Test(oom, tracepoints_are_parsed_and_laid_out)
{
	cr_assert(ge(u32, oom_each(tracepoint, NULL, 0), 60));
}

/* --- recovering ------------------------------------------------------------------------------ */

static int recover(void *arg)
{
	const struct xtr_recover_opts o = { .sz = sizeof(o) };
	struct xtr_recover_result res;
	struct xtr_io *made = arg, *io, *out;
	struct xtr_reader *r;
	size_t n;
	const uint8_t *p = xtr_io_mem_data(made, &n);
	int err = xtr_io_mem_view(p, n, &io);

	if (err)
		return err;
	err = xtr_reader_open(&r, io, NULL);
	if (err)
		return err;
	err = xtr_reader_verify(r, NULL, NULL);
	if (!err)
		err = xtr_io_mem_new(&out);
	if (!err) {
		err = xtr_recover(r, 0, out, &o, &res);
		xtr_io_close(out);
	}
	xtr_reader_close(r);
	return err;
}

Test(oom, a_damaged_trace_is_recovered)
{
	struct xtr_io *good = trace_make(2, 40, 3, NULL), *made;
	size_t n;
	const uint8_t *p = xtr_io_mem_data(good, &n);
	uint8_t *bytes = malloc(n);

	memcpy(bytes, p, n);
	xtr_io_close(good);
	bytes[n * 2 / 3] ^= 0x55;
	cr_assert(eq(int, xtr_io_mem_view(bytes, n - 200, &made), 0));
	cr_assert(ge(u32, oom_each(recover, made, 1), 60)); /* a list made shorter */
	xtr_io_close(made);
	free(bytes);
}
