/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of libraries in `xtr list`: the programming interfaces, and the functions of a library. */
#ifndef XTR_CLI_LIST_APIS_H
#define XTR_CLI_LIST_APIS_H

#include <stdbool.h>

/* One line of the list; why: of what is missing the reason, else where it is. */
typedef void cli_list_show(void *ctx, const char *name, bool available, const char *why);

/* Is it "api", "api:", or what -e takes for calls of a library? */
bool cli_list_is_api(const char *pattern);
/* Show what such a pattern means: interfaces, or functions. 0 or -errno. */
int cli_list_api(const char *pattern, cli_list_show *show, void *ctx);

#endif /* XTR_CLI_LIST_APIS_H */
