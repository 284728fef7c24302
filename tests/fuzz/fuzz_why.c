/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of events (events.h), to what each job's time went into (analysis/blame): its parts
 * follow each other without a gap and end with it, and so does the critical path to its end; the
 * text is written, the JSON valid.
 */
#include "events.h"

#include "analysis/blame/split.h"
#include "analysis/blame/why_view.h"
#include "replay/model/model.h"

#include <stdlib.h>

struct why {
	struct xtr_model *model;
	struct xtr_past *past;
	struct xtr_submits *submits;
	struct xtr_who names;
	struct xtr_job_parts parts;
	struct xtr_path path;
	int32_t root_prio[XTR_PARTS_MAX];
	FILE *f;
};

static const struct xtr_model_ring *ring_by_id(const void *ctx, uint32_t id)
{
	return xtr_model_ring_by_id(((const struct why *)ctx)->model, id);
}

static void check_parts(const struct xtr_job *j, const struct xtr_job_parts *p)
{
	FUZZ_CHECK(p->n && p->n <= XTR_PARTS_MAX);
	for (uint32_t i = 0; i < p->n; i++) {
		FUZZ_CHECK(p->part[i].from_ns < p->part[i].to_ns);
		FUZZ_CHECK(!i || p->part[i].from_ns == p->part[i - 1].to_ns);
		FUZZ_CHECK(xtr_part_name(p->part[i].kind) && xtr_part_name(p->part[i].root_kind));
		FUZZ_CHECK(p->part[i].quality < XTR_QUALITY_COUNT);
	}
	FUZZ_CHECK(p->part[p->n - 1].to_ns == j->done_ns);
}

static void check_path(const struct xtr_job *j, const struct xtr_path *p)
{
	FUZZ_CHECK(p->n <= XTR_PATH_MAX);
	for (uint32_t i = 0; i < p->n; i++) {
		FUZZ_CHECK(p->step[i].from_ns < p->step[i].to_ns);
		FUZZ_CHECK(!i || p->step[i].from_ns == p->step[i - 1].to_ns);
		FUZZ_CHECK(xtr_path_name(p->step[i].kind));
	}
	FUZZ_CHECK(!p->n || p->step[p->n - 1].to_ns == j->done_ns);
}

static void tell(struct why *w, const struct xtr_job *j)
{
	const struct xtr_why why = { .job = j,
				     .parts = &w->parts,
				     .path = &w->path,
				     .names = &w->names,
				     .release = j->seqno % 2 ? "6.12.1" : "",
				     .root_prio = w->root_prio,
				     .ring = ring_by_id,
				     .ctx = w };
	struct xtr_json json;

	xtr_json_init(&json, w->f, false);
	xtr_json_begin_object(&json);
	xtr_why_json(&why, &json);
	xtr_json_document_end(&json);
	FUZZ_CHECK(!xtr_why_text(&why, w->f));
}

static int on_job(void *ctx, const struct xtr_job *j)
{
	const struct xtr_job_name name = { j->ctx, j->seqno };
	struct why *w = ctx;
	bool divided;

	if (!w->past)
		return 0; /* the first pass, which only tells rings' order */
	divided = xtr_split_job(w->past, j, NULL, &w->parts);
	FUZZ_CHECK(!xtr_who_note(&w->names, j));
	FUZZ_CHECK(!xtr_past_add(w->past, j, divided ? &w->parts : NULL));
	if (!divided)
		return 0;
	check_parts(j, &w->parts);
	for (uint32_t i = 0; i < XTR_PARTS_MAX; i++)
		w->root_prio[i] = (int32_t)((j->seqno + i) % 7) - 1;
	xtr_path_to(w->past, w->submits, &name, &w->path);
	check_path(j, &w->path);
	tell(w, j);
	return 0;
}

static struct xtr_model *pass(struct why *w, const uint8_t *data, size_t size,
			      const struct xtr_model *verdict)
{
	struct fuzz_events e = { .p = data, .left = size, .ev.ts = 1 };
	struct xtr_model_opts o = { .sz = sizeof(o), .job = on_job, .max_open = 8, .ctx = w };
	const struct xtr_event *ev;

	o.tables = w->names.tables = fuzz_rings();
	o.meta = fuzz_meta((unsigned int)size);
	o.verdict = verdict;
	FUZZ_CHECK(!xtr_model_new(&w->model, &o));
	FUZZ_CHECK(!w->past || !xtr_submits_new(&w->submits, o.meta));
	while ((ev = fuzz_next(&e))) {
		if (w->past && ev->gap)
			FUZZ_CHECK(!xtr_past_lost(w->past, ev->gap->first, ev->gap->last));
		if (w->submits)
			FUZZ_CHECK(!xtr_submits_event(w->submits, ev));
		FUZZ_CHECK(!xtr_model_event(w->model, ev));
	}
	FUZZ_CHECK(!xtr_model_finish(w->model));
	return w->model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct why *w = calloc(1, sizeof(*w));
	struct xtr_model *first;

	FUZZ_CHECK(w && (w->f = fopen("/dev/null", "w")));
	first = pass(w, data, size, NULL);
	w->past = xtr_past_new();
	FUZZ_CHECK(w->past);
	xtr_model_free(pass(w, data, size, first));
	xtr_model_free(first);
	xtr_submits_free(w->submits);
	xtr_who_free(&w->names);
	xtr_past_free(w->past);
	fclose(w->f);
	free(w);
	return 0;
}
