/* SPDX-License-Identifier: BSD-2-Clause */
/* Which engine brings an event by name: a BPF program or the kernel's trace ring. */
#ifndef XTR_RECORDER_ENGINE_H
#define XTR_RECORDER_ENGINE_H

#include "recorder/groups/select.h"
#include "recorder/recorder.h"

/* Why the trace ring cannot bring the event as it is asked for: a static text; NULL: it can. */
const char *xtr_engine_why_not(const struct xtr_generic *g, const struct xtr_selection *sel);
/*
 * Set `ftrace` of each event by name, by opts->engine. 0, or -EINVAL with *err: the engine that is
 * asked for cannot bring something that is selected.
 */
int xtr_engine_choose(struct xtr_selection *sel, const struct xtr_record_opts *opts,
		      struct xtr_record_err *err);

/*
 * Where no programs can be used: leave out what needs one. text, which has to stay, is noted in the
 * selection then. False: nothing is left.
 */
bool xtr_engine_without_programs(struct xtr_selection *sel, const char *text);

#endif /* XTR_RECORDER_ENGINE_H */
