/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel did not let the programs see. A classic program is skipped while another one runs
 * on the CPU (kernel/trace/bpf_trace.c, bpf_prog_active), and a probe while the tracer itself is at
 * work, or when too many calls are under way.
 *
 * kprobe:          hits of the probe minus runs of the program, and its own count of misses
 * kprobe.multi:    misses of the program, and of the link
 * kprobe.session:  the same; a missed entry costs the return, too. Returns that were asked for and
 *                  did not come are misses of returns as far as there are any misses.
 */
#include "func_attach.h"
#include "recorder/host/util.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <sys/utsname.h>

/* struct bpf_link_info of Linux 6.7 (include/uapi/linux/bpf.h), as far as it is used here. */
struct multi_info {
	__u32 type, id, prog_id, pad;
	__u64 addrs;
	__u32 count, flags;
	__u64 missed;
};

/* recursion_misses of such programs and link_info.missed came together; types show neither. */
bool xtr_funcs_counted(void)
{
	struct utsname u;
	int major, minor;

	if (uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2)
		return false;
	return major > 6 || (major == 6 && minor >= 7);
}

static uint64_t missed_of(const struct xtr_bpf *b, const struct xtr_func_link *l)
{
	struct bpf_prog_info prog = { 0 };
	struct multi_info link = { 0 };
	__u32 n = sizeof(prog), m = sizeof(link);
	uint64_t missed = 0;

	if (!xtr_funcs_counted())
		return 0;
	if (bpf_obj_get_info_by_fd(xtr_probe_prog_fd(b, l->prog), &prog, &n) == 0)
		missed = prog.recursion_misses;
	if (bpf_obj_get_info_by_fd(l->fd, &link, &m) == 0)
		missed += link.missed;
	return missed;
}

static uint64_t runs(const struct xtr_bpf *b, uint32_t slot)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->n_cpus; i++)
		sum += __atomic_load_n(&b->counts[(size_t)i * b->n_slots + slot].runs,
				       __ATOMIC_RELAXED);
	return sum;
}

static void add_hits(void *ctx, uint32_t slot, uint64_t hits, uint64_t missed)
{
	((uint64_t *)ctx)[slot] += hits + missed;
}

/* Calls of each function with kprobes that the program has not seen, since they were made. */
static void kprobe_unseen(struct xtr_bpf *b, uint64_t *unseen)
{
	struct xtr_func_links *f = b->funcs;
	uint64_t seen;

	memset(f->hits, 0, b->n_slots * sizeof(*f->hits));
	if (xtr_kprobe_events_counts(f->kprobes, add_hits, f->hits))
		return;
	for (uint32_t i = XTR_SLOT_GENERIC; i < b->n_slots; i++) {
		if (!f->hits[i])
			continue;
		seen = runs(b, i);
		unseen[i] = f->hits[i] > seen ? f->hits[i] - seen : 0;
	}
}

void xtr_funcs_begin(struct xtr_bpf *b)
{
	if (!b->funcs)
		return;
	for (size_t i = 0; i < b->funcs->n; i++)
		b->funcs->v[i].missed_before = missed_of(b, &b->funcs->v[i]);
	if (b->funcs->kprobes)
		kprobe_unseen(b, b->funcs->before);
}

static void count_kprobes(struct xtr_bpf *b)
{
	const uint64_t *before = b->funcs->before;
	uint64_t *now = b->funcs->hits;

	kprobe_unseen(b, now);
	for (uint32_t i = XTR_SLOT_GENERIC; i < b->n_slots; i++)
		b->not_run[i] += now[i] > before[i] ? now[i] - before[i] : 0;
}

static void count_session(struct xtr_bpf *b, const struct xtr_selection *sel, uint64_t missed)
{
	for (size_t i = 0; i < sel->n_probes && missed; i++) {
		const struct xtr_probe *p = sel->probes[i];
		uint64_t asked, came, late;

		if (!(p->entry.cfg.flags & XTR_PROBE_SESSION))
			continue;
		asked = runs(b, p->entry.cfg.slot);
		came = runs(b, p->ret.cfg.slot);
		late = asked > came ? asked - came : 0;
		late = late < missed ? late : missed;
		b->not_run[p->ret.cfg.slot] += late;
		missed -= late;
	}
	b->not_run[0] += 2 * missed;
}

void xtr_funcs_count_misses(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	if (!b->funcs)
		return;
	for (size_t i = 0; i < b->funcs->n; i++) {
		const struct xtr_func_link *l = &b->funcs->v[i];
		uint64_t missed = missed_of(b, l) - l->missed_before;

		if (l->prog == XTR_PROG_SESSION)
			count_session(b, sel, missed);
		else
			b->not_run[l->slot] += missed;
	}
	if (b->funcs->kprobes)
		count_kprobes(b);
}
