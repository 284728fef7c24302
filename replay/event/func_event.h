/* SPDX-License-Identifier: BSD-2-Clause */
/* Which function of the kernel or of a library an event is about, told by the event's name
 * (spec/events.md). */
#ifndef XTR_FUNC_EVENT_H
#define XTR_FUNC_EVENT_H

#include "format/meta/meta.h"

struct func_event {
	bool api;                  /* of a library */
	const char *module, *name; /* within the event's name, not terminated */
	size_t module_len, name_len;
	bool ret; /* the return; false: the entry */
	/* The other half, with which it makes calls (call.h); NULL: META does not have it. */
	const struct xtr_event_desc *other;
};

/* The names alone, without `other`. False: the event is none of a function. */
bool func_event_parse(struct func_event *f, const char *event);
/* 1: filled in; 0: the event is none of a function; -ENOMEM. */
int func_event(struct func_event *f, const struct xtr_meta *meta, const struct xtr_event_desc *d);
/* Is it of this kernel module (a whole name), or does it begin with prefix (built in, module not
 * known)?
 */
bool func_event_of(const struct func_event *f, const char *module, const char *prefix);

#endif /* XTR_FUNC_EVENT_H */
