/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_functions.h"
#include "replay/event/func_event.h"

#include <stdbool.h>
#include <string.h>

/*
 * The first pattern that fits decides; a '*' stands for any bytes, also none. Sources: the symbols
 * of the module in Linux 6.13 and 7.2, drivers/accel/ivpu.
 */
static const struct pattern {
	const char *glob;
	enum ivpu_family family;
} patterns[] = {
	{ "ivpu_mmu_context_map_page", IVPU_MEMORY },
	{ "ivpu_pgtable_free_page", IVPU_MEMORY },
	{ "ivpu_hw_ip_ipc_rx_count_get", IVPU_IPC },
	{ "ivpu_ipc_irq_handler", IVPU_IPC },
	{ "ivpu_ipc_receive", IVPU_IPC },
	{ "ivpu_bo_create_ioctl", IVPU_BUFFERS },
	{ "ivpu_gem_create_object", IVPU_BUFFERS },
	{ "ivpu_bo_pin", IVPU_BUFFERS },
	{ "ivpu_bo_bind", IVPU_BUFFERS }, /* what became of ivpu_bo_pin */

	{ "*_show", IVPU_DRIVER },
	{ "*_store", IVPU_DRIVER },
	{ "*_fops_open", IVPU_DRIVER },
	{ "*_fops_write", IVPU_DRIVER },
	{ "ivpu_*_engine_fn", IVPU_DRIVER },
	{ "ivpu_force_recovery_fn", IVPU_DRIVER },
	{ "dct_active_?et", IVPU_DRIVER },
	{ "dvfs_mode_?et", IVPU_DRIVER },
	{ "ivpu_debugfs_init", IVPU_DRIVER },
	{ "ivpu_sysfs_init", IVPU_DRIVER },
	{ "ivpu_probe", IVPU_DRIVER },
	{ "ivpu_remove", IVPU_DRIVER },
	{ "ivpu_pci_driver_*", IVPU_DRIVER },
	{ "ivpu_dev_*", IVPU_DRIVER },
	{ "ivpu_destroy_workqueue", IVPU_DRIVER },
	{ "ivpu_irq_handlers_init", IVPU_DRIVER },
	{ "cleanup_module", IVPU_DRIVER },

	{ "ivpu_submit*", IVPU_SUBMISSION },
	{ "ivpu_cmdq_*", IVPU_SUBMISSION },
	{ "ivpu_job_*", IVPU_SUBMISSION },
	{ "ivpu_jobs_*", IVPU_SUBMISSION },
	{ "ivpu_context_abort_*", IVPU_SUBMISSION },
	{ "ivpu_st*_job_timeout_detection", IVPU_SUBMISSION },
	{ "ivpu_hw_ip_db_set", IVPU_SUBMISSION }, /* the doorbell */
	{ "ivpu_fence_*", IVPU_SUBMISSION },
	{ "ivpu_bo_wait_ioctl", IVPU_SUBMISSION }, /* waits for the buffer's jobs */
	{ "reset_engine_and_mark_faulty_contexts", IVPU_SUBMISSION },

	{ "ivpu_mmu_cmdq_*", IVPU_MMU },
	{ "ivpu_mmu_invalidate_tlb", IVPU_MMU },

	{ "ivpu_*irq_handler*", IVPU_INTERRUPTS },
	{ "ivpu_*irq_thread_handler", IVPU_INTERRUPTS },
	{ "ivpu_mmu_irq_*", IVPU_INTERRUPTS },
	{ "ivpu_hw_btrs_global_int_*", IVPU_INTERRUPTS },
	{ "irq_*_handler", IVPU_INTERRUPTS },

	{ "ivpu_ipc_*", IVPU_MESSAGES },
	{ "ivpu_jsm_*", IVPU_MESSAGES },
	{ "ivpu_hw_ip_ipc_*", IVPU_MESSAGES },

	{ "ivpu_mmu_*context_*", IVPU_SPACE },
	{ "ivpu_mmu_cd*", IVPU_SPACE },
	{ "ivpu_mmu_strtab_*", IVPU_SPACE },
	{ "ivpu_pgtable_*", IVPU_SPACE },

	{ "ivpu_bo_*", IVPU_OBJECTS },
	{ "ivpu_gem_*", IVPU_OBJECTS },
	{ "drm_gem_shmem_object_*", IVPU_OBJECTS },

	{ "ivpu_fw_*", IVPU_FIRMWARE },
	{ "fw_log_*", IVPU_FIRMWARE },

	{ "ivpu_hw_*", IVPU_HARDWARE },
	{ "ivpu_mmu_*", IVPU_HARDWARE }, /* registers and events of the MMU */
	{ "ivpu_pm_*", IVPU_HARDWARE },
	{ "ivpu_rpm_*", IVPU_HARDWARE },
	{ "ivpu_boot", IVPU_HARDWARE },
	{ "ivpu_wait_for_ready", IVPU_HARDWARE },
	{ "ivpu_resume", IVPU_HARDWARE },
	{ "ivpu_shutdown", IVPU_HARDWARE },
	{ "ivpu_prepare_for_reset", IVPU_HARDWARE },
	{ "ivpu_is_within_range", IVPU_HARDWARE },
	{ "wp_request_sync", IVPU_HARDWARE },
	{ "d0i3_drive*", IVPU_HARDWARE },
	{ "soc_cpu_*", IVPU_HARDWARE },
	{ "host_ss_*", IVPU_HARDWARE },

	{ "ivpu_open", IVPU_FILES },
	{ "ivpu_postclose", IVPU_FILES },
	{ "*file_priv_*", IVPU_FILES },
	{ "ivpu_user_limits_*", IVPU_FILES },
	{ "ivpu_is_capable", IVPU_FILES },
	{ "ivpu_?et_param_ioctl", IVPU_FILES },
	{ "ivpu_ms_*", IVPU_FILES }, /* the metric streamer */
	{ "copy_leftover_bytes", IVPU_FILES },
	{ "free_instance", IVPU_FILES },
};

/* Does the name fit? '*': any bytes; '?': one. At the last '*' it takes up one more if need be. */
static bool fits(const char *glob, const char *s, const char *end)
{
	const char *star = NULL, *from = NULL;

	while (s < end) {
		if (*glob == '*') {
			star = ++glob;
			from = s;
		} else if (*glob && (*glob == '?' || *glob == *s)) {
			glob++;
			s++;
		} else if (star) {
			glob = star;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

enum ivpu_family ivpu_family_of(const char *function, size_t n)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (fits(patterns[i].glob, function, function + n))
			return patterns[i].family;
	return IVPU_OTHER;
}

static const char *const names[] = {
#define NAME(id, name, title) name,
	IVPU_FAMILIES(NAME)
};
static const char *const titles[] = {
#define TITLE(id, name, title) title,
	IVPU_FAMILIES(TITLE)
};

const char *ivpu_family_name(enum ivpu_family f)
{
	return names[f];
}

const char *ivpu_family_title(enum ivpu_family f)
{
	return titles[f];
}

/* --- ivpu firmware role ----------------------------------------------------------------------- */

/*
 * drivers/accel/ivpu/ of Linux 6.3 to 7.3. A name that ends in '*' is a prefix; the first that fits
 * is taken. ivpu_ipc_enable comes after boot.
 */
static const struct {
	const char *name;
	enum fw_role role;
} role_names[] = {
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
	size_t n;

	for (size_t i = 0; i < sizeof(role_names) / sizeof(role_names[0]); i++) {
		n = strlen(role_names[i].name) - 1;
		if (role_names[i].name[n] == '*'
			    ? len >= n && !strncmp(name, role_names[i].name, n)
			    : len == n + 1 && !strncmp(name, role_names[i].name, len))
			return role_names[i].role;
	}
	return FW_NONE;
}

int fw_bind(struct fw_binding *b, const struct xtr_meta *meta, const struct xtr_event_desc *d)
{
	struct func_event f;
	int err = func_event(&f, meta, d);

	*b = (struct fw_binding){ .role = FW_NONE };
	if (!strcmp(d->name, "vpu:jsm"))
		b->role = FW_JSM;
	if (err <= 0 || f.api)
		return err < 0 ? err : 0;
	b->ret = f.ret;
	b->role = role_of(f.name, f.name_len);
	b->context = xtr_event_field(d, "context");
	b->paired = f.other;
	return 0;
}
