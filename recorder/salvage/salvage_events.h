/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that META and the keep describe, as a recorder has selected them. */
#ifndef XTR_RECORDER_SALVAGE_EVENTS_H
#define XTR_RECORDER_SALVAGE_EVENTS_H

#include "recorder/drain/persistent.h"
#include "recorder/groups/select.h"

/*
 * Fill a selection: enough of it to convert records and to name totals. meta and k must outlive it.
 * What does not fit together cannot be converted, and counts as spoilt. 0 or -ENOMEM.
 */
int xtr_salvage_events(struct xtr_selection *sel, const struct xtr_meta *meta,
		       const struct xtr_persistent *k);
void xtr_salvage_events_free(struct xtr_selection *sel);

#endif /* XTR_RECORDER_SALVAGE_EVENTS_H */
