/* SPDX-License-Identifier: BSD-2-Clause */
#include "secure.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool more_rights; /* than who runs the program */

static int set_ids(void)
{
	gid_t group = getgid();
	uid_t user = getuid();

	if (setresgid(group, group, group) || setresuid(user, user, user))
		return -errno;
	return 0;
}

/* All that is permitted becomes effective, or nothing stays permitted. */
static int set_capabilities(bool needed)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (syscall(SYS_capget, &head, data))
		return -errno;
	more_rights = false;
	for (int i = 0; i < 2; i++) {
		if (!needed)
			data[i].permitted = 0;
		data[i].effective = data[i].permitted;
		more_rights |= data[i].permitted != 0;
	}
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

int cli_secure(bool needed)
{
	int err;

	if (!getauxval(AT_SECURE))
		return 0;
	more_rights = true;
	err = set_ids();
	if (!err && getuid()) /* root has what root has */
		err = set_capabilities(needed);
	return err;
}

const char *cli_getenv(const char *name)
{
	return more_rights ? NULL : getenv(name);
}
