/* SPDX-License-Identifier: BSD-2-Clause */
#include "nvidia_role.h"

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
	size_t i;

	for (i = 0; i < N; i++)
		if (roles & 1u << (specs[i].role & ~RETURN) && xtr_binds_any(meta, &specs[i], 1))
			return true;
	return false;
}

int nv_bind(struct nv_bindings *b, const struct xtr_meta *meta)
{
	int ret = xtr_binds_open(&b->binds, meta, specs, N);
	size_t i, v;

	for (i = 0; i < b->binds.n && !ret; i++) {
		const struct xtr_bind *one = &b->binds.bind[i];
		uint32_t role = one->role & ~RETURN;

		if (!one->desc)
			continue;
		if (one->role & RETURN) {
			b->timed[role] = b->has[role]; /* the entry's binding comes first */
			continue;
		}
		b->has[role] = true;
		for (v = 0; v < NV_VALUES; v++)
			b->values[role][v] = xtr_bind_has(one, (uint32_t)v);
	}
	return ret;
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
