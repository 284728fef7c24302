/* SPDX-License-Identifier: BSD-2-Clause */
/* Layout of tracepoints in the file, and ring records that become file records. */
#include "recorder/groups/generic.h"
#include "kernel_format.h"

#include "format/meta/tables.h"
#include "format/xtr_format.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct xtr_field *field(const struct xtr_generic *g, const char *name)
{
	const struct xtr_field *f = xtr_event_field(&g->desc, name);

	cr_assert(f != NULL, "%s", name);
	return f;
}

Test(generic, offsets_move_behind_the_header_and_sizes_are_multiples_of_eight)
{
	struct xtr_generic *g = kernel_format("sched_switch", "sched");

	cr_expect(eq(str, (char *)g->desc.name, "sched:sched_switch"));
	cr_expect(eq(u32, g->desc.size, 72));
	cr_expect(eq(u32, field(g, "prev_comm")->offset, 16));
	cr_expect(eq(u32, field(g, "next_prio")->offset, 68));
	cr_expect(eq(int, field(g, "prev_comm")->repr, XTR_REPR_STR));
	cr_expect(eq(int, field(g, "prev_pid")->sens, XTR_SENS_PID));
	cr_expect(eq(int, field(g, "prev_state")->names_kind, XTR_NAMES_FLAGS));
	cr_expect(eq(u32, g->cfg.fixed, 56));
	xtr_generic_free(g);
}

Test(generic, text_behind_pointers_is_read_only_where_it_is_printed_as_text)
{
	struct xtr_generic *g = kernel_format("vpu_jsm", "vpu");

	cr_expect(eq(int, field(g, "event")->repr, XTR_REPR_STRID));
	cr_expect(eq(u32, field(g, "event")->size, 8));
	cr_expect(eq(u32, g->cfg.n_strs, 2));
	cr_expect(eq(int, g->cfg.str[1].kind, XTR_STR_PTR));
	cr_expect(eq(int, g->cfg.str[1].offset, 16), "offset in the kernel's record");
	cr_expect(eq(int, field(g, "result")->repr, XTR_REPR_HEX32));
	xtr_generic_free(g);
	g = kernel_format("vpu_jsm", "syscalls");
	cr_expect(eq(u32, g->cfg.n_strs, 0), "pointers of a system call are the caller's");
	cr_expect(eq(int, field(g, "event")->sens, XTR_SENS_UPTR));
	xtr_generic_free(g);
}

/* A ring record of xe_sched_job_exec with one string, as the BPF program writes it. */
static uint32_t ring_record(const struct xtr_generic *g, uint8_t *rec, const char *dev,
			    uint64_t fence)
{
	struct xtr_rec h = { .ts = 1, .type = 1024, .tid = 7 };
	uint16_t n = (uint16_t)strlen(dev);
	uint32_t size = g->desc.size;

	memset(rec, 0xee, 512);
	memcpy(rec + field(g, "fence")->offset, &fence, 8);
	memcpy(rec + size, &n, 2);
	memcpy(rec + size + 2, dev, n);
	size = (size + 2 + n + 7) & ~7u;
	h.size = (uint16_t)size;
	memcpy(rec, &h, sizeof(h));
	return size;
}

/* The id stands behind the fixed part, before the strings; it is in the file, and nothing else is.
 */
Test(generic, a_stack_is_the_last_field)
{
	struct xtr_generic *g = kernel_format("xe_sched_job_exec", "xe");
	struct xtr_tables *t = xtr_tables_new();
	uint32_t size, before = g->desc.size, id = 77;
	uint8_t rec[512], clean[8] = { 77 };

	cr_assert(zero(int, xtr_generic_stack(g)));
	cr_expect(eq(int, xtr_generic_stack(g), -EEXIST));
	cr_expect(eq(u32, g->desc.size, before + 8));
	cr_expect(eq(u32, field(g, "stack")->offset, before));
	cr_expect(eq(int, field(g, "stack")->repr, XTR_REPR_STACK));
	cr_expect(eq(int, xtr_generic_as_is(g, g->desc.size), 0));
	size = ring_record(g, rec, "0000:00:02.0", 5);
	memset(rec + before, 0, 8);
	memcpy(rec + before, &id, 4);
	cr_assert(eq(int, xtr_generic_convert(g, t, NULL, rec, size), (int)before + 8));
	cr_expect(zero(int, memcmp(rec + before, clean, 8)));
	for (uint32_t i = XTR_RECORD_HEADER_SIZE + g->cfg.fixed; i < before; i++)
		cr_expect(zero(int, rec[i]));
	xtr_tables_free(t);
	xtr_generic_free(g);
}

/* The kernel's format has the name twice; a reader of names must reach both. */
Test(generic, a_second_field_of_one_name_is_numbered)
{
	struct xtr_generic *g = kernel_format("7.2/amdgpu/amdgpu_vm_grab_id", "amdgpu");

	cr_expect(eq(int, field(g, "ring")->repr, XTR_REPR_STRID));
	cr_expect(eq(u32, field(g, "ring")->offset, 20));
	cr_expect(eq(int, field(g, "ring_2")->repr, XTR_REPR_U32));
	cr_expect(eq(u32, field(g, "ring_2")->offset, 24));
	cr_expect(eq(u32, field(g, "vmid")->offset, 28));
	xtr_generic_free(g);
}

Test(generic, strings_become_ids_and_pointers_hashes)
{
	struct xtr_generic *g = kernel_format("xe_sched_job_exec", "xe");
	struct xtr_siphash_key key = { 1, 2 };
	struct xtr_tables *t = xtr_tables_new();
	uint64_t kptr = 0xffff888012345678ull, v;
	uint8_t rec[512];
	uint32_t size = ring_record(g, rec, "0000:03:00.0", kptr), id;
	struct xtr_rec h;
	size_t n;

	cr_assert(eq(int, xtr_generic_convert(g, t, &key, rec, size), (int)g->desc.size));
	memcpy(&h, rec, sizeof(h));
	cr_expect(eq(int, h.size, (int)g->desc.size));
	cr_expect(eq(u32, h.tid, 7));
	memcpy(&id, rec + field(g, "dev")->offset, 4);
	cr_expect(eq(str, (char *)xtr_tables_string(t, id, &n), "0000:03:00.0"));
	memcpy(&v, rec + field(g, "fence")->offset, 8);
	cr_expect(eq(u64, v, xtr_siphash(&key, kptr)));
	size = ring_record(g, rec, "", kptr);
	cr_assert(eq(int, xtr_generic_convert(g, t, NULL, rec, size), (int)g->desc.size));
	memcpy(&v, rec + field(g, "fence")->offset, 8);
	cr_expect(eq(u64, v, kptr), "without a key pointers are kept");
	xtr_tables_free(t);
	xtr_generic_free(g);
}

Test(generic, arrays_of_numbers_become_hexadecimal_text)
{
	struct xtr_generic *g = kernel_format("amdgpu_vm_update_ptes", "amdgpu");
	struct xtr_tables *t = xtr_tables_new();
	uint8_t rec[512] = { 0 };
	struct xtr_rec h = { .type = 1024 };
	uint16_t len = 3;
	uint32_t id;
	size_t n;

	memcpy(rec, &h, sizeof(h));
	memcpy(rec + g->desc.size, &len, 2);
	memcpy(rec + g->desc.size + 2, "\x01\xab\xff", 3);
	cr_assert(gt(int, xtr_generic_convert(g, t, NULL, rec, g->desc.size + 8), 0));
	memcpy(&id, rec + field(g, "dst")->offset, 4);
	cr_expect(eq(str, (char *)xtr_tables_string(t, id, &n), "01abff"));
	xtr_tables_free(t);
	xtr_generic_free(g);
}

Test(generic, what_is_behind_the_end_of_a_text_is_cleared)
{
	struct xtr_generic *g = kernel_format("sched_switch", "sched");
	struct xtr_tables *t = xtr_tables_new();
	uint8_t rec[72] = { 0 }, none[8] = { 0 };

	memcpy(rec + 16, "sh\0secret\0stuff", 16);
	cr_assert(eq(int, xtr_generic_convert(g, t, NULL, rec, sizeof(rec)), 72));
	cr_expect(eq(str, (char *)rec + 16, "sh"));
	cr_expect(zero(int, memcmp(rec + 19, none, 8)));
	xtr_tables_free(t);
	xtr_generic_free(g);
}

Test(generic, records_that_do_not_fit_are_refused)
{
	struct xtr_generic *g = kernel_format("xe_sched_job_exec", "xe");
	struct xtr_tables *t = xtr_tables_new();
	uint8_t rec[512];
	uint32_t size = ring_record(g, rec, "0000:03:00.0", 0);
	uint16_t huge = 0xffff;

	for (uint32_t cut = 0; cut < size - 8; cut += 8) {
		ring_record(g, rec, "0000:03:00.0", 0);
		cr_expect(eq(int, xtr_generic_convert(g, t, NULL, rec, cut), -EBADMSG), "%u", cut);
	}
	ring_record(g, rec, "0000:03:00.0", 0);
	memcpy(rec + g->desc.size, &huge, 2);
	cr_expect(eq(int, xtr_generic_convert(g, t, NULL, rec, size), -EBADMSG));
	xtr_tables_free(t);
	xtr_generic_free(g);
}
