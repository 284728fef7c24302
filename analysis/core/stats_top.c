/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of the N longest, kept sorted, longest first; of equal ones the earlier stays in front. */
#include "stats_impl.h"

void top_job(struct xtr_stats *s, const struct xtr_job *j, bool bounded)
{
	uint64_t value = bounded ? j->done_ns - j->run_ns : j->exec_max_ns;
	uint32_t i = s->n_slowest;

	if (i == s->o.top && (!i || value <= s->slowest[i - 1].value))
		return;
	if (i < s->o.top)
		s->n_slowest++;
	else
		i--;
	for (; i && s->slowest[i - 1].value < value; i--)
		s->slowest[i] = s->slowest[i - 1];
	s->slowest[i] = (struct xtr_stats_job){
		.job = *j, .ring = j->ring->index, .value = value, .bounded = bounded
	};
	s->slowest[i].job.ring = NULL;
	s->slowest[i].job.deps = NULL;
}

static uint64_t length(const struct xtr_dep *d)
{
	return d->until_ns - d->from_ns;
}

static void top_wait(struct xtr_stats *s, const struct xtr_job *j, const struct xtr_dep *d)
{
	uint32_t i = s->n_waits;

	if (i == s->o.top && (!i || length(d) <= length(&s->wait[i - 1].dep)))
		return;
	if (i < s->o.top)
		s->n_waits++;
	else
		i--;
	for (; i && length(&s->wait[i - 1].dep) < length(d); i--)
		s->wait[i] = s->wait[i - 1];
	s->wait[i] = (struct xtr_stats_wait){
		.ctx = j->ctx, .seqno = j->seqno, .ring = j->ring->index, .dep = *d
	};
}

void top_waits(struct xtr_stats *s, const struct xtr_job *j)
{
	uint32_t i;

	for (i = 0; i < j->n_deps; i++)
		top_wait(s, j, &j->deps[i]);
}
