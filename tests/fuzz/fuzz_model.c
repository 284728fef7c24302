/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of events (events.h), in two passes, through the job model: times of a job are in
 * order, and each job that was begun is handed out.
 */
#include "events.h"

#include "replay/model/model.h"

static int check_job(void *ctx, const struct xtr_job *j)
{
	uint64_t *n = ctx;

	FUZZ_CHECK(j->ring && j->kind < XTR_KIND_COUNT && j->quality < XTR_QUALITY_COUNT);
	FUZZ_CHECK(j->n_deps <= XTR_JOB_DEPS_MAX && j->n_deps <= j->n_waits);
	FUZZ_CHECK(!j->queue_ns || !j->run_ns || j->queue_ns <= j->run_ns);
	FUZZ_CHECK(j->exec_min_ns <= j->exec_max_ns);
	if (xtr_job_resided(j)) {
		FUZZ_CHECK(j->run_ns <= j->done_ns);
		FUZZ_CHECK(j->exec_max_ns <= j->done_ns - j->run_ns);
		FUZZ_CHECK(!j->start_ns || (j->run_ns <= j->start_ns && j->start_ns <= j->done_ns));
	}
	for (uint32_t i = 0; i < j->n_deps; i++)
		FUZZ_CHECK(j->deps[i].from_ns <= j->deps[i].until_ns);
	++*n;
	return 0;
}

static struct xtr_model *pass(const uint8_t *data, size_t size, const struct xtr_model *verdict)
{
	struct fuzz_events e = { .p = data, .left = size, .ev.ts = 1 };
	struct xtr_model_opts o = { .sz = sizeof(o), .job = check_job, .max_open = 8 };
	const struct xtr_event *ev;
	struct xtr_model *m;
	uint64_t jobs = 0;

	o.tables = fuzz_rings();
	o.meta = fuzz_meta((unsigned int)size);
	o.ctx = &jobs;
	o.verdict = verdict;
	FUZZ_CHECK(!xtr_model_new(&m, &o));
	while ((ev = fuzz_next(&e)))
		FUZZ_CHECK(!xtr_model_event(m, ev) && xtr_model_horizon(m) <= ev->ts);
	FUZZ_CHECK(!xtr_model_finish(m) && jobs == xtr_model_counts(m)->jobs);
	return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_model *first = pass(data, size, NULL);

	xtr_model_free(pass(data, size, first));
	xtr_model_free(first);
	return 0;
}
