/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a driver leaves of a hang: a device core dump in amdgpu's form (drivers/gpu/drm/amd/amdgpu/
 * amdgpu_dev_coredump.c), filled up to a size, and the event of a wedged device. Both are off until
 * the parameters say otherwise, which they may while the driver is loaded.
 */
#include <linux/devcoredump.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "fg.h"

static unsigned int dump_kib;
module_param(dump_kib, uint, 0644);
MODULE_PARM_DESC(dump_kib, "size of the dump that a hang leaves; 0: none");

static bool wedged;
module_param(wedged, bool, 0644);
MODULE_PARM_DESC(wedged, "a hang is followed by the event of a wedged device");

static size_t fg_dump_head(char *text, size_t size, const struct fg_hw *hw)
{
	char comm[TASK_COMM_LEN] = "";
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(hw->rec->pid, &init_pid_ns), PIDTYPE_PID);
	if (task)
		get_task_comm(comm, task);
	rcu_read_unlock();
	return scnprintf(text, size,
			 "**** AMDGPU Device Coredump ****\nversion: 1\nkernel: %s\nmodule: %s\n"
			 "time: %llu.%09llu\nprocess_name: %s PID: %d\n"
			 "\nRing timed out details\nIP Type: 0 Ring Name: %s\n"
			 "fakegpu job %llu:%llu\n",
			 init_utsname()->release, KBUILD_MODNAME, hw->rec->run_ns / NSEC_PER_SEC,
			 hw->rec->run_ns % NSEC_PER_SEC, comm, hw->rec->pid, hw->ring->name,
			 hw->rec->context, hw->rec->seqno);
}

/* The rest is lines of registers, of which the last says that it is. */
static void fg_dump(struct fg_hw *hw)
{
	size_t size = (size_t)READ_ONCE(dump_kib) << 10, n;
	char *text = size ? vmalloc(size) : NULL;

	if (!text)
		return;
	n = fg_dump_head(text, size, hw);
	while (n + 64 < size)
		n += scnprintf(text + n, size - n, "reg 0x%08zx: 0x%08x\n", n, (u32)(n * 2654435761u));
	memset(text + n, '.', size - n);
	memcpy(text + size - 13, "end of dump.\n", 13);
	dev_coredumpv(hw->ring->sched.dev, text, size, GFP_KERNEL);
}

void fg_dump_hang(struct fg_hw *hw)
{
	fg_dump(hw);
	if (READ_ONCE(wedged))
		fg_wedged(hw->ring->sched.dev);
}
