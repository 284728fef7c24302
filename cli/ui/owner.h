/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose the files are that a command makes.
 */
#ifndef XTR_CLI_OWNER_H
#define XTR_CLI_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Who asked root to run this, by sudo(8): SUDO_UID and SUDO_GID, where this is root by right and
 * they name a user that there is, not root, and a group of that user. Else false, both stay as they
 * are, and files are whose they are made by.
 */
bool cli_owner(uid_t *uid, gid_t *gid);

#endif /* XTR_CLI_OWNER_H */
