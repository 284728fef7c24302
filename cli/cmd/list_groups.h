/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of events in `xtr list`: what there is, and what is in one of them. */
#ifndef XTR_CLI_LIST_GROUPS_H
#define XTR_CLI_LIST_GROUPS_H

#include "recorder/groups/group_parts.h"

#include <stdio.h>

struct xtr_json;

/* One line per group. 0 or -errno: tracefs cannot be read. */
int cli_list_groups(FILE *f);
/* The same as the array "groups" of an open object. */
int cli_list_groups_json(struct xtr_json *j);

/* One event of a group: a line on f, or an object of j. */
void cli_list_part(FILE *f, struct xtr_json *j, const struct xtr_group_part *p);

/* The names that -e takes for sets of events, "default" first; NULL past the last. */
const char *cli_group_name(size_t i);

#endif /* XTR_CLI_LIST_GROUPS_H */
