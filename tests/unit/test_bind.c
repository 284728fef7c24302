/* SPDX-License-Identifier: BSD-2-Clause */
/* Binding events and fields by name, and reading them: every width, short records, arrays. */
#include "named.h"
#include "replay/event/event_bind.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum {
	MOVE,
	IOCTL,
	IV,
	NONE
};

static const struct xtr_bind_spec specs[] = {
	{ "a:absent", NONE, { "x" } },
	{ "a:move", MOVE, { "bo", "size|bo_size", "delta", "small", "missing", "name", "comm" } },
	{ "func:nvidia:ioctl|func:vmlinux:ioctl", IOCTL, { "cmd" } },
	{ "a:iv", IV, { "data", "digits", "n" } },
	{ "a:move", NONE, { "bo" } },
};

#define N_SPECS (sizeof(specs) / sizeof(specs[0]))

static struct named n;
static struct xtr_binds b;

static void setup(void)
{
	named_init(&n);
	named_describe(&n, "a:move",
		       "bo:hex64:8 bo_size:u32:4 delta:s16:2 small:s8:1 pad:u8:1 name:strid:4 "
		       "comm:str:12");
	named_describe(&n, "a:other", "bo:u64:8");
	named_describe(&n, "func:vmlinux:ioctl", "cmd:hex32:4");
	named_describe(&n, "a:iv", "data:bytes:16 digits:strid:4 n:u32:4");
	cr_assert(!xtr_binds_open(&b, n.meta, specs, N_SPECS));
}

static void teardown(void)
{
	xtr_binds_close(&b);
	xtr_binds_close(&b);
	named_free(&n);
}

TestSuite(bind, .init = setup, .fini = teardown);

static const struct xtr_bind *emit(const char *name)
{
	const struct xtr_bind *e;

	named_emit(&n, name, 10, 7, 1);
	e = xtr_binds_find(&b, n.ev.type);
	cr_assert(e, "%s", name);
	cr_expect_eq(e->desc, n.ev.desc);
	return e;
}

Test(bind, finds_what_the_section_has)
{
	cr_expect_eq(b.n_found, 4);
	cr_expect_eq(emit("a:move")->role, MOVE, "the first of two");
	cr_expect_eq(emit("func:vmlinux:ioctl")->role, IOCTL, "the second name");
	named_emit(&n, "a:other", 1, 7, 0);
	cr_expect_null(xtr_binds_find(&b, n.ev.type), "between two that are bound");
	cr_expect_null(xtr_binds_find(&b, 0));
	cr_expect_null(xtr_binds_find(&b, XTR_EV_JOB_RUN));
	cr_expect_null(xtr_binds_find(&b, 65535));
	cr_expect_null(xtr_binds_find(&b, UINT32_MAX));
	cr_expect(xtr_binds_any(n.meta, specs, N_SPECS));
	cr_expect_not(xtr_binds_any(n.meta, specs, 1));
	cr_expect_null(b.bind[0].desc);
	cr_expect_eq(b.bind[0].role, NONE);
}

Test(bind, nothing_to_bind)
{
	struct xtr_binds none;

	cr_assert(!xtr_binds_open(&none, NULL, specs, N_SPECS));
	cr_expect_eq(none.n_found, 0);
	cr_expect_null(xtr_binds_find(&none, 1024));
	xtr_binds_close(&none);
	cr_assert(!xtr_binds_open(&none, n.meta, specs, 0));
	cr_expect_null(xtr_binds_find(&none, 1024));
	xtr_binds_close(&none);
	cr_expect_eq(xtr_binds_open(&none, n.meta, specs, 65535), -EINVAL);
	cr_expect_not(xtr_binds_any(NULL, specs, N_SPECS));
}

Test(bind, reads_values)
{
	const struct xtr_bind *e = emit("a:move");
	uint64_t v = 1;

	named_set(&n, "bo", 0xfedcba9876543210);
	named_set(&n, "bo_size", 0x80000001);
	named_set(&n, "delta", (uint64_t)-300);
	named_set(&n, "small", (uint64_t)-1);
	cr_expect_eq(xtr_bind_u64(e, 0, &n.ev), 0xfedcba9876543210);
	cr_expect_eq(xtr_bind_u64(e, 1, &n.ev), 0x80000001, "the second name, not sign-extended");
	cr_expect_eq(xtr_bind_s64(e, 2, &n.ev), -300);
	cr_expect_eq(xtr_bind_s64(e, 3, &n.ev), -1);
	cr_expect(xtr_bind_get(e, 0, &n.ev, &v));
	cr_expect_not(xtr_bind_get(e, 4, &n.ev, &v), "no such field");
	cr_expect_eq(v, 0);
	cr_expect_not(xtr_bind_has(e, 4));
	cr_expect(xtr_bind_has(e, 1));
	cr_expect_not(xtr_bind_get(e, 6, &n.ev, &v), "a text is no number");
	cr_expect_not(xtr_bind_get(e, XTR_BIND_FIELDS - 1, &n.ev, &v));
}

Test(bind, short_records_have_no_value)
{
	const struct xtr_bind *e = emit("a:move");
	uint64_t v;

	memset(n.rec + 16, 0x11, 32);
	named_cut(&n, 27);
	cr_expect(xtr_bind_get(e, 0, &n.ev, &v));
	cr_expect_not(xtr_bind_get(e, 1, &n.ev, &v), "its last byte is not there");
	cr_expect_eq(v, 0);
	named_cut(&n, 16);
	for (uint32_t i = 0; i < XTR_BIND_FIELDS; i++) {
		size_t len = 1;

		cr_expect_not(xtr_bind_get(e, i, &n.ev, &v));
		cr_expect_null(xtr_bind_text(e, i, &n.ev, n.tables, &len));
		cr_expect_eq(len, 0);
	}
}

Test(bind, reads_texts)
{
	const struct xtr_bind *e = emit("a:move");
	size_t len;
	uint32_t id = named_string(&n, "gfx_0.0.0");

	named_set(&n, "name", id);
	named_text(&n, "comm", "twelve chars", 12);
	cr_expect(xtr_bind_text_is(e, 5, &n.ev, n.tables, "gfx_0.0.0"));
	cr_expect_not(xtr_bind_text_is(e, 5, &n.ev, n.tables, "gfx_0.0"));
	cr_expect_not(xtr_bind_text_is(e, 5, &n.ev, NULL, "gfx_0.0.0"));
	cr_expect_eq(xtr_bind_u64(e, 5, &n.ev), id);
	cr_expect(xtr_bind_text_is(e, 6, &n.ev, n.tables, "twelve chars"));
	named_text(&n, "comm", "twel\0", 5);
	cr_expect_not_null(xtr_bind_text(e, 6, &n.ev, n.tables, &len));
	cr_expect_eq(len, 4);
	cr_expect_null(xtr_bind_text(e, 1, &n.ev, n.tables, &len), "a number is no text");
	cr_expect_null(xtr_bind_text(e, 4, &n.ev, n.tables, &len));
	named_set(&n, "name", 4711);
	cr_expect_null(xtr_bind_text(e, 5, &n.ev, n.tables, &len), "an id without a text");
}
