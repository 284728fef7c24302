/* SPDX-License-Identifier: BSD-2-Clause */
/* A kind of event of a scenario: built in, a tracepoint with a format file, or a function. */
#ifndef PLAY_KIND_H
#define PLAY_KIND_H

#include "play.h"

#include "format/meta/tpevent.h"

struct play_kind {
	struct play_kind *next;
	const char *name;
	uint32_t type;
	bool builtin, function;
	bool returns; /* func:...:ret */
	uint32_t n_captured;
	const char *attach, *module;
	struct xtr_event_desc desc;
	struct xtr_field *fields;     /* of a function: desc's */
	struct xtr_tp_format *format; /* of a tracepoint, as tp */
	struct xtr_tp_event *tp;
};

/* NULL: not described. */
struct play_kind *play_kind_of(const struct play_output *o, const char *event);

#endif /* PLAY_KIND_H */
