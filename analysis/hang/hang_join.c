/* SPDX-License-Identifier: BSD-2-Clause */
#include "hang_join.h"
#include "format/meta/meta.h"

#include <stdio.h>
#include <string.h>

struct joining {
	const struct xtr_hang *h;
	const struct xtr_dump *d;
	const struct xtr_meta *meta;
	char *by; /* 96 bytes */
	size_t n;
	bool near; /* its time is that of the hang */
};

/* What can be compared: false: it differs. */
static bool differs(struct joining *j, const char *what, const char *value)
{
	snprintf(j->by, 96, "%s %.64s", what, value);
	return false;
}

static bool agrees(struct joining *j, const char *what)
{
	j->n += (size_t)snprintf(j->by + j->n, 96 - j->n, "%s%s", j->n ? ", " : "", what);
	return true;
}

/*
 * Dumps name the module, traces the driver of the device, and these are the same for some only
 * (msm's devices have the driver adreno): two that are both known are compared.
 */
static const char *const drivers[] = { "amdgpu",  "radeon",    "i915",   "xe",
				       "nvidia",  "nouveau",   "v3d",    "lima",
				       "panthor", "intel_vpu", "amdxdna" };

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (!strcmp(name, drivers[i]))
			return true;
	return false;
}

static bool driver(struct joining *j)
{
	const char *is = xtr_dump_fact_text(j->d, XTR_DUMP_DRIVER_FACT);

	if (!is || !is_known(is) || !is_known(j->h->driver) || !strcmp(is, j->h->driver))
		return true;
	return differs(j, "driver", is);
}

static bool device(struct joining *j)
{
	const char *is = xtr_dump_fact_text(j->d, XTR_DUMP_DEVICE_FACT);

	if (!is || !*j->h->device || xtr_dump_same_device(is, j->h->device))
		return true;
	return differs(j, "device", is);
}

/*
 * The log's clock, and that of amdgpu's dumps (ktime_get_ts64), are CLOCK_MONOTONIC or drift from
 * it by less than is allowed for.
 */
static bool at_that_time(struct joining *j)
{
	const struct xtr_dump_fact *f = &j->d->fact[XTR_DUMP_TIME_FACT];
	uint64_t apart = f->value > j->h->at_ns ? f->value - j->h->at_ns : j->h->at_ns - f->value;

	if (!f->known || strcmp(xtr_meta_clock(j->meta), "monotonic") != 0 ||
	    (strcmp(f->text, "log") != 0 && strcmp(f->text, "monotonic") != 0))
		return true;
	j->near = apart <= HANG_JOIN_TIME_NS + f->value / 10000;
	return j->near || differs(j, "time", "that is not the hang's");
}

static bool ring(struct joining *j)
{
	const char *is = xtr_dump_fact_text(j->d, XTR_DUMP_RING_FACT);
	const char *driver = xtr_dump_fact_text(j->d, XTR_DUMP_DRIVER_FACT);

	if (!is && driver && !strcmp(driver, "i915")) /* where engines are the rings */
		is = xtr_dump_fact_text(j->d, XTR_DUMP_ENGINE_FACT);
	if (!is || !*j->h->ring)
		return true;
	return strcmp(is, j->h->ring) ? differs(j, "ring", is) : agrees(j, "ring");
}

static bool process(struct joining *j)
{
	const struct xtr_hang_job *g = xtr_hang_guilty(j->h);
	uint64_t pid;
	char text[24];

	if (!g || !g->process || xtr_meta_config_str(j->meta, "redacted-by") ||
	    !xtr_dump_fact_number(j->d, XTR_DUMP_PID_FACT, &pid))
		return true;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)pid);
	return pid == (uint32_t)g->process ? agrees(j, "pid") : differs(j, "process", text);
}

/*
 * The driver's own numbers of fences, of which logs and dumps have the lower half: of the job, or
 * those between which it is (amdgpu_job.c: last_seq, sync_seq; xe_guc_submit.c: xe_sched_job_seqno;
 * panthor_sched.c: done_fence).
 */
static bool seqno(struct joining *j)
{
	const struct xtr_hang_job *g = xtr_hang_guilty(j->h);
	uint64_t is, from, to;
	uint32_t hw;

	if (!g || !g->hw_known)
		return true;
	hw = (uint32_t)g->hw_seqno;
	if (xtr_dump_fact_number(j->d, XTR_DUMP_SEQNO_FACT, &is))
		return (uint32_t)is == hw ? agrees(j, "seqno") : differs(j, "another", "seqno");
	if (!xtr_dump_fact_number(j->d, XTR_DUMP_SIGNALED_FACT, &from) ||
	    !xtr_dump_fact_number(j->d, XTR_DUMP_EMITTED_FACT, &to))
		return true;
	/* They go round. */
	if ((uint32_t)(hw - (uint32_t)from) - 1u < (uint32_t)((uint32_t)to - (uint32_t)from))
		return agrees(j, "seqno");
	return differs(j, "other", "seqnos");
}

enum xtr_hang_join xtr_hang_join(const struct xtr_hang *h, const struct xtr_dump *d,
				 const struct xtr_meta *meta, char by[96])
{
	struct joining j = { .h = h, .d = d, .meta = meta, .by = by };
	const char *dev = xtr_dump_fact_text(d, XTR_DUMP_DEVICE_FACT);

	by[0] = 0;
	if (!driver(&j) || !device(&j) || !at_that_time(&j) || !ring(&j) || !process(&j) ||
	    !seqno(&j))
		return XTR_JOIN_OTHER;
	if (j.near && dev && *h->device)
		agrees(&j, "device and time");
	return j.n ? XTR_JOIN_SAME : XTR_JOIN_UNKNOWN;
}
