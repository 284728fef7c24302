/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/bytes.h"
#include "format/read/merge.h"
#include "oom.h"
#include "replay/redact/redact.h"
#include "replay/redact/redact_impl.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers ---------------------------------------------------------------------------------- */

static struct redact_values values(uint64_t key)
{
	struct redact_values v;

	cr_assert(eq(int, redact_values_init(&v, key), 0));
	return v;
}

Test(redact_value, ids_become_their_rank)
{
	static const uint64_t ids[] = { 4711, 1, 0, 4711, 99, 70000, 64, 63, 65, 4194303 };
	struct redact_values v = values(1);

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		redact_note_pid(&v, ids[i]);
	cr_assert(eq(int, redact_rank_pids(&v), 0));
	cr_assert(eq(u32, v.n, 8));
	cr_assert(eq(u64, redact_pid(&v, 0), 0));
	cr_assert(eq(u64, redact_pid(&v, 1), 1));
	cr_assert(eq(u64, redact_pid(&v, 63), 2));
	cr_assert(eq(u64, redact_pid(&v, 64), 3));
	cr_assert(eq(u64, redact_pid(&v, 65), 4));
	cr_assert(eq(u64, redact_pid(&v, 99), 5));
	cr_assert(eq(u64, redact_pid(&v, 4711), 6));
	cr_assert(eq(u64, redact_pid(&v, 70000), 7));
	cr_assert(eq(u64, redact_pid(&v, 4194303), 8));
	cr_assert(eq(u64, redact_pid(&v, 5), 0), "an id that was not seen");
	cr_assert(eq(u64, redact_pid(&v, UINT32_MAX), UINT32_MAX), "-1 is none");
	cr_assert(eq(u64, redact_pid(&v, 4711ull << 32 | 99), 6ull << 32 | 5), "two in a word");
	redact_values_free(&v);
}

Test(redact_value, ids_that_linux_does_not_have_are_mapped_beyond_all_others)
{
	struct redact_values v = values(2);
	uint64_t a, b;

	cr_assert(eq(int, redact_rank_pids(&v), 0));
	a = redact_pid(&v, 0x400000);
	b = redact_pid(&v, 0xdeadbeef);
	cr_assert(ge(u64, a, REDACT_PID_MAX));
	cr_assert(ge(u64, b, REDACT_PID_MAX));
	cr_assert(ne(u64, a, b));
	cr_assert(ne(u64, b, 0xdeadbeef));
	redact_values_free(&v);
}

/* 65,536 pointers of 4 bytes go to as many others, none of which is a number that stays. */
Test(redact_value, pointers_are_permuted)
{
	struct redact_values v = values(3);
	struct xtr_map seen = { 0 };

	for (uint64_t p = 0x100000; p < 0x110000; p++) {
		uint64_t to = redact_kptr(&v, p, 4);

		cr_assert(le(u64, to, UINT32_MAX));
		cr_assert(redact_is_pointer(to, 4));
		cr_assert(zero(ptr, xtr_map_get(&seen, to, 0)), "two pointers become one");
		cr_assert(eq(int, xtr_map_put(&seen, to, 0, p), 0));
	}
	xtr_map_free(&seen);
	for (uint64_t p = 0; p < 4096; p++)
		cr_assert(eq(u64, redact_kptr(&v, p, 8), p), "no pointer");
	cr_assert(eq(u64, redact_kptr(&v, (uint64_t)-12, 8), (uint64_t)-12), "an error");
	cr_assert(eq(u64, redact_kptr(&v, 0x1234, 2), 0), "too narrow for a pointer");
	cr_assert(ne(u64, redact_kptr(&v, 0xffff888100000000, 8), 0xffff888100000000));
	redact_values_free(&v);
}

/* Order stays, and which follow each other; some events have the lower half only. */
Test(redact_value, contexts_keep_their_neighbours)
{
	static const uint64_t from[] = { 83217, 83218, 83220, 7, (3ull << 32) | 83218, 0xffffffff },
			      to[] = { 5, 6, 8, 3, (1ull << 32) | 6, 10 };
	struct redact_values v = values(5);

	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		cr_assert(eq(int, redact_note_context(&v, from[i]), 0));
	cr_assert(eq(int, redact_rank_contexts(&v), 0));
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		cr_expect(eq(u64, redact_context(&v, from[i]), to[i]));
	cr_expect(eq(u64, redact_context(&v, 0), 0), "0 is none");
	cr_expect(ge(u64, redact_context(&v, 4), 1u << 31), "one that was not noted");
	cr_expect(redact_is_new_context(&v, 10));
	cr_expect(not(redact_is_new_context(&v, 11)));
	cr_expect(not(redact_is_new_context(&v, 11ull << 32)));
	redact_values_free(&v);
}

Test(redact_value, keys_differ)
{
	struct redact_values a = values(1), b = values(2), c = values(0), d = values(0);
	const uint64_t p = 0xffff888100000000;

	cr_assert(ne(u64, redact_kptr(&a, p, 8), redact_kptr(&b, p, 8)));
	cr_assert(ne(u64, redact_kptr(&c, p, 8), redact_kptr(&d, p, 8)));
	redact_values_free(&a);
	redact_values_free(&b);
	redact_values_free(&c);
	redact_values_free(&d);
}

Test(redact_value, pointers_of_programs_keep_their_distance)
{
	struct redact_values v = values(4);
	const uint64_t p = 0x00007f1234567000;

	cr_assert(eq(u64, redact_uptr(&v, p + 0x5000, 8) - redact_uptr(&v, p, 8), 0x5000));
	cr_assert(gt(u64, redact_uptr(&v, p, 8), 1ull << 48));
	cr_assert(eq(u64, redact_uptr(&v, 0, 8), 0));
	cr_assert(ne(u64, redact_uptr(&v, 0xffff888100000000, 8), 0xffff888100000000));
	cr_assert(redact_looks_kernel(0xffff888100000000));
	cr_assert(redact_looks_kernel(0xffffffff81000000));
	cr_assert(not(redact_looks_kernel((uint64_t)-1000000)));
	cr_assert(not(redact_looks_kernel(p)));
	redact_values_free(&v);
}

/* --- texts ------------------------------------------------------------------------------------ */

static void check_text(struct redact_texts *t, enum redact_kind kind, const char *from,
		       const char *to)
{
	struct redact_text text;
	char got[REDACT_TEXT_MAX + 1];

	cr_assert(eq(int, redact_text(t, kind, from, strlen(from), &text), 0));
	memcpy(got, text.p, text.n);
	got[text.n] = '\0';
	cr_assert(eq(str, got, (char *)to), "of '%s'", from);
}

static const struct {
	enum redact_kind kind;
	const char *from, *to;
} texts[] = {
	{ REDACT_NAME, "alice", "name#1" },
	{ REDACT_COMM, "Xorg", "name#2" },
	{ REDACT_NAME, "Xorg", "name#2" },
	{ REDACT_PATH, "/home/alice/run", "path#1" },
	{ REDACT_PATH, "Xorg", "path#2" },
	{ REDACT_COMM, "kworker/u8:3", "kworker/u8:3" },
	{ REDACT_COMM, "kworker/3:1H-kblockd", "kworker/3:1H-kblockd" },
	{ REDACT_COMM, "kworker/0:1-wg-acme", "name#3" },
	{ REDACT_COMM, "irq/132-nvidia", "irq/132-nvidia" },
	{ REDACT_COMM, "irq/9-acme", "name#4" },
	{ REDACT_COMM, "swapper/3", "swapper/3" },
	{ REDACT_COMM, "card0-crtc1", "card0-crtc1" },
	{ REDACT_COMM, "vhost-4711", "name#5" },
	{ REDACT_COMM, "gfx_0.0.0", "name#6" }, /* not known as the kernel's */
	{ REDACT_RING, "gfx_0.0.0", "name#6" }, /* a program calls itself so */
	{ REDACT_RING, "comp_1.0.0", "comp_1.0.0" },
	{ REDACT_RING, "nouveau_sched#2", "nouveau_sched#2" },
	{ REDACT_COMM, "ring12", "ring12" }, /* its ring's thread */
	{ REDACT_RING, "hwctx.4711.2", "hwctx.2.2" },
	{ REDACT_WORD, "alice[4711]", "name#7" },
	{ REDACT_WORD, "context 4711", "name#8" },
	{ REDACT_WORD, "0000:03:00.0", "0000:03:00.0" },
	{ REDACT_WORD, "Xorg", "name#2" },
	{ REDACT_WORD, "gfx of Xorg", "name#9" },
	{ REDACT_WORD, "gfx of Xorgs", "gfx of Xorgs" },
	{ REDACT_RING, "gfx of Xorgs", "name#10" }, /* no driver calls a ring so */
	{ REDACT_RING, "renderer", "name#11" },
	{ REDACT_RING, "ring#", "name#12" },
	{ REDACT_RING, "#2", "name#13" },
	{ REDACT_DEVICE, "/dev/acme", "device#1" },
	{ REDACT_DEVICE, "fakegpu.0", "fakegpu.0" },
	{ REDACT_DRIVER, "nvidia", "nvidia" },
	{ REDACT_DRIVER, "corp-vpn0", "name#14" },
	{ REDACT_HEX, "00ffA0", "00ffA0" },
	{ REDACT_HEX, "hello", "text#1" },
	{ REDACT_IDENT, "drm_ioctl.isra.0", "drm_ioctl.isra.0" },
	{ REDACT_IDENT, "a b", "symbol#1" },
	{ REDACT_SYMBOL, "secret_kernel", "symbol#2" },
	{ REDACT_LIBRARY, "/opt/x/libze_loader.so.1", "libze_loader.so.1" },
	{ REDACT_LIBRARY, "/opt/acme/libacme.so", "module#1" },
	{ REDACT_EVENT, "drm:drm_vblank_event", "drm:drm_vblank_event" },
	{ REDACT_EVENT, "func:nvidia:nvidia_open:ret", "func:nvidia:nvidia_open:ret" },
	{ REDACT_EVENT, "api:libcuda.so.1:cuInit:ret", "api:libcuda.so.1:cuInit:ret" },
	{ REDACT_EVENT, "api:libacme.so:init:ret", "api:module#2:symbol#3:ret" },
	{ REDACT_EVENT, "api:libacme.so:init", "api:module#2:symbol#3" },
	{ REDACT_EVENT, "probe_acme:main", "event#1" },
	{ REDACT_EVENT, "a:b c", "event#2" },
	{ REDACT_EVENT, "api:nothing", "event#3" },
	{ REDACT_XID, "pid=4711, name=Xorg, Ch 00000010", "pid=2, name=name#2, Ch 00000010" },
	{ REDACT_XID, "pid='<unknown>', /home/x", "pid='<unknown>', ?home?x" },
	{ REDACT_XID, "name=", "name=" },
	{ REDACT_XID, "name=<unknown>, x", "name=<unknown>, x" },
};

Test(redact_text, what_stays_and_what_becomes_a_name)
{
	struct redact_values v = values(1);
	struct redact_texts t = { .values = &v };

	redact_note_pid(&v, 4711);
	redact_note_pid(&v, 77);
	cr_assert(eq(int, redact_rank_pids(&v), 0));
	cr_assert(eq(int, redact_note_comm(&t, "kworker/u8:3", 12, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "kworker/3:1H-kblockd", 20, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "kworker/0:1-wg-acme", 19, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "irq/132-nvidia", 14, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "irq/9-acme", 10, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "card0-crtc1", 11, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "vhost-4711", 10, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "gfx_0.0.0", 9, true), 0));
	cr_assert(eq(int, redact_note_comm(&t, "gfx_0.0.0", 9, false), 0));
	cr_assert(eq(int, redact_note_comm(&t, "ring12", 6, true), 0));
	cr_assert(eq(int, redact_note_ring(&t, "ring12", 6), 0));
	cr_assert(eq(int, redact_note_comm(&t, "Xorg", 4, false), 0));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_text(&t, texts[i].kind, texts[i].from, texts[i].to);
	redact_texts_free(&t);
	redact_values_free(&v);
}

Test(redact_words, releases)
{
	static const char *const known[] = { "6",    "18",  "amd64", "generic",         "rc3",
					     "fc41", "el9", "SMP",   "PREEMPT_DYNAMIC", "x86_64",
					     "bpo",  "v6",  "2024" };
	static const char *const unknown[] = { "alice", "acme1", "6a", "gdeadbeef", "123456789" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		cr_assert(redact_is_release(known[i], strlen(known[i])), "%s", known[i]);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		cr_assert(not(redact_is_release(unknown[i], strlen(unknown[i]))), "%s", unknown[i]);
}

/* --- fields ----------------------------------------------------------------------------------- */

Test(redact_rule, by_system_name_and_class)
{
	static const struct {
		const char *event, *field;
		enum xtr_repr repr;
		enum xtr_sens sens;
		enum redact_action want, strict;
	} rows[] = {
		{ "drm:x", "seq", XTR_REPR_U32, XTR_SENS_NONE, REDACT_NUMBER, REDACT_ZERO },
		{ "drm:x", "delta", XTR_REPR_S32, XTR_SENS_NONE, REDACT_KEEP, REDACT_ZERO },
		{ "drm:x", "frame", XTR_REPR_BYTES, XTR_SENS_NONE, REDACT_KEEP, REDACT_ZERO },
		{ "drm:x", "crtc", XTR_REPR_U32, XTR_SENS_PLAIN, REDACT_NUMBER, REDACT_NUMBER },
		{ "drm:x", "file", XTR_REPR_HEX64, XTR_SENS_KPTR, REDACT_KPTR, REDACT_KPTR },
		{ "drm:x", "address", XTR_REPR_HEX64, XTR_SENS_UPTR, REDACT_UPTR, REDACT_UPTR },
		{ "drm:x", "file", XTR_REPR_BYTES, XTR_SENS_KPTR, REDACT_ZERO, REDACT_ZERO },
		{ "drm:x", "p", XTR_REPR_S32, XTR_SENS_PID, REDACT_PID, REDACT_PID },
		{ "drm:x", "client_pid", XTR_REPR_U32, XTR_SENS_NONE, REDACT_PID, REDACT_PID },
		{ "xtr:total", "tgid", XTR_REPR_U32, XTR_SENS_PLAIN, REDACT_PID, REDACT_PID },
		{ "dma_fence:x", "ctx", XTR_REPR_U64, XTR_SENS_PLAIN, REDACT_CONTEXT,
		  REDACT_CONTEXT },
		{ "i915:x", "ctx", XTR_REPR_U64, XTR_SENS_NONE, REDACT_CONTEXT, REDACT_CONTEXT },
		{ "i915:x", "ctx", XTR_REPR_HEX64, XTR_SENS_KPTR, REDACT_KPTR, REDACT_KPTR },
		{ "drm:x", "rapid", XTR_REPR_U32, XTR_SENS_PLAIN, REDACT_NUMBER, REDACT_NUMBER },
		{ "drm:x", "uid", XTR_REPR_U32, XTR_SENS_NONE, REDACT_ZERO, REDACT_ZERO },
		{ "drm:x", "what", XTR_REPR_U32, XTR_SENS_USER_DATA, REDACT_ZERO, REDACT_ZERO },
		{ "drm:x", "name", XTR_REPR_HEX32, XTR_SENS_NAME, REDACT_ZERO, REDACT_ZERO },
		{ "drm:x", "ring", XTR_REPR_RING, XTR_SENS_NONE, REDACT_KEEP, REDACT_KEEP },
		{ "net:x", "len", XTR_REPR_U32, XTR_SENS_NONE, REDACT_ZERO, REDACT_ZERO },
		{ "net:x", "len", XTR_REPR_BYTES, XTR_SENS_NONE, REDACT_ZERO, REDACT_ZERO },
		{ "irq:x", "irq", XTR_REPR_U32, XTR_SENS_NONE, REDACT_NUMBER, REDACT_ZERO },
		{ "irq:x", "mask", XTR_REPR_BYTES, XTR_SENS_NONE, REDACT_ZERO, REDACT_ZERO },
		{ "net:x", "text", XTR_REPR_STR, XTR_SENS_USER_DATA, REDACT_ZERO, REDACT_ZERO },
		{ "net:x", "text", XTR_REPR_STR, XTR_SENS_NONE, REDACT_STR, REDACT_STR },
		{ "net:x", "text", XTR_REPR_STRID, XTR_SENS_NAME, REDACT_STRID, REDACT_STRID },
		{ "syscalls:sys_exit_x", "ret", XTR_REPR_S64, XTR_SENS_NONE, REDACT_NUMBER,
		  REDACT_NUMBER },
	};
	struct redact_rule rule;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct xtr_event_desc ev = { .name = rows[i].event };
		const struct xtr_field f = {
			.name = rows[i].field, .repr = rows[i].repr, .sens = rows[i].sens, .size = 4
		};

		rule = redact_rule_of(&ev, &f, XTR_REDACT_DEFAULT);
		cr_assert(eq(int, rule.action, rows[i].want), "%s %s", ev.name, f.name);
		rule = redact_rule_of(&ev, &f, XTR_REDACT_STRICT);
		cr_assert(eq(int, rule.action, rows[i].strict), "%s %s", ev.name, f.name);
	}
}

Test(redact_rule, what_a_text_is)
{
	static const struct {
		const char *event, *field;
		enum xtr_sens sens;
		enum redact_kind want;
	} rows[] = {
		{ "sched:sched_switch", "prev_comm", XTR_SENS_NAME, REDACT_COMM },
		{ "drm:x", "comm", XTR_SENS_NAME, REDACT_COMM },
		{ "dma_fence:dma_fence_init", "timeline", XTR_SENS_NAME, REDACT_RING },
		{ "gpu_scheduler:drm_sched_job_run", "name", XTR_SENS_NAME, REDACT_RING },
		{ "drm:x", "queue", XTR_SENS_NONE, REDACT_NAME },
		{ "drm:x", "filename", XTR_SENS_NONE, REDACT_PATH },
		{ "drm:x", "place", XTR_SENS_PATH, REDACT_PATH },
		{ "acme:x", "timeline", XTR_SENS_NAME, REDACT_NAME },
		{ "acme:x", "timeline", XTR_SENS_PLAIN, REDACT_NAME },
		{ "nvidia:nvidia_dev_xid", "msg", XTR_SENS_NAME, REDACT_XID },
		{ "irq:irq_handler_entry", "name", XTR_SENS_NAME, REDACT_DRIVER },
		{ "xe:x", "dev", XTR_SENS_NAME, REDACT_DEVICE },
		{ "xtr:total", "event", XTR_SENS_PLAIN, REDACT_EVENT },
		{ "xtr:total", "subfield", XTR_SENS_PLAIN, REDACT_IDENT },
		{ "amdgpu:amdgpu_vm_update_ptes", "dst", XTR_SENS_NAME, REDACT_HEX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct xtr_event_desc ev = { .name = rows[i].event };
		const struct xtr_field f = { .name = rows[i].field,
					     .repr = XTR_REPR_STRID,
					     .sens = rows[i].sens,
					     .size = 4 };
		struct redact_rule rule = redact_rule_of(&ev, &f, XTR_REDACT_DEFAULT);

		cr_assert(eq(int, rule.action, REDACT_STRID));
		cr_assert(eq(int, rule.kind, rows[i].want), "%s %s", ev.name, f.name);
	}
}

/* --- sections --------------------------------------------------------------------------------- */

static const struct xtr_redact_opts opts = { .sz = sizeof(opts), .key = 5, .file_id = 9 };

static struct xtr_reader *redacted(const struct xtr_reader *r, const struct xtr_redact_opts *o)
{
	struct xtr_redact_result res;
	struct xtr_redact *x;
	struct xtr_reader *back;
	struct xtr_io *io;

	cr_assert(eq(int, xtr_io_mem_new(&io), 0));
	cr_assert(eq(int, xtr_redact_new(&x, r, o), 0));
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		cr_assert(eq(int, xtr_redact_section(x, i, io, &res), 0));
	xtr_redact_free(x);
	back = trace_read_back(io);
	cr_assert(eq(sz, xtr_reader_n_problems(back), 0));
	cr_assert(eq(u64, res.bytes, xtr_reader_size(back)));
	xtr_io_close(io);
	return back;
}

/* Events are at the same times and of the same types; what META does not describe is zero. */
Test(redact, random_records_keep_their_times_only)
{
	struct xtr_io *io = trace_make(4, 300, 3, NULL);
	struct xtr_reader *r = trace_read_back(io), *p = redacted(r, &opts);
	const struct xtr_meta *m = xtr_section_meta(xtr_reader_section(r, 0));
	struct xtr_merge *a, *b;
	uint64_t n = 0;

	cr_assert(eq(int, xtr_merge_open(&a, r, xtr_reader_section(r, 0), NULL), 0));
	cr_assert(eq(int, xtr_merge_open(&b, p, xtr_reader_section(p, 0), NULL), 0));
	for (;; n++) {
		static const uint8_t zeros[65536];
		struct xtr_event x, y;
		int ret = xtr_merge_next(a, &x, NULL);

		cr_assert(eq(int, xtr_merge_next(b, &y, NULL), ret));
		if (ret <= 0)
			break;
		cr_assert(eq(u64, x.ts, y.ts));
		cr_assert(eq(u32, x.stream, y.stream));
		cr_assert(eq(u32, x.size, y.size));
		cr_assert(eq(u32, x.type, y.type));
		if (!x.gap && !xtr_meta_event(m, x.type))
			cr_assert(eq(int, memcmp(y.rec + 16, zeros, y.size - 16), 0));
	}
	cr_assert(ge(u64, n, 4 * 3 * 300));
	cr_assert(eq(u64, xtr_section_file_id(xtr_reader_section(p, 0)), 9));
	cr_assert(eq(str,
		     (char *)xtr_meta_config_str(xtr_section_meta(xtr_reader_section(p, 0)),
						 "redacted-policy"),
		     "default"));
	xtr_merge_close(a);
	xtr_merge_close(b);
	xtr_reader_close(p);
	xtr_reader_close(r);
	xtr_io_close(io);
}

Test(redact, options_that_are_wrong)
{
	struct xtr_io *io = trace_make(1, 20, 3, NULL);
	struct xtr_reader *r = trace_read_back(io);
	struct xtr_redact_opts o = opts;
	struct xtr_redact *x;

	o.policy = XTR_REDACT_POLICIES;
	cr_assert(eq(int, xtr_redact_new(&x, r, &o), -EINVAL));
	xtr_redact_free(x);
	xtr_redact_free(NULL);
	cr_assert(eq(str, (char *)xtr_redact_policy_name(XTR_REDACT_STRICT), "strict"));
	cr_assert(zero(ptr, (char *)xtr_redact_policy_name(XTR_REDACT_POLICIES)));
	xtr_reader_close(r);
	xtr_io_close(io);
}

/* Sections of two files in one mapping: its name is the same in both, and another one with one
 * more.
 */
Test(redact, files_share_a_mapping)
{
	struct xtr_io *io[2] = { trace_make(1, 20, 3, NULL), trace_make(1, 30, 3, NULL) }, *out;
	struct xtr_reader *r[2] = { trace_read_back(io[0]), trace_read_back(io[1]) }, *p;
	const struct xtr_reader *both[2] = { r[0], r[1] };
	uint64_t mapping[3] = { 0 };
	struct xtr_redact_result res;
	struct xtr_redact *x;

	cr_assert(eq(int, xtr_redact_new_set(&x, both, XTR_REDACT_FILES_MAX + 1, &opts), -E2BIG));
	xtr_redact_free(x);
	for (size_t n = 1; n <= 2; n++) {
		cr_assert(eq(int, xtr_io_mem_new(&out), 0));
		cr_assert(eq(int, xtr_redact_new_set(&x, both, n, &opts), 0));
		for (size_t i = 0; i < n; i++)
			cr_assert(eq(int, xtr_redact_section(x, i, out, &res), 0));
		xtr_redact_free(x);
		p = trace_read_back(out);
		for (size_t i = 0; i < n; i++) {
			const struct xtr_meta *m = xtr_section_meta(xtr_reader_section(p, i));
			uint64_t files = 0;

			cr_assert(xtr_redact_mapping(m, &mapping[n - 1 + i]));
			cr_assert(xtr_meta_config_u64(m, "redacted-files", &files));
			cr_assert(eq(u64, files, n));
		}
		xtr_reader_close(p);
		xtr_io_close(out);
	}
	cr_assert(eq(u64, mapping[1], mapping[2]));
	cr_assert(ne(u64, mapping[0], mapping[1]));
	cr_assert(not(
		xtr_redact_mapping(xtr_section_meta(xtr_reader_section(r[0], 0)), &mapping[0])));
	for (size_t i = 0; i < 2; i++) {
		xtr_reader_close(r[i]);
		xtr_io_close(io[i]);
	}
}

Test(redact, names_that_were_made)
{
	static const struct {
		const char *text;
		bool made, label;
	} names[] = {
		{ "name#7", true, true },     { "gpu.0/name#12", true, false },
		{ "#7", false, true },        { "api module#1:symbol#3", true, false },
		{ "hwctx.3.1", true, false }, { "device#1/gfx", true, false },
		{ "name#", false, false },    { "gfx_0.0.0", false, false },
		{ "rename#x", false, false }, { "syscall ioctl", false, false },
		{ "", false, false },         { "name#7x", true, false },
		{ "hwctx.", false, false },   { "C#7", false, false },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = names[i].text;

		cr_expect(xtr_redact_is_made(s, strlen(s)) == names[i].made, "'%s'", s);
		cr_expect(redact_is_label(s, strlen(s)) == names[i].label, "'%s'", s);
	}
}

/* --- without memory --------------------------------------------------------------------------- */

struct no_memory {
	struct xtr_reader *r;
	bool search;
};

static void on_found(void *ctx, const struct xtr_redact_found *f)
{
	(void)f;
	++*(uint64_t *)ctx;
}

static int all_of_it(void *arg)
{
	const struct no_memory *nm = arg;
	struct xtr_redact_result res;
	struct xtr_redact *x = NULL;
	struct xtr_io *io = NULL;
	uint64_t tried, n = 0;
	int err = xtr_io_mem_new(&io);

	if (!err)
		err = xtr_redact_new(&x, nm->r, &opts);
	if (!err && nm->search)
		err = xtr_redact_collect(x);
	if (!err && nm->search)
		err = xtr_redact_search(x, nm->r, NULL, 0, on_found, &n, &tried);
	else if (!err)
		err = xtr_redact_section(x, 0, io, &res);
	xtr_redact_free(x);
	xtr_io_close(io);
	return err;
}

Test(redact, without_memory)
{
	struct xtr_io *io = trace_make(1, 60, 3, NULL);
	struct no_memory nm = { .r = trace_read_back(io) };

	cr_assert(ge(u32, oom_each(all_of_it, &nm, 0), 60));
	nm.search = true;
	cr_assert(ge(u32, oom_each(all_of_it, &nm, 10), 60)); /* a pointer is not noted */
	xtr_reader_close(nm.r);
	xtr_io_close(io);
}
