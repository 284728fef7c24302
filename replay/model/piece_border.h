/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the model: jobs over the borders of a piece. Nothing of it does anything elsewhere. */
#ifndef XTR_REPLAY_BORDER_H
#define XTR_REPLAY_BORDER_H

#include "engine.h"

/* Which times the section has whole. */
void border_init(struct xtr_model *m, const struct xtr_meta *meta);
/* No more events: note which jobs execute at the end. Before any of them is held. */
void border_ends(struct xtr_model *m);
/* A job is settled: flags of what it has in other pieces. After GAP is known to be due to gaps. */
void border_flags(const struct xtr_model *m, struct slot *s);
/* A job that did not reside: is what it lacks in another piece, and no record lost? */
bool border_leaves_open(const struct xtr_model *m, const struct slot *s);
/* A job that resided: may what it rests on be in another piece? */
bool border_unsure(const struct xtr_model *m, const struct xtr_job *j);
/* When it was on the hardware for certain (job.h, busy_from_ns). After its flags. */
void border_busy(const struct xtr_model *m, struct slot *s);

#endif /* XTR_REPLAY_BORDER_H */
