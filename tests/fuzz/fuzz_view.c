/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file through all that `xtr stats` says of it: whatever its sections describe, the
 * text is written and the JSON is valid.
 */
#include "shown.h"

#include "format/read/reader.h"
#include "replay/play/play.h"
#include "analysis/core/view.h"

static int on_event(void *ctx, const struct xtr_event *ev)
{
	FUZZ_CHECK(!xtr_stats_event(ctx, ev));
	return 0;
}

static void write_views(struct xtr_view *v, bool pretty)
{
	struct shown json;

	for (int brief = 0; brief < 2; brief++) {
		v->brief = brief;
		v->f = fopen("/dev/null", "w");
		FUZZ_CHECK(v->f && !xtr_view_text(v));
		fclose(v->f);
	}
	shown_begin(&json, pretty);
	xtr_view_json(v, &json.j);
	shown_end(&json);
	free(json.text);
}

static void show(const struct xtr_reader *r, const struct xtr_section *s, size_t size)
{
	struct xtr_stats_opts o = { .sz = sizeof(o),
				    .meta = xtr_section_meta(s),
				    .tables = xtr_section_tables(s),
				    .top = 3 };
	struct xtr_play play = { .reader = r, .section = s, .event = on_event };
	struct xtr_view v = { .path = "f", .section = s, .parts = ~0ull, .top = 3 };
	struct xtr_stats *stats;
	struct xtr_err err;

	if (size & 1)
		o.select.from = 1u << 20;
	FUZZ_CHECK(!xtr_analyses_new(&o.analyses, o.meta, o.tables, &o.select, ~0u, 3));
	FUZZ_CHECK(!xtr_stats_new(&stats, &o));
	play.ctx = stats;
	FUZZ_CHECK(!xtr_play(&play, &err));
	FUZZ_CHECK(!xtr_stats_finish(stats));
	v.stats = stats;
	v.analyses = o.analyses;
	write_views(&v, size & 2);
	xtr_stats_free(stats);
	xtr_analyses_free(o.analyses);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;
	struct xtr_err err;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, &err))
		return 0;
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		show(r, xtr_reader_section(r, i), size);
	xtr_reader_close(r);
	return 0;
}
