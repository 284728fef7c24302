/* SPDX-License-Identifier: BSD-2-Clause */
#include "caps.h"
#include "util.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int get(struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capget, &head, data) ? -errno : 0;
}

bool xtr_cap_have(int cap)
{
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	return get(data) == 0 && (data[cap / 32].effective >> (cap % 32) & 1);
}

static int set(const struct __user_cap_data_struct data[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

/* Only CAP_SETPCAP may; without it the set says nothing, as no_new_privs is set. */
static void drop_bounding(uint64_t keep)
{
	for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++) {
		if (!(keep >> cap & 1))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
}

int xtr_caps_keep(uint64_t mask)
{
	struct __user_cap_data_struct data[2];
	int err = get(data);

	if (err)
		return err;
	drop_bounding(mask);
	for (int i = 0; i < 2; i++) {
		uint32_t keep = (uint32_t)(mask >> (32 * i));

		data[i].effective &= keep;
		data[i].permitted &= keep;
		data[i].inheritable = 0; /* nor ambient, then */
	}
	return set(data) ?: (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0);
}

int xtr_caps_suspend(uint64_t *was)
{
	struct __user_cap_data_struct data[2];
	int err = get(data);

	if (err)
		return err;
	*was = data[0].effective | (uint64_t)data[1].effective << 32;
	data[0].effective = data[1].effective = 0;
	return set(data);
}

int xtr_caps_resume(uint64_t was)
{
	struct __user_cap_data_struct data[2];
	int err = get(data);

	if (err)
		return err;
	data[0].effective = (uint32_t)was;
	data[1].effective = (uint32_t)(was >> 32);
	return set(data);
}

int xtr_caps_forget(void)
{
	struct __user_cap_data_struct data[2];
	int err = get(data);

	if (err)
		return err;
	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted = 0;
	return set(data);
}

/* --- perf events ------------------------------------------------------------------------------ */

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

int xtr_probe_pmu(const char *name)
{
	char path[128], line[32];
	int type;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	if (!xtr_read_line(path, line, sizeof(line)) || sscanf(line, "%d", &type) != 1)
		return -ENOENT;
	return type;
}

/*
 * Above 2 some distributions (Debian, Ubuntu) let only CAP_SYS_ADMIN open perf events, where Linux
 * itself asks for CAP_PERFMON.
 */
bool xtr_perf_forbidden(void)
{
	char line[16];

	return !xtr_cap_have(CAP_SYS_ADMIN) && xtr_read_line(PARANOID, line, sizeof(line)) &&
	       atoi(line) > 2;
}

const char *xtr_perf_why(int err)
{
	if ((err == -EACCES || err == -EPERM) && xtr_perf_forbidden())
		return "kernel.perf_event_paranoid is above 2: only CAP_SYS_ADMIN may attach here";
	return strerror(-err);
}
