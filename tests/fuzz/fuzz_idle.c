/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any sequence of jobs, switches, samples and losses, to what devices' idle time is divided among
 * (analysis/idle): all of it is in rows, and no more than lies between a device's first job and its
 * last. 8 bytes each: what it is, thread or device, and numbers.
 */
#include "fuzz.h"

#include "analysis/idle/idle.h"
#include "base/bytes.h"
#include "format/xtr_format.h"

#include <string.h>

#define OP 8u

static const struct xtr_meta *meta(void)
{
	static const uint32_t types[] = { XTR_EV_JOB_QUEUE, XTR_EV_CPU_SAMPLE, XTR_EV_THREAD_OFF,
					  XTR_EV_THREAD_ON };
	static struct xtr_meta *m;

	if (m)
		return m;
	m = xtr_meta_new();
	FUZZ_CHECK(m);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		FUZZ_CHECK(!xtr_meta_add_event(m, xtr_builtin_event(types[i])));
	return m;
}

static const struct xtr_tables *tables(void)
{
	static struct xtr_tables *t;
	uint32_t frame;

	if (t)
		return t;
	t = xtr_tables_new();
	FUZZ_CHECK(t && !xtr_tables_intern_frame(t, &(struct xtr_frame){ .offset = 1 }, &frame));
	for (uint32_t id = 1; id < 8; id++)
		FUZZ_CHECK(!xtr_tables_add_stack(t, id, &frame, 1));
	return t;
}

/* Small times, and very large ones. */
static uint64_t time_of(const uint8_t *p)
{
	uint64_t v = xtr_le16(p + 4);

	return p[6] & 1 ? v << (p[6] >> 3) : v;
}

static void event(struct xtr_idle *idle, const uint8_t *p, uint64_t ts, uint32_t type)
{
	uint8_t rec[40] = { 0 };
	struct xtr_event ev = {
		.ts = ts, .type = type, .size = sizeof(rec), .tid = p[1] % 8, .rec = rec
	};
	struct xtr_gap gap = { .first = ts, .last = ts + p[3], .count = 1 };
	uint64_t v = time_of(p);

	if (!type) {
		ev.gap = &gap;
		ev.rec = NULL;
	}
	memcpy(rec + 16, &v, sizeof(v));
	rec[20] = type == XTR_EV_THREAD_ON ? rec[20] : p[2] % 9;
	rec[24] = p[3];
	rec[36] = p[2] & 3;
	FUZZ_CHECK(!xtr_idle_event(idle, &ev));
}

/* It ended by now, or never; it began at any time before. */
static void job(struct xtr_idle *idle, const uint8_t *p, uint64_t ts)
{
	struct xtr_model_ring ring = { .device_name = p[1] & 8 ? "one" : "two" };
	uint64_t long_ago = time_of(p) < ts ? time_of(p) : ts;
	struct xtr_job j = { .ring = &ring, .tid = p[1] % 8, .pid = p[1] % 3, .done_ns = ts };

	j.run_ns = ts - long_ago;
	j.queue_ns = p[2] & 1 ? 0 : j.run_ns - (j.run_ns < p[3] ? j.run_ns : p[3]);
	j.exec_max_ns = p[2] & 2 ? long_ago : long_ago / 2;
	j.done_ns = p[2] & 64 && p[3] == 7 ? 0 : ts;
	FUZZ_CHECK(!xtr_idle_job(idle, &j));
}

static void check(struct xtr_idle *idle)
{
	size_t n = xtr_idle_n_devices(idle);
	uint64_t sum[4] = { 0 }, known[4] = { 0 };

	FUZZ_CHECK(n <= 2);
	for (size_t i = 0; i < xtr_idle_n_rows(idle); i++) {
		const struct xtr_idle_row *r = xtr_idle_row(idle, i);

		FUZZ_CHECK(r->device < n && r->ns && r->state < XTR_IDLE_STATE_COUNT);
		sum[r->device] += r->ns;
		known[r->device] += xtr_idle_explains(idle, r) ? r->ns : 0;
	}
	for (size_t i = 0; i < n; i++) {
		const struct xtr_idle_device *d = xtr_idle_device(idle, i);

		FUZZ_CHECK(sum[i] == d->idle_ns && known[i] == d->explained_ns);
		FUZZ_CHECK(d->idle_ns + d->lost_ns <=
			   (d->last_ns > d->first_ns ? d->last_ns - d->first_ns : d->idle_ns));
		FUZZ_CHECK(d->longest_ns <= d->idle_ns);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t types[] = { 0, XTR_EV_JOB_QUEUE, XTR_EV_CPU_SAMPLE, XTR_EV_THREAD_OFF,
					  XTR_EV_THREAD_ON };
	struct xtr_idle *idle;
	uint64_t ts = 1;

	FUZZ_CHECK(!xtr_idle_new(&idle, meta(), tables()));
	for (; size >= OP; data += OP, size -= OP) {
		uint64_t step = (uint64_t)data[7] << (data[0] >> 3);

		ts += step;
		if (data[0] % 8 < 5)
			event(idle, data, ts, types[data[0] % 8]);
		else
			job(idle, data, ts);
	}
	FUZZ_CHECK(!xtr_idle_finish(idle));
	check(idle);
	xtr_idle_free(idle);
	return 0;
}
