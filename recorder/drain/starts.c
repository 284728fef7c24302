/* SPDX-License-Identifier: BSD-2-Clause */
#include "starts.h"

#include <stdio.h>
#include <unistd.h>

#define PRUNE_FIRST 32768

/* Of the last process of a number: what a program said, what the ring said, what is in the file. */
enum {
	PROGRAM,
	RING,
	IN_FILE,
	KINDS
};

/* Forget processes that are gone, if there are many. Without memory all are forgotten. */
static void prune(struct xtr_starts *s)
{
	struct xtr_map left = { .n = 0 };
	const struct xtr_map_slot *slot;
	size_t i = 0;
	char path[32];

	if (s->of.n < PRUNE_FIRST || s->of.n < s->prune_at)
		return;
	while ((slot = xtr_map_next(&s->of, &i))) {
		snprintf(path, sizeof(path), "/proc/%u", (uint32_t)slot->a);
		if (access(path, F_OK) == 0)
			(void)xtr_map_put(&left, slot->a, slot->b, slot->value);
	}
	xtr_map_free(&s->of);
	s->of = left;
	s->prune_at = 2 * left.n;
}

static uint64_t get(const struct xtr_starts *s, uint32_t pid, int kind)
{
	const uint64_t *at = xtr_map_get(&s->of, pid, (uint64_t)kind);

	return at ? *at : 0;
}

/* Is it one process, although the other engine said the other? */
static bool agree(uint64_t program, uint64_t ring)
{
	return ring >= program ? ring - program <= XTR_STARTS_LATER
			       : program - ring <= XTR_STARTS_EARLIER;
}

uint64_t xtr_starts_of(struct xtr_starts *s, uint32_t pid, uint64_t start, bool ring)
{
	const int own = ring ? RING : PROGRAM, others = ring ? PROGRAM : RING;
	uint64_t known = get(s, pid, own), other = get(s, pid, others);

	if (!start)
		return 0;
	if (known == start)
		return get(s, pid, IN_FILE);
	prune(s);
	(void)xtr_map_put(&s->of, pid, (uint64_t)own, start);
	if (!known && other && agree(ring ? other : start, ring ? start : other))
		return get(s, pid, IN_FILE);
	(void)xtr_map_put(&s->of, pid, (uint64_t)others, 0);
	(void)xtr_map_put(&s->of, pid, IN_FILE, start);
	return start;
}

void xtr_starts_free(struct xtr_starts *s)
{
	xtr_map_free(&s->of);
}
