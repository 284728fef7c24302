/* SPDX-License-Identifier: BSD-2-Clause */
/* What a section that a flight recorder wrote says of itself in META's config (spec 6.2). */
#ifndef XTR_FLIGHT_H
#define XTR_FLIGHT_H

#include "meta.h"

#include <stdbool.h>
#include <stdint.h>

struct xtr_flight_note {
	const char *why;     /* the trigger, "signal" or "end"; read: valid as long as the META */
	const char *event;   /* name of the event that fired it; "": none */
	uint64_t at;         /* ns: when that was */
	uint64_t from;       /* ns: nothing from then on was given up; 0: nothing at all */
	uint64_t bytes;      /* limits of what was kept: of chunks, */
	uint64_t ns;         /* and time before `at`; 0: none */
	uint64_t suppressed; /* triggers without a section of their own since the one before */
	uint64_t untracked;  /* jobs that were not watched */
	uint64_t ctx, seqno; /* of the job's fence; 0 0: none */
	uint64_t pid;        /* 0: not known */
	uint64_t value;      /* how long, ns, or how many events; 0: the trigger has none */
};

/* False: the section is of no flight recorder (or one that was cut, and so is a part of one). */
bool xtr_flight_read(struct xtr_flight_note *n, const struct xtr_meta *m);
/* 0 or -ENOMEM. */
int xtr_flight_write(const struct xtr_flight_note *n, struct xtr_meta *m);

#endif /* XTR_FLIGHT_H */
