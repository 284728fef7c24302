/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes traces in which everything that is hard for an export comes together: rings of equal names
 * on two devices and on one, out-of-order completion, overlap, lost records, fences used again,
 * jobs that are open, killed, failed, moved or of an unknown ring, dependencies, names of any
 * bytes, numbers of 64 bits, calls, interrupts, counters. The same bytes each time.
 * usage: gen SEED JOBS OUTPUT
 */
#include "tests/golden/gen.h"

enum {
	DYNAMIC = 1024, /* event types, as in events[] */
	RINGS = 8,
	THREADS = 5,
	OPEN_TID = 4040, /* no table tells its process */
};

static const struct {
	const char *device, *name;
	uint32_t limit;
	bool ordered;
} ring_of[RINGS] = {
	{ "0000:03:00.0", "gfx_0.0.0", 2, true },
	{ "0000:c1:00.0", "gfx_0.0.0", 2, true },
	{ "0000:03:00.0", "comp_1.0.0", 8, false },
	{ "0000:c1:00.0", "comp_1.0.0", 8, true },
	{ "0000:03:00.0", "sdma0", 1, true },
	{ "acc\"el\\\x01\n\xff", "r\"\\,\n\xc3(", 4, true },
	{ "0000:03:00.0", "gfx_0.0.0", 3, true }, /* the same name on the same device */
	{ "0000:00:02.0", "rcs12", 64, false },
};

#define F(name_, offset_, size_, repr_)                                                   \
	{                                                                                 \
		.name = name_, .offset = offset_, .size = size_, .repr = XTR_REPR_##repr_ \
	}
static const struct xtr_field sched_fields[] = { F("prev_pid", 16, 4, S32),
						 F("next_pid", 20, 4, S32),
						 F("next_comm", 24, 16, STR) };
static const struct xtr_field enter_fields[] = { F("nr", 16, 4, S32), F("fd", 20, 4, U32) };
static const struct xtr_field exit_fields[] = { F("nr", 16, 4, S32), F("ret", 24, 8, S64) };
static const struct xtr_field irq_fields[] = { F("irq", 16, 4, S32), F("name", 20, 4, STRID) };
static const struct xtr_field mem_fields[] = { F("gpu_id", 16, 4, U32), F("pid", 20, 4, U32),
					       F("size", 24, 8, U64) };
static const struct xtr_field freq_fields[] = { F("state", 16, 4, U32), F("gpu_id", 20, 4, U32) };
static const struct xtr_field vblank_fields[] = { F("crtc", 16, 4, S32), F("seq", 20, 4, U32),
						  F("time", 24, 8, U64) };
static const struct xtr_field odd_fields[] = { F("u", 16, 8, U64), F("s", 24, 8, S64),
					       F("text", 32, 16, STR), F("hex", 48, 8, HEX64),
					       F("raw", 56, 8, BYTES) };

/* Functions and API calls: spec/events.md. */
static const struct xtr_value_name contexts[] = { { 0, "task" }, { 2, "hardirq" } };
#define CONTEXT                                                                   \
	{                                                                         \
		.name = "context", .offset = 16, .size = 4, .repr = XTR_REPR_U32, \
		.names_kind = XTR_NAMES_ENUM, .n_names = 2, .names = contexts     \
	}
static const struct xtr_field alloc_fields[] = { CONTEXT, F("size", 24, 8, U64) };
static const struct xtr_field result_fields[] = { CONTEXT, F("ret", 24, 4, HEX32) };
static const struct xtr_field create_fields[] = { CONTEXT, F("size", 24, 8, U64),
						  F("flags", 32, 4, HEX32) };
static const struct xtr_field created_fields[] = { CONTEXT, F("ret", 24, 4, S32),
						   F("handle", 32, 4, U32) };
static const struct xtr_field bare_fields[] = { CONTEXT };

enum type {
	SWITCH,
	ENTER,
	EXIT,
	IRQ_IN,
	IRQ_OUT,
	MEM,
	FREQ,
	VBLANK,
	ODD,
	ALLOC,
	ALLOCED,
	CREATE,
	CREATED,
	HANDLER,
	HANDLED,
	OPEN,
	TYPES
};

#define EVENT(i, name_, size_, f)      \
	[i] = { .name = name_,         \
		.type = DYNAMIC + (i), \
		.size = size_,         \
		.fields = f,           \
		.n_fields = sizeof(f) / sizeof((f)[0]) }
static const struct xtr_event_desc events[TYPES] = {
	EVENT(SWITCH, "sched:sched_switch", 40, sched_fields),
	EVENT(ENTER, "syscalls:sys_enter_ioctl", 24, enter_fields),
	EVENT(EXIT, "syscalls:sys_exit_ioctl", 32, exit_fields),
	EVENT(IRQ_IN, "irq:irq_handler_entry", 24, irq_fields),
	EVENT(IRQ_OUT, "irq:irq_handler_exit", 24, irq_fields),
	EVENT(MEM, "gpu_mem:gpu_mem_total", 32, mem_fields),
	EVENT(FREQ, "power:gpu_frequency", 24, freq_fields),
	EVENT(VBLANK, "drm:drm_vblank_event", 32, vblank_fields),
	EVENT(ODD, "odd:any_bytes", 64, odd_fields),
	EVENT(ALLOC, "api:libze_loader.so.1:zeMemAllocHost", 32, alloc_fields),
	EVENT(ALLOCED, "api:libze_loader.so.1:zeMemAllocHost:ret", 32, result_fields),
	EVENT(CREATE, "func:intel_vpu:ivpu_bo_create_ioctl", 40, create_fields),
	EVENT(CREATED, "func:intel_vpu:ivpu_bo_create_ioctl:ret", 40, created_fields),
	EVENT(HANDLER, "func:intel_vpu:ivpu_hw_irq_handler", 24, bare_fields),
	EVENT(HANDLED, "func:intel_vpu:ivpu_hw_irq_handler:ret", 32, result_fields),
	EVENT(OPEN, "func:intel_vpu:ivpu_open", 24, bare_fields), /* entries only */
};

/* A record of a dynamic event. */
struct rec {
	struct xtr_rec h;
	uint32_t a, b;
	uint64_t c, d, e, f, g;
};

static const struct {
	uint32_t tid, pid;
	const char *comm;
	uint64_t client;
	uint32_t flags;
} thread[THREADS] = {
	{ 1000, 1000, "game", 9, XTR_JOB_CLIENT_KNOWN },
	{ 1001, 1000, "game:render", 9, XTR_JOB_CLIENT_KNOWN },
	{ 2000, 2000, "ev\x1b[31m,\"\xff\n'<", 1ull << 40, XTR_JOB_CLIENT_KNOWN },
	{ 77, 77, "kworker/u8:2", 18446744073709551609ull, XTR_JOB_CLIENT_KNOWN | XTR_JOB_KTHREAD },
	{ OPEN_TID, 0, NULL, 0, 0 },
};

static uint64_t state;
static uint32_t n_jobs;

static uint64_t rnd(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 2685821657736338717u >> 11) % below;
}

static void emit(struct gen *g, uint64_t ts, enum type type, struct rec r)
{
	put(g, &r, ts, (uint16_t)events[type].type, (uint16_t)events[type].size);
}

static void describe(struct gen *g)
{
	const uint8_t boot[16] = { 9, (uint8_t)n_jobs, (uint8_t)(n_jobs >> 8) };

	g->file_id = 1000 + n_jobs;
	must(xtr_meta_set_clock(g->meta, "monotonic", boot, 1), "clock");
	for (size_t i = 0; i < TYPES; i++)
		must(xtr_meta_add_event(g->meta, &events[i]), events[i].name);
	device(g, "0000:03:00.0", "amdgpu");
	device(g, "0000:c1:00.0", "amdgpu");
	device(g, "0000:00:02.0", "xe");
	for (size_t i = 0; i < RINGS; i++)
		ring(g, (uint32_t)i + 1, ring_of[i].device, ring_of[i].name, ring_of[i].limit);
	for (size_t i = 0; i < THREADS; i++)
		if (thread[i].comm)
			task(g, thread[i].tid, thread[i].pid, thread[i].comm,
			     strlen(thread[i].comm));
}

/* A thread's number is used again for a thread of another process. */
static void reuse_thread(struct gen *g, uint64_t since)
{
	struct xtr_task t = { .tid = 1001, .pid = 3000, .since = BEGIN + since };

	t.comm = intern(g, "reused", 6);
	must(xtr_tables_add_task(g->tables, &t), "task");
}

/* What one job is. */
struct job {
	uint64_t ctx, seqno, queue, run, done;
	uint32_t on, who;
};

static struct {
	uint64_t seqno, done[8], order;
} line[RINGS];

/* Rings with an order finish in it, with up to `limit` jobs at once; the others as they like. */
static void plan(struct job *j, uint64_t now)
{
	uint32_t limit = ring_of[j->on].limit > 8 ? 8 : ring_of[j->on].limit;
	uint64_t n = line[j->on].order++, *slot = &line[j->on].done[n % limit];

	j->queue = now;
	j->run = now + 500 + rnd(8 * US);
	if (j->run < *slot)
		j->run = *slot + rnd(2 * US);
	j->done = j->run + (rnd(20) ? rnd(60 * US) : 0);
	if (ring_of[j->on].ordered && n && j->done < line[j->on].done[(n - 1) % limit])
		j->done = line[j->on].done[(n - 1) % limit] + (rnd(3) ? rnd(5 * US) : 0);
	*slot = j->done;
}

static void wait_for(struct gen *g, const struct job *j, const struct job *other, uint32_t n)
{
	uint32_t i, flags = rnd(3) ? 0 : XTR_JOB_DEP_SCHEDULED;
	uint16_t type = rnd(2) ? XTR_EV_JOB_UNSCHEDULABLE : XTR_EV_JOB_WAIT_DEP;

	for (i = 0; i < n; i++)
		dep(g, type, j->queue + 1 + i, j->ctx, j->seqno, n > 1 ? 9000 + i : other->ctx,
		    n > 1 ? i : other->seqno, j->on + 1, flags);
}

static void interrupt(struct gen *g, uint64_t ts)
{
	struct rec in = { .a = 42, .b = intern(g, "amd\"gpu", 7) };

	g->tid = 0;
	emit(g, ts - 200, IRQ_IN, in);
	if (!rnd(3)) { /* of whatever thread it interrupts */
		g->tid = thread[rnd(THREADS)].tid;
		emit(g, ts - 150, HANDLER, (struct rec){ .a = 2 });
		emit(g, ts + 250, HANDLED, (struct rec){ .a = 2, .c = 1 });
		g->tid = 0;
	}
	emit(g, ts + 300, IRQ_OUT, (struct rec){ .a = 42 });
}

/* A library's call and what it does in the kernel; some never return, of some only that is seen. */
static void allocate(struct gen *g, uint64_t ts, uint64_t i)
{
	uint64_t fate = rnd(12);

	if (fate)
		emit(g, ts, ALLOC, (struct rec){ .c = i << 12 });
	emit(g, ts + 10, CREATE, (struct rec){ .c = i << 12, .d = i % 4 });
	if (fate != 1)
		emit(g, ts + 30, CREATED, (struct rec){ .c = fate == 2 ? 0xfffffff4 : 0, .d = i });
	if (fate != 3)
		emit(g, ts + 50, ALLOCED, (struct rec){ .c = fate == 2 ? 0x70000002 : 0 });
	if (fate == 4)
		emit(g, ts + 60, OPEN, (struct rec){ 0 });
}

/* The submitter's call around the queue event; one thread now and then waits in it. */
static void submit(struct gen *g, const struct job *j)
{
	struct xtr_rec_fence r = { .ctx = j->ctx, .seqno = j->seqno };
	bool together;

	g->tid = thread[j->who].tid;
	g->flags = thread[j->who].flags;
	g->client = thread[j->who].client;
	emit(g, j->queue - 400, ENTER, (struct rec){ .a = 16, .b = 3 });
	allocate(g, j->queue - 300, j->seqno);
	queue(g, j->queue, j->ctx, j->seqno, j->on + 1);
	if (!rnd(4)) { /* some begin with the call */
		together = !rnd(4);
		put(g, &r, together ? j->queue - 400 : j->queue + 200, XTR_EV_FENCE_WAIT_START,
		    sizeof(r));
		put(g, &r, together ? j->queue + 400 : j->queue + 300, XTR_EV_FENCE_WAIT_END,
		    sizeof(r));
	}
	emit(g, j->queue + 400, EXIT, (struct rec){ .a = 16, .c = rnd(5) ? 0 : (uint64_t)-EINTR });
	g->flags = 0;
}

static void others(struct gen *g, uint64_t ts, uint32_t i)
{
	struct rec odd = { .c = UINT64_MAX, .d = 1ull << 63, .g = 0xfedcba9876543210u };

	memcpy(&odd.a, &odd.c, 8);
	memcpy(&odd.d, "a\"b\\c\n\xff\xc3\x28\x01 x\x7f.,", 16);
	odd.c = (uint64_t)-1234567890123ll;
	if (i % 7 == 0)
		emit(g, ts, MEM, (struct rec){ .a = i % 2, .b = 1000, .c = i * 4096ull << 20 });
	if (i % 11 == 0)
		emit(g, ts + 10, FREQ, (struct rec){ .a = 300000 + i, .b = 0 });
	if (i % 13 == 0)
		emit(g, ts + 20, VBLANK, (struct rec){ .a = i % 2, .b = i, .c = BEGIN + ts - 30 });
	if (i % 17 == 0)
		emit(g, ts + 30, ODD, odd);
}

static void switch_thread(struct gen *g, uint64_t ts)
{
	static uint32_t on[CPUS];
	uint32_t k = (uint32_t)rnd(THREADS + 1), next = k < THREADS ? thread[k].tid : 0;
	const char *comm = k < THREADS && thread[k].comm ? thread[k].comm : "swapper";
	struct rec r = { .a = on[g->cpu], .b = next };

	memcpy(&r.c, comm, strnlen(comm, sizeof(r.c)));
	g->tid = on[g->cpu];
	on[g->cpu] = next;
	emit(g, ts, SWITCH, r);
}

/* The life of a job after its submission; some lack a part of it. */
static void live(struct gen *g, const struct job *j)
{
	uint32_t fate = (uint32_t)rnd(60);
	uint32_t on = j->on == 2 && !rnd(20) ? 3 : j->on; /* moved to another ring */

	g->tid = 300 + j->on;
	if (fate == 0) { /* killed in the queue */
		signaled(g, j->run, j->ctx, j->seqno, -ESRCH);
		return;
	}
	if (fate == 1) /* never run */
		return;
	if (fate != 2)
		run(g, j->run, j->ctx, j->seqno, fate == 3 ? 99 : on + 1);
	if (fate == 4) /* never done */
		return;
	g->cpu = 1;
	g->tid = 0;
	done(g, j->done, j->ctx, j->seqno, on + 1);
	interrupt(g, j->done);
	g->tid = 0;
	if (fate < 40)
		signaled(g, j->done + 100, j->ctx, j->seqno, fate == 5 ? -ETIME : 0);
	g->cpu = 0;
}

static void name(struct job *j)
{
	j->ctx = 11 + 2 * j->on;
	j->seqno = ++line[j->on].seqno;
	if (j->on == 5) { /* numbers that no double holds */
		j->ctx = UINT64_MAX - 2;
		j->seqno = UINT64_MAX - 100000 + j->seqno;
	}
	if (!rnd(50) && j->seqno > 40) /* a fence used again */
		j->seqno -= 30;
}

/*
 * Readings that take from 0.2 to 5 us and are off by a part of that. Half way the wall clock is set
 * 3 s forward; with an odd number of jobs the machine also sleeps 5 s before the last.
 */
static void clocks(struct gen *g, uint64_t end)
{
	static const uint32_t took[] = { 900, 400, 5000, 300, 2000, 200 };
	const uint64_t n = sizeof(took) / sizeof(took[0]);
	uint64_t ns;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t slept = i == n - 1 && n_jobs % 2 ? 5000000000 : 0;
		struct xtr_clock_reading *c = g->clock[g->n_clocks];

		ns = BEGIN + end / (n - 1) * i;
		g->clock_ns[g->n_clocks] = ns;
		g->clock_took[g->n_clocks++] = took[i];
		c[0] = (struct xtr_clock_reading){ "boottime", ns + 7654321 + took[i] / 3 + slept };
		c[1] = (struct xtr_clock_reading){ "realtime", ns + 1700000000123456789ull + slept +
								       (i > n / 2) * 3000000000 };
	}
}

static void tangle(struct gen *g)
{
	struct job j = { 0 }, last = { .ctx = 4711, .seqno = 1 };
	uint64_t now = 20 * US;

	describe(g);
	for (uint32_t i = 0; i < n_jobs; i++, last = j) {
		now += 3 * US + rnd(20 * US);
		j.on = (uint32_t)rnd(RINGS);
		j.who = (uint32_t)rnd(THREADS);
		name(&j);
		plan(&j, now);
		if (i == n_jobs / 3) {
			g->lose_from = now;
			g->lose_to = now + n_jobs * US;
			reuse_thread(g, now);
		}
		submit(g, &j);
		if (!rnd(3))
			wait_for(g, &j, &last, 1);
		else if (!rnd(40))
			wait_for(g, &j, &last, 20);
		live(g, &j);
		others(g, now + 900, i);
		g->cpu = i % CPUS;
		switch_thread(g, now + 700);
		g->cpu = 0;
	}
	clocks(g, now);
	gen_tell_losses(g);
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: gen SEED JOBS OUTPUT\n");
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
	n_jobs = (uint32_t)strtoul(argv[2], NULL, 10);
	gen_write(argv[3], tangle);
	return 0;
}
