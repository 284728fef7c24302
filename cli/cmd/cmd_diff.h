/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XTR_CMD_DIFF_H
#define XTR_CMD_DIFF_H

#include "analysis/diff/diff.h"

/* --- diff opts -------------------------------------------------------------------------------- */

/* What the options of xtr diff say. */
/* "ring,process": a bit for each name. 0, or -EINVAL: one is not known, or there is none. */
int diff_parse_list(const char *s, const char *(*name)(unsigned int), uint32_t *bits);
/*
 * "5%": a limit for all kinds of times, "execution=5%" for one; limit[] are shares (0.05). What is
 * given later replaces what was given before. 0 or -EINVAL.
 */
int diff_parse_limit(const char *s, double limit[XTR_DIFF_METRIC_COUNT]);

#endif /* XTR_CMD_DIFF_H */
