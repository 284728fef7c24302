/* SPDX-License-Identifier: BSD-2-Clause */
#include "keymap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define MIN_SLOTS 64u

/* The seed only keeps files from choosing collisions: without entropy the table still works. */
static void seed(struct xtr_keymap *m)
{
	if (getrandom(m->seed, sizeof(m->seed), GRND_NONBLOCK) != (ssize_t)sizeof(m->seed)) {
		m->seed[0] = (uint64_t)(uintptr_t)m * 0xbf58476d1ce4e5b9ull;
		m->seed[1] = m->seed[0] * 0x94d049bb133111ebull;
	}
}

static int resize(struct xtr_keymap *m, size_t slots)
{
	struct xtr_keymap old = *m;
	size_t i;

	m->slot = malloc(slots * sizeof(*m->slot));
	if (!m->slot) {
		*m = old;
		return -ENOMEM;
	}
	if (!old.slot)
		seed(m);
	m->mask = slots - 1;
	m->shift = 64u - (unsigned int)__builtin_ctzll(slots);
	for (i = 0; i < slots; i++)
		m->slot[i].value = XTR_KEYMAP_NONE;
	for (i = 0; old.slot && i <= old.mask; i++)
		if (old.slot[i].value != XTR_KEYMAP_NONE)
			m->slot[xtr_keymap_find(m, old.slot[i].a, old.slot[i].b)] = old.slot[i];
	free(old.slot);
	return 0;
}

int xtr_keymap_put(struct xtr_keymap *m, uint64_t a, uint64_t b, uint32_t value)
{
	size_t i;

	/* at most half full */
	if (!m->slot || (m->n + 1) * 2 > m->mask + 1) {
		if (resize(m, m->slot ? (m->mask + 1) * 2 : MIN_SLOTS))
			return -ENOMEM;
	}
	i = xtr_keymap_find(m, a, b);
	if (m->slot[i].value == XTR_KEYMAP_NONE)
		m->n++;
	m->slot[i] = (struct xtr_keymap_entry){ .a = a, .b = b, .value = value };
	return 0;
}

/* Knuth 6.4 R: entries after the hole move back unless that would put them before their home. */
void xtr_keymap_del(struct xtr_keymap *m, uint64_t a, uint64_t b)
{
	size_t hole, i, home;

	if (!m->n)
		return;
	hole = xtr_keymap_find(m, a, b);
	if (m->slot[hole].value == XTR_KEYMAP_NONE)
		return;
	m->n--;
	for (i = (hole + 1) & m->mask; m->slot[i].value != XTR_KEYMAP_NONE; i = (i + 1) & m->mask) {
		home = xtr_keymap_home(m, m->slot[i].a, m->slot[i].b);
		if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slot[hole] = m->slot[i];
			hole = i;
		}
	}
	m->slot[hole].value = XTR_KEYMAP_NONE;
}

void xtr_keymap_free(struct xtr_keymap *m)
{
	free(m->slot);
	*m = (struct xtr_keymap){ 0 };
}
