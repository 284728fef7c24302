/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XTR_CLI_RECORD_MISSING_H
#define XTR_CLI_RECORD_MISSING_H

#include "cli/ui/cli.h"

#include "recorder/recorder.h"

/*
 * Say what will not be recorded: what was asked for by name, and what the kernel refused. Of the
 * functions that a pattern or a group means the kernel always refuses some: their number.
 */
void record_report_missing(const struct xtr_recorder *r, const struct cli_list *events);

#endif /* XTR_CLI_RECORD_MISSING_H */
