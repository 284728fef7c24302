/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slot is a head and the stored payload. Where a slot does not fit before the end of the memory,
 * the rest is left over (a head with no chunk, if there is room for one) and it stands at the
 * beginning.
 */
#include "chunk_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define RETURN_BYTES ((size_t)1 << 20) /* given back to the kernel at once */

struct slot {
	uint64_t bytes; /* of the slot, up to the next one */
	bool left_over; /* no chunk */
	struct xtr_chunk c;
};

size_t xtr_chunk_ring_cost(uint32_t stored_len)
{
	return sizeof(struct slot) + ((size_t)stored_len + 7) / 8 * 8;
}

int xtr_chunk_ring_open(struct xtr_chunk_ring *r, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -errno;
	*r = (struct xtr_chunk_ring){ .mem = p, .size = bytes / 8 * 8 };
	return 0;
}

void xtr_chunk_ring_close(struct xtr_chunk_ring *r)
{
	if (r->mem)
		munmap(r->mem, r->size);
	*r = (struct xtr_chunk_ring){ 0 };
}

static struct slot *slot_at(const struct xtr_chunk_ring *r, size_t at)
{
	return (struct slot *)(void *)(r->mem + at);
}

/* Where the slot behind one at `at` is, when what is left over at the end is passed. */
static size_t skip_left_over(const struct xtr_chunk_ring *r, size_t at)
{
	if (r->size - at < sizeof(struct slot) || slot_at(r, at)->left_over)
		return 0;
	return at;
}

/* Go on at the beginning: there is no room for `need` bytes before the end. */
static bool wrap(struct xtr_chunk_ring *r, size_t need)
{
	size_t rest = r->size - r->head;

	if (r->used + rest + need > r->size)
		return false;
	if (rest >= sizeof(struct slot))
		*slot_at(r, r->head) = (struct slot){ .bytes = rest, .left_over = true };
	r->used += rest;
	r->head = 0;
	return true;
}

bool xtr_chunk_ring_put(struct xtr_chunk_ring *r, const struct xtr_chunk *c, const uint8_t *stored)
{
	size_t need = xtr_chunk_ring_cost(c->stored_len);

	if (!r->n)
		r->head = r->tail = r->used = 0;
	if (need > r->size - r->used || (need > r->size - r->head && !wrap(r, need)))
		return false;
	*slot_at(r, r->head) = (struct slot){ .bytes = need, .c = *c };
	if (c->stored_len)
		memcpy(r->mem + r->head + sizeof(struct slot), stored, c->stored_len);
	r->head += need;
	r->used += need;
	r->n++;
	return true;
}

const struct xtr_chunk *xtr_chunk_ring_oldest(const struct xtr_chunk_ring *r)
{
	return r->n ? &slot_at(r, r->tail)->c : NULL;
}

/* Pages that hold nothing any more. Not where the ring is full: they would be taken again at once.
 */
static void give_back(struct xtr_chunk_ring *r, size_t bytes)
{
	r->freed += bytes;
	if (r->n ? r->freed < RETURN_BYTES || r->used > r->size / 2 : !r->freed)
		return;
	if (!r->n || r->head >= r->tail) {
		madvise(r->mem, r->n ? r->tail / 4096 * 4096 : r->size, MADV_DONTNEED);
		r->freed = 0;
	}
}

void xtr_chunk_ring_drop(struct xtr_chunk_ring *r)
{
	size_t bytes = slot_at(r, r->tail)->bytes, next;

	r->used -= bytes;
	r->n--;
	r->first++;
	if (!r->n) {
		r->used = 0;
	} else {
		next = skip_left_over(r, r->tail + bytes);
		if (!next)
			r->used -= r->size - (r->tail + bytes);
		r->tail = next;
	}
	give_back(r, bytes);
}

const struct xtr_chunk *xtr_chunk_ring_next(const struct xtr_chunk_ring *r,
					    struct xtr_chunk_walk *w, const uint8_t **stored)
{
	const struct slot *s;

	if (w->seen == r->n)
		return NULL;
	w->at = w->seen ? skip_left_over(r, w->at + slot_at(r, w->at)->bytes) : r->tail;
	w->seen++;
	s = slot_at(r, w->at);
	*stored = r->mem + w->at + sizeof(*s);
	return &s->c;
}
