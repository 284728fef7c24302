/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of a driver by name, for JSON: none is dropped, known to an analysis or not. Text has them
 * under "Events in the trace". */
#ifndef XTR_EVENT_COUNTS_H
#define XTR_EVENT_COUNTS_H

#include "format/read/merge.h"
#include "format/meta/meta.h"
#include "base/json.h"

#include <stdbool.h>

struct xtr_event_counts {
	const struct xtr_meta *meta;
	uint64_t *n; /* by place in META */
};

/* meta must live as long. 0 or -ENOMEM. */
int xtr_event_counts_open(struct xtr_event_counts *c, const struct xtr_meta *meta);
void xtr_event_counts_close(struct xtr_event_counts *c);
/* The event has a description. */
void xtr_event_counts_add(struct xtr_event_counts *c, const struct xtr_event *ev);
/* The key "events": an object, number by name. */
void xtr_event_counts_json(const struct xtr_event_counts *c, struct xtr_json *j);
/* Does META have an event whose name begins so? */
bool xtr_event_counts_any(const struct xtr_meta *meta, const char *prefix);

#endif /* XTR_EVENT_COUNTS_H */
