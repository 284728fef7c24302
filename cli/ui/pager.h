/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pager there is.
 */
#ifndef XTR_CLI_PAGER_H
#define XTR_CLI_PAGER_H

#include <stdbool.h>
#include <sys/wait.h>

/*
 * The command line for /bin/sh of XTR_PAGER, PAGER or "less"; NULL: none is wanted, or its program
 * is not there, and what there is to say is printed.
 */
const char *pager_command(void);
/*
 * Of the shell that ran it, by wait(2): it could not be run, so that nobody has read anything.
 * sh(1): 126 where it cannot be run, 127 where it is not found. May be called in a signal handler.
 */
static inline bool pager_failed(int status)
{
	return WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
}

#endif /* XTR_CLI_PAGER_H */
