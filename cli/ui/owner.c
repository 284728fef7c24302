/* SPDX-License-Identifier: BSD-2-Clause */
#include "owner.h"
#include "secure.h"

#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_GROUPS 65536 /* NGROUPS_MAX of Linux */

/* Digits alone, and no number that means "none" to chown(2). */
static bool get_id(const char *name, uint32_t *id)
{
	const char *s = cli_getenv(name);
	uint64_t n = 0;

	if (!s || !*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		n = n * 10 + (uint64_t)(*s - '0');
		if (n >= UINT32_MAX)
			return false;
	}
	*id = (uint32_t)n;
	return true;
}

static bool is_member(const struct passwd *user, gid_t gid)
{
	int n = MAX_GROUPS;
	gid_t *groups = malloc(sizeof(*groups) * MAX_GROUPS);
	bool found = false;

	if (groups && getgrouplist(user->pw_name, user->pw_gid, groups, &n) >= 0)
		while (n > 0 && !found)
			found = groups[--n] == gid;
	free(groups);
	return found;
}

bool cli_owner(uid_t *uid, gid_t *gid)
{
	const struct passwd *user;
	uint32_t u, g;

	if (getuid() || geteuid() || !get_id("SUDO_UID", &u) || !get_id("SUDO_GID", &g) || !u)
		return false;
	user = getpwuid(u);
	if (!user || !is_member(user, g))
		return false;
	*uid = u;
	*gid = g;
	return true;
}
