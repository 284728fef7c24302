/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of jobs' time is worth a look: who cost whom so much of it, and what is not known. One
 * finding for each cause, with the time that it cost; what to do stands in finding_ids.c.
 */
#include "blame_impl.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define LIMIT_PERMILLE 100u /* of the time of all jobs */
#define NAME           72   /* bytes of a name and number in a finding's text */

static bool is_much(const struct blame *b, uint64_t ns)
{
	return (__uint128_t)ns * 1000 > (__uint128_t)b->ns * LIMIT_PERMILLE;
}

static struct xtr_finding begin(const struct blame *b, const char *id, uint64_t ns)
{
	struct xtr_finding f = { .id = id, .notable = true };

	xtr_finding_evidence(&f, "lost_ns", ns);
	xtr_finding_evidence(&f, "of_ns", b->ns);
	xtr_finding_evidence(&f, "limit_permille", LIMIT_PERMILLE);
	return f;
}

static void add_job(struct xtr_finding *f, const struct xtr_job_name *longest, uint64_t ns)
{
	if (!xtr_job_name_any(longest))
		return;
	xtr_finding_evidence(f, "context", longest->ctx);
	xtr_finding_evidence(f, "seqno", longest->seqno);
	xtr_finding_evidence(f, "longest_ns", ns);
}

/* How one cost another one time. The name in the text, and where it stands in a pair. */
static const struct {
	const char *id, *what;
	uint32_t at;
} costs[] = {
	{ "blame-ring", "which had the ring", offsetof(struct blame_pair, ring_ns) },
	{ "blame-dependency", "which they depend on", offsetof(struct blame_pair, dependency_ns) },
	{ "blame-queue", "which the job before them in their queue waited for",
	  offsetof(struct blame_pair, queue_ns) },
	{ "blame-thread", "which had the CPU of the thread that runs jobs",
	  offsetof(struct blame_pair, thread_ns) },
};

static uint64_t cost_of(const struct blame_pair *c, size_t i)
{
	uint64_t ns;

	memcpy(&ns, (const char *)c + costs[i].at, sizeof(ns));
	return ns;
}

/* Who waited for itself has more in flight than it needs: that is no finding. */
static int pair_cost(const struct blame *b, const struct blame_pair *c, size_t i)
{
	uint64_t ns = cost_of(c, i);
	char who[XTR_WHO_TEXT], by[XTR_WHO_TEXT], lost[XTR_TEXT_NUMBER], share[XTR_TEXT_NUMBER];
	struct xtr_finding f;

	if (c->who == c->by || !is_much(b, ns))
		return 0;
	f = begin(b, costs[i].id, ns);
	snprintf(f.text, sizeof(f.text),
		 "jobs of %.*s waited %s (%s of all jobs' time) for %.*s, %s", NAME,
		 xtr_who_text(&b->names, c->who, who, sizeof(who)), xtr_text_ns(lost, ns),
		 xtr_text_percent(share, ns, b->ns), NAME,
		 xtr_who_text(&b->names, c->by, by, sizeof(by)), costs[i].what);
	xtr_finding_evidence(&f, "jobs", c->jobs);
	if (xtr_who_process(c->who))
		xtr_finding_evidence(&f, "pid", xtr_process_pid(c->who));
	if (xtr_who_process(c->by))
		xtr_finding_evidence(&f, "by_pid", xtr_process_pid(c->by));
	add_job(&f, &c->longest, c->max_ns);
	return xtr_findings_add(b->o->findings, &f);
}

/* All rings' time in one kind of part. */
static struct blame_sum sum_of(const struct blame *b, unsigned int kind)
{
	struct blame_sum sum = { 0 };

	for (uint32_t i = 0; i < b->n_rings; i++) {
		const struct blame_sum *of = &b->ring[i].of[kind];

		sum.ns += of->ns;
		sum.jobs += of->jobs;
		if (of->max_ns <= sum.max_ns)
			continue;
		sum.max_ns = of->max_ns;
		sum.longest = of->longest;
	}
	return sum;
}

static int part_cost(const struct blame *b, const char *id, unsigned int kind, const char *what)
{
	const struct blame_sum sum = sum_of(b, kind);
	char lost[XTR_TEXT_NUMBER], share[XTR_TEXT_NUMBER], n[XTR_TEXT_NUMBER];
	struct xtr_finding f;

	if (!is_much(b, sum.ns))
		return 0;
	f = begin(b, id, sum.ns);
	snprintf(f.text, sizeof(f.text), "%s %s %s for %s (%s of all jobs' time)",
		 xtr_text_count(n, sum.jobs), sum.jobs == 1 ? "job was" : "jobs were", what,
		 xtr_text_ns(lost, sum.ns), xtr_text_percent(share, sum.ns, b->ns));
	xtr_finding_evidence(&f, "jobs", sum.jobs);
	add_job(&f, &sum.longest, sum.max_ns);
	return xtr_findings_add(b->o->findings, &f);
}

/* Of each kind the worst first: pairs are sorted by their cost in all, which is near enough. */
int blame_findings(const struct blame *b)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
		for (uint32_t k = 0; k < b->n_pairs && !err; k++)
			err = pair_cost(b, &b->pair[k], i);
	if (!err && !b->threads)
		err = part_cost(b, "blame-scheduler", XTR_PART_SCHEDULER,
				"ready, with room on their ring, and not run");
	return err
		       ?: part_cost(b, "blame-not-known", XTR_PART_UNKNOWN,
				    "held up by what the trace does not tell");
}
