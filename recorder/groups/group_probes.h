/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of a group: from rows of a table (group_row.h) to probes. */
#ifndef XTR_RECORDER_GROUP_PROBES_H
#define XTR_RECORDER_GROUP_PROBES_H

#include "group_row.h"
#include "groups.h"
#include "select.h"

/*
 * The probe of a row, with its captures, as far as this kernel goes; the function that is missing
 * is named in it with the reason. The caller's. 0 or -errno.
 */
int xtr_group_probe(struct xtr_selection *s, const struct xtr_group_probe *row,
		    struct xtr_probe **p);

/* Add the functions of a group's rows to the selection. 0 or -errno. */
int xtr_group_probes_select(struct xtr_selection *s, const struct xtr_group *g);

#endif /* XTR_RECORDER_GROUP_PROBES_H */
