/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr why FILE frame:NUMBER is xtr frames FILE NUMBER. */
#ifndef XTR_CLI_FRAMES_WHY_H
#define XTR_CLI_FRAMES_WHY_H

#include <stdbool.h>

/* Borrows both texts. The exit status. */
int frames_why(char *path, char *number, bool jsonl);

#endif /* XTR_CLI_FRAMES_WHY_H */
