/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to a field of an event. A list of what is allowed: by the event's system, the
 * field's name, and the privacy class that META gives it (spec 6.2). What no row allows is zero.
 */
#ifndef XTR_REDACT_RULE_H
#define XTR_REDACT_RULE_H

#include "redact.h"

#include "format/meta/schema.h"

enum redact_action {
	REDACT_ZERO,
	REDACT_KEEP,
	REDACT_NUMBER, /* stays, unless it looks like an address of the kernel */
	REDACT_PID,
	REDACT_CONTEXT, /* of fences */
	REDACT_KPTR,
	REDACT_UPTR,
	REDACT_STRID, /* an id of a text */
	REDACT_STR,   /* a text in its place */
};

/* What a text is, and so which are harmless (redact_words.c). */
enum redact_kind {
	REDACT_NAME,    /* of a program or a person: none is */
	REDACT_COMM,    /* of a thread: those of kernel threads */
	REDACT_PATH,    /* none */
	REDACT_SYMBOL,  /* of a program's function: none */
	REDACT_LIBRARY, /* path of a program or library: base names of known libraries */
	REDACT_IDENT,   /* of the kernel: what could stand in C */
	REDACT_DEVICE,  /* what the kernel calls a device */
	REDACT_WORD,    /* of a driver: few letters, no long numbers */
	REDACT_RING,    /* a ring, queue or timeline: what drivers call theirs */
	REDACT_DRIVER,  /* who has an interrupt: known drivers */
	REDACT_HEX,     /* hexadecimal digits of an array */
	REDACT_XID,     /* what NVIDIA's driver says of an error */
	REDACT_EVENT,   /* name of an event */
	REDACT_MARKER,  /* of a program, in one of the forms of marker.h: names in it are none */
	REDACT_KINDS
};

struct redact_rule {
	enum redact_action action;
	enum redact_kind kind; /* of REDACT_STRID and REDACT_STR */
};

/* ev need not have the field. */
struct redact_rule redact_rule_of(const struct xtr_event_desc *ev, const struct xtr_field *f,
				  enum xtr_redact_policy policy);

#endif /* XTR_REDACT_RULE_H */
