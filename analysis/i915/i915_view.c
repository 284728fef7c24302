/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of i915: its tables, and JSON (docs/stats-json.md). */
#include "analysis/core/section_columns.h"
#include "i915_impl.h"

/* A time, where the trace has some. */
#define TIME (XTR_C_NS | XTR_C_TIMES | XTR_C_KNOWN)

/* --- objects ---------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct i915, objects.member)
static const struct xtr_section_column object_columns[] = {
	COUNT("created", created, "objects created"),
	COUNT("created_bytes", created_bytes, "their size"),
	COUNT("destroyed", destroyed, "objects destroyed"),
	COUNT("destroyed_bytes", destroyed_bytes, "their size"),
	COUNT("destroyed_unknown", destroyed_unknown, "destroyed, and not seen created"),
	COUNT("replaced", replaced, "objects whose end is not in the trace"),
	COUNT("left", left, "objects that are there at the end"),
	COUNT("left_bytes", left_bytes, "their size"),
	{ "complete", NULL, XTR_C_BOOL, XTR_PUT, "no event of objects is missing" },
	COUNT("peak_bytes", held.peak_bytes, "the most that was held"),
	COUNT("peak_objects", held.peak_objects, "objects then"),
	{ "peak_ns", NULL, TIME, AT(held.peak_ns), "when that was" },
	{ "over_time", NULL, XTR_C_ANY, XTR_PUT, "what was held, by slices of the time" },
};
#undef AT

static void over_time(const void *self, const void *row, struct xtr_json *j)
{
	const struct i915 *g = self;
	const struct i915_held *h = &g->objects.held;

	(void)row;
	xtr_json_begin_array(j);
	for (uint32_t i = 0; g->o->times && i < h->n_slices; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "from_ns", h->begin_ns + i * h->width_ns);
		xtr_json_kv_u64(j, "peak_bytes", h->slice[i].peak_bytes);
		xtr_json_kv_u64(j, "bytes", h->slice[i].bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static bool put_objects(struct xtr_rows *r, const void *row)
{
	const struct i915 *g = row;

	xtr_put_u64(r, true, !g->gaps && !g->objects.untracked);
	xtr_put_any(r, over_time, g);
	return true;
}

static const struct xtr_section_table objects =
	XTR_TABLE_SELF("objects", "all objects", object_columns, put_objects, XTR_SHAPE_OBJECT);

#define AT(member) XTR_AT(struct i915_creator, member)
static const struct xtr_section_column creator_columns[] = {
	{ "pid", "<creator", XTR_C_PROCESS, AT(process), "process that created them" },
	{ "process", "<process", XTR_C_STRING | XTR_C_BLANK, AT(comm), "its name" },
	SHOWN("created", "created", created, "objects created"),
	{ "created_bytes", "bytes", XTR_C_BYTES, AT(bytes), "their size" },
	SHOWN("destroyed", "destroyed", destroyed, "of them destroyed"),
	COUNT("destroyed_bytes", destroyed_bytes, "their size"),
	SHOWN("left", "left", left, "that are there at the end"),
	{ "left_bytes", "bytes", XTR_C_BYTES, AT(left_bytes), "their size" },
	{ "oldest_left_ns", NULL, TIME, AT(left_ns), "when the oldest of them was created" },
	{ NULL, "<oldest left", XTR_C_PLACE, XTR_PUT },
};
#undef AT

static bool put_creators(struct xtr_rows *r, const void *row)
{
	const struct i915_creator *c = row;

	xtr_put_u64(r, c->left, c->left_ns);
	return true;
}

const struct xtr_section_table i915_creators = XTR_TABLE_OF(
	"creators", "objects of a process, most left first", creator_columns,
	XTR_ARRAY(struct i915, objects.creator, objects.n_creators), put_creators, XTR_SHOW_TOP);

#define AT(member) XTR_AT(struct i915, objects.member)
static const struct xtr_section_column vma_columns[] = {
	COUNT("binds", binds, "bindings"),
	COUNT("bind_bytes", bind_bytes, "their size"),
	COUNT("unbinds", unbinds, "bindings undone"),
	COUNT("unbind_bytes", unbind_bytes, "their size"),
	COUNT("rebinds", rebinds, "bound again where they were before"),
	COUNT("rebind_bytes", rebind_bytes, "their size"),
	COUNT("thrashing", thrashing, "objects that were bound again too often"),
};
#undef AT

static const struct xtr_section_table vma =
	XTR_TABLE_SELF("vma", "all bindings", vma_columns, NULL, XTR_SHAPE_MEMBERS);

#define AT(member) XTR_AT(struct i915_pair, member)
static const struct xtr_section_column worst_columns[] = {
	{ "obj", "<rebound object", XTR_C_HEX, AT(obj), "object, a hashed address" },
	{ "vm", "<address space", XTR_C_HEX, AT(vm), "address space, likewise" },
	{ "bytes", "bytes", XTR_C_BYTES, AT(bytes), "size of its last binding" },
	SHOWN("binds", "binds", binds, "bindings"),
	COUNT("unbinds", unbinds, "bindings undone"),
	SHOWN("rebinds", "rebinds", rebinds, "bound again"),
	{ "most_in_1s", NULL, XTR_C_COUNT, XTR_PUT, "most of these within 1 s" },
	{ NULL, "most in 1 s", XTR_C_COUNT | XTR_C_TIMES, AT(most) },
	{ "most_at_ns", NULL, TIME, AT(most_ns), "when these began" },
};
#undef AT

static bool put_worst(struct xtr_rows *r, const void *row)
{
	const struct i915 *g = xtr_rows_self(r);
	const struct i915_pair *of = row;

	xtr_put_u64(r, true, g->o->times ? of->most : 0);
	return true;
}

const struct xtr_section_table i915_worst = XTR_TABLE_OF(
	"vma.most_rebound", "an object in an address space, most often bound again first",
	worst_columns, XTR_ARRAY(struct i915, objects.worst, objects.n_worst), put_worst,
	XTR_SHOW_TOP_QUIET);

#define AT(member) XTR_AT(struct i915, access.member)
static const struct xtr_section_column access_columns[] = {
	COUNT("preads", preads, "reads of objects (pread)"),
	COUNT("pread_bytes", pread_bytes, "their size"),
	COUNT("pwrites", pwrites, "writes (pwrite)"),
	COUNT("pwrite_bytes", pwrite_bytes, "their size"),
	COUNT("faults", faults, "faults of the CPU on mappings of objects"),
	COUNT("write_faults", write_faults, "of them to write"),
	COUNT("gtt_faults", gtt_faults, "of them through the GTT"),
	COUNT("clflushes", clflushes, "cache flushes of objects"),
};
#undef AT

static const struct xtr_section_table accesses =
	XTR_TABLE_SELF("access", "all accesses", access_columns, NULL, XTR_SHAPE_OBJECT);

/* --- devices ---------------------------------------------------------------------------------- */

#define AT(member)                       XTR_AT(struct i915_device, member)
#define PRESSURE(id, json, event, title) COUNT(json, count[I915_##id], title),
/* Parts of the text. */
enum {
	PRESSURES = 1,
	CONTEXTS = 2
};
static const struct xtr_section_column device_columns[] = {
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "name of the device" },
	PART(NULL, "shrinks", COUNT, count[I915_SHRINK], NULL, PRESSURES),
	I915_PRESSURES(PRESSURE) COUNT("shrink_pages", pages, "targets of shrinks"),
	{ "shrink_bytes", "target", XTR_C_BYTES, XTR_PUT, "the same in bytes", PRESSURES },
	PART("shrinks_unlimited", "unlimited", COUNT, unlimited, "shrinks without a target",
	     PRESSURES),
	PART(NULL, "evict", COUNT, count[I915_EVICT], NULL, PRESSURES),
	PART(NULL, "evict node", COUNT, count[I915_EVICT_NODE], NULL, PRESSURES),
	PART(NULL, "evict vm", COUNT, count[I915_EVICT_VM], NULL, PRESSURES),
	PART("evict_bytes", "asked for", BYTES, evict_bytes, "what evictions asked for", PRESSURES),
	PART("in_flight", "in flight", COUNT, in_flight, "of these with requests in flight",
	     PRESSURES),
	PART("between_vblanks", "in a frame", COUNT, between, "of these between two vblanks",
	     PRESSURES),
	PART("contexts", "contexts", COUNT, contexts, "contexts made", CONTEXTS),
	PART("contexts_freed", "freed", COUNT, contexts_freed, "contexts freed", CONTEXTS),
	PART("contexts_left", "left", COUNT, contexts_left, "that are there at the end", CONTEXTS),
	COUNT("contexts_unknown", contexts_unknown, "freed, and not seen made"),
	PART("ppgtts", "ppgtts", COUNT, spaces, "address spaces made", CONTEXTS),
	PART("ppgtts_released", "released", COUNT, spaces_released, "of them released", CONTEXTS),
	PART("ppgtts_left", "left", COUNT, spaces_left, "that are there at the end", CONTEXTS),
	COUNT("ppgtts_unknown", spaces_unknown, "released, and not seen made"),
};
#undef PRESSURE
#undef AT

static bool put_devices(struct xtr_rows *r, const void *row)
{
	const struct i915_device *of = row;
	uint64_t pages = of->pages;

	xtr_put_text(r, of->name);
	xtr_put_u64(r, true, pages > UINT64_MAX / I915_PAGE ? UINT64_MAX : pages * I915_PAGE);
	return true;
}

#define DEVICES_TABLE(name_, parts_)                                                           \
	{                                                                                      \
		.name = (name_), .help = "a device", XTR_TABLE_COLUMNS(device_columns),        \
		.rows = XTR_ARRAY(struct i915, devices.device, devices.n), .put = put_devices, \
		.parts = (parts_),                                                             \
	}
const struct xtr_section_table i915_devices = DEVICES_TABLE("devices", PRESSURES);
const struct xtr_section_table i915_contexts = DEVICES_TABLE(NULL, CONTEXTS);

/* --- requests --------------------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct i915_row, member)
static const struct xtr_section_column engine_columns[] = {
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "name of the device" },
	{ "engine", "<engine", XTR_C_TEXT, XTR_PUT, "name of the engine" },
	SHOWN("requests", "requests", requests, "requests submitted"),
	SHOWN("completed", "signalled", completed, "of them signalled"),
	SHOWN("late", "late", late, "signalled late"),
	COUNT("killed", killed, "killed"),
	SHOWN("open", "open", open, "not signalled at the end"),
	SHOWN("errors", "errors", errors, "with an error"),
	SHOWN("preempted", "preempted", preempted, "preempted"),
	COUNT("kernel", kernel, "the kernel's own"),
	COUNT("waits", waits, "waits for requests"),
	{ "request_ns", "p50|p99|max", XTR_C_HIST | XTR_C_TIMES, AT(request),
	  "from submission to signal" },
	{ NULL, "waits", XTR_C_COUNT, AT(waits) },
	{ "wait_ns", "p50|p99|max", XTR_C_HIST | XTR_C_TIMES, AT(wait), "of these waits" },
};
#undef AT

static void fill_engines(const void *self, struct xtr_rows *r)
{
	const struct i915_requests *q = &((const struct i915 *)self)->requests;

	for (uint32_t i = 0; i < q->n_rows; i++) {
		const struct i915_row *row = &q->row[q->order[i]];

		xtr_put_text(r, row->device);
		xtr_put_text(r, row->name);
		xtr_row(r, row);
	}
}

const struct xtr_section_table i915_engines = {
	.name = "engines",
	.help = "an engine",
	XTR_TABLE_COLUMNS(engine_columns),
	.fill = fill_engines,
	.heading = "  requests, from submission to signal, and waits for them:\n",
};

#define AT(member) XTR_AT(struct i915, requests.member)
static const struct xtr_section_column wait_sums[] = {
	COUNT("waits_ended", waits, "waits with begin and end"),
	COUNT("waits_open", waits_open, "waits whose end is not in the trace"),
	COUNT("waits_without_begin", waits_unpaired, "waits whose begin is not in the trace"),
	COUNT("waits_long", long_waits, "waits of at least 100 ms"),
};
#undef AT

static const struct xtr_section_table sums =
	XTR_TABLE_SELF("wait_sums", "all waits", wait_sums, NULL, XTR_SHAPE_MEMBERS);

#define AT(member) XTR_AT(struct i915_waiter, member)
static const struct xtr_section_column wait_columns[] = {
	{ "pid", "pid", XTR_C_PROCESS, AT(process), "process that waited" },
	{ "process", "<who waited", XTR_C_STRING | XTR_C_BLANK, AT(comm), "its name" },
	{ "device", "<device", XTR_C_TEXT, XTR_PUT, "device of the engine" },
	{ "engine", "<engine", XTR_C_TEXT, XTR_PUT, "engine whose requests it waited for" },
	SHOWN("waits", "waits", waits, "waits"),
	{ NULL, "total", XTR_C_SUM, AT(wait) },
	{ "wait_ns", "p50|p99|max", XTR_C_HIST | XTR_C_TIMES, AT(wait), "of these waits" },
};
#undef AT

static void put_engine(struct xtr_rows *r, const struct i915_requests *q, uint32_t row)
{
	bool known = row < I915_ROWS_MAX;

	xtr_put_text(r, known ? q->row[row].device : "(others)");
	xtr_put_text(r, known ? q->row[row].name : "(others)");
}

static bool put_waits(struct xtr_rows *r, const void *row)
{
	const struct i915_requests *q = &((const struct i915 *)xtr_rows_self(r))->requests;
	const struct i915_waiter *of = row;

	put_engine(r, q, of->row);
	return true;
}

const struct xtr_section_table i915_waits = XTR_TABLE_OF(
	"waits", "waits of a process for an engine, most time first", wait_columns,
	XTR_ARRAY(struct i915, requests.waiter, requests.n_waiters), put_waits, XTR_SHOW_TOP);

#define AT(member) XTR_AT(struct i915, requests.longest.member)
static const struct xtr_section_column longest_columns[] = {
	{ "pid", NULL, XTR_C_PROCESS, AT(process), "process that waited" },
	{ "process", NULL, XTR_C_STRING, AT(comm), "its name" },
	{ "device", NULL, XTR_C_TEXT, XTR_PUT, "device of the engine" },
	{ "engine", NULL, XTR_C_TEXT, XTR_PUT, "engine whose request it waited for" },
	{ "at_ns", NULL, XTR_C_NS, AT(at_ns), "when it began" },
	{ "wait_ns", NULL, XTR_C_NS, AT(ns), "how long it was" },
};
#undef AT

static bool put_longest(struct xtr_rows *r, const void *row)
{
	const struct i915_requests *q = &((const struct i915 *)row)->requests;

	if (!q->longest.at_ns)
		return false;
	put_engine(r, q, q->longest.row);
	return true;
}

static const struct xtr_section_table longest = XTR_TABLE_SELF(
	"longest_wait", "the longest wait", longest_columns, put_longest, XTR_SHAPE_OBJECT);

/* --- frequency and registers ------------------------------------------------------------------ */

#define AT(member) XTR_AT(struct i915, freq.member)
static const struct xtr_section_column freq_columns[] = {
	COUNT("changes", changes, "changes of the frequency"),
	COUNT("min_mhz", min, "the lowest"),
	COUNT("max_mhz", max, "the highest"),
	COUNT("last_mhz", last, "the last"),
	{ "mean_mhz", NULL, XTR_C_COUNT | XTR_C_TIMES | XTR_C_KNOWN, XTR_PUT,
	  "mean from the first on" },
};
#undef AT

static bool put_freq(struct xtr_rows *r, const void *row)
{
	const struct i915 *g = row;

	if (!g->freq.changes)
		return false;
	xtr_put_u64(r, true, i915_mean_mhz(g));
	return true;
}

static const struct xtr_section_table frequency =
	XTR_TABLE_SELF("frequency", "frequency", freq_columns, put_freq, XTR_SHAPE_OBJECT);

#define AT(member) XTR_AT(struct i915, regs.member)
static const struct xtr_section_column register_sums[] = {
	COUNT("reads", reads, "reads of registers"),
	COUNT("read_bytes", read_bytes, "their size"),
	COUNT("writes", writes, "writes"),
	COUNT("write_bytes", write_bytes, "their size"),
	COUNT("distinct", n, "registers"),
	COUNT("not_listed", others, "accesses of further ones"),
};
#undef AT

static const struct xtr_section_table all_registers =
	XTR_TABLE_SELF("registers", "all registers", register_sums, NULL, XTR_SHAPE_MEMBERS);

#define AT(member) XTR_AT(struct i915_reg, member)
static const struct xtr_section_column register_columns[] = {
	{ "reg", "<register", XTR_C_HEX, AT(reg), "offset of the register" },
	SHOWN("reads", "reads", reads, "reads"),
	SHOWN("writes", "writes", writes, "writes"),
};
#undef AT

const struct xtr_section_table i915_registers = XTR_TABLE_OF(
	"registers.most_accessed", "a register, the most accessed first", register_columns,
	XTR_ARRAY(struct i915, regs.reg, regs.n), NULL, XTR_LIST_TOP);

/* --- JSON ------------------------------------------------------------------------------------- */

const struct xtr_section_table *const i915_tables[] = { &objects,
							&i915_creators,
							&vma,
							&i915_worst,
							&accesses,
							&i915_devices,
							&i915_engines,
							&sums,
							&i915_waits,
							&longest,
							&frequency,
							&all_registers,
							&i915_registers,
							NULL };

#define TABLES(...) \
	xtr_tables_json((const struct xtr_section_table *const[]){ __VA_ARGS__, NULL }, g, g->o, j)

void i915_json(const void *self, struct xtr_json *j)
{
	const struct i915 *g = self;

	xtr_json_begin_object(j);
	TABLES(&objects, &i915_creators);
	xtr_json_kv_object(j, "vma");
	TABLES(&vma, &i915_worst);
	xtr_json_end_object(j);
	TABLES(&accesses, &i915_devices);
	xtr_json_kv_u64(j, "pressure_not_judged", g->devices.not_kept);
	TABLES(&i915_engines, &sums, &i915_waits, &longest, &frequency);
	xtr_json_key(j, "registers");
	if (g->regs.n || g->regs.others) {
		xtr_json_begin_object(j);
		TABLES(&all_registers, &i915_registers);
		xtr_json_end_object(j);
	} else {
		xtr_json_null(j);
	}
	xtr_json_end_object(j);
}
