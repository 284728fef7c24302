/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding_chain.h"

#include <string.h>

static bool is_stall(const struct xtr_finding *f)
{
	return !strcmp(f->id, "dependency-stall");
}

uint32_t xtr_chain_begin(const struct xtr_chains *c, uint32_t i)
{
	while (c->before[i] != XTR_CHAIN_NONE)
		i = c->before[i];
	return i;
}

/* The stall that goes on where number i waits; XTR_CHAIN_NONE: there is none. */
static uint16_t find_next(const struct xtr_chains *c, const struct xtr_findings *f, uint32_t i)
{
	uint64_t ring = xtr_finding_number(&f->finding[i], "blocked_by_ring_id"), longest = 0;
	uint32_t begin = xtr_chain_begin(c, i), k;
	uint16_t next = XTR_CHAIN_NONE;

	for (k = 0; k < f->n; k++) {
		const struct xtr_finding *one = &f->finding[k];
		uint64_t ns = xtr_finding_number(one, "stall_ns");

		if (k == begin || c->before[k] != XTR_CHAIN_NONE || !is_stall(one) ||
		    xtr_finding_number(one, "ring_id") != ring || ns <= longest)
			continue;
		longest = ns;
		next = (uint16_t)k;
	}
	return next;
}

void xtr_chains_find(struct xtr_chains *c, const struct xtr_findings *f)
{
	memset(c, 0xff, sizeof(*c)); /* XTR_CHAIN_NONE */
	for (uint32_t i = 0; i < f->n; i++) {
		uint16_t next = is_stall(&f->finding[i]) ? find_next(c, f, i) : XTR_CHAIN_NONE;

		c->next[i] = next;
		if (next != XTR_CHAIN_NONE)
			c->before[next] = (uint16_t)i;
	}
}
