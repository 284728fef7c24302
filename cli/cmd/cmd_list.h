/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XTR_CMD_LIST_H
#define XTR_CMD_LIST_H

#include "recorder/groups/group_parts.h"

#include <stdbool.h>
#include <stdio.h>

/* --- list apis -------------------------------------------------------------------------------- */

/* Calls of libraries in `xtr list`: the programming interfaces, and the functions of a library. */
/* One line of the list; why: of what is missing the reason, else where it is. */
typedef void cli_list_show(void *ctx, const char *name, bool available, const char *why);

/* --- list groups ------------------------------------------------------------------------------ */

/* Groups of events in `xtr list`: what there is, and what is in one of them. */
struct xtr_json;

/* The names that -e takes for sets of events, "default" first; NULL past the last. */
const char *cli_group_name(size_t i);

#endif /* XTR_CMD_LIST_H */
