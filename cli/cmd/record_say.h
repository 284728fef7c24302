/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr record` says of events before it begins. */
#ifndef XTR_RECORD_SAY_H
#define XTR_RECORD_SAY_H

#include "cli/ui/cli.h"
#include "recorder/recorder.h"

#include <stdbool.h>

/* --- record names ----------------------------------------------------------------------------- */

/* Messages about event names. */
/* Say that there is no such event, and which one may be meant; as an error or a warning. */
void record_unknown_event(const char *name, bool is_error);

/* --- record missing --------------------------------------------------------------------------- */

/*
 * Say what will not be recorded: what was asked for by name, and what the kernel refused. Of the
 * functions that a pattern or a group means the kernel always refuses some: their number.
 */
void record_report_missing(const struct xtr_recorder *r, const struct cli_list *events);

#endif /* XTR_RECORD_SAY_H */
