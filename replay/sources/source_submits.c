/* SPDX-License-Identifier: BSD-2-Clause */
#include "source_submits.h"

#include <string.h>

static void take_out(struct source_submits *s, uint32_t i)
{
	memmove(&s->pending[i], &s->pending[i + 1], (--s->n - i) * sizeof(s->pending[0]));
}

void source_submits_add(struct source_submits *s, const struct source_submit *one)
{
	if (s->n == SOURCE_SUBMITS_MAX)
		take_out(s, 0);
	s->pending[s->n++] = *one;
}

/* Addresses come again: the submission is the latest one, and those before it were run unseen. */
static uint32_t find_addr(const struct source_submits *s, uint64_t addr, uint8_t ring)
{
	uint32_t i = s->n;

	while (i-- > 0)
		if (s->pending[i].ring == ring && s->pending[i].by_addr &&
		    s->pending[i].addr == addr)
			return i;
	return UINT32_MAX;
}

static uint32_t find_only(const struct source_submits *s, uint8_t ring)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->pending[i].ring != ring || s->pending[i].by_addr)
			continue;
		if (found != UINT32_MAX && s->pending[i].tid != s->pending[found].tid)
			return UINT32_MAX;
		found = found == UINT32_MAX ? i : found;
	}
	return found;
}

/* A job of which the submission does not tell the address: of the only thread that has any. */
static uint32_t find_other(const struct source_submits *s)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < s->n; i++) {
		if (!s->pending[i].by_addr)
			continue;
		if (found != UINT32_MAX && s->pending[i].tid != s->pending[found].tid)
			return UINT32_MAX;
		found = found == UINT32_MAX ? i : found;
	}
	return found;
}

bool source_submits_take(struct source_submits *s, bool by_addr, uint64_t addr, uint8_t ring,
			 struct source_submit *one)
{
	uint32_t i = by_addr ? find_addr(s, addr, ring) : find_only(s, ring);

	if (i == UINT32_MAX)
		return false;
	*one = s->pending[i];
	take_out(s, i);
	return true;
}

bool source_submits_of(const struct source_submits *s, struct source_submit *one)
{
	uint32_t i = find_other(s);

	if (i != UINT32_MAX)
		*one = s->pending[i];
	return i != UINT32_MAX;
}
