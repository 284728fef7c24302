// SPDX-License-Identifier: BSD-2-Clause
#include "caps.h"

#include <errno.h>
#include <linux/capability.h>
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

int xtr_caps_keep(uint64_t mask)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int err = get(data);

	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		uint32_t keep = (uint32_t)(mask >> (32 * i));

		data[i].effective &= keep;
		data[i].permitted &= keep;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, data))
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}
