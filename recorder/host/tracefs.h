/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs: where it is, which events it has, and the layout of one (its `format` file, which
 * format/meta/tpformat.h parses).
 */
#ifndef XTR_RECORDER_TRACEFS_H
#define XTR_RECORDER_TRACEFS_H

#include "format/meta/tpformat.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Directory of tracefs, mounted at its usual place if it is not (and we may). NULL if there is
 * none; *err is then -errno.
 */
const char *xtr_tracefs_dir(int *err);
/* Read and parse events/SYSTEM/EVENT/format. -ENOENT if there is no such event. */
int xtr_tracefs_format(const char *system, const char *event, struct xtr_tp_format **f);
/* Is there such an event? 0, -ENOENT, or why it is unknown: -EACCES, or -EPERM: no tracefs. */
int xtr_tracefs_look(const char *system, const char *event);
bool xtr_tracefs_has(const char *system, const char *event);
/* Call fn for each event in order of system and name, until it returns non-zero, which is returned.
 * -errno if unreadable. */
int xtr_tracefs_each(int (*fn)(void *ctx, const char *system, const char *event), void *ctx);

#endif /* XTR_RECORDER_TRACEFS_H */
