// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every event as ftrace in a Perfetto trace: the description that stands before its first use, and
 * its fields, taken apart by hand as a decoder without the schema would.
 */
#include "converters/out/perfetto/perfetto.h"
#include "base/varint.h"
#include "named.h"
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
static Pf__Trace *trace;

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
	if (trace)
		pf__trace__free_unpacked(trace, NULL);
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
	char *out = NULL;
	size_t size = 0;

	o.sz = sizeof(o);
	o.out = open_memstream(&out, &size);
	e.opts = o;
	e.reader = make_file();
	cr_assert(zero(int, xtr_export(&e)));
	fclose(o.out);
	trace = pf__trace__unpack(NULL, size, (uint8_t *)out);
	cr_assert(ne(ptr, trace, NULL));
	free(out);
	xtr_reader_close((struct xtr_reader *)e.reader);
}

/* The i-th bundle. */
static const Pf__FtraceEventBundle *bundle(size_t i)
{
	for (size_t k = 0; k < trace->n_packet; k++)
		if (trace->packet[k]->ftrace_events && !i--)
			return trace->packet[k]->ftrace_events;
	return NULL;
}

/* --- decoding --------------------------------------------------------------------------------- */

struct decoded {
	uint64_t number[MANY + 1]; /* by field */
	char text[MANY + 1][64];
	uint32_t fields, last;
};

/* The only field of the event, which no schema knows, of this number. */
static struct decoded decode(const Pf__FtraceEventBundle *b, uint32_t tag)
{
	const ProtobufCMessageUnknownField *u;
	struct decoded d = { 0 };
	const uint8_t *p, *end;
	uint64_t key, v;

	cr_assert(eq(sz, b->n_event, 1));
	cr_assert(eq(sz, b->event[0]->base.n_unknown_fields, 1));
	u = b->event[0]->base.unknown_fields;
	cr_assert(eq(u32, u->tag, tag));
	end = u->data + u->len;
	p = xtr_varint_get(u->data, end, &v);
	cr_assert(p && v == (uint64_t)(end - p));
	while (p < end) {
		p = xtr_varint_get(p, end, &key);
		cr_assert(ne(ptr, (void *)p, NULL));
		p = xtr_varint_get(p, end, &v);
		cr_assert(p && key >> 3 > d.last && key >> 3 <= MANY);
		d.last = (uint32_t)(key >> 3);
		d.fields++;
		if ((key & 7) == 0) {
			d.number[d.last] = v;
			continue;
		}
		cr_assert(eq(u64, key & 7, 2));
		cr_assert(v < 64 && v <= (uint64_t)(end - p));
		memcpy(d.text[d.last], p, (size_t)v);
		p += v;
	}
	return d;
}

static Pf__DescriptorProto *described(const Pf__FtraceEventBundle *b, int32_t id, const char *group)
{
	const Pf__FtraceEventBundle__Descriptor *d;
	Pf__DescriptorProto *proto;

	cr_assert(zero(sz, b->n_event));
	cr_assert(eq(sz, b->n_generic_event_descriptors, 1));
	d = b->generic_event_descriptors[0];
	cr_assert(eq(i32, d->field_id, id));
	if (group)
		cr_assert(eq(str, d->group_name, (char *)group));
	else
		cr_assert(eq(ptr, d->group_name, NULL));
	proto = pf__descriptor_proto__unpack(NULL, d->event_descriptor.len,
					     d->event_descriptor.data);
	cr_assert(ne(ptr, proto, NULL));
	return proto;
}

/* --- tests ------------------------------------------------------------------------------------ */

Test(perfetto_raw, numbers_and_their_description)
{
	Pf__DescriptorProto *proto;
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
	proto = described(bundle(0), 65536, "raw");
	cr_expect(eq(str, proto->name, "numbers"));
	cr_assert(eq(sz, proto->n_field, 4));
	cr_expect(eq(str, proto->field[1]->name, "neg"));
	cr_expect(eq(i32, proto->field[1]->number, 2));
	cr_expect(eq(i32, proto->field[1]->type, 3), "int64");
	cr_expect(eq(i32, proto->field[2]->type, 4), "uint64");
	pf__descriptor_proto__free_unpacked(proto, NULL);
	for (size_t i = 1; i < 3; i++) { /* described once */
		d = decode(bundle(i), 65536);
		cr_expect(eq(u32, bundle(i)->cpu, 1));
		cr_expect(eq(u32, bundle(i)->event[0]->pid, 9));
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
	Pf__DescriptorProto *proto;
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
	proto = described(bundle(0), 65536, "raw");
	for (size_t i = 0; i < 5; i++) {
		cr_expect(eq(str, proto->field[i]->name, (char *)types[i]));
		cr_expect(eq(i32, proto->field[i]->type, 9), "string");
	}
	pf__descriptor_proto__free_unpacked(proto, NULL);
	d = decode(bundle(1), 65536);
	cr_expect(eq(str, d.text[1], "eight by"));
	cr_expect(eq(str, d.text[2], "dma-buf"));
	cr_expect(eq(str, d.text[3], "0000:03:00.0/gfx#7"));
	cr_expect(eq(str, d.text[4], "ioctl+0x10;+0x2a"));
	cr_expect(eq(str, d.text[5], "01abff"));
	d = decode(bundle(2), 65536);
	cr_expect(eq(u32, d.fields, 5));
	cr_expect(eq(str, d.text[1], ""));
	cr_expect(eq(str, d.text[2], ""));
	cr_expect(eq(str, d.text[3], ""));
	cr_expect(eq(str, d.text[4], ""));
	cr_expect(eq(str, d.text[5], "000000"));
	d = decode(bundle(3), 65536);
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
	d = decode(bundle(1), 65536);
	cr_expect(eq(u32, d.fields, 1));
	cr_expect(eq(str, d.text[1], "ab"));
}

/* An importer keeps fields 1 to 31, and a group only where a name has one. */
Test(perfetto_raw, of_many_fields_the_first_31_are_there)
{
	Pf__DescriptorProto *proto;
	struct decoded d;

	named_emit(&n, "raw:numbers", AT(0), 9, 1);
	put();
	named_emit(&n, "nocolon", AT(1), 9, 1);
	for (uint32_t i = 0; i < MANY; i++)
		n.rec[16 + i] = (uint8_t)(i + 1);
	put();
	export((struct xtr_export_opts){ .raw = true });
	proto = described(bundle(2), 65537, NULL);
	cr_expect(eq(str, proto->name, "nocolon"));
	cr_expect(eq(sz, proto->n_field, 31));
	pf__descriptor_proto__free_unpacked(proto, NULL);
	d = decode(bundle(3), 65537);
	cr_expect(eq(u32, d.fields, 31));
	cr_expect(eq(u64, d.number[31], 31));
}

Test(perfetto_raw, gaps_are_told_and_cpus_past_1023_are_not)
{
	const Pf__FtraceEventBundle *b;
	size_t lost = 0;

	named_emit(&n, "raw:numbers", AT(1), 9, cpu_of[1]);
	put();
	export((struct xtr_export_opts){ .raw = true });
	for (size_t i = 0; (b = bundle(i)); i++) {
		cr_expect(eq(u32, b->cpu, 1));
		cr_expect(zero(sz, b->n_event));
		lost += b->lost_events;
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
	const Pf__FtraceEvent *e[5];
	size_t i = 0;

	job("queue", 1, 0, 0);
	job("add_dep", 2, 8, 0);
	job("unschedulable", 3, 9, 0);
	job("run", 4, 0, 0);
	job("done", 5, 0, 0);
	export((struct xtr_export_opts){ .ftrace = true });
	for (const Pf__FtraceEventBundle *b; i < 5 && (b = bundle(i)); i++)
		e[i] = b->event[0];
	cr_assert(eq(sz, i, 5));
	cr_assert(e[0]->drm_sched_job_queue && e[1]->drm_sched_job_add_dep &&
		  e[2]->drm_sched_job_unschedulable && e[3]->drm_sched_job_run &&
		  e[4]->drm_sched_job_done);
	cr_expect(eq(str, e[0]->drm_sched_job_queue->name, "gfx"));
	cr_expect(eq(str, e[0]->drm_sched_job_queue->dev, "0000:03:00.0"));
	cr_expect(eq(u64, e[0]->drm_sched_job_queue->fence_context, 11));
	cr_expect(eq(u64, e[1]->drm_sched_job_add_dep->seqno, 8));
	cr_expect(eq(u64, e[2]->drm_sched_job_unschedulable->seqno, 9));
	cr_expect(eq(u64, e[3]->drm_sched_job_run->fence_seqno, 3));
	cr_expect(eq(u64, e[4]->drm_sched_job_done->fence_seqno, 3));
	cr_expect(zero(sz, e[0]->base.n_unknown_fields), "raw was not asked for");
}
