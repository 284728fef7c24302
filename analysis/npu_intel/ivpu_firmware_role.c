/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_firmware_role.h"

#include "replay/event/func_event.h"

#include <string.h>

/*
 * drivers/accel/ivpu/ of Linux 6.3 to 7.3. A name that ends in '*' is a prefix; the first that fits
 * is taken. ivpu_ipc_enable comes after boot.
 */
static const struct {
	const char *name;
	enum fw_role role;
} names[] = {
	{ "ivpu_ipc_receive", FW_RECEIVE },
	{ "ivpu_ipc_irq_handler", FW_IPC_IRQ },
	{ "ivpu_hw_irq_handler", FW_HW_IRQ },
	{ "ivpu_ipc_irq_thread_handler", FW_THREAD },
	{ "ivpu_irq_thread_handler", FW_THREAD },
	{ "ivpu_ipc_irq_work_fn", FW_THREAD },
	{ "ivpu_job_done_callback", FW_DONE },
	{ "ivpu_boot", FW_BOOT },
	{ "ivpu_wait_for_ready", FW_BOOT },
	{ "ivpu_ipc_enable", FW_OTHER },
	{ "ivpu_ipc_*", FW_HELPER },
	{ "ivpu_hw_ip_ipc_*", FW_HELPER },
	{ "ivpu_*", FW_OTHER },
};

static enum fw_role role_of(const char *name, size_t len)
{
	size_t i, n;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		n = strlen(names[i].name) - 1;
		if (names[i].name[n] == '*' ? len >= n && !strncmp(name, names[i].name, n)
					    : len == n + 1 && !strncmp(name, names[i].name, len))
			return names[i].role;
	}
	return FW_NONE;
}

int fw_bind(struct fw_binding *b, const struct xtr_meta *meta, const struct xtr_event_desc *d)
{
	struct func_event f;
	int ret = func_event(&f, meta, d);

	*b = (struct fw_binding){ .role = FW_NONE };
	if (!strcmp(d->name, "vpu:jsm"))
		b->role = FW_JSM;
	if (ret <= 0 || f.api)
		return ret < 0 ? ret : 0;
	b->ret = f.ret;
	b->role = role_of(f.name, f.name_len);
	b->context = xtr_event_field(d, "context");
	b->paired = f.other;
	return 0;
}
