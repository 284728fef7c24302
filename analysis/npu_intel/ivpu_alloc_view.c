/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_alloc_impl.h"
#include "analysis/core/grid.h"
#include "analysis/core/grid_cell.h"
#include "replay/event/process.h"
#include "base/text.h"
#include "analysis/core/view.h"

#include <inttypes.h>

static void cells_time(struct xtr_grid *t, const struct xtr_hist *h)
{
	static const unsigned int q[] = { 500, 900, 990, 1000 };
	char buf[XTR_TEXT_NUMBER];
	size_t i;

	for (i = 0; i < sizeof(q) / sizeof(q[0]); i++)
		xtr_grid_cell(t, h->n ? xtr_text_ns(buf, xtr_hist_quantile(h, q[i])) : "-");
}

/* "4,096 .. 8,191", in bytes. */
static void cell_size(struct xtr_grid *t, unsigned int class)
{
	char from[XTR_TEXT_NUMBER], to[XTR_TEXT_NUMBER], buf[2 * XTR_TEXT_NUMBER + 8];
	uint64_t lo, hi;

	if (class == ALLOC_UNKNOWN) {
		xtr_grid_cell(t, "not known");
		return;
	}
	alloc_class_bounds(class, &lo, &hi);
	snprintf(buf, sizeof(buf), "%s .. %s", xtr_text_count(from, lo), xtr_text_count(to, hi));
	xtr_grid_cell(t, buf);
}

static int text_stages(const struct allocs *a, FILE *f)
{
	static const char *const columns[] = { "<stage", "size, bytes", "count", "bytes", "p50",
					       "p90",    "p99",         "max",   NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	unsigned int i, c;

	for (i = 0; i < ALLOC_STAGE_COUNT; i++) {
		const struct alloc_stage *s = &a->stage[i];

		if (!s->n)
			continue;
		xtr_grid_cell(t, alloc_stage_title(i));
		xtr_grid_cell(t, "all");
		xtr_grid_count(t, s->n);
		if (s->sized)
			xtr_grid_count(t, s->bytes);
		else
			xtr_grid_cell(t, "-");
		cells_time(t, &s->time);
		for (c = 0; c < ALLOC_CLASSES && s->sized; c++) {
			if (!s->by_size[c].n)
				continue;
			xtr_grid_cell(t, "");
			cell_size(t, c);
			xtr_grid_count(t, s->by_size[c].n);
			if (c == ALLOC_UNKNOWN)
				xtr_grid_cell(t, "-");
			else
				xtr_grid_count(t, s->by_size[c].bytes);
			cells_time(t, &s->by_size[c].time);
		}
	}
	return xtr_grid_print(t, f, 2);
}

/* Why a number is missing. */
static void text_missing(const struct allocs *a, FILE *f)
{
	char missing[XTR_MISSING_TEXT];
	unsigned int i;

	if (!a->o->times)
		fputs("  times: not known, the trace has none; calls are counted by their entries\n",
		      f);
	for (i = 0; i < ALLOC_STAGE_COUNT; i++) {
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

static int text_buffers(const struct allocs *a, FILE *f)
{
	static const char *const columns[] = { "<slowest buffers: created at",
					       "pid",
					       "handle",
					       "bytes",
					       "create",
					       "bind",
					       "<bound at",
					       NULL };
	struct xtr_grid *t = xtr_grid_new(columns);
	char buf[XTR_TEXT_NUMBER];
	uint32_t i;

	for (i = 0; i < a->n_buffers && i < a->o->top; i++) {
		const struct alloc_buffer *b = &a->buffer[i];

		xtr_grid_cell(t, xtr_text_stamp(buf, b->at));
		xtr_grid_cell(t, xtr_text_process(buf, b->process));
		snprintf(buf, sizeof(buf), "%u", b->handle);
		xtr_grid_cell(t, buf);
		xtr_grid_cell(t, b->size != ALLOC_NOT_KNOWN ? xtr_text_count(buf, b->size) : "-");
		xtr_grid_cell(t, xtr_text_ns(buf, b->create_ns));
		xtr_grid_cell(t, xtr_text_ns(buf, b->bind_ns));
		xtr_grid_cell(t, xtr_text_stamp(buf, b->bind_at));
	}
	return xtr_grid_print(t, f, 2);
}

int alloc_text(const void *self, const struct xtr_view *v)
{
	const struct allocs *a = self;
	int ret = text_stages(a, v->f);
	unsigned int i;

	text_missing(a, v->f);
	text_mappings(a, v->f);
	if (!ret && a->n_buffers)
		ret = text_buffers(a, v->f);
	for (i = 0; i < ALLOC_STAGE_COUNT; i++) {
		if (!a->stage[i].time.n)
			continue;
		fprintf(v->f, "  %s\n", alloc_stage_title(i));
		xtr_view_text_hist(v->f, &a->stage[i].time, true);
	}
	return ret;
}

static void json_sizes(const struct alloc_stage *s, struct xtr_json *j)
{
	uint64_t lo, hi;
	unsigned int c;

	xtr_json_kv_array(j, "sizes");
	for (c = 0; c < ALLOC_UNKNOWN; c++) {
		const struct alloc_class *of = &s->by_size[c];

		if (!of->n)
			continue;
		alloc_class_bounds(c, &lo, &hi);
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "from_bytes", lo);
		xtr_json_kv_u64(j, "to_bytes", hi);
		xtr_json_kv_u64(j, "count", of->n);
		xtr_json_kv_u64(j, "bytes", of->bytes);
		xtr_view_json_hist(j, "time_ns", &of->time, false);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_stages(const struct allocs *a, struct xtr_json *j)
{
	unsigned int i;

	xtr_json_kv_array(j, "stages");
	for (i = 0; i < ALLOC_STAGE_COUNT; i++) {
		const struct alloc_stage *s = &a->stage[i];

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "stage", alloc_stage_name(i));
		xtr_json_kv_bool(j, "recorded", s->recorded);
		xtr_json_kv_bool(j, "timed", s->timed);
		xtr_json_kv_u64(j, "count", s->n);
		xtr_json_kv_u64(j, "sized", s->sized);
		xtr_json_kv_u64(j, "bytes", s->bytes);
		xtr_view_json_hist(j, "time_ns", &s->time, true);
		json_sizes(s, j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void json_mappings(const struct allocs *a, struct xtr_json *j)
{
	xtr_json_kv_u64(j, "bound_before", a->bound_before);
	xtr_json_kv_bool(j, "bound_before_known", a->has_times[WHAT_MAP_SGT]);
	xtr_json_kv_object(j, "mappings");
	xtr_json_kv_u64(j, "map_sgt", a->maps);
	xtr_json_kv_bool(j, "map_page_recorded", a->has[WHAT_MAP_PAGE]);
	xtr_json_kv_u64(j, "map_page", a->map_pages);
	xtr_json_kv_u64(j, "map_page_in_submit", a->in_submit);
	xtr_json_kv_u64(j, "submits", a->submits);
	xtr_json_kv_u64(j, "buffers", a->runs);
	xtr_json_kv_u64(j, "most_for_one", a->most);
	xtr_json_kv_u64(j, "buffers_of_known_size", a->sized_runs);
	xtr_json_kv_u64(j, "pages", a->run_pages);
	xtr_json_kv_u64(j, "buffers_in_excess", a->excess);
	xtr_json_end_object(j);
}

void alloc_json(const void *self, struct xtr_json *j)
{
	const struct allocs *a = self;
	uint32_t i;

	xtr_json_begin_object(j);
	json_stages(a, j);
	json_mappings(a, j);
	xtr_json_kv_array(j, "buffers");
	for (i = 0; i < a->n_buffers; i++) {
		const struct alloc_buffer *b = &a->buffer[i];

		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "created_ns", b->at);
		xtr_json_kv_u64(j, "pid", xtr_process_pid(b->process));
		xtr_json_kv_process_nth(j, "pid", b->process);
		xtr_json_kv_u64(j, "handle", b->handle);
		xtr_json_kv_u64(j, "vpu_addr", b->vpu_addr);
		xtr_json_key(j, "size");
		if (b->size != ALLOC_NOT_KNOWN)
			xtr_json_u64(j, b->size);
		else
			xtr_json_null(j);
		xtr_json_kv_u64(j, "create_ns", b->create_ns);
		xtr_json_kv_u64(j, "bound_ns", b->bind_at);
		xtr_json_kv_u64(j, "bind_ns", b->bind_ns);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_end_object(j);
}
