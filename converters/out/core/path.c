/* SPDX-License-Identifier: BSD-2-Clause */
#include "path.h"

static bool is_of(const struct xtr_export_step *s, uint64_t ctx, uint64_t seqno)
{
	return !s->tid && s->job.ctx == ctx && s->job.seqno == seqno;
}

const struct xtr_export_step *xtr_export_step_of(const struct xtr_export_steps *s, uint64_t ctx,
						 uint64_t seqno)
{
	for (uint32_t i = 0; s && i < s->n; i++)
		if (is_of(&s->step[i], ctx, seqno))
			return &s->step[i];
	return NULL;
}

bool xtr_export_step_first(const struct xtr_export_steps *s, uint32_t i)
{
	const struct xtr_export_step *step = &s->step[i];

	return xtr_export_step_of(s, step->job.ctx, step->job.seqno) == step;
}
