/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of replays as text and as JSON. */
#ifndef XTR_WHATIF_VIEW_H
#define XTR_WHATIF_VIEW_H

#include "base/json.h"
#include "whatif.h"

#include <stdio.h>

struct xtr_whatif_view {
	struct xtr_whatif *w;
	/* As xtr_whatif_play fills them; changed: NULL without a change. */
	const struct xtr_whatif_sums *recorded, *replayed, *typical, *changed;
};

/* 0 or -ENOMEM. */
int xtr_whatif_text(const struct xtr_whatif_view *v, FILE *f);
/* One object. */
void xtr_whatif_json(const struct xtr_whatif_view *v, struct xtr_json *j);

#endif /* XTR_WHATIF_VIEW_H */
