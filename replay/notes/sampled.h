/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of which a section holds a sample (spec/events.md, Sampled events), as its META says. */
#ifndef XTR_SAMPLED_H
#define XTR_SAMPLED_H

#include "base/json.h"

#include "format/meta/meta.h"

/*
 * The event after `*at` config entries of which only a share was recorded, and that share in
 * millionths; *at is moved behind it. NULL: there is no other. Functions: without ":ret".
 */
const char *xtr_sampled_next(const struct xtr_meta *m, size_t *at, uint64_t *million);
/* Is the event, or the function whose return it is, a sample? Its share in millionths, else 0. */
uint64_t xtr_sampled_share(const struct xtr_meta *m, const char *event);

/* A line for each: "SAMPLED: EVENT: 1 % ..."; nothing if there is none. */
void xtr_sampled_text(FILE *f, const struct xtr_meta *m);
/* "sampled": [{"event", "millionths"}] in an open object; nothing if there is none. */
void xtr_sampled_json(struct xtr_json *j, const struct xtr_meta *m);

#endif /* XTR_SAMPLED_H */
