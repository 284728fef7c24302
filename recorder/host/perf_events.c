// SPDX-License-Identifier: BSD-2-Clause
#include "perf_events.h"
#include "caps.h"
#include "util.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>

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
