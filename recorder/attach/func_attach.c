/* SPDX-License-Identifier: BSD-2-Clause */
#include "func_attach.h"
#include "function_load.h"
#include "recorder/host/caps.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KPROBE_SESSION 56 /* BPF_TRACE_KPROBE_SESSION */

/* One place in the code, to be attached. */
struct place {
	struct xtr_probe *p;
	uint32_t cookie;
	const struct xtr_probe_target *t;
	bool bad;
};

struct places {
	struct place *v;
	size_t n;
};

static bool wanted(const struct xtr_probe *p)
{
	return p->kind == XTR_PROBE_FUNC && (p->state == XTR_PROVIDER_ATTACHED || !p->why[0]);
}

/* Those of the functions whose returns are wanted, or not, or all. */
enum which {
	ALL,
	WITH_RET,
	WITHOUT_RET
};

static int collect(struct places *out, const struct xtr_selection *sel, enum which which)
{
	size_t n = 0;

	for (size_t i = 0; i < sel->n_probes; i++)
		n += sel->probes[i]->n_targets;
	*out = (struct places){ .v = calloc(n + 1, sizeof(*out->v)) };
	if (!out->v)
		return -ENOMEM;
	for (uint32_t i = 0; i < sel->n_probes; i++) {
		struct xtr_probe *p = sel->probes[i];

		if (!wanted(p) || (which == WITH_RET && !p->want_ret) ||
		    (which == WITHOUT_RET && p->want_ret))
			continue;
		for (size_t k = 0; k < p->n_targets; k++)
			out->v[out->n++] = (struct place){ p, i, &p->targets[k], false };
	}
	return 0;
}

/* --- links to many functions ------------------------------------------------------------------ */

struct multi {
	uint64_t *addrs, *cookies;
	const char **syms;
	size_t n;
	bool hidden; /* addresses: by name, then */
};

static int fill_multi(struct multi *m, const struct place *v, size_t n)
{
	*m = (struct multi){ .addrs = calloc(n + 1, sizeof(*m->addrs)),
			     .cookies = calloc(n + 1, sizeof(*m->cookies)),
			     .syms = calloc(n + 1, sizeof(*m->syms)) };
	if (!m->addrs || !m->cookies || !m->syms)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (v[i].bad)
			continue;
		m->addrs[m->n] = v[i].t->addr;
		m->syms[m->n] = v[i].t->symbol;
		m->cookies[m->n++] = v[i].cookie;
		m->hidden |= !v[i].t->addr;
	}
	return 0;
}

/* libbpf 1.1 knows no sessions, so the system call itself. Returns a descriptor or -errno. */
static int link_create(const struct xtr_bpf *b, enum xtr_probe_prog prog, const struct multi *m)
{
	union bpf_attr attr;
	int fd = xtr_probe_prog_fd(b, prog);

	if (fd < 0)
		return -EOPNOTSUPP;
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (__u32)fd;
	attr.link_create.attach_type =
		prog == XTR_PROG_SESSION ? KPROBE_SESSION : BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.flags =
		prog == XTR_PROG_MULTI_RET ? BPF_F_KPROBE_MULTI_RETURN : 0;
	attr.link_create.kprobe_multi.cnt = (__u32)m->n;
	if (m->hidden)
		attr.link_create.kprobe_multi.syms = (uintptr_t)m->syms;
	else
		attr.link_create.kprobe_multi.addrs = (uintptr_t)m->addrs;
	attr.link_create.kprobe_multi.cookies = (uintptr_t)m->cookies;
	fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

static int link_some(const struct xtr_bpf *b, enum xtr_probe_prog prog, const struct place *v,
		     size_t n)
{
	struct multi m;
	int fd = fill_multi(&m, v, n);

	if (!fd)
		fd = m.n ? link_create(b, prog, &m) : -ENOENT;
	free(m.addrs);
	free(m.cookies);
	free(m.syms);
	return fd;
}

/* The kernel says only that one of them cannot be: halve until it is found. */
static void find_bad(const struct xtr_bpf *b, enum xtr_probe_prog prog, struct place *v, size_t n)
{
	int fd = link_some(b, prog, v, n);

	if (fd >= 0) {
		close(fd);
		return;
	}
	if (n > 1) {
		find_bad(b, prog, v, n / 2);
		find_bad(b, prog, v + n / 2, n - n / 2);
		return;
	}
	v->bad = true;
	if (!v->p->why[0])
		xtr_probe_say(v->p, XTR_PROVIDER_REFUSED, "%.100s: %s", v->t->symbol,
			      strerror(-fd));
}

static size_t n_good(const struct places *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += !all->v[i].bad;
	return n;
}

static void forget_bad(struct places *all)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i].bad)
			all->v[i].p->why[0] = 0;
		all->v[i].bad = false;
	}
}

/* Link all that can be. Returns the descriptor; -errno: none can, and nothing is said of them. */
static int link_all(const struct xtr_bpf *b, enum xtr_probe_prog prog, struct places *all)
{
	int fd = link_some(b, prog, all->v, all->n);

	if (fd >= 0 || fd == -EOPNOTSUPP || fd == -EPERM || all->n < 2)
		return fd;
	find_bad(b, prog, all->v, all->n);
	if (n_good(all))
		fd = link_some(b, prog, all->v, all->n);
	if (fd < 0)
		forget_bad(all);
	return fd;
}

static void keep_link(struct xtr_bpf *b, int fd, enum xtr_probe_prog prog, const struct places *all)
{
	struct xtr_func_link *l = &b->funcs->v[b->funcs->n++];
	const struct xtr_probe *only = all->v[0].p;

	*l = (struct xtr_func_link){ .fd = fd, .prog = prog };
	for (size_t i = 0; i < all->n; i++) {
		if (all->v[i].p != only)
			return;
	}
	l->slot = prog == XTR_PROG_MULTI_RET ? only->ret.cfg.slot : only->entry.cfg.slot;
}

static void note_attached(const struct places *all, const char *how)
{
	for (size_t i = 0; i < all->n; i++) {
		struct xtr_probe *p = all->v[i].p;

		p->attach = how;
		if (all->v[i].bad)
			continue;
		p->state = XTR_PROVIDER_ATTACHED;
		if (!xtr_funcs_counted())
			snprintf(p->why, sizeof(p->why),
				 "this kernel does not count the calls that it skips");
	}
}

static int set_cfgs(struct xtr_bpf *b, const struct places *all, __u8 more)
{
	int err = 0;

	for (size_t i = 0; i < all->n && !err; i++) {
		struct xtr_probe *p = all->v[i].p;

		p->entry.cfg.flags |= more;
		p->ret.cfg.flags |= p->want_ret ? more : 0;
		err = xtr_probe_bpf_set(b, all->v[i].cookie, p);
	}
	return err;
}

static int attach_session(struct xtr_bpf *b, struct places *all)
{
	int fd = set_cfgs(b, all, XTR_PROBE_SESSION);

	if (!fd)
		fd = link_all(b, XTR_PROG_SESSION, all);
	if (fd < 0) {
		for (size_t i = 0; i < all->n; i++) {
			all->v[i].p->entry.cfg.flags = XTR_PROBE_ON;
			all->v[i].p->ret.cfg.flags = XTR_PROBE_ON;
		}
		return fd;
	}
	keep_link(b, fd, XTR_PROG_SESSION, all);
	note_attached(all, "kprobe.session");
	return 0;
}

/* Returns alone. Where they cannot be had, entries are all there is. */
static int attach_returns(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	struct places all;
	int err = collect(&all, sel, WITH_RET), fd;

	if (!err && all.n) {
		fd = link_all(b, XTR_PROG_MULTI_RET, &all);
		for (size_t i = 0; i < all.n; i++) {
			struct xtr_probe *p = all.v[i].p;

			if (fd >= 0 && !all.v[i].bad)
				continue;
			p->state = XTR_PROVIDER_ATTACHED;
			p->no_ret = true;
			if (!p->why[0])
				snprintf(p->why, sizeof(p->why), "returns are not recorded: %s",
					 strerror(-fd));
		}
		if (fd >= 0)
			keep_link(b, fd, XTR_PROG_MULTI_RET, &all);
	}
	free(all.v);
	return err;
}

static int attach_entries(struct xtr_bpf *b, struct places *all)
{
	int fd = set_cfgs(b, all, 0);

	if (!fd)
		fd = link_all(b, XTR_PROG_MULTI_ENTRY, all);
	if (fd < 0)
		return fd;
	keep_link(b, fd, XTR_PROG_MULTI_ENTRY, all);
	return 0;
}

/* --- a kprobe for each ------------------------------------------------------------------------ */

static int attach_tracefs(struct xtr_bpf *b, const struct place *at, bool ret)
{
	const struct xtr_probe *p = at->p;
	int id = xtr_kprobe_events_add(b->funcs->kprobes, ret ? p->ret.cfg.slot : p->entry.cfg.slot,
				       at->t->addr, p->module, at->t->symbol, ret);
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
					.size = sizeof(attr),
					.config = (__u64)id };

	if (id < 0)
		return id;
	return xtr_probe_attach_perf(
		b, &attr, xtr_probe_prog_fd(b, ret ? XTR_PROG_RET : XTR_PROG_ENTRY), at->cookie);
}

/* Bit 0 of config: a return probe. */
static int attach_pmu(struct xtr_bpf *b, int pmu, const struct place *at, bool ret)
{
	struct perf_event_attr attr = { .type = (uint32_t)pmu,
					.size = sizeof(attr),
					.config = ret,
					.kprobe_func = at->t->addr ? 0 : (uintptr_t)at->t->symbol,
					.kprobe_addr = at->t->addr };

	return xtr_probe_attach_perf(
		b, &attr, xtr_probe_prog_fd(b, ret ? XTR_PROG_RET : XTR_PROG_ENTRY), at->cookie);
}

static int attach_kprobe(struct xtr_bpf *b, int pmu, const struct place *at, bool ret)
{
	return b->funcs->kprobes ? attach_tracefs(b, at, ret) : attach_pmu(b, pmu, at, ret);
}

static void attach_one(struct xtr_bpf *b, int pmu, struct place *at)
{
	struct xtr_probe *p = at->p;
	int err = attach_kprobe(b, pmu, at, false);

	p->attach = "kprobe";
	if (err && p->state != XTR_PROVIDER_ATTACHED) {
		xtr_probe_say(p, XTR_PROVIDER_REFUSED, "%.100s: %s", at->t->symbol,
			      xtr_perf_why(err));
		return;
	}
	p->state = XTR_PROVIDER_ATTACHED;
	if (!err && p->want_ret)
		err = attach_kprobe(b, pmu, at, true);
	if (err) {
		p->no_ret = true;
		snprintf(p->why, sizeof(p->why), "not all of it is recorded: %.100s: %s",
			 at->t->symbol, xtr_perf_why(err));
	} else if (!b->funcs->kprobes) {
		snprintf(p->why, sizeof(p->why),
			 "skipped calls are not counted: tracefs cannot be written");
	}
}

static int attach_kprobes(struct xtr_bpf *b, struct places *all)
{
	int pmu = xtr_probe_pmu("kprobe"), err = set_cfgs(b, all, 0);

	if (err)
		return err;
	if (!b->funcs->kprobes && xtr_kprobe_events_open(&b->funcs->kprobes) == 0) {
		b->funcs->hits = calloc(b->n_slots, sizeof(*b->funcs->hits));
		b->funcs->before = calloc(b->n_slots, sizeof(*b->funcs->before));
		if (!b->funcs->hits || !b->funcs->before)
			return -ENOMEM;
	}
	for (size_t i = 0; i < all->n; i++) {
		if (pmu < 0 && !b->funcs->kprobes)
			xtr_probe_say(all->v[i].p, XTR_PROVIDER_MISSING,
				      "this kernel has no kprobes");
		else
			attach_one(b, pmu, &all->v[i]);
	}
	return 0;
}

/* --- all together ----------------------------------------------------------------------------- */

static int attach_group(struct xtr_bpf *b, const struct xtr_selection *sel, enum which which,
			int (*attach)(struct xtr_bpf *b, struct places *all))
{
	struct places all;
	int err = collect(&all, sel, which);

	if (!err && all.n)
		err = attach(b, &all);
	free(all.v);
	return err;
}

static int attach_multi(struct xtr_bpf *b, struct places *all)
{
	int err = attach_entries(b, all);

	if (!err)
		note_attached(all, "kprobe.multi");
	return err;
}

static bool any_left(const struct xtr_selection *sel)
{
	for (size_t i = 0; i < sel->n_probes; i++) {
		if (wanted(sel->probes[i]))
			return true;
	}
	return false;
}

int xtr_funcs_attach(struct xtr_bpf *b, const struct xtr_selection *sel)
{
	bool session = false;
	int err;

	if (!any_left(sel))
		return 0;
	b->funcs = calloc(1, sizeof(*b->funcs));
	if (!b->funcs)
		return -ENOMEM;
	if (xtr_probe_prog_fd(b, XTR_PROG_SESSION) >= 0)
		session = attach_group(b, sel, WITH_RET, attach_session) == 0;
	err = attach_group(b, sel, session ? WITHOUT_RET : ALL, attach_multi);
	if (!err && !session)
		return attach_returns(b, sel);
	if (!err || err == -ENOMEM)
		return err;
	return attach_group(b, sel, session ? WITHOUT_RET : ALL, attach_kprobes);
}

void xtr_funcs_detach(struct xtr_bpf *b)
{
	if (!b->funcs)
		return;
	for (size_t i = 0; i < b->funcs->n; i++)
		close(b->funcs->v[i].fd);
	xtr_kprobe_events_free(b->funcs->kprobes);
	free(b->funcs->hits);
	free(b->funcs->before);
	free(b->funcs);
	b->funcs = NULL;
}
