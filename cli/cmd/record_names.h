/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages about event names. */
#ifndef XTR_CLI_RECORD_NAMES_H
#define XTR_CLI_RECORD_NAMES_H

#include <stdbool.h>

/* Say that there is no such event, and which one may be meant; as an error or a warning. */
void record_unknown_event(const char *name, bool is_error);

#endif /* XTR_CLI_RECORD_NAMES_H */
