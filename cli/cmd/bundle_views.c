/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr stats`, its findings and `xtr info` say of the trace in a bundle, as text and as JSON.
 */
#include "bundle_make.h"
#include "info.h"
#include "stats_run.h"

#include "base/buf.h"

#include <errno.h>

enum view {
	STATS_TEXT,
	STATS_JSON,
	FINDINGS_TEXT,
	FINDINGS_JSON,
	INFO_TEXT,
	INFO_JSON,
	VIEWS
};

static const struct {
	const char *source, *name, *from;
	bool findings, json;
} kinds[VIEWS] = {
	[STATS_TEXT] = { "stats", "stats.txt", "xtr stats --all", false, false },
	[STATS_JSON] = { "stats", "stats.json", "xtr stats --json --all", false, true },
	[FINDINGS_TEXT] = { "findings", "findings.txt", "xtr stats --findings", true, false },
	[FINDINGS_JSON] = { "findings", "findings.json", "xtr stats --findings --json", true,
			    true },
	[INFO_TEXT] = { "info", "info.txt", "xtr info", false, false },
	[INFO_JSON] = { "info", "info.json", "xtr info --json", false, true },
};

struct views {
	struct xtr_buf text[VIEWS];
	FILE *f[VIEWS];
	struct xtr_json json[VIEWS];
	struct replay_cmd cmd;
	struct stats_run run;
};

static int open_all(struct views *v)
{
	for (int i = 0; i < VIEWS; i++) {
		v->f[i] = xtr_memory_stream(&v->text[i]);
		if (!v->f[i])
			return -ENOMEM;
		if (i < INFO_TEXT && kinds[i].json) {
			xtr_json_init(&v->json[i], v->f[i], true);
			stats_json_begin(&v->run, &v->json[i]);
		}
	}
	return 0;
}

/* Played once, shown four times. */
static int section(struct views *v, size_t k)
{
	struct xtr_view view;
	int err = stats_gather(&v->run, xtr_reader_section(v->cmd.reader, k), &view);

	for (int i = 0; i < INFO_TEXT && !err; i++) {
		view.parts = kinds[i].findings ? 1ull << XTR_VIEW_FINDINGS : ~0ull;
		view.f = v->f[i];
		if (kinds[i].json) {
			xtr_view_json(&view, &v->json[i]);
		} else {
			if (k)
				fputc('\n', v->f[i]);
			err = xtr_view_text(&view);
		}
	}
	stats_drop(&v->run);
	return err;
}

static int stats(struct views *v)
{
	int err = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(v->cmd.reader) && !err; i++)
		err = section(v, i);
	for (int i = 0; i < INFO_TEXT && !err; i++)
		if (kinds[i].json)
			stats_json_end(&v->json[i]);
	return err;
}

static int info(struct views *v)
{
	struct info in;
	int err = info_gather(&in, v->cmd.path, v->cmd.reader);

	if (!err) {
		info_print_text(v->f[INFO_TEXT], &in);
		info_print_json(v->f[INFO_JSON], &in);
	}
	info_free(&in);
	return err;
}

static int add_all(struct views *v, struct xtr_bundle *b, const struct bundle_opts *o)
{
	int err = 0;

	for (int i = 0; i < VIEWS && !err; i++) {
		const struct xtr_bundle_source *s = xtr_bundle_source_named(kinds[i].source);

		err = xtr_memory_flush(v->f[i], &v->text[i]);
		if (!err && bundle_lists(&o->exclude, kinds[i].source))
			err = xtr_bundle_absent(b, s, kinds[i].name, kinds[i].from,
						"left out on request");
		else if (!err)
			err = xtr_bundle_add_text(b, s, kinds[i].name, kinds[i].from, &v->text[i]);
	}
	return err;
}

int bundle_views(struct xtr_bundle *b, const struct bundle_opts *o, struct xtr_reader *r)
{
	static const struct replay_opts all = { 0 };
	struct views v = {
		.cmd = { .path = XTR_BUNDLE_TRACE, .reader = r, .window = &all.window, .o = &all },
		.run = { .parts = ~0ull, .top = STATS_TOP },
	};
	int err;

	v.run.cmd = &v.cmd;
	err = open_all(&v) ?: stats(&v) ?: info(&v) ?: add_all(&v, b, o);
	for (int i = 0; i < VIEWS; i++) {
		if (v.f[i])
			fclose(v.f[i]);
		xtr_buf_free(&v.text[i]);
	}
	return err;
}
