/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creating files in a directory of somebody else without privileges. Root that has given up its
 * capabilities cannot do that (sudo in a home directory), so the thread acts as the directory's
 * owner where files are concerned (setfsuid(2)): it can then do what the owner can, and nothing
 * more. Both calls are of the calling thread; threads that it starts inherit it.
 */
#ifndef XTR_RECORDER_DIR_USER_H
#define XTR_RECORDER_DIR_USER_H

#include <stdint.h>
#include <sys/types.h>

/* Whom root makes files for; uid 0: for itself. */
struct xtr_owner {
	uid_t uid;
	gid_t gid;
};

struct xtr_dir_user {
	uid_t uid; /* of the directory, or of the owner that was asked for */
	gid_t gid;
	uint64_t caps; /* effective ones (1 << CAP_*) before _enter */
};

/*
 * Act as the owner of the directory that dir is open on, if this is root; in a directory of root's
 * that `wanted` may write to, such as /tmp, as that one. Whoever it is, with no capability
 * effective, so that what works now works after privileges were given up, too. 0 or -errno.
 */
int xtr_dir_user_enter(struct xtr_dir_user *u, int dir, const struct xtr_owner *wanted);
/* With the capabilities that there were before, still as the owner. Those it has no more stay away.
 */
int xtr_dir_user_caps(const struct xtr_dir_user *u);
/* As oneself again. */
void xtr_dir_user_leave(const struct xtr_dir_user *u);

#endif /* XTR_RECORDER_DIR_USER_H */
