/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The permutation is a Feistel network of SipHash over the halves of a number; what falls onto a
 * number that stays is sent through once more until it does not, which keeps it one to one.
 */
#include "redact_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define ROUNDS   6u
#define WORDS    (REDACT_PID_MAX / 64)
#define NO_PAGE  4096u /* no pointer is below */
#define ERRORS   4095u /* the highest are error numbers */
#define KERNEL   0xffff800000000000ull
#define SMALL    (1ull << 24)
#define DISTANCE 0x3fff0000000ff000ull /* its bits: beyond all addresses, whole pages */

static int random_word(uint64_t *v)
{
	*v = 0;
	while (!*v)
		if (getrandom(v, sizeof(*v), 0) != sizeof(*v) && errno != EINTR)
			return -errno;
	return 0;
}

int redact_values_init(struct redact_values *v, uint64_t key)
{
	uint64_t word;
	int err = 0;

	*v = (struct redact_values){ .key = { key, ~key } };
	if (!key)
		err = random_word(&v->key.k0);
	if (!key && !err)
		err = random_word(&v->key.k1);
	if (err)
		return err;
	word = xtr_siphash(&v->key, 0);
	v->distance = (word & DISTANCE) | 1ull << 62;
	v->seen = calloc(WORDS, sizeof(*v->seen));
	return v->seen ? 0 : -ENOMEM;
}

void redact_values_free(struct redact_values *v)
{
	free(v->seen);
	free(v->before);
	xtr_map_free(&v->contexts);
	*v = (struct redact_values){ 0 };
}

static uint64_t mask_of(uint32_t width)
{
	return width >= 8 ? UINT64_MAX : (1ull << 8 * width) - 1;
}

static uint64_t permute(const struct redact_values *v, uint64_t x, uint32_t width)
{
	const unsigned int half = 4 * width; /* bits */
	const uint64_t mask = (1ull << half) - 1;
	uint64_t left = x >> half, right = x & mask, next;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		next = left ^ (xtr_siphash(&v->key, right << 8 | width << 4 | i) & mask);
		left = right;
		right = next;
	}
	return left << half | right;
}

/* --- ids -------------------------------------------------------------------------------------- */

static void note_one(struct redact_values *v, uint32_t id)
{
	if (id && id < REDACT_PID_MAX)
		v->seen[id / 64] |= 1ull << id % 64;
}

void redact_note_pid(struct redact_values *v, uint64_t id)
{
	note_one(v, (uint32_t)id);
	note_one(v, (uint32_t)(id >> 32));
}

int redact_rank_pids(struct redact_values *v)
{
	v->before = calloc(WORDS, sizeof(*v->before));
	if (!v->before)
		return -ENOMEM;
	for (uint32_t i = 0; i < WORDS; i++) {
		v->before[i] = v->n;
		v->n += (uint32_t)__builtin_popcountll(v->seen[i]);
	}
	return 0;
}

bool redact_pid_is_known(const struct redact_values *v, uint32_t id)
{
	return id && id < REDACT_PID_MAX && v->seen[id / 64] >> id % 64 & 1;
}

/* An id that none has, as -1, stays; one beyond all ids goes to another one there. */
static uint32_t rank(const struct redact_values *v, uint32_t id)
{
	if (!id || id == UINT32_MAX)
		return id;
	if (redact_pid_is_known(v, id))
		return v->before[id / 64] + 1 +
		       (uint32_t)__builtin_popcountll(v->seen[id / 64] & ((1ull << id % 64) - 1));
	if (id < REDACT_PID_MAX)
		return 0;
	do
		id = (uint32_t)permute(v, id, 4);
	while (id < REDACT_PID_MAX || id == UINT32_MAX);
	return id;
}

uint64_t redact_pid(const struct redact_values *v, uint64_t id)
{
	return rank(v, (uint32_t)id) | (uint64_t)rank(v, (uint32_t)(id >> 32)) << 32;
}

/* --- fence contexts --------------------------------------------------------------------------- */

/*
 * Each half of a context is mapped by itself: some events have the lower one only, and are joined
 * with others by that.
 */
static int note_half(struct redact_values *v, uint32_t half)
{
	if (!half || v->contexts.n >= REDACT_CONTEXTS_MAX || xtr_map_get(&v->contexts, half, 0))
		return 0;
	return xtr_map_put(&v->contexts, half, 0, 0);
}

int redact_note_context(struct redact_values *v, uint64_t context)
{
	return note_half(v, (uint32_t)context) ?: note_half(v, (uint32_t)(context >> 32));
}

static int by_number(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* Gaps become 2, so that no context follows another one directly that did not. */
int redact_rank_contexts(struct redact_values *v)
{
	uint64_t *all = calloc(v->contexts.n + 1, sizeof(*all));
	const struct xtr_map_slot *slot;
	size_t n = 0;

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; (slot = xtr_map_next(&v->contexts, &i));)
		all[n++] = slot->a;
	qsort(all, n, sizeof(*all), by_number);
	for (size_t i = 0; i < n; i++) {
		v->last_context += i && all[i] - all[i - 1] > 1 ? 2 : 1;
		*xtr_map_get(&v->contexts, all[i], 0) = v->last_context;
	}
	free(all);
	return 0;
}

/* One that there was no room for is above all others; two may become one then. */
static uint32_t new_half(const struct redact_values *v, uint32_t half)
{
	const uint64_t *known = xtr_map_get(&v->contexts, half, 0);

	if (!half || known)
		return known ? (uint32_t)*known : 0;
	return (uint32_t)permute(v, half, 4) | 1u << 31;
}

uint64_t redact_context(const struct redact_values *v, uint64_t context)
{
	return new_half(v, (uint32_t)context) | (uint64_t)new_half(v, (uint32_t)(context >> 32))
							<< 32;
}

bool redact_is_new_context(const struct redact_values *v, uint64_t context)
{
	return v->contexts.n >= REDACT_CONTEXTS_MAX ||
	       ((uint32_t)context <= v->last_context && context >> 32 <= v->last_context);
}

/* --- pointers --------------------------------------------------------------------------------- */

bool redact_is_pointer(uint64_t v, uint32_t width)
{
	return width >= 4 && v >= NO_PAGE && v < mask_of(width) - ERRORS + 1;
}

uint64_t redact_kptr(const struct redact_values *v, uint64_t p, uint32_t width)
{
	if (width < 4)
		return 0;
	if (!redact_is_pointer(p, width))
		return p;
	do
		p = permute(v, p, width);
	while (!redact_is_pointer(p, width));
	return p;
}

/* What is too narrow, or too large for an address of a program, is permuted. */
uint64_t redact_uptr(const struct redact_values *v, uint64_t p, uint32_t width)
{
	if (width == 8 && redact_is_pointer(p, width) && p < 1ull << 62)
		return p + v->distance;
	return redact_kptr(v, p, width);
}

/* Small negative numbers look the same but for their size. */
bool redact_looks_kernel(uint64_t v)
{
	return v >= KERNEL && v < UINT64_MAX - SMALL;
}
