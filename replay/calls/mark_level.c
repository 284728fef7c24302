/* SPDX-License-Identifier: BSD-2-Clause */
#include "mark_level.h"

#include <errno.h>
#include <stdlib.h>

void levels_free(struct levels *l)
{
	xtr_keymap_free(&l->by_track);
	xtr_keymap_free(&l->objects);
	free(l->level);
	free(l->held);
	*l = (struct levels){ 0 };
}

/* FNV-1a, from two starting points. */
static uint64_t hash(const char *text, uint64_t h)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	return h;
}

int levels_find(struct levels *l, const char *track, uint32_t *i)
{
	uint64_t a = hash(track, 0xcbf29ce484222325ull), b = hash(track, 0x9ae16a3b2f90404full);
	struct level *more;

	*i = xtr_keymap_get(&l->by_track, a, b);
	if (*i != XTR_KEYMAP_NONE)
		return 0;
	if (l->n == LEVELS_MAX)
		return -ENOSPC;
	if (l->n == l->cap) {
		more = reallocarray(l->level, l->cap ? 2 * l->cap : 16, sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->level = more;
		l->cap = l->cap ? 2 * l->cap : 16;
	}
	l->level[l->n] = (struct level){ 0 };
	*i = l->n;
	return xtr_keymap_put(&l->by_track, a, b, l->n++);
}

static void rise(struct level *v, uint64_t amount)
{
	v->value = amount > UINT64_MAX - v->value ? UINT64_MAX : v->value + amount;
}

static void fall(struct level *v, uint64_t amount)
{
	v->value -= amount < v->value ? amount : v->value;
}

static int take_place(struct levels *l, uint32_t *at)
{
	uint64_t *more;

	if (l->free_held) {
		*at = l->free_held - 1;
		l->free_held = (uint32_t)l->held[*at];
		return 0;
	}
	if (l->n_held == OBJECTS_MAX)
		return -ENOSPC;
	if (l->n_held == l->cap_held) {
		more = reallocarray(l->held, l->cap_held ? 2 * l->cap_held : 64, sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->held = more;
		l->cap_held = l->cap_held ? 2 * l->cap_held : 64;
	}
	*at = l->n_held++;
	return 0;
}

/* Names of fence contexts and kernel addresses that are hashed keep apart from other counters'. */
static uint64_t with_counter(uint64_t name, uint32_t i)
{
	return name ^ (uint64_t)i << 52;
}

int levels_open(struct levels *l, uint32_t i, struct level_object o, uint64_t amount)
{
	uint64_t a = with_counter(o.a, i);
	uint32_t at;
	int err;

	if (o.named) {
		levels_close(l, i, o);
		err = take_place(l, &at);
		if (!err)
			err = xtr_keymap_put(&l->objects, a, o.b, at);
		if (err)
			return err;
		l->held[at] = amount;
	}
	rise(&l->level[i], amount);
	return 0;
}

bool levels_close(struct levels *l, uint32_t i, struct level_object o)
{
	uint64_t a = with_counter(o.a, i);
	uint32_t at;

	if (!o.named) {
		fall(&l->level[i], 1);
		return true;
	}
	at = xtr_keymap_get(&l->objects, a, o.b);
	if (at == XTR_KEYMAP_NONE)
		return false;
	xtr_keymap_del(&l->objects, a, o.b);
	fall(&l->level[i], l->held[at]);
	l->held[at] = l->free_held;
	l->free_held = at + 1;
	return true;
}
