/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rings of one engine executed lately, by the engine's own clock: where a ring preempts
 * another one, the times of the other's job contain its own.
 */
#ifndef XTR_SOURCE_SPANS_H
#define XTR_SOURCE_SPANS_H

#include <stdint.h>

#define SOURCE_SPANS_KEPT 32u

struct source_span {
	uint64_t start, end; /* ns */
	uint32_t ring;
};

struct source_spans { /* all zero: none */
	struct source_span kept[SOURCE_SPANS_KEPT];
	uint32_t n; /* in all; goes round */
};

/* Note one. Returns how long (ns) others of other rings lasted within it, as far as they are kept.
 */
uint64_t source_spans_add(struct source_spans *s, uint32_t ring, uint64_t start, uint64_t end);

#endif /* XTR_SOURCE_SPANS_H */
