/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a trace whose jobs have stacks, as xtr record --stack makes it on a machine with a GPU:
 * rings that execute in order and one that does not, jobs without a stack, open and lost ones,
 * dependencies, threads that wait for fences. The same bytes each time.
 *
 * usage: stacks plain|hostile|buffers|idle OUTPUT
 *   hostile: names of functions, files and threads mean harm
 *   buffers: no jobs, but calls of the Intel NPU's driver and library that make buffers, with
 * stacks
 *   idle: as record --idle-stacks makes it, of a thread whose every moment is known
 */
#include "tests/golden/gen.h"

#include <stdbool.h>

#define JOBS   600u
#define STACKS 12u

static const char *const plain[] = { "main",
				     "frame_loop",
				     "draw",
				     "upload",
				     "glFlush",
				     "amdgpu_cs_submit",
				     "entry_SYSCALL_64",
				     "drm_ioctl",
				     "drm_sched_entity_push_job",
				     "bpf_trace_run2",
				     "bpf_prog_6deef7357e7b4530_drm_sched_job" };
static const char *const hostile[] = { "<script>alert(1)</script>",
				       "a;b",
				       "new\nline 12",
				       "\"quoted' & more>",
				       "\x1b[31mred",
				       "\xff\xfe not UTF-8",
				       "]]>--><!--",
				       "\xef\xbf\xbf\xe2\x80\xae",
				       "back\\slash 7",
				       "bpf_trace_run2x",
				       "bpf_prog_\n" };
static const char *const modules[] = { "/usr/bin/game",
				       "/usr/lib/libGL.so.1",
				       "/usr/bin/game",
				       "",
				       "/usr/lib/libdrm.so.2",
				       "/usr/lib/libdrm.so.2",
				       "kernel",
				       "drm",
				       "gpu_sched",
				       "kernel",
				       "bpf" };
static bool evil;

static uint32_t frame(struct gen *g, unsigned int i)
{
	const char *symbol = evil ? hostile[i] : plain[i];
	const char *module = evil && i == 4 ? "/lib/<&\">;\n.so" : modules[i];
	struct xtr_frame f = { .symbol = intern(g, symbol, strlen(symbol)),
			       .offset = 0x10 + i,
			       .module = *module ? intern(g, module, strlen(module)) : 0 };
	uint32_t id;

	if (i == 3) /* not even a name */
		f.symbol = 0;
	must(xtr_tables_intern_frame(g->tables, &f, &id), "frame");
	return id;
}

/* Innermost first; user frames 0 to 5 in different numbers, always the same kernel's, of which
 * the innermost two are the recorder's program and what ran it. */
static void stacks(struct gen *g)
{
	uint32_t ids[11], n, i;

	for (uint32_t id = 1; id <= STACKS; id++) {
		for (n = 0, i = 10; i >= 6; i--)
			ids[n++] = frame(g, i);
		for (i = 5; i > 0; i--)
			if ((id * 5 + 3) >> (i - 1) & 1)
				ids[n++] = frame(g, i);
		ids[n++] = frame(g, 0);
		must(xtr_tables_add_stack(g->tables, id, ids, n), "stack");
	}
}

static void rings(struct gen *g)
{
	const char *comm = evil ? "g<a>;m\ne" : "game";

	device(g, "0000:03:00.0", "amdgpu");
	device(g, "0000:00:02.0", "xe");
	ring(g, 1, "0000:03:00.0", "gfx_0.0.0", 2);
	ring(g, 2, "0000:03:00.0", "sdma0", 1);
	ring(g, 3, "0000:00:02.0", "rcs12", 64);
	task(g, 4200, 4200, comm, strlen(comm));
	task(g, 4242, 4200, "game:gdrv0", 10);
	task(g, 5000, 5000, "editor", 6);
}

static void wait_for(struct gen *g, uint64_t from, uint64_t to, uint64_t ctx, uint64_t seqno)
{
	struct xtr_rec_fence_stack r = { .ctx = ctx, .seqno = seqno };

	r.ops = intern(g, "drm_sched_fence_ops_finished", 28);
	r.stack = (uint32_t)(from / US % (STACKS + 1)); /* 0: none */
	put(g, &r, from, XTR_EV_FENCE_WAIT_START, sizeof(r));
	if (to)
		put(g, &r, to, XTR_EV_FENCE_WAIT_END, sizeof(struct xtr_rec_fence));
}

static void fill(struct gen *g)
{
	uint64_t t = 0, i, last[4] = { 0 }; /* last: done of the ring's job before */

	rings(g);
	stacks(g);
	for (i = 1; i <= JOBS; i++) {
		uint32_t on = (uint32_t)(i % 3) + 1;
		uint64_t ctx = 10 * on + 1, run_at = t + 20 * US + i * 7919 % 100000;
		uint64_t from = on < 3 && last[on] > run_at ? last[on] : run_at;
		uint64_t done_at = from + 20 * US + i * 104729 % (on < 3 ? 300000 : 900000);

		g->tid = i % 5 ? 4242 : 5000;
		last[on] = done_at;
		/* 0: none; 13: one that is not in the file */
		g->stack = i % 50 == 7 ? STACKS + 1 : (uint32_t)(i * 7 % 13);
		queue(g, t, ctx, i, on);
		g->stack = 0;
		if (i % 17 == 3)
			dep(g, XTR_EV_JOB_UNSCHEDULABLE, t + 1 * US, ctx, i, 11, i - 1, on, 0);
		if (i % 41)
			run(g, run_at, ctx, i, on);
		if (i % 43)
			done(g, done_at, ctx, i, on);
		if (i % 10 == 1)
			wait_for(g, run_at + 1 * US, i % 30 == 1 ? 0 : done_at + 5 * US, ctx, i);
		if (i % 20 == 2)
			wait_for(g, t + 2 * US, t + 9 * US, 900, i);
		t += 60 * US + i * 31337 % 200000;
	}
}

/* --- buffers ---------------------------------------------------------------------------------- */

enum {
	CREATE = 1030, /* the return is the next type */
	USERPTR = 1032,
	WAIT = 1034,
	ALLOCATE = 1036
};

static const struct xtr_field entry_fields[] = {
	{ "size", "bytes", 16, 8, XTR_REPR_U64, .sens = XTR_SENS_PLAIN },
	{ "stack", NULL, 24, 4, XTR_REPR_STACK, .sens = XTR_SENS_PLAIN },
};
static const struct xtr_field return_fields[] = {
	{ "ret", NULL, 16, 4, XTR_REPR_S32, .sens = XTR_SENS_PLAIN },
};

struct call_rec {
	struct xtr_rec h;
	uint64_t size;
	uint32_t stack, pad;
};

static void describe(struct gen *g, uint32_t type, const char *name, bool sized)
{
	char ret[96];
	struct xtr_event_desc d = { .name = name,
				    .type = type,
				    .size = 32,
				    .n_fields = sized ? 2 : 1,
				    .fields = sized ? entry_fields : entry_fields + 1 };

	must(xtr_meta_add_event(g->meta, &d), name);
	snprintf(ret, sizeof(ret), "%s:ret", name);
	d = (struct xtr_event_desc){
		.name = ret, .type = type + 1, .size = 24, .n_fields = 1, .fields = return_fields
	};
	must(xtr_meta_add_event(g->meta, &d), ret);
}

/* from, to: us; 0: this half is missing. */
static void call(struct gen *g, uint32_t type, uint64_t from, uint64_t to, uint64_t size,
		 uint32_t stack, int32_t ret)
{
	struct call_rec r = { .size = size, .stack = stack };

	if (from)
		put(g, &r, from * US, (uint16_t)type, 32);
	r.size = (uint32_t)ret;
	if (to)
		put(g, &r, to * US, (uint16_t)(type + 1), 24);
}

static void buffers(struct gen *g)
{
	uint64_t t = 100;

	rings(g);
	stacks(g);
	describe(g, CREATE, "func:intel_vpu:ivpu_bo_create_ioctl", true);
	describe(g, USERPTR, "func:intel_vpu:ivpu_bo_create_from_userptr_ioctl", true);
	describe(g, WAIT, "func:intel_vpu:ivpu_bo_wait_ioctl", false);
	describe(g, ALLOCATE, "api:ze_loader:zeMemAllocDevice", true);
	for (uint64_t i = 1; i <= 200; i++, t += 100) {
		uint32_t stack = (uint32_t)(i * 7 % 13);
		uint64_t size = i % 9 ? i * 4096 : 0;

		g->tid = i % 5 ? 4242 : 5000;
		if (i % 4 == 0) { /* by the library, which asks for more than it was asked for */
			call(g, ALLOCATE, t, t + 50, size, stack, 0);
			call(g, CREATE, t + 10, t + 30, size + 64, stack, 0);
		} else if (i % 10 == 3) {
			call(g, USERPTR, t, t + 20, size, stack, i % 3 ? 0 : -EINVAL);
		} else if (i % 10 == 5) {
			call(g, WAIT, t, t + 20, size, stack, 0);
		} else if (i % 100 == 7) {
			call(g, CREATE, t, 0, size, stack, 0);
		} else if (i % 100 == 57) { /* a thread that began nothing else */
			g->tid = 4200;
			call(g, CREATE, 0, t, size, stack, 0);
		} else {
			call(g, CREATE, t, t + 5, size, stack, i % 11 ? 0 : -ENOMEM);
		}
	}
}

/* --- idle ------------------------------------------------------------------------------------- */

enum {
	PREPARE = 1,
	SLEEP,
	UPLOAD
};

static uint32_t named(struct gen *g, const char *symbol, const char *module)
{
	struct xtr_frame f = { .symbol = intern(g, symbol, strlen(symbol)),
			       .module = intern(g, module, strlen(module)) };
	uint32_t id;

	must(xtr_tables_intern_frame(g->tables, &f, &id), "frame");
	return id;
}

static void idle_stacks(struct gen *g)
{
	const uint32_t caller = named(g, "main", "/usr/bin/game"),
		       prepare[] = { named(g, "prepare_frame", "/usr/bin/game"), caller },
		       upload[] = { named(g, "upload", "/usr/lib/libdrm.so.2"), caller },
		       sleep[] = { named(g, "bpf_prog_6deef7357e7b4530_xtr_thread_off", "bpf"),
				   named(g, "bpf_trace_run4", "kernel"),
				   named(g, "__schedule", "kernel"),
				   named(g, "clock_nanosleep", "/usr/lib/libc.so.6"),
				   named(g, "wait_for_input", "/usr/bin/game"),
				   caller };

	must(xtr_tables_add_stack(g->tables, PREPARE, prepare, 2), "stack");
	must(xtr_tables_add_stack(g->tables, SLEEP, sleep, 6), "stack");
	must(xtr_tables_add_stack(g->tables, UPLOAD, upload, 2), "stack");
}

static void sample_at(struct gen *g, uint64_t at, uint32_t stack)
{
	struct xtr_rec_cpu_sample r = { .period = 1 * MS, .stack = stack };

	put(g, &r, at, XTR_EV_CPU_SAMPLE, sizeof(r));
}

/*
 * 20 times: a job executes for 2 ms, 0.1 ms after it was queued. Meanwhile the thread prepares the
 * next one until 5 ms after that, sleeps for 2 ms, waits for a CPU for 1 ms and uploads for 2 ms.
 * Another thread computes all the time.
 */
static void idle(struct gen *g)
{
	struct xtr_rec_thread_off off = { .state = 1, .stack = SLEEP };
	struct xtr_rec_thread_on on = { .off = 3 * MS, .waited = 1 * MS, .state = 1, .known = 3 };

	for (uint32_t type = XTR_EV_CPU_SAMPLE; type <= XTR_EV_THREAD_ON; type++)
		must(xtr_meta_add_event(g->meta, xtr_builtin_event(type)), "event");
	rings(g);
	idle_stacks(g);
	for (uint64_t i = 0, t = 0; i < 20; i++, t += 10 * MS) {
		g->tid = 4242;
		queue(g, t, 11, i + 1, 1);
		run(g, t + 100 * US, 11, i + 1, 1);
		done(g, t + 2100 * US, 11, i + 1, 1);
		for (uint64_t at = 500 * US; at < 10 * MS; at += MS) {
			g->tid = 5000;
			sample_at(g, t + at + 1 * US, PREPARE);
			g->tid = 4242;
			if (at < 5 * MS || at > 8 * MS)
				sample_at(g, t + at, at < 5 * MS ? PREPARE : UPLOAD);
		}
		put(g, &off, t + 5 * MS, XTR_EV_THREAD_OFF, sizeof(off));
		put(g, &on, t + 8 * MS, XTR_EV_THREAD_ON, sizeof(on));
	}
}

int main(int argc, char **argv)
{
	static const char *const kinds[] = { "plain", "hostile", "buffers", "idle" };
	static void (*const fills[])(struct gen *) = { fill, fill, buffers, idle };
	size_t kind = 0;

	while (argc == 3 && kind < 4 && strcmp(argv[1], kinds[kind]))
		kind++;
	if (argc != 3 || kind == 4) {
		fprintf(stderr, "usage: stacks plain|hostile|buffers|idle OUTPUT\n");
		return 2;
	}
	evil = kind == 1;
	gen_write_as(argv[2], fills[kind], true);
	return 0;
}
