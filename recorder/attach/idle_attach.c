/* SPDX-License-Identifier: BSD-2-Clause */
#include "idle_attach.h"
#include "attach.h"
#include "idle.skel.h"
#include "recorder/host/caps.h"
#include "recorder/host/util.h"
#include "xtr.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct xtr_idle_bpf {
	struct idle *skel; /* NULL: this kernel refuses the programs */
};

/* --- loading ---------------------------------------------------------------------------------- */

/* The maps are those of the first object. */
static int share_maps(struct idle *skel, const struct xtr *with)
{
	const struct {
		struct bpf_map *map, *with;
	} shared[] = {
		{ skel->maps.xtr_rings, with->maps.xtr_rings },
		{ skel->maps.xtr_ctl, with->maps.xtr_ctl },
		{ skel->maps.xtr_counts, with->maps.xtr_counts },
		{ skel->maps.xtr_cpus, with->maps.xtr_cpus },
		{ skel->maps.xtr_tasks, with->maps.xtr_tasks },
		{ skel->maps.xtr_cgroups, with->maps.xtr_cgroups },
		{ skel->maps.xtr_last_task, with->maps.xtr_last_task },
		{ skel->maps.xtr_pids, with->maps.xtr_pids },
		{ skel->maps.xtr_tokens, with->maps.xtr_tokens },
		{ skel->maps.xtr_totals, with->maps.xtr_totals },
		{ skel->maps.xtr_stack_ids, with->maps.xtr_stack_ids },
		{ skel->maps.xtr_last_stack, with->maps.xtr_last_stack },
		{ skel->maps.xtr_followed, with->maps.xtr_followed },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_LEN(shared) && !err; i++)
		err = bpf_map__reuse_fd(shared[i].map, bpf_map__fd(shared[i].with));
	return err;
}

static int prepare(struct idle *skel, const struct xtr_bpf *b, const struct xtr_selection *sel,
		   const struct xtr_record_opts *opts)
{
	skel->rodata->xtr_n_slots = b->n_slots;
	skel->rodata->xtr_half_full = b->ring_bytes / 2;
	skel->rodata->xtr_filter = opts->n_pids != 0;
	skel->rodata->xtr_stacks = true;
	skel->rodata->xtr_idle_stacks = true;
	skel->rodata->xtr_budgeted = sel->budget;
	skel->rodata->xtr_choosy = opts->n_pids || sel->budget;
	skel->rodata->xtr_total_mask = b->n_total_sets - 1;
	skel->rodata->xtr_sample_period = (uint32_t)(NS_PER_S / opts->idle_hz);
	return share_maps(skel, b->skel);
}

int xtr_idle_bpf_load(struct xtr_bpf *b, const struct xtr_selection *sel,
		      const struct xtr_record_opts *opts)
{
	LIBBPF_OPTS(bpf_object_open_opts, how, .btf_custom_path = b->btf.path);
	struct idle *skel;

	if (!opts->idle_hz)
		return 0;
	b->idle = calloc(1, sizeof(*b->idle));
	if (!b->idle)
		return -ENOMEM;
	skel = idle__open_opts(&how);
	if (skel && !prepare(skel, b, sel, opts) && !idle__load(skel))
		b->idle->skel = skel;
	else
		idle__destroy(skel);
	return 0;
}

void xtr_idle_bpf_free(struct xtr_idle_bpf *idle)
{
	if (!idle)
		return;
	idle__destroy(idle->skel);
	free(idle);
}

/* --- attaching -------------------------------------------------------------------------------- */

static int sample_cpu(struct xtr_bpf *b, uint32_t cpu, uint32_t hz)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = NS_PER_S / hz,
	};
	int prog = bpf_program__fd(b->idle->skel->progs.xtr_cpu_sample), link, err;
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	link = bpf_link_create(prog, fd, BPF_PERF_EVENT, NULL);
	err = link < 0 ? -errno : xtr_bpf_hold(b, link);
	close(fd);
	return err;
}

/* One event on each CPU that is online now. */
static int sample_all(struct xtr_bpf *b, uint32_t hz)
{
	bool any = false;
	int err = -ENODEV;

	for (uint32_t i = 0; i < b->n_cpus; i++) {
		err = sample_cpu(b, i, hz);
		if (err && err != -ENODEV)
			return err;
		any |= !err;
	}
	return any ? 0 : err;
}

/* A program that records events has its misses counted; slot 0: it records none. */
static int attach_raw(struct xtr_bpf *b, struct bpf_program *prog, const char *tracepoint,
		      uint32_t slot)
{
	struct bpf_link *link = bpf_program__attach_raw_tracepoint(prog, tracepoint);

	return link ? xtr_bpf_hold_link(b, link, slot ? bpf_program__fd(prog) : -1, slot) : -errno;
}

static int attach_off(struct xtr_bpf *b, uint32_t hz)
{
	(void)hz;
	return attach_raw(b, b->idle->skel->progs.xtr_thread_off, "sched_switch",
			  XTR_EV_THREAD_OFF);
}

/* Without the wake-ups it is not known how long a thread waited for a CPU: the records say so. */
static int attach_on(struct xtr_bpf *b, uint32_t hz)
{
	int err =
		attach_raw(b, b->idle->skel->progs.xtr_thread_on, "sched_switch", XTR_EV_THREAD_ON);

	(void)hz;
	if (!err)
		(void)attach_raw(b, b->idle->skel->progs.xtr_thread_woken, "sched_waking", 0);
	return err;
}

static const struct {
	uint32_t type;
	const char *attach, *target;
	int (*run)(struct xtr_bpf *b, uint32_t hz);
} rows[] = {
	{ XTR_EV_CPU_SAMPLE, "perf_event", "cpu-clock", sample_all },
	{ XTR_EV_THREAD_OFF, "raw_tp", "sched_switch", attach_off },
	{ XTR_EV_THREAD_ON, "raw_tp", "sched_switch", attach_on },
};

int xtr_idle_attach(struct xtr_bpf *b, const struct xtr_record_opts *opts)
{
	bool loaded = b->idle && b->idle->skel;
	int n = 0, err;

	for (size_t i = 0; opts->idle_hz && i < ARRAY_LEN(rows); i++) {
		const char *why = !b->skel  ? "needs a BPF program"
				  : !loaded ? "this kernel refuses the programs"
					    : NULL;

		err = loaded ? rows[i].run(b, (uint32_t)opts->idle_hz) : 0;
		if (err == -ENOMEM)
			return err;
		why = err ? xtr_perf_why(err) : why;
		if (!xtr_bpf_result(b, rows[i].type, xtr_builtin_event(rows[i].type)->name,
				    rows[i].attach, rows[i].target,
				    why ? XTR_PROVIDER_REFUSED : XTR_PROVIDER_ATTACHED, why))
			return -ENOMEM;
		n += !why;
	}
	return n;
}

/* --- while recording -------------------------------------------------------------------------- */

struct bpf_program *xtr_idle_died(const struct xtr_bpf *b)
{
	return b->idle && b->idle->skel ? b->idle->skel->progs.xtr_died : NULL;
}

void xtr_idle_bpf_phase(struct xtr_bpf *b, uint32_t phase)
{
	if (b->idle && b->idle->skel)
		__atomic_store_n(&b->idle->skel->bss->xtr_phase, phase, __ATOMIC_SEQ_CST);
}

void xtr_idle_bpf_budget(struct xtr_bpf *b, uint32_t level)
{
	if (b->idle && b->idle->skel)
		__atomic_store_n(&b->idle->skel->bss->xtr_budget_level, level, __ATOMIC_SEQ_CST);
}
