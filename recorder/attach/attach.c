/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach.h"
#include "func_attach.h"
#include "function_load.h"
#include "idle_attach.h"
#include "recorder/host/caps.h"
#include "recorder/host/util.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "xtr.skel.h"

/* One attachment: a libbpf link, or a descriptor that holds it. */
struct xtr_hook_link {
	struct bpf_link *link;
	int fd;        /* -1: none */
	int prog;      /* -1, or its raw tracepoint program, whose misses are counted for slot */
	bool own_prog; /* to be closed */
	int classic;   /* -1, or the program that records slot's events, and maybe others' */
	uint32_t slot;
	uint64_t misses; /* of prog before recording; of classic: while recording */
};

static struct xtr_hook_link *add_link(struct xtr_bpf *b)
{
	struct xtr_hook_link *more = reallocarray(b->links, b->n_links + 1, sizeof(*more));

	if (!more)
		return NULL;
	b->links = more;
	more[b->n_links] = (struct xtr_hook_link){ .fd = -1, .prog = -1, .classic = -1 };
	return &more[b->n_links++];
}

int xtr_bpf_hold(struct xtr_bpf *b, int fd)
{
	struct xtr_hook_link *l = add_link(b);

	if (!l) {
		close(fd);
		return -ENOMEM;
	}
	l->fd = fd;
	return 0;
}

int xtr_bpf_hold_link(struct xtr_bpf *b, struct bpf_link *link, int prog, uint32_t slot)
{
	struct xtr_hook_link *l = add_link(b);

	if (!l) {
		bpf_link__destroy(link);
		return -ENOMEM;
	}
	l->link = link;
	l->prog = prog;
	l->slot = slot;
	return 0;
}

static struct bpf_link *attach_program(const struct xtr_bpf *b, const struct xtr_hook *h,
				       const struct bpf_program *prog)
{
	if (xtr_bpf_typed(b->skel, h))
		return bpf_program__attach_trace(prog);
	return bpf_program__attach_raw_tracepoint(prog, h->tracepoint);
}

/* Behind the first, so that they run after it. Without one, more is counted as lost. */
static void attach_next(struct xtr_bpf *b, const struct xtr_hook *h)
{
	for (uint32_t n = 2; n <= XTR_PROGRAMS_MAX; n++) {
		struct bpf_program *prog = xtr_bpf_next(b->skel, h, n);
		struct xtr_hook_link *l;

		if (!prog || bpf_program__fd(prog) < 0)
			return;
		l = add_link(b);
		if (l)
			l->link = attach_program(b, h, prog);
	}
}

static int attach_hook(struct xtr_bpf *b, const struct xtr_hook *h)
{
	struct bpf_program *prog = xtr_bpf_program(b, h->prog);
	struct xtr_hook_result *r;
	struct xtr_hook_link *l;
	char why[120] = "";
	int err;

	if (!prog || bpf_program__fd(prog) < 0)
		return 0; /* not wanted, or already noted as missing or refused */
	l = add_link(b);
	if (!l)
		return -ENOMEM;
	l->link = attach_program(b, h, prog);
	l->prog = bpf_program__fd(prog);
	l->slot = h->type;
	err = l->link ? 0 : -errno;
	if (err)
		snprintf(why, sizeof(why), "%s",
			 err == -ENOENT ? "this kernel has no such tracepoint" : strerror(-err));
	r = xtr_bpf_result(b, h->type, h->event, xtr_bpf_typed(b->skel, h) ? "tp_btf" : "raw_tp",
			   h->tracepoint,
			   err == -ENOENT ? XTR_PROVIDER_MISSING
			   : err          ? XTR_PROVIDER_REFUSED
					  : XTR_PROVIDER_ATTACHED,
			   why);
	if (!r)
		return -ENOMEM;
	r->info.module = h->module;
	if (!err)
		attach_next(b, h);
	return !err;
}

/*
 * The program that counts the hits of a tracepoint, in xtr_count.expect of its slot: raw tracepoint
 * programs are not skipped when another program runs on the CPU. A perf event on the same
 * tracepoint would be of no use here: the kernel counts it after the BPF programs, and not when it
 * skipped them (perf_trace_run_bpf_submit).
 */
static int load_counter(const struct xtr_bpf *b, uint32_t slot)
{
	const char *bss = (const char *)b->skel->bss;
	int phase_at = (int)((const char *)&b->skel->bss->xtr_phase - bss);
	int bss_fd = bpf_map__fd(b->skel->maps.bss),
	    counts_fd = bpf_map__fd(b->skel->maps.xtr_counts);
#define INSN(c, d, s, o, i)                                                         \
	{                                                                           \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
	}
	const struct bpf_insn insns[] = {
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_smp_processor_id),
		INSN(BPF_ALU64 | BPF_MUL | BPF_K, 0, 0, 0, (int)b->n_slots),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 0, 0, 0, (int)slot),
		INSN(BPF_STX | BPF_MEM | BPF_W, 10, 0, -4, 0), /* key = cpu * n_slots + slot */
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_VALUE, 0, bss_fd),
		INSN(0, 0, 0, 0, phase_at),
		INSN(BPF_LDX | BPF_MEM | BPF_W, 1, 1, 0, 0),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 1, 0, 8, XTR_PHASE_RUN),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, counts_fd),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1),
		INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, offsetof(struct xtr_count, expect),
		     BPF_ADD),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
#undef INSN
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "xtr_hits", "Dual BSD/GPL", insns,
			       ARRAY_LEN(insns), NULL);

	return fd < 0 ? -errno : fd;
}

/* Count hits beside the generic program. False if the tracepoint is none (syscalls:*). */
static bool attach_counter(struct xtr_bpf *b, const struct xtr_generic *g)
{
	int prog = load_counter(b, g->cfg.slot), fd;
	struct xtr_hook_link *l;

	if (prog < 0)
		return false;
	fd = bpf_raw_tracepoint_open(g->event, prog);
	l = fd < 0 ? NULL : add_link(b);
	if (!l) {
		close(prog);
		if (fd >= 0)
			close(fd);
		return false;
	}
	l->fd = fd;
	l->prog = prog;
	l->own_prog = true;
	l->slot = g->cfg.slot;
	return true;
}

static int open_tracepoint(uint32_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int link_program(struct xtr_bpf *b, int prog, int event, uint32_t cookie, uint32_t slot)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int link = bpf_link_create(prog, event, BPF_PERF_EVENT, &opts), err;

	err = link < 0 ? -errno : xtr_bpf_hold(b, link);
	if (err)
		return err;
	b->links[b->n_links - 1].classic = prog;
	b->links[b->n_links - 1].slot = slot;
	return 0;
}

/*
 * One perf event on CPU 0 is enough: its BPF program runs for the tracepoint's hits on all CPUs.
 * The event itself is switched off again, so that nothing is counted behind the program; the
 * program runs all the same. The link holds the event.
 */
static int attach_classic(struct xtr_bpf *b, const struct xtr_generic *g, uint32_t cookie)
{
	int event = open_tracepoint(g->id), plain, err;

	if (event < 0)
		return event;
	plain = xtr_plain_program(&b->plain, b->skel->progs.xtr_plain, &g->cfg);
	err = plain < 0 ? plain : link_program(b, plain, event, cookie, g->cfg.slot);
	if (err)
		err = link_program(b, bpf_program__fd(b->skel->progs.xtr_generic), event, cookie,
				   g->cfg.slot);
	if (!err)
		ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	close(event);
	return err;
}

static int attach_by_program(struct xtr_bpf *b, struct xtr_generic *g, uint32_t i)
{
	g->cfg.counted = attach_counter(b, g);
	if (bpf_map_update_elem(bpf_map__fd(b->skel->maps.xtr_generic_cfgs), &i, &g->cfg, BPF_ANY))
		return -errno;
	return attach_classic(b, g, i);
}

static int attach_generic(struct xtr_bpf *b, struct xtr_generic *g, uint32_t i)
{
	struct xtr_hook_result *r;
	char why[120] = "";
	int err = 0;

	if (!g->ftrace && !b->skel) {
		err = -ENOTSUP;
		snprintf(why, sizeof(why), "needs a BPF program");
	} else if (!g->ftrace) {
		err = attach_by_program(b, g, i);
		snprintf(why, sizeof(why), "%s", err ? xtr_perf_why(err) : "");
	}
	r = xtr_bpf_result(b, g->desc.type, g->name, g->ftrace ? "ftrace" : "tp", g->name,
			   err ? XTR_PROVIDER_REFUSED : XTR_PROVIDER_ATTACHED, why);
	if (!r)
		return -ENOMEM;
	g->desc.provider = r->info.id;
	return !err;
}

int xtr_bpf_counted_prog(const struct xtr_bpf *b, uint32_t slot)
{
	for (size_t i = 0; i < b->n_links; i++) {
		const struct xtr_hook_link *l = &b->links[i];

		if (l->link && l->prog >= 0 && !l->own_prog && l->slot == slot)
			return l->prog;
	}
	return -1;
}

/* Where it cannot be attached, a recorder that is killed stops bit by bit. */
static void attach_died(struct xtr_bpf *b, struct bpf_program *prog)
{
	uint64_t args[1] = { XTR_DIED_TELL };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	struct xtr_hook_link *l;

	if (!prog || bpf_program__fd(prog) < 0)
		return;
	if (bpf_prog_test_run_opts(bpf_program__fd(prog), &opts))
		return;
	l = add_link(b);
	if (l)
		l->link = bpf_program__attach_raw_tracepoint(prog, "sched_process_exit");
}

static int note_absent(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	for (size_t i = 0; i < sel->n_absent; i++) {
		const struct xtr_absent *a = &sel->absent[i];

		if (!xtr_bpf_result(b, 0, a->name, "tp", a->name, XTR_PROVIDER_MISSING, a->why))
			return -ENOMEM;
	}
	return 0;
}

int xtr_bpf_attach(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	int n = 0, err;

	if (b->skel)
		attach_died(b, b->skel->progs.xtr_died);
	attach_died(b, xtr_probe_died(b));
	attach_died(b, xtr_idle_died(b));
	for (size_t i = 0; b->skel && i < xtr_n_hooks; i++) {
		err = attach_hook(b, &xtr_hooks[i]);
		if (err < 0)
			return err;
		n += err;
	}
	for (size_t i = 0; i < sel->n_generics; i++) {
		err = attach_generic(b, sel->generics[i], (uint32_t)i);
		if (err < 0)
			return err;
		n += err;
	}
	err = note_absent(b, sel) ?: xtr_probes_attach(b, sel);
	return err < 0 ? err : n + err;
}

static void set_phase(struct xtr_bpf *b, uint32_t phase)
{
	if (b->skel)
		__atomic_store_n(&b->skel->bss->xtr_phase, phase, __ATOMIC_SEQ_CST);
	xtr_probe_bpf_phase(b, phase);
	xtr_idle_bpf_phase(b, phase);
}

void xtr_bpf_budget(struct xtr_bpf *b, uint32_t level)
{
	if (b->skel)
		__atomic_store_n(&b->skel->bss->xtr_budget_level, level, __ATOMIC_SEQ_CST);
	xtr_probe_bpf_budget(b, level);
	xtr_idle_bpf_budget(b, level);
}

uint64_t xtr_bpf_prog_misses(int prog)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(prog, &info, &len) ? 0 : info.recursion_misses;
}

uint64_t xtr_bpf_rescued(const struct xtr_bpf *b, uint32_t slot)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->n_cpus; i++)
		sum += b->counts[(size_t)i * b->n_slots + slot].rescued;
	return sum;
}

uint64_t xtr_bpf_not_run(const struct xtr_bpf *b, uint32_t slot)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < b->n_cpus; i++)
		sum += b->counts[(size_t)i * b->n_slots + slot].expect;
	return sum > 0 ? (uint64_t)sum : 0;
}

/*
 * A program behind the first may be about to take an event: what it has taken is read first, so
 * that no event is overlooked.
 */
void xtr_bpf_each_missing(const struct xtr_bpf *b, bool all,
			  void (*fn)(void *ctx, uint32_t slot, uint64_t missing, uint64_t before),
			  void *ctx)
{
	uint64_t now = xtr_now();

	for (uint32_t i = XTR_SLOT_GENERIC; all && i < b->n_slots; i++)
		fn(ctx, i, xtr_bpf_not_run(b, i), now);
	for (size_t i = 0; i < b->n_links; i++) {
		const struct xtr_hook_link *l = &b->links[i];
		uint64_t missed, taken;

		if (l->prog < 0 || l->own_prog)
			continue;
		now = xtr_now();
		taken = xtr_bpf_rescued(b, l->slot);
		missed = xtr_bpf_prog_misses(l->prog) - l->misses;
		fn(ctx, l->slot, missed > taken ? missed - taken : 0, now);
	}
}

/* Of the events that a program records: how many are known not to have been run, and how many
 * events there are. */
static uint64_t known_of(const struct xtr_bpf *b, int classic, size_t *events)
{
	uint64_t n = 0;

	*events = 0;
	for (size_t i = 0; i < b->n_links; i++) {
		if (b->links[i].classic != classic)
			continue;
		n += b->not_run[b->links[i].slot];
		++*events;
	}
	return n;
}

static bool is_first_of(const struct xtr_bpf *b, size_t i)
{
	size_t k = 0;

	while (b->links[k].classic != b->links[i].classic)
		k++;
	return k == i;
}

void xtr_bpf_each_overlooked(const struct xtr_bpf *b,
			     void (*fn)(void *ctx, uint32_t slot, uint64_t missing,
					uint64_t before),
			     void *ctx)
{
	for (size_t i = 0; i < b->n_links; i++) {
		const struct xtr_hook_link *l = &b->links[i];
		uint64_t known;
		size_t events;

		if (l->classic < 0 || !is_first_of(b, i))
			continue;
		known = known_of(b, l->classic, &events);
		if (l->misses > known)
			fn(ctx, events == 1 ? l->slot : 0, l->misses - known, xtr_now());
	}
}

static void count_misses(struct xtr_bpf *b)
{
	xtr_missed_last(b);
	xtr_funcs_count_misses(b, b->sel);
}

/* What the kernel has skipped: before recording begins, and when it has ended, that in between. */
static void note_classic(struct xtr_bpf *b)
{
	for (size_t i = 0; i < b->n_links; i++) {
		struct xtr_hook_link *l = &b->links[i];

		if (l->classic >= 0)
			l->misses = xtr_bpf_prog_misses(l->classic) - l->misses;
	}
}

void xtr_bpf_run(struct xtr_bpf *b)
{
	for (size_t i = 0; i < b->n_links; i++) {
		struct xtr_hook_link *l = &b->links[i];

		if (l->prog < 0)
			continue;
		l->misses = xtr_bpf_prog_misses(l->prog);
		if (b->misses_before && l->slot < XTR_SLOT_GENERIC)
			b->misses_before[l->slot] = l->misses;
	}
	xtr_funcs_begin(b);
	xtr_missed_begin(&b->missed, xtr_now());
	note_classic(b);
	set_phase(b, XTR_PHASE_RUN);
}

/* Every CPU passes a point where no program runs (the kernel's synchronize_rcu). */
void xtr_bpf_quiet(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(20000);
}

void xtr_bpf_halt(struct xtr_bpf *b)
{
	set_phase(b, XTR_PHASE_STOP);
	note_classic(b);
	xtr_bpf_quiet(); /* hits that were counted are recorded */
	set_phase(b, XTR_PHASE_OFF);
	count_misses(b);
	xtr_bpf_detach(b);
	xtr_bpf_quiet();
}

void xtr_bpf_detach(struct xtr_bpf *b)
{
	for (size_t i = 0; i < b->n_links; i++) {
		bpf_link__destroy(b->links[i].link);
		if (b->links[i].fd >= 0)
			close(b->links[i].fd);
		if (b->links[i].own_prog)
			close(b->links[i].prog);
	}
	free(b->links);
	b->links = NULL;
	b->n_links = 0;
	xtr_funcs_detach(b);
}
