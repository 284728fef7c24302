/* SPDX-License-Identifier: BSD-2-Clause */
/* --stack: with which events the stack is taken. */
#ifndef XTR_RECORDER_STACKS_H
#define XTR_RECORDER_STACKS_H

#include "recorder/recorder.h"
#include "select.h"

/*
 * Of what is selected, and numbered, take stacks at the events that begin a job or a wait in the
 * thread that asks for it, and at those that `more` names (names or globs, n of them). The
 * scheduler's and the fences' events take theirs by themselves. Where none of all these is
 * selected, the selection gets a note. 0, or -errno with err filled.
 */
int xtr_stacks_apply(struct xtr_selection *s, const char *const *more, size_t n,
		     struct xtr_record_err *err);

/* Is this one of those events, by a driver's own name (spec/events.md)? */
bool xtr_stacks_submit(const char *event);

#endif /* XTR_RECORDER_STACKS_H */
