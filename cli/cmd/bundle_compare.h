/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr bundle --compare: are the hangs of two bundles the same one? */
#ifndef XTR_CLI_BUNDLE_COMPARE_H
#define XTR_CLI_BUNDLE_COMPARE_H

#include "cli/ui/cli.h"

#include <stdbool.h>

/*
 * Two bundles, or traces. Returns the exit status: XTR_EXIT_OK if they are the same, else
 * XTR_EXIT_THRESHOLD.
 */
int bundle_compare(const struct cli_command *cmd, int argc, char **argv, bool json);

#endif /* XTR_CLI_BUNDLE_COMPARE_H */
