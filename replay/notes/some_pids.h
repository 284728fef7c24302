/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording of some processes (record -p; spec/events.md, Recordings of some processes). */
#ifndef XTR_SOME_PIDS_H
#define XTR_SOME_PIDS_H

#include <stdio.h>

#include "format/meta/meta.h"

enum xtr_pids {
	XTR_PIDS_ALL,   /* of all processes */
	XTR_PIDS_SOME,  /* of some; of the jobs of others when they were on the hardware */
	XTR_PIDS_ALONE, /* of some; nothing of others, as earlier recorders had it */
};

/* META may be NULL: of all. */
enum xtr_pids xtr_pids_recorded(const struct xtr_meta *m);

/* A line that says what that means for rings; nothing if it is of all. */
void xtr_pids_text(FILE *f, const struct xtr_meta *m);

#endif /* XTR_SOME_PIDS_H */
