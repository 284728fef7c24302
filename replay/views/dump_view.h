/* SPDX-License-Identifier: BSD-2-Clause */
/* One event as a line, with every field that META describes: for people, and as JSON. */
#ifndef XTR_DUMP_VIEW_H
#define XTR_DUMP_VIEW_H

#include "replay/calls/call.h"
#include "format/meta/tables.h"
#include "base/json.h"

/* What events are shown with. */
struct xtr_dump {
	const struct xtr_tables *tables;
	bool times;   /* false: time stamps are numbers, "#12" and "seq" */
	bool threads; /* false: the source did not say whose the events are */
	struct xtr_task_cache tasks;
};

void xtr_dump_init(struct xtr_dump *d, const struct xtr_meta *meta, const struct xtr_tables *t);

/* "comm-tid [cpu] s.ns: system:event: field=value ...", or the mark of a gap. A stack follows, a
 * line for each frame. */
void xtr_dump_text(FILE *f, struct xtr_dump *d, const struct xtr_event *ev);
/* The object of the event's fields alone, as in xtr_dump_json; not of gaps. */
void xtr_dump_fields(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_event *ev);
void xtr_dump_json(struct xtr_json *j, struct xtr_dump *d, const struct xtr_event *ev);

/* The captured values of a function or API call, as an object. */
void xtr_dump_captured(struct xtr_json *j, const struct xtr_tables *t, const struct xtr_call *c);

#endif /* XTR_DUMP_VIEW_H */
