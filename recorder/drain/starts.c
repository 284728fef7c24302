/* SPDX-License-Identifier: BSD-2-Clause */
#include "starts.h"

#include <stdio.h>
#include <unistd.h>

#define PRUNE_FIRST 16384

/* Forget processes that are gone, if there are many. Without memory all are forgotten. */
static void prune(struct xtr_starts *s)
{
	struct xtr_map left = { .n = 0 };
	const struct xtr_map_slot *slot;
	size_t i = 0;
	char path[32];

	if (s->by_pid.n < PRUNE_FIRST || s->by_pid.n < s->prune_at)
		return;
	while ((slot = xtr_map_next(&s->by_pid, &i))) {
		snprintf(path, sizeof(path), "/proc/%u", (uint32_t)slot->a);
		if (access(path, F_OK) == 0)
			(void)xtr_map_put(&left, slot->a, 0, slot->value);
	}
	xtr_map_free(&s->by_pid);
	s->by_pid = left;
	s->prune_at = 2 * left.n;
}

uint64_t xtr_starts_first(struct xtr_starts *s, uint32_t pid, uint64_t start)
{
	const uint64_t *known = xtr_map_get(&s->by_pid, pid, 0);

	if (!start)
		return 0;
	if (known && (start > *known ? start - *known : *known - start) < XTR_STARTS_NEAR)
		return *known;
	prune(s);
	(void)xtr_map_put(&s->by_pid, pid, 0, start);
	return start;
}

void xtr_starts_free(struct xtr_starts *s)
{
	xtr_map_free(&s->by_pid);
}
