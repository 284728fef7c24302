/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_clock.h"

uint64_t source_ticks_ns(uint64_t ticks, uint32_t num, uint32_t den)
{
	return ticks / den * num + ticks % den * num / den;
}

void source_clock_sample(struct source_clock *c, uint64_t hw_ns, uint64_t trace_ns)
{
	int64_t off = (int64_t)(trace_ns - hw_ns);

	if (hw_ns < c->last_hw)
		*c = (struct source_clock){ 0 };
	c->last_hw = hw_ns;
	if (c->n == SOURCE_CLOCK_SAMPLES) {
		c->before = c->lowest;
		c->had_before = true;
		c->n = 0;
	}
	if (!c->n++ || off < c->lowest)
		c->lowest = off;
	c->known = true;
}

bool source_clock_map(const struct source_clock *c, uint64_t hw_ns, uint64_t *trace_ns)
{
	int64_t off = c->had_before && c->before < c->lowest ? c->before : c->lowest;

	*trace_ns = hw_ns + (uint64_t)off;
	return c->known && (int64_t)*trace_ns > 0;
}
