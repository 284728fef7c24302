/* SPDX-License-Identifier: BSD-2-Clause */
#include "tokens.h"
#include "recorder/groups/hooks.h"

#include <stdio.h>
#include <sys/utsname.h>

/*
 * Since about Linux 6.19 tracepoints run their programs with preemption on. Nothing in tracefs or
 * BTF shows it, so the version decides here; a wrong guess costs time or counted losses, no more.
 */
static bool preemptible(void)
{
	struct utsname u;
	int major, minor;

	if (uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2)
		return true;
	return major > 6 || (major == 6 && minor >= 19);
}

/*
 * A completion in a task (the hardware was done before the scheduler asked) can be interrupted by
 * another one; all other events happen in tasks only. With preemption a task may lie in each of the
 * programs.
 */
uint32_t xtr_tokens_programs(const struct xtr_hook *h)
{
	if (preemptible())
		return XTR_PROGRAMS_MAX;
	return h->type == XTR_EV_JOB_DONE || h->type == XTR_EV_FENCE_SIGNALED ? 2 : 1;
}

void xtr_tokens_sweep(struct xtr_bpf *b)
{
	for (size_t set = 0; set < XTR_TOKEN_SETS; set++) {
		for (size_t i = 0; i < XTR_TOKEN_WAYS; i++) {
			uint64_t *way = (uint64_t *)&b->tokens[set].way[i];
			uint64_t *seen = (uint64_t *)&b->tokens_seen[set].way[i];
			uint64_t token = __atomic_load_n(way, __ATOMIC_RELAXED);

			if (token && token == *seen)
				__atomic_compare_exchange_n(way, &token, 0, false, __ATOMIC_RELAXED,
							    __ATOMIC_RELAXED);
			*seen = token;
		}
	}
}
