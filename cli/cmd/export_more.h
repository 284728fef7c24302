/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr stats` computes, as tables of an export. */
#ifndef XTR_CLI_EXPORT_MORE_H
#define XTR_CLI_EXPORT_MORE_H

#include "converters/out/core/export.h"

/* Findings, and all tables of the sections, of one section of the trace. cmd: a struct replay_cmd.
 * As xtr_export_opts.more. */
int export_more(void *cmd, const struct xtr_export_section *s, struct xtr_export_tables *to);

/* Is there such a table? */
bool export_more_has(const char *table);

#endif /* XTR_CLI_EXPORT_MORE_H */
