/* SPDX-License-Identifier: BSD-2-Clause */
#include "nvidia_track.h"
#include "format/xtr_format.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE XTR_MAP_NONE

int nv_track_open(struct nv_track *t, const struct xtr_meta *meta, const struct xtr_tables *tables)
{
	t->tables = tables;
	t->free = NONE;
	return nv_bind(&t->b, meta);
}

void nv_track_free(struct nv_track *t)
{
	nv_unbind(&t->b);
	xtr_map_free(&t->open);
	free(t->call);
}

static uint64_t owner_of(const struct nv_step *s)
{
	return s->on_cpu ? nv_cpu_owner(s->cpu) : s->tid;
}

/* A free call, or NONE if there are too many; -ENOMEM. */
static int64_t call_new(struct nv_track *t)
{
	uint32_t i = t->free;
	struct nv_call *more;

	if (i != NONE) {
		t->free = t->call[i].next_free;
		return i;
	}
	i = t->n_calls;
	if (i == NV_OPEN_CALLS_MAX)
		return NONE;
	if (!(i & (i - 1))) {
		more = reallocarray(t->call, i ? (size_t)i * 2 : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->call = more;
	}
	t->n_calls++;
	return i;
}

/* nvidia_isr_msix calls nvidia_isr for the same interrupt. */
static bool is_nested(const struct nv_track *t, const struct nv_step *s)
{
	uint32_t i = s->role == NV_ISR ? xtr_map_index(&t->open, owner_of(s), NV_ISR_MSIX) : NONE;

	return i != NONE && t->call[i].epoch == t->epoch &&
	       t->call[i].v[NV_V_DEVICE] == s->v[NV_V_DEVICE];
}

static int enter(struct nv_track *t, struct nv_step *s, bool inside)
{
	uint64_t owner = owner_of(s);
	int64_t i = xtr_map_index(&t->open, owner, s->role);
	struct nv_call *c;

	s->nested = is_nested(t, s);
	if (!s->paired)
		return 0;
	if (i == NONE) {
		i = call_new(t);
		if (i < 0)
			return (int)i;
		if (i == NONE)
			return 0;
		if (xtr_map_put(&t->open, owner, s->role, (uint32_t)i))
			return -ENOMEM;
	}
	c = &t->call[i];
	*c = (struct nv_call){ .owner = owner,
			       .begin_ns = s->ts,
			       .epoch = t->epoch,
			       .nested = s->nested,
			       .inside = inside };
	memcpy(c->v, s->v, sizeof(c->v));
	memcpy(c->has, s->has, sizeof(c->has));
	return 0;
}

static void leave(struct nv_track *t, struct nv_step *s)
{
	uint64_t owner = owner_of(s);
	uint32_t i = xtr_map_index(&t->open, owner, s->role);
	struct nv_call *c;

	if (i == NONE)
		return;
	c = &t->call[i];
	xtr_map_del(&t->open, owner, s->role);
	c->next_free = t->free;
	t->free = i;
	/* After a loss the entry may be that of an earlier call. */
	if (c->epoch != t->epoch)
		return;
	s->entered = true;
	s->begin_ns = c->begin_ns;
	s->begun_inside = c->inside;
	s->nested = c->nested;
	memcpy(s->v, c->v, sizeof(s->v));
	memcpy(s->has, c->has, sizeof(s->has));
}

static void fill(const struct nv_track *t, const struct xtr_event *ev, struct nv_step *s)
{
	const struct xtr_bind *b = s->binding;
	const struct xtr_task *task = NULL;
	uint64_t v;

	s->ts = ev->ts;
	s->tid = ev->tid;
	s->cpu = ev->stream;
	s->on_cpu = xtr_bind_get(b, NV_F_CONTEXT, ev, &v) && v >= XTR_CONTEXT_SOFTIRQ &&
		    v <= XTR_CONTEXT_NMI;
	if (t->tables && ev->tid)
		task = xtr_tables_task(t->tables, ev->tid, ev->ts);
	if (task) {
		s->process = xtr_process_of(task);
		s->comm = xtr_process_comm(t->tables, s->process, ev->ts, task->comm);
	}
	s->ret_known = s->end && xtr_bind_get(b, NV_F_RET, ev, &v);
	s->ret = s->ret_known ? (int64_t)v : 0;
	for (uint32_t i = 0; i < NV_VALUES; i++)
		s->has[i] = xtr_bind_get(b, i, ev, &s->v[i]);
}

bool nv_track_takes(const struct nv_track *t, uint32_t type)
{
	enum nv_role role;
	bool end;

	return !type || nv_bound(&t->b, type, &role, &end);
}

int nv_track_event(struct nv_track *t, const struct xtr_event *ev, bool inside, struct nv_step *s)
{
	const struct xtr_bind *b;
	enum nv_role role;
	int err = 0;
	bool end;

	if (ev->gap) {
		t->epoch++;
		return 0;
	}
	b = nv_bound(&t->b, ev->type, &role, &end);
	if (!b)
		return 0;
	*s = (struct nv_step){
		.role = role, .end = end, .paired = t->b.timed[role], .binding = b, .event = ev
	};
	fill(t, ev, s);
	if (end)
		leave(t, s);
	else
		err = enter(t, s, inside);
	return err ? err : 1;
}

/* --- nvidia role ------------------------------------------------------------------------------ */

#define RETURN 0x100u /* in the role of a binding: the return */

#define FIELD(id, text) text,
#define FIELDS                                                      \
	{                                                           \
		NV_VALUE_LIST(FIELD) "context", "ret", "dev", "msg" \
	}

#define FUNC(module, name) "func:" module ":" name
/* A function under one name, or under the first of several that the trace has. */
#define ONE(id, module, a)                                       \
	{ FUNC(module, a), NV_##id, FIELDS },                    \
	{                                                        \
		FUNC(module, a ":ret"), NV_##id | RETURN, FIELDS \
	}
#define TWO(id, module, a, b)                                                               \
	{ FUNC(module, a) "|" FUNC(module, b), NV_##id, FIELDS },                           \
	{                                                                                   \
		FUNC(module, a ":ret") "|" FUNC(module, b ":ret"), NV_##id | RETURN, FIELDS \
	}

/*
 * kernel-open/nvidia and kernel-open/nvidia-uvm of NVIDIA's open modules 515 to 595; the
 * proprietary build has the same layer. nvidia_frontend_unlocked_ioctl (up to 535) and
 * nvidia_unlocked_ioctl (from 545) both call nvidia_ioctl; nvidia_frontend_open, _close and _mmap
 * (up to 535) call what they are named after.
 */
static const struct xtr_bind_spec specs[] = {
	TWO(OPEN, "nvidia", "nvidia_open", "nvidia_frontend_open"),
	TWO(CLOSE, "nvidia", "nvidia_close", "nvidia_frontend_close"),
	{ FUNC("nvidia", "nvidia_unlocked_ioctl") "|" FUNC(
		  "nvidia", "nvidia_frontend_unlocked_ioctl") "|" FUNC("nvidia", "nvidia_ioctl"),
	  NV_IOCTL, FIELDS },
	{ FUNC("nvidia", "nvidia_unlocked_ioctl:ret") "|" FUNC(
		  "nvidia", "nvidia_frontend_unlocked_ioctl:ret") "|" FUNC("nvidia",
									   "nvidia_ioctl:ret"),
	  NV_IOCTL | RETURN, FIELDS },
	TWO(MMAP, "nvidia", "nvidia_mmap", "nvidia_frontend_mmap"),
	ONE(VMA_OPEN, "nvidia", "nvidia_vma_open"),
	ONE(VMA_RELEASE, "nvidia", "nvidia_vma_release"),
	TWO(POLL, "nvidia", "nvidia_poll", "nvidia_frontend_poll"),
	ONE(FAULT, "nvidia", "nvidia_fault"),
	ONE(ISR, "nvidia", "nvidia_isr"),
	ONE(ISR_MSIX, "nvidia", "nvidia_isr_msix"),
	ONE(BOTTOM, "nvidia", "nvidia_isr_kthread_bh"),
	ONE(BOTTOM_MSIX, "nvidia", "nvidia_isr_msix_kthread_bh"),
	ONE(P2P_GET, "nvidia", "nvidia_p2p_get_pages"),
	ONE(P2P_KEEP, "nvidia", "nvidia_p2p_get_pages_persistent"),
	ONE(P2P_MAP, "nvidia", "nvidia_p2p_dma_map_pages"),
	ONE(SUSPEND, "nvidia", "nvidia_suspend"),
	ONE(RESUME, "nvidia", "nvidia_resume"),
	ONE(REPORT, "nvidia", "nv_report_error"),
	ONE(UVM_OPEN, "nvidia_uvm", "uvm_open_entry"),
	ONE(UVM_IOCTL, "nvidia_uvm", "uvm_unlocked_ioctl_entry"),
	ONE(UVM_MMAP, "nvidia_uvm", "uvm_mmap_entry"),
	{ "nvidia:nvidia_dev_xid", NV_XID, FIELDS },
	{ "nvswitch:nvswitch_dev_sxid", NV_SXID, FIELDS },
};
#define N (sizeof(specs) / sizeof(*specs))

static const char *const role_names[NV_ROLES] = {
#define NAME(id, text) text,
	NV_ROLE_LIST(NAME)
#undef NAME
};

const char *nv_role_name(enum nv_role role)
{
	return role_names[role];
}

bool nv_any_role(const struct xtr_meta *meta, uint32_t roles)
{
	for (size_t i = 0; i < N; i++)
		if (roles & 1u << (specs[i].role & ~RETURN) && xtr_binds_any(meta, &specs[i], 1))
			return true;
	return false;
}

int nv_bind(struct nv_bindings *b, const struct xtr_meta *meta)
{
	int err = xtr_binds_open(&b->binds, meta, specs, N);

	for (size_t i = 0; i < b->binds.n && !err; i++) {
		const struct xtr_bind *one = &b->binds.bind[i];
		uint32_t role = one->role & ~RETURN;

		if (!one->desc)
			continue;
		if (one->role & RETURN) {
			b->timed[role] = b->has[role]; /* the entry's binding comes first */
			continue;
		}
		b->has[role] = true;
		for (size_t v = 0; v < NV_VALUES; v++)
			b->values[role][v] = xtr_bind_has(one, (uint32_t)v);
	}
	return err;
}

const struct xtr_bind *nv_bound(const struct nv_bindings *b, uint32_t type, enum nv_role *role,
				bool *end)
{
	const struct xtr_bind *one = xtr_binds_find(&b->binds, type);

	if (one) {
		*role = one->role & ~RETURN;
		*end = one->role & RETURN;
	}
	return one;
}

void nv_unbind(struct nv_bindings *b)
{
	xtr_binds_close(&b->binds);
}
