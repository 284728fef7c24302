/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libbpf here knows neither sessions nor how to do without a symbol that a kernel lacks, so what
 * only the running kernel's types tell is put into the instructions by hand: the programs have
 * stand-ins (XTR_PATCH_*).
 */
#include "function_load.h"
#include "api_attach.h"
#include "attach.h"
#include "calls.skel.h"
#include "func_attach.h"
#include "recorder/host/util.h"
#include "xtr.skel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KPROBE_SESSION ((enum bpf_attach_type)56) /* BPF_TRACE_KPROBE_SESSION, Linux 6.10 */
#define SAVED_MAX      16384u                     /* calls under way with arguments kept */

struct xtr_probe_bpf {
	struct calls *skel;
};

/* What to put in place of the stand-ins, 0: nothing. For the load that is under way. */
static struct {
	int32_t preempt, session; /* ids of types */
} patch;

static const char *const prog_names[XTR_N_PROBE_PROGS] = {
	[XTR_PROG_ENTRY] = "xtr_probe_entry",       [XTR_PROG_RET] = "xtr_probe_ret",
	[XTR_PROG_MULTI_ENTRY] = "xtr_multi_entry", [XTR_PROG_MULTI_RET] = "xtr_multi_ret",
	[XTR_PROG_SESSION] = "xtr_session",
};

/* The first of two instructions that load 64 bits; BPF_LD and BPF_IMM are both 0. */
#define LOAD_64 (BPF_LD | BPF_DW)

static void patch_insns(struct bpf_insn *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].code == LOAD_64) {
			uint64_t value = (uint32_t)v[i].imm | (uint64_t)(uint32_t)v[i + 1].imm
								      << 32;

			if (value == XTR_PATCH_PREEMPT && !v[i].src_reg && patch.preempt) {
				v[i].src_reg = BPF_PSEUDO_BTF_ID;
				v[i].imm = patch.preempt;
				v[i + 1].imm = 0;
			}
			i++;
		} else if (v[i].code == (BPF_JMP | BPF_CALL) && !v[i].src_reg &&
			   v[i].imm == XTR_PATCH_SESSION) {
			v[i].src_reg = BPF_PSEUDO_KFUNC_CALL;
			v[i].imm = patch.session;
		}
	}
}

static int prepare_prog(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	size_t n = bpf_program__insn_cnt(prog), bytes = n * sizeof(struct bpf_insn);
	struct bpf_insn *copy = malloc(bytes);
	int err;

	(void)opts;
	(void)cookie;
	if (!copy)
		return -ENOMEM;
	memcpy(copy, bpf_program__insns(prog), bytes);
	patch_insns(copy, n);
	err = bpf_program__set_insns(prog, copy, n);
	free(copy);
	return err;
}

/* The sections of bpf/probe.bpf.h; for the whole process, once. */
static int register_sections(void)
{
	static const struct {
		const char *sec;
		enum bpf_attach_type attach;
	} sections[] = {
		{ "xtr_kprobe+", 0 },
		{ "xtr_multi+", BPF_TRACE_KPROBE_MULTI },
		{ "xtr_session+", KPROBE_SESSION },
	};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = prepare_prog);
	static bool done;
	int err;

	for (size_t i = 0; !done && i < ARRAY_LEN(sections); i++) {
		err = libbpf_register_prog_handler(sections[i].sec, BPF_PROG_TYPE_KPROBE,
						   sections[i].attach, &opts);
		if (err < 0)
			return err;
	}
	done = true;
	return 0;
}

static int32_t find_type(const struct btf *btf, const char *name, uint32_t kind)
{
	int32_t id = btf__find_by_name_kind(btf, name, kind);

	return id > 0 ? id : 0;
}

/* Byte offset of a member, also one in an unnamed struct or union; -1: there is none. */
static int64_t member_at(const struct btf *btf, uint32_t id, const char *name, uint32_t depth)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	if (!t || !btf_is_composite(t) || depth > 4)
		return -1;
	for (uint32_t i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = btf_members(t) + i;
		const char *its = btf__name_by_offset(btf, m->name_off);
		int64_t at = btf_member_bit_offset(t, i) / 8, in;

		if (its && strcmp(its, name) == 0)
			return at;
		in = its && its[0] ? -1 : member_at(btf, m->type, name, depth + 1);
		if (in >= 0)
			return at + in;
	}
	return -1;
}

/* Where the preemption count is and what its bits mean (include/linux/preempt.h): with
 * local_interrupt_disable_state came eight bits in the middle. */
static void find_context(struct calls *skel, const struct btf *btf)
{
	bool wide = find_type(btf, "local_interrupt_disable_state", BTF_KIND_VAR) != 0;
	int32_t id = find_type(btf, "pcpu_hot", BTF_KIND_STRUCT);

	skel->rodata->xtr_softirq_bit = 1u << 8;
	skel->rodata->xtr_hardirq_mask = 0xfu << (wide ? 24 : 16);
	skel->rodata->xtr_nmi_mask = wide ? 1u << 28 : 0xfu << 20;
	patch.preempt = find_type(btf, "__preempt_count", BTF_KIND_VAR);
	skel->rodata->xtr_preempt_kind = patch.preempt ? 1 : 0;
	if (patch.preempt || !id ||
	    member_at(btf, (uint32_t)id, "preempt_count", 0) != XTR_PCPU_HOT_PREEMPT)
		return;
	patch.preempt = find_type(btf, "pcpu_hot", BTF_KIND_VAR);
	skel->rodata->xtr_preempt_kind = patch.preempt ? 2 : 0;
}

/*
 * Up to Linux 6.13 a session that misses an entry may or may not see the return (err of
 * kprobe_multi_link_prog_run, kernel/trace/bpf_trace.c), so that what was missed cannot be counted
 * exactly; with two links of kprobe.multi it can. Since 6.14 fprobes are made of the function graph
 * tracer: struct fprobe has no rethook any more.
 */
static bool sessions_exact(const struct btf *btf)
{
	int32_t id = find_type(btf, "fprobe", BTF_KIND_STRUCT);

	return id && member_at(btf, (uint32_t)id, "rethook", 0) < 0;
}

/* The maps of bpf/xtr_emit.bpf.h and bpf/stack.bpf.h are those of the first object. */
static int share_maps(struct calls *skel, const struct xtr *with)
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

static bool any_saved(const struct xtr_selection *sel)
{
	for (size_t i = 0; i < sel->n_probes; i++) {
		if (sel->probes[i]->entry.cfg.save)
			return true;
	}
	return false;
}

static int prepare(struct calls *skel, const struct xtr_bpf *b, const struct xtr_selection *sel,
		   const struct xtr_record_opts *opts)
{
	int err;

	skel->rodata->xtr_n_slots = b->n_slots;
	skel->rodata->xtr_half_full = b->ring_bytes / 2;
	skel->rodata->xtr_filter = opts->n_pids != 0;
	skel->rodata->xtr_stacks = opts->stacks;
	skel->rodata->xtr_idle_stacks = opts->idle_hz;
	skel->rodata->xtr_budgeted = sel->budget;
	skel->rodata->xtr_choosy = opts->n_pids || sel->budget;
	skel->rodata->xtr_total_mask = b->n_total_sets - 1;
	err = bpf_map__set_max_entries(skel->maps.xtr_probe_cfgs, 2 * (uint32_t)sel->n_probes);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.xtr_saved_args,
					       any_saved(sel) ? SAVED_MAX : 1);
	return err ? err : share_maps(skel, b->skel);
}

/* Which programs, and whether they can tell interrupts from tasks. */
struct load_level {
	enum xtr_probe_prog last;
	bool context;
};

static int try_load(struct xtr_bpf *b, const struct xtr_selection *sel,
		    const struct xtr_record_opts *opts, const struct btf *btf,
		    const struct load_level *level, struct calls **out)
{
	LIBBPF_OPTS(bpf_object_open_opts, how, .btf_custom_path = b->btf.path);
	struct calls *skel = calls__open_opts(&how);
	struct bpf_program *prog;
	int err;

	if (!skel)
		return -errno;
	patch.preempt = 0;
	if (level->context)
		find_context(skel, btf);
	err = prepare(skel, b, sel, opts);
	for (int i = 0; i < XTR_N_PROBE_PROGS && !err; i++) {
		prog = bpf_object__find_program_by_name(skel->obj, prog_names[i]);
		err = prog ? bpf_program__set_autoload(prog, i <= (int)level->last) : -ENOENT;
	}
	if (!err)
		err = calls__load(skel);
	if (err)
		calls__destroy(skel);
	else
		*out = skel;
	return err;
}

/*
 * Kernels without sessions, or without kprobe.multi, refuse the programs for them; a kernel that
 * does not list its variables (CONFIG_KALLSYMS_ALL) refuses those that look at the preemption
 * count.
 */
static int load_most(struct xtr_bpf *b, const struct xtr_selection *sel,
		     const struct xtr_record_opts *opts, const struct btf *btf, struct calls **skel)
{
	static const struct load_level levels[] = {
		{ XTR_PROG_SESSION, true },  { XTR_PROG_MULTI_RET, true },  { XTR_PROG_RET, true },
		{ XTR_PROG_SESSION, false }, { XTR_PROG_MULTI_RET, false }, { XTR_PROG_RET, false },
	};
	int err = -ENOENT;

	patch.session =
		sessions_exact(btf) ? find_type(btf, "bpf_session_is_return", BTF_KIND_FUNC) : 0;
	for (size_t i = 0; i < ARRAY_LEN(levels) && err; i++) {
		if (levels[i].last != XTR_PROG_SESSION || patch.session)
			err = try_load(b, sel, opts, btf, &levels[i], skel);
	}
	return err;
}

int xtr_probe_bpf_load(struct xtr_bpf *b, const struct xtr_selection *sel,
		       const struct xtr_record_opts *opts)
{
	struct btf *btf;
	int err;

	if (sel->n_dynamic == sel->n_generics)
		return 0;
	btf = btf__load_vmlinux_btf();
	if (!btf)
		return -errno;
	b->probes = calloc(1, sizeof(*b->probes));
	err = (b->probes ? register_sections() : -ENOMEM)
		      ?: load_most(b, sel, opts, btf, &b->probes->skel);
	btf__free(btf);
	return err;
}

void xtr_probe_bpf_free(struct xtr_probe_bpf *p)
{
	if (!p)
		return;
	calls__destroy(p->skel);
	free(p);
}

const struct bpf_program *xtr_probe_program(const struct xtr_bpf *b, enum xtr_probe_prog which)
{
	const struct bpf_program *prog = NULL;

	if (b->probes)
		prog = bpf_object__find_program_by_name(b->probes->skel->obj, prog_names[which]);
	return prog && bpf_program__fd(prog) >= 0 ? prog : NULL;
}

int xtr_probe_prog_fd(const struct xtr_bpf *b, enum xtr_probe_prog which)
{
	const struct bpf_program *prog = xtr_probe_program(b, which);

	return prog ? bpf_program__fd(prog) : -ENOENT;
}

int xtr_probe_bpf_set(const struct xtr_bpf *b, uint32_t i, const struct xtr_probe *p)
{
	int fd = bpf_map__fd(b->probes->skel->maps.xtr_probe_cfgs);
	uint32_t entry = 2 * i, ret = entry + 1;

	if (bpf_map_update_elem(fd, &entry, &p->entry.cfg, BPF_ANY) ||
	    bpf_map_update_elem(fd, &ret, &p->ret.cfg, BPF_ANY))
		return -errno;
	return 0;
}

struct bpf_program *xtr_probe_died(const struct xtr_bpf *b)
{
	return b->probes ? b->probes->skel->progs.xtr_died : NULL;
}

void xtr_probe_bpf_phase(struct xtr_bpf *b, uint32_t phase)
{
	if (b->probes)
		__atomic_store_n(&b->probes->skel->bss->xtr_phase, phase, __ATOMIC_SEQ_CST);
}

void xtr_probe_bpf_budget(struct xtr_bpf *b, uint32_t level)
{
	if (b->probes)
		__atomic_store_n(&b->probes->skel->bss->xtr_budget_level, level, __ATOMIC_SEQ_CST);
}

/* --- function attach -------------------------------------------------------------------------- */

/* The link holds the event, which counts on one CPU but runs its program on all. */
int xtr_probe_attach_perf(struct xtr_bpf *b, const struct perf_event_attr *attr, int prog_fd,
			  uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC), link;

	if (fd < 0)
		return -errno;
	link = bpf_link_create(prog_fd, fd, BPF_PERF_EVENT, &opts);
	link = link < 0 ? -errno : link;
	close(fd);
	return link < 0 ? link : xtr_bpf_hold(b, link);
}

static int note(struct xtr_bpf *b, struct xtr_probe *p)
{
	struct xtr_hook_result *r;

	r = xtr_bpf_result(b, p->entry.desc.type, p->name, p->attach,
			   p->target ? p->target : p->name, p->state, p->why);
	if (!r)
		return -ENOMEM;
	r->info.module = p->module;
	if (p->state == XTR_PROVIDER_ATTACHED)
		p->entry.desc.provider = r->info.id;
	if (p->state == XTR_PROVIDER_ATTACHED && !p->no_ret)
		p->ret.desc.provider = r->info.id;
	return 0;
}

int xtr_probes_attach(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	int n = 0, err = 0;

	for (size_t i = 0; !b->skel && i < sel->n_probes; i++)
		xtr_probe_say(sel->probes[i], XTR_PROVIDER_REFUSED, "needs a BPF program");
	if (b->skel)
		err = xtr_funcs_attach(b, sel) ?: xtr_api_probes_attach(b, sel);
	if (err)
		return err;
	for (size_t i = 0; i < sel->n_probes; i++) {
		err = note(b, sel->probes[i]);
		if (err)
			return err;
		n += sel->probes[i]->state == XTR_PROVIDER_ATTACHED;
	}
	return n;
}
