/* SPDX-License-Identifier: BSD-2-Clause */
/* The section of allocations: its tables, and what else text and JSON say. */
#include "analysis/core/section_columns.h"
#include "analysis/core/view.h"
#include "base/text.h"
#include "ivpu_alloc_impl.h"

#include <inttypes.h>

/* --- stages ----------------------------------------------------------------------------------- */

static const struct xtr_section_column latency_text[] = {
	{ NULL, "<stage", XTR_C_TEXT, XTR_PUT },
	{ NULL, "size, bytes", XTR_C_TEXT, XTR_PUT },
	{ NULL, "count", XTR_C_COUNT, XTR_PUT },
	{ NULL, "bytes", XTR_C_COUNT, XTR_PUT },
	{ NULL, "p50|p90|p99|max", XTR_C_HIST, XTR_PUT },
};

static void latency_row(struct xtr_rows *r, uint64_t n, bool sized, uint64_t bytes,
			const struct xtr_hist *time)
{
	xtr_put_u64(r, true, n);
	xtr_put_u64(r, sized, bytes);
	xtr_put_hist(r, time);
	xtr_row(r, NULL);
}

/* "4,096 .. 8,191" */
static void put_size(struct xtr_rows *r, unsigned int class)
{
	char from[XTR_TEXT_NUMBER], to[XTR_TEXT_NUMBER];
	uint64_t lo, hi;

	if (class == ALLOC_UNKNOWN) {
		xtr_put_text(r, "not known");
		return;
	}
	alloc_class_bounds(class, &lo, &hi);
	xtr_put_format(r, "%s .. %s", xtr_text_count(from, lo), xtr_text_count(to, hi));
}

static void fill_latency(const void *self, struct xtr_rows *r)
{
	const struct allocs *a = self;

	for (unsigned int i = 0; i < ALLOC_STAGE_COUNT; i++) {
		const struct alloc_stage *s = &a->stage[i];

		if (!s->n)
			continue;
		xtr_put_text(r, alloc_stage_title(i));
		xtr_put_text(r, "all");
		latency_row(r, s->n, s->sized, s->bytes, &s->time);
		for (unsigned int c = 0; c < ALLOC_CLASSES && s->sized; c++) {
			const struct alloc_class *of = &s->by_size[c];

			if (!of->n)
				continue;
			xtr_put_text(r, "");
			put_size(r, c);
			latency_row(r, of->n, c != ALLOC_UNKNOWN, of->bytes, &of->time);
		}
	}
}

static const struct xtr_section_table latency =
	XTR_TABLE_TEXT(latency_text, fill_latency, XTR_SHOW_ALL);

#define AT(member) XTR_AT(struct alloc_class, member)
static const struct xtr_section_column size_columns[] = {
	{ "from_bytes", NULL, XTR_C_COUNT, XTR_PUT, "least size of the class" },
	{ "to_bytes", NULL, XTR_C_COUNT, XTR_PUT, "greatest size of the class" },
	COUNT("count", n, "calls"),
	COUNT("bytes", bytes, "their size"),
	HIST("time_ns", time, "of those whose time is known"),
};
#undef AT

static void fill_sizes(const void *self, struct xtr_rows *r)
{
	const struct alloc_stage *s = self;
	uint64_t lo, hi;

	for (unsigned int c = 0; c < ALLOC_UNKNOWN; c++) {
		if (!s->by_size[c].n)
			continue;
		alloc_class_bounds(c, &lo, &hi);
		xtr_put_u64(r, true, lo);
		xtr_put_u64(r, true, hi);
		xtr_row(r, &s->by_size[c]);
	}
}

static const struct xtr_section_table sizes =
	XTR_TABLE("sizes", "sizes of a class", size_columns, fill_sizes, XTR_SHOW_ALL);

static void json_sizes(const void *self, const void *row, struct xtr_json *j)
{
	xtr_table_json_value(&sizes, row, ((const struct allocs *)self)->o, j);
}

#define AT(member) XTR_AT(struct alloc_stage, member)
static const struct xtr_section_column stage_columns[] = {
	{ "stage", NULL, XTR_C_TEXT, XTR_PUT, "stage of an allocation" },
	FLAG("recorded", recorded, "its function was recorded"),
	FLAG("timed", timed, "with its return, in a trace with times"),
	COUNT("count", n, "calls"),
	COUNT("sized", sized, "of them whose size is known"),
	COUNT("bytes", bytes, "their size"),
	{ "time_ns", NULL, XTR_C_BUCKETS, AT(time), "of those whose time is known" },
	{ "sizes", NULL, XTR_C_ANY, XTR_PUT, "the same by size" },
};
#undef AT

static bool put_stage(struct xtr_rows *r, const void *row)
{
	const struct allocs *a = xtr_rows_self(r);

	xtr_put_text(r,
		     alloc_stage_name((unsigned int)((const struct alloc_stage *)row - a->stage)));
	xtr_put_any(r, json_sizes, row);
	return true;
}

static const struct xtr_section_table stages =
	XTR_TABLE_OF("stages", "a stage of allocations", stage_columns,
		     XTR_ARRAY_ALL(struct allocs, stage), put_stage, XTR_SHOW_ALL);

/* --- mappings and buffers --------------------------------------------------------------------- */

#define AT(member) XTR_AT(struct allocs, member)
static const struct xtr_section_column bind_columns[] = {
	COUNT("bound_before", bound_before, "binds that had nothing to do"),
	FLAG("bound_before_known", has_times[WHAT_MAP_SGT], "the trace tells them apart"),
};

static const struct xtr_section_table binds =
	XTR_TABLE_SELF("binds", "all binds", bind_columns, NULL, XTR_SHAPE_MEMBERS);

static const struct xtr_section_column mapping_columns[] = {
	COUNT("map_sgt", maps, "mappings of buffers"),
	FLAG("map_page_recorded", has[WHAT_MAP_PAGE], "mappings of pages were recorded"),
	COUNT("map_page", map_pages, "mappings of 4 KiB pages"),
	COUNT("map_page_in_submit", in_submit, "of them inside a submit"),
	COUNT("submits", submits, "these submits"),
	COUNT("buffers", runs, "buffers mapped page by page"),
	COUNT("most_for_one", most, "most calls for one of them"),
	COUNT("buffers_of_known_size", sized_runs, "of them whose size is known"),
	COUNT("pages", run_pages, "their pages"),
	COUNT("buffers_in_excess", excess, "of them mapped by more calls than pages"),
};
#undef AT

static const struct xtr_section_table mappings =
	XTR_TABLE_SELF("mappings", "all mappings", mapping_columns, NULL, XTR_SHAPE_OBJECT);

#define AT(member) XTR_AT(struct alloc_buffer, member)
static const struct xtr_section_column buffer_columns[] = {
	{ "created_ns", "<slowest buffers: created at", XTR_C_PLACE, AT(at), "when it was made" },
	{ "pid", "pid", XTR_C_PROCESS, AT(process), "process" },
	{ "handle", "handle", XTR_C_NUMBER, AT(handle), "handle of the buffer" },
	{ "vpu_addr", NULL, XTR_C_HEX, AT(vpu_addr), "its address on the NPU" },
	{ "size", "bytes", XTR_C_COUNT | XTR_C_MOST, AT(size), "its size" },
	{ "create_ns", "create", XTR_C_NS, AT(create_ns), "time to create it" },
	{ "bound_ns", NULL, XTR_C_NS, AT(bind_at), "when it was bound" },
	{ "bind_ns", "bind", XTR_C_NS, AT(bind_ns), "time to bind it" },
	{ NULL, "<bound at", XTR_C_PLACE, AT(bind_at) },
};
#undef AT

static const struct xtr_section_table buffers = XTR_TABLE_OF(
	"buffers", "a buffer whose create and bind were seen, slowest first", buffer_columns,
	XTR_ARRAY(struct allocs, buffer, n_buffers), NULL, XTR_SHOW_TOP_QUIET);

/* --- the section ------------------------------------------------------------------------------ */

/* Why a number is missing. */
static void text_missing(const struct allocs *a, FILE *f)
{
	char missing[XTR_MISSING_TEXT];

	if (!a->o->times)
		fputs("  times: not known, the trace has none; calls are counted by their entries\n",
		      f);
	for (unsigned int i = 0; i < ALLOC_STAGE_COUNT; i++) {
		const struct alloc_stage *s = &a->stage[i];
		const char *title = alloc_stage_title(i);

		if (!s->recorded && (i == ALLOC_CREATE || i == ALLOC_PAGES || i == ALLOC_BIND))
			fprintf(f, "  %s: not recorded\n", title);
		if (!a->kernel && i == ALLOC_API_KERNEL && a->stage[ALLOC_API].n && a->o->times)
			fprintf(f, "  %s: not recorded\n", title);
		if (s->n && a->o->times && !s->timed)
			fprintf(f, "  %s: no times, %s were not recorded\n", title,
				s->half.entry ? "returns" : "entries");
		if (s->n && !s->sized)
			fprintf(f, "  %s: sizes were not captured\n", title);
	}
	if (a->stage[ALLOC_BIND].timed && !a->has_times[WHAT_MAP_SGT])
		fprintf(f,
			"  bind: %s, so that binds of buffers that were bound before are among them\n",
			xtr_missing_half(missing, "ivpu_mmu_context_map_sgt",
					 a->half[WHAT_MAP_SGT]));
	if (a->stage[ALLOC_BIND].n && !a->stage[ALLOC_BIND].timed)
		fputs("  bind: by entries; those that had nothing to do, and of the driver's own "
		      "buffers, are among them\n",
		      f);
	if (a->stage[ALLOC_PAGES].n && !a->page_alloc)
		fprintf(f,
			"  page allocation: %s; calls that found the pages there are among them\n",
			xtr_missing_half(missing, "drm_gem_get_pages", a->half[WHAT_PAGE_ALLOC]));
}

static void text_mappings(const struct allocs *a, FILE *f)
{
	char n[XTR_TEXT_NUMBER], m[XTR_TEXT_NUMBER], k[XTR_TEXT_NUMBER], s[XTR_TEXT_NUMBER];

	if (a->bound_before)
		fprintf(f, "  binds of buffers that were bound before: %s\n",
			xtr_text_count(n, a->bound_before));
	if (!a->maps && !a->map_pages)
		return;
	fprintf(f, "  mappings: %s of buffers (map_sgt)", xtr_text_count(n, a->maps));
	if (a->has[WHAT_MAP_PAGE])
		fprintf(f, ", %s of 4 KiB pages (map_page), of them %s in %s %s\n",
			xtr_text_count(m, a->map_pages), xtr_text_count(k, a->in_submit),
			xtr_text_count(s, a->submits), a->submits == 1 ? "submit" : "submits");
	else
		fputs("; of pages: not recorded\n", f);
}

const struct xtr_section_table *const alloc_tables[] = { &stages, &binds, &mappings, &buffers,
							 NULL };

int alloc_text(const void *self, const struct xtr_view *v)
{
	const struct allocs *a = self;
	int err = xtr_table_text(&latency, a, a->o, v->f);

	text_missing(a, v->f);
	text_mappings(a, v->f);
	if (!err)
		err = xtr_table_text(&buffers, a, a->o, v->f);
	for (unsigned int i = 0; i < ALLOC_STAGE_COUNT; i++) {
		if (!a->stage[i].time.n)
			continue;
		fprintf(v->f, "  %s\n", alloc_stage_title(i));
		xtr_view_text_hist(v->f, &a->stage[i].time, true);
	}
	return err;
}

void alloc_json(const void *self, struct xtr_json *j)
{
	const struct allocs *a = self;

	xtr_json_begin_object(j);
	xtr_tables_json(alloc_tables, a, a->o, j);
	xtr_json_end_object(j);
}
