/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every event as ftrace in a Perfetto trace: the description that stands before its first use, and
 * its fields, taken apart by hand as a decoder without the schema would.
 */
#include "converters/out/perfetto/perfetto.h"
#include "named.h"
#include "pb.h"
#include "trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define AT(us)   (5000000000000ull + (us)*1000ull) /* ns */
#define MANY     33u                               /* fields: more than an importer keeps */
#define RAW_CPUS 2u

static struct named n;
static struct xtr_buf recs[RAW_CPUS];
static const uint32_t cpu_of[RAW_CPUS] = { 1, 1024 }; /* the second: more than importers take */
static uint32_t records[RAW_CPUS];
static char *out;
static struct pb trace;

static void put(void)
{
	size_t i = n.ev.stream == cpu_of[1];

	xtr_buf_add(&recs[i], n.rec, n.ev.size);
	records[i]++;
}

/* An event of 33 bytes' fields, f0 to f32. */
static void describe_many(void)
{
	static struct xtr_field f[MANY];
	static char names[MANY][8];
	const struct xtr_event_desc d = {
		.name = "nocolon", .type = 4000, .size = 56, .n_fields = MANY, .fields = f
	};

	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "f%u", i);
		f[i] = (struct xtr_field){
			.name = names[i], .offset = 16 + i, .size = 1, .repr = XTR_REPR_U8
		};
	}
	cr_assert(zero(int, xtr_meta_add_event(n.meta, &d)));
}

static void setup(void)
{
	struct xtr_ring ring = { .id = 7, .limit = 4 };
	struct xtr_frame inner = { .offset = 0x10 }, outer = { .offset = 0x2a };
	uint32_t frames[2];

	named_init(&n);
	named_describe(&n, "raw:numbers", "small:u8:1 neg:s32:4 hex:hex64:8 part:u16:2");
	named_describe(&n, "raw:texts",
		       "name:str:8 id:strid:4 ring:ring:4 stack:stack:4 data:bytes:3");
	describe_many();
	ring.device = named_string(&n, "0000:03:00.0");
	ring.name = named_string(&n, "gfx");
	cr_assert(zero(int, xtr_tables_add_ring(n.tables, &ring)));
	inner.symbol = named_string(&n, "ioctl");
	cr_assert(zero(int, xtr_tables_intern_frame(n.tables, &inner, &frames[0])));
	cr_assert(zero(int, xtr_tables_intern_frame(n.tables, &outer, &frames[1])));
	cr_assert(zero(int, xtr_tables_add_stack(n.tables, 5, frames, 2)));
}

static void teardown(void)
{
	free(out);
	for (size_t i = 0; i < RAW_CPUS; i++)
		xtr_buf_free(&recs[i]);
}

TestSuite(perfetto_raw, .init = setup, .fini = teardown);

/* A file of what was put. */
static struct xtr_reader *make_file(void)
{
	const uint8_t boot[16] = { 1 };
	const struct xtr_system sys = { .release = "6.18", .version = "1", .machine = "x86_64" };
	const struct xtr_gap gap = { .stream = 1, .first = AT(900), .last = AT(950), .count = 2 };
	struct xtr_loss *loss = xtr_loss_new();
	struct xtr_reader *r = NULL;
	struct xtr_writer *w;
	struct xtr_io *io;

	cr_assert(zero(int, xtr_meta_set_writer(n.meta, "test", "1")));
	cr_assert(zero(int, xtr_meta_set_clock(n.meta, "monotonic", boot, 1)));
	cr_assert(zero(int, xtr_meta_set_system(n.meta, &sys)));
	cr_assert(zero(int, xtr_loss_add_gap(loss, &gap)));
	cr_assert(zero(int, xtr_io_mem_new(&io)));
	cr_assert(zero(int, xtr_writer_open(&w, io, n.meta, n.tables, loss, NULL)));
	for (size_t i = 0; i < RAW_CPUS; i++) {
		const struct xtr_batch b = {
			.stream = cpu_of[i], .recs = recs[i].p, .len = recs[i].n, .n = records[i]
		};

		if (b.n)
			cr_assert(zero(int, xtr_writer_events(w, &b)));
	}
	cr_assert(zero(int, xtr_writer_finish(w, "end", NULL)));
	xtr_writer_free(w);
	xtr_loss_free(loss);
	named_free(&n);
	cr_assert(zero(int, xtr_reader_open(&r, io, NULL)));
	return r;
}

static void export(struct xtr_export_opts o)
{
	struct xtr_export e = { .sz = sizeof(e), .exporter = xtr_exporter_by_name("perfetto") };
	size_t size = 0;

	o.sz = sizeof(o);
	o.out = open_memstream(&out, &size);
	e.opts = o;
	e.reader = make_file();
	cr_assert(zero(int, xtr_export(&e)));
	fclose(o.out);
	trace = (struct pb){ (const uint8_t *)out, size };
	xtr_reader_close((struct xtr_reader *)e.reader);
}

/* The i-th bundle; its p is NULL if there is none. */
static struct pb bundle(size_t i)
{
	struct pb rest = trace;
	struct pb_field packet = { 0 };

	while (pb_next(&rest, &packet))
		if (pb_has(packet.bytes, PF_PACKET_FTRACE) && !i--)
			return pb_message(packet.bytes, PF_PACKET_FTRACE);
	return (struct pb){ 0 };
}

static struct pb event(size_t i)
{
	return pb_message(bundle(i), PF_BUNDLE_EVENT);
}

/* --- decoding --------------------------------------------------------------------------------- */

struct decoded {
	uint64_t number[MANY + 1]; /* by field */
	char text[MANY + 1][64];
	uint32_t fields, last;
};

/* The only field of the i-th bundle's event that no schema knows, of this number. */
static struct decoded decode(size_t i, uint32_t tag)
{
	struct pb m = pb_message(event(i), tag);
	struct pb_field f = { 0 };
	struct decoded d = { 0 };

	cr_assert(eq(sz, pb_count(bundle(i), PF_BUNDLE_EVENT), 1));
	cr_assert(eq(sz, pb_count(event(i), tag), 1));
	while (pb_next(&m, &f)) {
		cr_assert(f.number > d.last && f.number <= MANY && f.bytes.n < 64);
		d.last = f.number;
		d.fields++;
		d.number[d.last] = f.v;
		if (f.bytes.n)
			memcpy(d.text[d.last], f.bytes.p, f.bytes.n);
	}
	return d;
}

static struct pb described(size_t i, uint64_t id, const char *group)
{
	struct pb d = pb_message(bundle(i), PF_BUNDLE_DESCRIPTORS);

	cr_assert(zero(sz, pb_count(bundle(i), PF_BUNDLE_EVENT)));
	cr_assert(eq(sz, pb_count(bundle(i), PF_BUNDLE_DESCRIPTORS), 1));
	cr_assert(eq(u64, pb_number(d, PF_DESCRIPTOR_ID), id));
	if (group)
		cr_assert(eq(str, pb_text(d, PF_DESCRIPTOR_GROUP), (char *)group));
	else
		cr_assert(not(pb_has(d, PF_DESCRIPTOR_GROUP)));
	return pb_message(d, PF_DESCRIPTOR_EVENT);
}

static struct pb field(struct pb message, size_t i)
{
	return pb_nth(message, PF_MESSAGE_FIELD, i).bytes;
}

/* --- tests ------------------------------------------------------------------------------------ */

Test(perfetto_raw, numbers_and_their_description)
{
	struct pb proto;
	struct decoded d;

	for (int i = 0; i < 2; i++) {
		named_emit(&n, "raw:numbers", AT(i), 9, 1);
		named_set(&n, "small", 200);
		named_set(&n, "neg", (uint64_t)-5);
		named_set(&n, "hex", UINT64_MAX - 1);
		named_set(&n, "part", 300);
		put();
	}
	export((struct xtr_export_opts){ .raw = true });
	proto = described(0, 65536, "raw");
	cr_expect(eq(str, pb_text(proto, PF_MESSAGE_NAME), "numbers"));
	cr_assert(eq(sz, pb_count(proto, PF_MESSAGE_FIELD), 4));
	cr_expect(eq(str, pb_text(field(proto, 1), PF_FIELD_NAME), "neg"));
	cr_expect(eq(u64, pb_number(field(proto, 1), PF_FIELD_NUMBER), 2));
	cr_expect(eq(u64, pb_number(field(proto, 1), PF_FIELD_TYPE), 3), "int64");
	cr_expect(eq(u64, pb_number(field(proto, 2), PF_FIELD_TYPE), 4), "uint64");
	for (size_t i = 1; i < 3; i++) { /* described once */
		d = decode(i, 65536);
		cr_expect(eq(u64, pb_number(bundle(i), PF_BUNDLE_CPU), 1));
		cr_expect(eq(u64, pb_number(event(i), PF_FTRACE_TID), 9));
		cr_expect(eq(u32, d.fields, 4));
		cr_expect(eq(u64, d.number[1], 200));
		cr_expect(eq(u64, d.number[2], (uint64_t)-5));
		cr_expect(eq(u64, d.number[3], UINT64_MAX - 1));
		cr_expect(eq(u64, d.number[4], 300));
	}
}

Test(perfetto_raw, ids_become_texts)
{
	static const char *const types[] = { "name", "id", "ring", "stack", "data" };
	struct pb proto;
	struct decoded d;

	named_emit(&n, "raw:texts", AT(1), 9, 1);
	named_text(&n, "name", "eight by", 8);
	named_set(&n, "id", named_string(&n, "dma-buf"));
	named_set(&n, "ring", 7);
	named_set(&n, "stack", 5);
	named_text(&n, "data", "\x01\xab\xff", 3);
	put();
	named_emit(&n, "raw:texts", AT(2), 9, 1); /* none of them */
	put();
	named_emit(&n, "raw:texts", AT(3), 9, 1); /* no such ones */
	named_set(&n, "id", 4000);
	named_set(&n, "ring", 4000);
	named_set(&n, "stack", 4000);
	put();
	export((struct xtr_export_opts){ .raw = true });
	proto = described(0, 65536, "raw");
	for (size_t i = 0; i < 5; i++) {
		cr_expect(eq(str, pb_text(field(proto, i), PF_FIELD_NAME), (char *)types[i]));
		cr_expect(eq(u64, pb_number(field(proto, i), PF_FIELD_TYPE), 9), "string");
	}
	d = decode(1, 65536);
	cr_expect(eq(str, d.text[1], "eight by"));
	cr_expect(eq(str, d.text[2], "dma-buf"));
	cr_expect(eq(str, d.text[3], "0000:03:00.0/gfx#7"));
	cr_expect(eq(str, d.text[4], "ioctl+0x10;+0x2a"));
	cr_expect(eq(str, d.text[5], "01abff"));
	d = decode(2, 65536);
	cr_expect(eq(u32, d.fields, 5));
	cr_expect(eq(str, d.text[1], ""));
	cr_expect(eq(str, d.text[2], ""));
	cr_expect(eq(str, d.text[3], ""));
	cr_expect(eq(str, d.text[4], ""));
	cr_expect(eq(str, d.text[5], "000000"));
	d = decode(3, 65536);
	cr_expect(eq(str, d.text[2], ""));
	cr_expect(eq(str, d.text[3], "/#4000"));
	cr_expect(eq(str, d.text[4], ""));
}

/* What a cut record does not hold is left out of it, not made up. */
Test(perfetto_raw, fields_past_the_record_are_left_out)
{
	struct decoded d;

	named_emit(&n, "raw:texts", AT(1), 9, 1);
	named_text(&n, "name", "ab", 2);
	named_cut(&n, 24);
	n.rec[10] = 24;
	put();
	export((struct xtr_export_opts){ .raw = true });
	d = decode(1, 65536);
	cr_expect(eq(u32, d.fields, 1));
	cr_expect(eq(str, d.text[1], "ab"));
}

/* An importer keeps fields 1 to 31, and a group only where a name has one. */
Test(perfetto_raw, of_many_fields_the_first_31_are_there)
{
	struct pb proto;
	struct decoded d;

	named_emit(&n, "raw:numbers", AT(0), 9, 1);
	put();
	named_emit(&n, "nocolon", AT(1), 9, 1);
	for (uint32_t i = 0; i < MANY; i++)
		n.rec[16 + i] = (uint8_t)(i + 1);
	put();
	export((struct xtr_export_opts){ .raw = true });
	proto = described(2, 65537, NULL);
	cr_expect(eq(str, pb_text(proto, PF_MESSAGE_NAME), "nocolon"));
	cr_expect(eq(sz, pb_count(proto, PF_MESSAGE_FIELD), 31));
	d = decode(3, 65537);
	cr_expect(eq(u32, d.fields, 31));
	cr_expect(eq(u64, d.number[31], 31));
}

Test(perfetto_raw, gaps_are_told_and_cpus_past_1023_are_not)
{
	struct pb b;
	size_t lost = 0;

	named_emit(&n, "raw:numbers", AT(1), 9, cpu_of[1]);
	put();
	export((struct xtr_export_opts){ .raw = true });
	for (size_t i = 0; (b = bundle(i)).p; i++) {
		cr_expect(eq(u64, pb_number(b, PF_BUNDLE_CPU), 1));
		cr_expect(zero(sz, pb_count(b, PF_BUNDLE_EVENT)));
		lost += pb_number(b, PF_BUNDLE_LOST);
	}
	cr_expect(eq(sz, lost, 1));
}

static void job(const char *name, uint64_t us, uint64_t dep_seqno, uint32_t flags)
{
	char full[64];

	snprintf(full, sizeof(full), "gpu_scheduler:drm_sched_job_%s", name);
	named_emit(&n, full, AT(us), 9, 1);
	named_set(&n, "ctx", 11);
	named_set(&n, "seqno", 3);
	if (xtr_event_field(n.ev.desc, "ring"))
		named_set(&n, "ring", 7);
	if (xtr_event_field(n.ev.desc, "dep_seqno"))
		named_set(&n, "dep_seqno", dep_seqno);
	if (flags)
		named_set(&n, "flags", flags);
	put();
}

/* The scheduler's own events are typed, if asked for. */
Test(perfetto_raw, events_of_the_scheduler_are_what_stock_tools_know)
{
	static const uint32_t fields[] = { PF_FTRACE_QUEUE, PF_FTRACE_ADD_DEP,
					   PF_FTRACE_UNSCHEDULABLE, PF_FTRACE_RUN, PF_FTRACE_DONE };
	struct pb e[5];

	job("queue", 1, 0, 0);
	job("add_dep", 2, 8, 0);
	job("unschedulable", 3, 9, 0);
	job("run", 4, 0, 0);
	job("done", 5, 0, 0);
	export((struct xtr_export_opts){ .ftrace = true });
	for (size_t i = 0; i < 5; i++) {
		e[i] = pb_message(event(i), fields[i]);
		cr_assert(ne(ptr, (void *)e[i].p, NULL));
		cr_expect(not(pb_has(event(i), PF_FTRACE_RAW_FIRST)), "raw was not asked for");
	}
	cr_expect(eq(ptr, (void *)event(5).p, NULL));
	cr_expect(eq(str, pb_text(e[0], PF_JOB_NAME), "gfx"));
	cr_expect(eq(str, pb_text(e[0], PF_JOB_DEVICE), "0000:03:00.0"));
	cr_expect(eq(u64, pb_number(e[0], PF_JOB_CONTEXT), 11));
	cr_expect(eq(u64, pb_number(e[1], PF_FENCE_DEP_SEQNO), 8));
	cr_expect(eq(u64, pb_number(e[2], PF_FENCE_DEP_SEQNO), 9));
	cr_expect(eq(u64, pb_number(e[3], PF_JOB_SEQNO), 3));
	cr_expect(eq(u64, pb_number(e[4], PF_FENCE_SEQNO), 3));
}
