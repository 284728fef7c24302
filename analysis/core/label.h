/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that occur in a trace (devices, places, contexts), numbered in order of appearance. */
#ifndef XTR_LABEL_H
#define XTR_LABEL_H

#include "base/json.h"
#include "format/meta/meta.h"
#include "format/read/merge.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_LABEL_LEN 64u /* bytes kept of a name, with the NUL */

struct xtr_labels { /* all zero: empty */
	char (*name)[XTR_LABEL_LEN];
	uint32_t n;
	uint32_t last; /* the one that was asked for last */
};

/*
 * The number of this name (n bytes; NULL: "(unknown)"). Of max names the last one is "(others)",
 * which stands for all further ones. -ENOMEM.
 */
int64_t xtr_label(struct xtr_labels *l, const char *s, size_t n, uint32_t max);
void xtr_labels_free(struct xtr_labels *l);

/* --- event counts ----------------------------------------------------------------------------- */

/* Events of a driver by name, for JSON: none is dropped, known to an analysis or not. Text has them
 * under "Events in the trace". */
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

#endif /* XTR_LABEL_H */
