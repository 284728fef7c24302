/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pager there is.
 */
#ifndef XTR_CLI_PAGER_H
#define XTR_CLI_PAGER_H

#include <stdbool.h>

/*
 * The command line for /bin/sh of XTR_PAGER, PAGER or "less"; NULL: none is wanted, or its program
 * is not there, and what there is to say is printed.
 */
const char *pager_command(void);
/* Of the shell that ran it, by wait(2): it could not be run, so that nobody has read anything. */
bool pager_failed(int status);

#endif /* XTR_CLI_PAGER_H */
