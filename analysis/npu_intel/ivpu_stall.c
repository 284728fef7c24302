/* SPDX-License-Identifier: BSD-2-Clause */
#include "ivpu_stall.h"
#include "replay/event/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void stalls_free(struct stalls *s)
{
	for (uint32_t i = 0; i < s->n_processes; i++)
		xtr_hist_free(&s->process[i]);
	free(s->process);
	xtr_map_free(&s->by_process);
}

void stalls_message(struct stalls *s, uint64_t ts)
{
	uint64_t i = s->n_messages++;

	for (uint64_t steps = 1; i && steps < STALL_LATE; i--, steps++) {
		if (s->message[(i - 1) % STALL_MESSAGES] <= ts)
			break;
		s->message[i % STALL_MESSAGES] = s->message[(i - 1) % STALL_MESSAGES];
	}
	s->message[i % STALL_MESSAGES] = ts;
}

/*
 * The longest time within the job in which no message came. False: the messages of its begin are
 * not kept any more.
 */
static bool silence(const struct stalls *s, struct stall_job *k, uint64_t end)
{
	uint64_t kept = s->n_messages < STALL_MESSAGES ? s->n_messages : STALL_MESSAGES;
	uint64_t later = end, ts;

	k->silence_ns = 0;
	for (uint64_t i = 1; i <= kept + 1; i++) {
		ts = i <= kept ? s->message[(s->n_messages - i) % STALL_MESSAGES] : k->begin_ns;
		if (i > kept && kept == STALL_MESSAGES)
			return false;
		if (ts >= end)
			continue;
		if (ts < k->begin_ns)
			ts = k->begin_ns;
		if (later > ts && later - ts > k->silence_ns) {
			k->silence_ns = later - ts;
			k->silence_at_ns = ts;
		}
		later = ts;
		if (ts == k->begin_ns)
			break;
	}
	return true;
}

static void keep(struct stalls *s, const struct stall_job *k)
{
	uint32_t i = s->n_kept;

	while (i && s->kept[i - 1].silence_ns < k->silence_ns)
		i--;
	if (i == STALL_KEPT)
		return;
	if (s->n_kept < STALL_KEPT)
		s->n_kept++;
	memmove(&s->kept[i + 1], &s->kept[i], (s->n_kept - 1 - i) * sizeof(s->kept[0]));
	s->kept[i] = *k;
}

static int64_t process_of(struct stalls *s, uint64_t who)
{
	uint32_t i = xtr_map_index(&s->by_process, who, 0);
	struct xtr_hist *more;

	if (i != XTR_MAP_NONE)
		return i;
	if (s->n_processes == STALL_PROCESSES_MAX)
		return -ENOSPC;
	if (!(s->n_processes & (s->n_processes - 1))) {
		more = reallocarray(s->process, s->n_processes ? s->n_processes * 2 : 1,
				    sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->process = more;
	}
	if (xtr_map_put(&s->by_process, who, 0, s->n_processes))
		return -ENOMEM;
	s->process[s->n_processes] = (struct xtr_hist){ 0 };
	return s->n_processes++;
}

int stalls_job(struct stalls *s, const struct xtr_job *j)
{
	struct stall_job k = { .name = { j->ctx, j->seqno },
			       .who = xtr_process(j->pid, j->nth),
			       .comm = j->comm };
	int64_t process;

	k.begin_ns = j->start_ns ? j->start_ns : j->run_ns;
	if (j->kind != XTR_KIND_NPU || !k.begin_ns || j->done_ns <= k.begin_ns)
		return 0;
	k.ran_ns = j->done_ns - k.begin_ns;
	process = process_of(s, k.who);
	if (process < 0)
		return process == -ENOSPC ? 0 : (int)process;
	k.process = (uint32_t)process;
	if (j->flags & XTR_FLAG_GAP || !silence(s, &k, j->done_ns)) {
		s->unjudged++;
	} else {
		s->jobs++;
		keep(s, &k);
	}
	return xtr_hist_add(&s->process[process], k.ran_ns);
}

bool stalls_is_one(const struct stalls *s, const struct stall_job *k, uint64_t *median)
{
	const struct xtr_hist *h = &s->process[k->process];

	*median = xtr_hist_quantile(h, 500);
	return h->n >= STALL_JOBS_MIN && k->silence_ns / STALL_TIMES >= *median &&
	       k->silence_ns >= *median + STALL_MORE_NS;
}

uint64_t stalls_peers(const struct stalls *s, const struct stall_job *k)
{
	return s->process[k->process].n;
}
