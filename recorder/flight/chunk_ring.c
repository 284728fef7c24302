/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slot is a head and the stored payload. Where a slot does not fit before the end of the memory,
 * the rest is left over (a head with no chunk, if there is room for one) and it stands at the
 * beginning.
 */
#include "chunk_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RETURN_BYTES                                                                \
	((size_t)1 << 20) /* given back to the kernel at once, of a file also taken \
			   */

struct slot {
	uint64_t bytes; /* of the slot, up to the next one */
	bool left_over; /* no chunk */
	struct xtr_chunk c;
};

size_t xtr_chunk_ring_cost(uint32_t stored_len)
{
	return sizeof(struct slot) + ((size_t)stored_len + 7) / 8 * 8;
}

static int map(struct xtr_chunk_ring *r, size_t bytes, int prot, int flags)
{
	void *p = mmap(NULL, bytes, prot, flags, r->fd, (off_t)r->at);

	if (p == MAP_FAILED)
		return -errno;
	r->mem = p;
	r->size = bytes / 8 * 8;
	return 0;
}

int xtr_chunk_ring_open(struct xtr_chunk_ring *r, size_t bytes)
{
	*r = (struct xtr_chunk_ring){ .fd = -1 };
	return map(r, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
}

int xtr_chunk_ring_open_in(struct xtr_chunk_ring *r, size_t bytes, int fd, uint64_t at)
{
	bool *backed = calloc(bytes / RETURN_BYTES + 1, sizeof(*backed));
	int err;

	*r = (struct xtr_chunk_ring){ .fd = fd, .at = at };
	if (!backed)
		return -ENOMEM;
	err = map(r, bytes, PROT_READ | PROT_WRITE, MAP_SHARED);
	if (err)
		free(backed);
	else
		r->backed = backed;
	return err;
}

void xtr_chunk_ring_close(struct xtr_chunk_ring *r)
{
	if (r->mem)
		munmap(r->mem, r->size);
	free(r->backed);
	*r = (struct xtr_chunk_ring){ .fd = -1 };
}

struct xtr_chunk_place xtr_chunk_ring_place(const struct xtr_chunk_ring *r)
{
	return (struct xtr_chunk_place){ r->head, r->tail, r->used, r->n, r->first };
}

/* A store to a page of a file that there is no memory for would be a signal: see first. */
static bool back(struct xtr_chunk_ring *r, size_t from, size_t to)
{
	for (size_t i = from / RETURN_BYTES; r->backed && i * RETURN_BYTES < to; i++) {
		size_t rest = r->size - i * RETURN_BYTES;

		if (r->backed[i])
			continue;
		if (fallocate(r->fd, 0, (off_t)(r->at + i * RETURN_BYTES),
			      (off_t)(rest < RETURN_BYTES ? rest : RETURN_BYTES)))
			return false;
		r->backed[i] = true;
	}
	return true;
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

	if (r->used + rest + need > r->size || !back(r, 0, need) ||
	    !back(r, r->head, r->head + (rest < sizeof(struct slot) ? 0 : sizeof(struct slot))))
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
	if (need > r->size - r->used || (need > r->size - r->head && !wrap(r, need)) ||
	    !back(r, r->head, r->head + need))
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
	r->freed += bytes;
}

/* Nothing is in the first bytes of the memory. */
static void release(struct xtr_chunk_ring *r, size_t bytes)
{
	if (!r->backed) {
		madvise(r->mem, bytes, MADV_DONTNEED);
		return;
	}
	for (size_t i = 0; i * RETURN_BYTES < bytes; i++) {
		size_t end = (i + 1) * RETURN_BYTES < r->size ? (i + 1) * RETURN_BYTES : r->size;

		if (r->backed[i] && end <= bytes)
			r->backed[i] = fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
						 (off_t)(r->at + i * RETURN_BYTES),
						 (off_t)(end - i * RETURN_BYTES)) != 0;
	}
}

/* Not where the ring is full: pages would be taken again at once. */
void xtr_chunk_ring_give_back(struct xtr_chunk_ring *r)
{
	if (r->n ? r->freed < RETURN_BYTES || r->used > r->size / 2 : !r->freed)
		return;
	if (!r->n || r->head >= r->tail) {
		release(r, r->n ? r->tail / 4096 * 4096 : r->size);
		r->freed = 0;
	}
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

/* --- what somebody left ----------------------------------------------------------------------- */

/* The slots are there, each whole, from the oldest to where the next one would go. */
static bool is_ring(const struct xtr_chunk_ring *r)
{
	size_t at = r->tail, seen = 0;

	for (uint64_t i = 0; i < r->n; i++) {
		const struct slot *s;

		at = i ? skip_left_over(r, at) : at;
		s = slot_at(r, at);
		if (at % 8 || r->size - at < sizeof(*s) || s->left_over ||
		    s->bytes != xtr_chunk_ring_cost(s->c.stored_len) || s->bytes > r->size - at)
			return false;
		seen += s->bytes;
		if (seen > r->used)
			return false;
		at += s->bytes;
	}
	return true;
}

int xtr_chunk_ring_view(struct xtr_chunk_ring *r, size_t bytes, int fd, uint64_t at,
			const struct xtr_chunk_place *place)
{
	int err;

	*r = (struct xtr_chunk_ring){ .fd = fd, .at = at };
	err = map(r, bytes, PROT_READ, MAP_SHARED);
	if (err)
		return err;
	r->head = (size_t)place->head;
	r->tail = (size_t)place->tail;
	r->used = (size_t)place->used;
	r->n = place->n;
	r->first = place->first;
	if (place->tail <= r->size && place->used <= r->size && is_ring(r))
		return 0;
	xtr_chunk_ring_close(r);
	return -EBADMSG;
}
