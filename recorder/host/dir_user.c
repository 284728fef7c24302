/* SPDX-License-Identifier: BSD-2-Clause */
#include "dir_user.h"
#include "caps.h"

#include <errno.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A thread whose ids change is closed for debuggers and leak checkers: leave that as it was. */
static void set_ids(uid_t uid, gid_t gid)
{
	int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);

	setfsgid(gid);
	setfsuid(uid);
	if (dumpable == 1)
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* By the bits of the mode: what other groups of theirs may do is left to root. */
static bool may_write(const struct xtr_owner *who, const struct stat *dir)
{
	mode_t both = dir->st_gid == who->gid ? S_IWGRP | S_IXGRP : S_IWOTH | S_IXOTH;

	return who->uid && (dir->st_mode & both) == both;
}

int xtr_dir_user_enter(struct xtr_dir_user *u, int dir, const struct xtr_owner *wanted)
{
	struct stat st;
	int err;

	*u = (struct xtr_dir_user){ .uid = geteuid(), .gid = getegid() };
	err = xtr_caps_suspend(&u->caps) ?: xtr_caps_resume(u->caps);
	if (!err && fstat(dir, &st))
		err = -errno;
	if (err)
		return err;
	if (u->uid == 0 && (st.st_uid != 0 || may_write(wanted, &st))) {
		u->uid = st.st_uid ? st.st_uid : wanted->uid;
		u->gid = st.st_uid ? st.st_gid : wanted->gid;
		set_ids(u->uid, u->gid);
		/* Asking does not change anything. */
		if ((uid_t)setfsuid((uid_t)-1) != u->uid) {
			xtr_dir_user_leave(u);
			return -EPERM;
		}
	}
	return xtr_caps_suspend(&(uint64_t){ 0 });
}

int xtr_dir_user_caps(const struct xtr_dir_user *u)
{
	return xtr_caps_resume(u->caps);
}

void xtr_dir_user_leave(const struct xtr_dir_user *u)
{
	if (u->uid != geteuid())
		set_ids(geteuid(), getegid());
	xtr_caps_resume(u->caps); /* in vain if they were given up meanwhile */
}
