/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the program's file gives beyond the rights of who runs it: file capabilities, so that users
 * who are not root can record. Only commands that ask the kernel for something keep them;
 * set-user-ID and set-group-ID are given up by all. Nothing of this happens where the program's
 * file gives nothing (getauxval(3), AT_SECURE).
 */
#ifndef XTR_CLI_SECURE_H
#define XTR_CLI_SECURE_H

#include <stdbool.h>

/* Before anything is opened. needed: keep the capabilities, and make them effective where the file
 * gives them as permitted alone. 0 or -errno. */
int cli_secure(bool needed);
/* getenv(3) for what decides which program is run or which file is opened: NULL while the process
 * may do more than who runs it. */
const char *cli_getenv(const char *name);

#endif /* XTR_CLI_SECURE_H */
