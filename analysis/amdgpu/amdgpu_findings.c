/* SPDX-License-Identifier: BSD-2-Clause */
/* What of amdgpu's numbers is worth a look; the limits are in amdgpu_impl.h and docs/amdgpu.md. */
#include "amdgpu_impl.h"
#include "replay/event/process.h"
#include "base/text.h"

#include <inttypes.h>

#define PER_MILLE 1000u

/* A string of the trace for people. */
static const char *name_of(const struct amdgpu *g, uint64_t string, char buf[XTR_TEXT_NAME])
{
	size_t n = 0;
	const char *s = g->o->tables && string
				? xtr_tables_string(g->o->tables, (uint32_t)string, &n)
				: NULL;

	return s ? xtr_text_name(buf, XTR_TEXT_NAME, s, n) : "(unknown)";
}

static bool is_share(uint64_t part, uint64_t whole, uint64_t permille)
{
	return part && (__uint128_t)part * PER_MILLE >= (__uint128_t)whole * permille;
}

static int find_delay(struct amdgpu *g, const struct amdgpu_ring *r)
{
	const struct xtr_hist *h = &r->latency;
	struct xtr_finding f = {
		.id = "amdgpu-scheduling-delay",
		.notable = true,
		.at_ns = r->late_ns,
		.evidence = { { "jobs", h->n },
			      { "late", r->late },
			      { "p50_ns", xtr_hist_quantile(h, 500) },
			      { "p99_ns", xtr_hist_quantile(h, 990) },
			      { "max_ns", h->max },
			      { "limit_ns", AMDGPU_DELAY_NS },
			      { "limit_permille", AMDGPU_DELAY_PERMILLE },
			      { "limit_jobs", AMDGPU_DELAY_JOBS },
			      { "context", r->late_ctx },
			      { "seqno", r->late_seqno } },
		.n_evidence = 10,
	};
	char ring[XTR_TEXT_NAME], card[XTR_TEXT_NAME], late[XTR_TEXT_NUMBER], n[XTR_TEXT_NUMBER];
	char p50[XTR_TEXT_NUMBER], max[XTR_TEXT_NUMBER];

	if (h->n < AMDGPU_DELAY_JOBS || !is_share(r->late, h->n, AMDGPU_DELAY_PERMILLE))
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "%.32s%s%.48s: %s of %s jobs reached the GPU more than 100 us after their "
		 "submission (p50 %s, max %s), waits for other jobs included",
		 r->row.a ? name_of(g, r->row.a, card) : "", r->row.a ? "/" : "",
		 name_of(g, r->row.b, ring), xtr_text_count(late, r->late), xtr_text_count(n, h->n),
		 xtr_text_ns(p50, xtr_hist_quantile(h, 500)), xtr_text_ns(max, h->max));
	return xtr_findings_add(g->o->findings, &f);
}

static int find_small_batches(struct amdgpu *g, const struct amdgpu_process *p)
{
	uint64_t peak = xtr_rate_peak(&p->rate);
	struct xtr_finding f = {
		.id = "amdgpu-small-batches",
		.notable = true,
		.at_ns = p->rate.peak_ns,
		.evidence = { { "pid", xtr_process_pid(p->row.a) },
			      { "jobs", p->row.n },
			      { "ibs", p->ibs },
			      { "peak_per_s", peak },
			      { "window_ns", XTR_RATE_WINDOW_NS },
			      { "limit_per_s", AMDGPU_BATCH_PER_S },
			      { "limit_ibs_per_job", AMDGPU_BATCH_IBS } },
		.n_evidence = 7,
	};
	char comm[XTR_TEXT_NAME], rate[XTR_TEXT_NUMBER], pid[XTR_TEXT_PROCESS];

	if (peak <= AMDGPU_BATCH_PER_S || p->ibs > p->row.n * AMDGPU_BATCH_IBS)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "%.32s (pid %s) submitted up to %s jobs per second, with %" PRIu64 ".%" PRIu64
		 " IBs each",
		 name_of(g, p->comm, comm), xtr_text_process(pid, p->row.a),
		 xtr_text_count(rate, peak), p->ibs / p->row.n, p->ibs % p->row.n * 10 / p->row.n);
	return xtr_findings_add(g->o->findings, &f);
}

static int find_thrash(struct amdgpu *g)
{
	const struct amdgpu_memory_stats *m = &g->mem;
	struct xtr_finding f = {
		.id = "amdgpu-move-thrash",
		.notable = true,
		.at_ns = m->quick_ns,
		.evidence = { { "returns", m->returns },
			      { "quick_returns", m->quick },
			      { "bytes", m->quick_bytes },
			      { "most_returns_of_one", m->most_returns },
			      { "p50_away_ns", xtr_hist_quantile(&m->away, 500) },
			      { "limit_ns", AMDGPU_THRASH_AWAY_NS },
			      { "limit_returns", AMDGPU_THRASH_RETURNS } },
		.n_evidence = 7,
	};
	char n[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER], p50[XTR_TEXT_NUMBER];

	if (m->quick < AMDGPU_THRASH_RETURNS)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "buffers returned to VRAM %s times within 1 s of leaving it, %s bytes in "
		 "total (median time away: %s); inferred: buffer addresses may be reused",
		 xtr_text_count(n, m->quick), xtr_text_count(bytes, m->quick_bytes),
		 xtr_text_ns(p50, xtr_hist_quantile(&m->away, 500)));
	return xtr_findings_add(g->o->findings, &f);
}

/* VRAM or GTT was asked and GTT given: that is a shortage only where VRAM was cleared too. */
static int find_vram(struct amdgpu *g)
{
	const struct amdgpu_memory_stats *m = &g->mem;
	bool refused = m->refused.n, pressed = m->either_elsewhere.n && m->from_vram.n;
	struct xtr_finding f = {
		.id = "amdgpu-vram-exhausted",
		.notable = true,
		.at_ns = refused ? m->refused_ns : m->elsewhere_ns,
		.evidence = { { "buffers", m->refused.n },
			      { "bytes", m->refused.bytes },
			      { "vram_asked", m->vram_asked.n },
			      { "either_elsewhere", m->either_elsewhere.n },
			      { "evictions", m->from_vram.n },
			      { "limit", 1 } },
		.n_evidence = 6,
	};
	char n[XTR_TEXT_NUMBER], bytes[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], out[XTR_TEXT_NUMBER];
	const struct amdgpu_sum *s = refused ? &m->refused : &m->either_elsewhere;

	if (!refused && !pressed)
		return 0;
	snprintf(
		f.text, sizeof(f.text),
		"%s of %s buffers that asked for VRAM%s were placed in system memory, %s bytes; %s "
		"moves out of VRAM",
		xtr_text_count(n, s->n),
		xtr_text_count(of, refused ? m->vram_asked.n : m->either.n),
		refused ? "" : " or GTT", xtr_text_count(bytes, s->bytes),
		xtr_text_count(out, m->from_vram.n));
	return xtr_findings_add(g->o->findings, &f);
}

static int find_storm(struct amdgpu *g, const struct amdgpu_source *s)
{
	uint64_t peak = xtr_rate_peak(&s->rate);
	struct xtr_finding f = {
		.id = "amdgpu-interrupt-storm",
		.notable = true,
		.at_ns = s->rate.peak_ns,
		.evidence = { { "client", s->row.a },
			      { "source", s->row.b },
			      { "count", s->row.n },
			      { "peak_per_s", peak },
			      { "window_ns", XTR_RATE_WINDOW_NS },
			      { "limit_per_s", AMDGPU_STORM_PER_S } },
		.n_evidence = 6,
	};
	char n[XTR_TEXT_NUMBER];

	if (peak <= AMDGPU_STORM_PER_S)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "up to %s interrupts per second from client %" PRIu64 ", source %" PRIu64,
		 xtr_text_count(n, peak), s->row.a, s->row.b);
	return xtr_findings_add(g->o->findings, &f);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static int find_reset(struct amdgpu *g)
{
	const struct amdgpu_jobs *s = &g->jobs;
	struct xtr_finding f = {
		.id = "amdgpu-reset",
		.notable = true,
		.fault = true,
		.at_ns = earlier(earlier(s->timeout_ns, s->again_ns), g->resets.first_ns),
		.evidence = { { "register_dumps", g->resets.dumps },
			      { "jobs_run_again", s->run_again },
			      { "job_timeouts", s->timeouts },
			      { "job_errors", s->errors },
			      { "limit", 1 } },
		.n_evidence = 5,
	};

	if (!g->resets.dumps && !s->run_again && !s->timeouts)
		return 0;
	snprintf(f.text, sizeof(f.text),
		 "the GPU was reset or a job timed out: register dumps: %" PRIu64
		 ", jobs run again: %" PRIu64 ", job timeouts: %" PRIu64,
		 g->resets.dumps, s->run_again, s->timeouts);
	return xtr_findings_add(g->o->findings, &f);
}

int amdgpu_find(struct amdgpu *g)
{
	int err = 0;

	for (uint32_t i = 0; i < g->jobs.rings.n && !err; i++)
		err = find_delay(g, xtr_counted_at(&g->jobs.rings, i));
	for (uint32_t i = 0; i < g->processes.n && !err; i++)
		err = find_small_batches(g, xtr_counted_at(&g->processes, i));
	for (uint32_t i = 0; i < g->irq.sources.n && !err; i++)
		err = find_storm(g, xtr_counted_at(&g->irq.sources, i));
	if (!err)
		err = find_thrash(g);
	if (!err)
		err = find_vram(g);
	return err ? err : find_reset(g);
}
