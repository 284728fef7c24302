/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns that several tables of amdgpu have. */
#ifndef XTR_AMDGPU_TABLES_H
#define XTR_AMDGPU_TABLES_H

#include "amdgpu_impl.h"
#include "analysis/core/section_columns.h"

#define SUM(key, member, help)                                                  \
	{ key ".count", NULL, XTR_C_COUNT, AT(member.n), help },                \
	{                                                                       \
		key ".bytes", NULL, XTR_C_COUNT, AT(member.bytes), "their size" \
	}
#define RATE(member, per_second, peak)                                                             \
	{ "per_second", per_second, XTR_C_COUNT | XTR_C_TIMES, XTR_PUT, "how often per second" },  \
		{ "peak_per_second", peak, XTR_C_COUNT | XTR_C_TIMES, XTR_PUT,                     \
		  "in the busiest 0.1 s" },                                                        \
	{                                                                                          \
		"peak_at_ns", NULL, XTR_C_NS | XTR_C_TIMES, AT(member.peak_ns), "when these began" \
	}

static inline void put_rate(struct xtr_rows *r, const struct amdgpu *g, const struct xtr_rate *rate)
{
	xtr_put_u64(r, true, xtr_rate_per_second(rate->n, g->o->span_ns));
	xtr_put_u64(r, true, xtr_rate_peak(rate));
}

#endif /* XTR_AMDGPU_TABLES_H */
