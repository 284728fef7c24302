/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finished chunks in memory of a fixed size, the oldest first: what a flight recorder holds. Each
 * stands there as it would in a file, header and stored payload, in one piece.
 */
#ifndef XTR_RECORDER_CHUNK_RING_H
#define XTR_RECORDER_CHUNK_RING_H

#include "format/read/chunk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_chunk_ring {
	uint8_t *mem;
	size_t size;       /* bytes of mem */
	size_t head, tail; /* where the next one goes, where the oldest one is; offsets in mem */
	size_t used;       /* bytes taken, with what is left over at the end of mem */
	size_t freed;      /* bytes given up since the kernel was told */
	uint64_t n, first; /* chunks in it; number of the oldest, counted since it was opened */
	int fd;            /* of the file that mem is a part of; -1: it is memory of the process */
	uint64_t at;       /* where in the file it is, bytes */
	bool *backed;      /* of a file: this part of it has memory */
};

/* Where in the memory the chunks are: all that somebody else needs to find them. */
struct xtr_chunk_place {
	uint64_t head, tail, used, n, first;
};

/* A ring of so many bytes of address space; memory is taken as it is filled. 0 or -errno. */
int xtr_chunk_ring_open(struct xtr_chunk_ring *r, size_t bytes);
/* The same in a file of a tmpfs, from `at` on, which is as large already and stays the caller's. */
int xtr_chunk_ring_open_in(struct xtr_chunk_ring *r, size_t bytes, int fd, uint64_t at);
void xtr_chunk_ring_close(struct xtr_chunk_ring *r);
struct xtr_chunk_place xtr_chunk_ring_place(const struct xtr_chunk_ring *r);
/* A ring that somebody left in a file, to be walked only. 0; -EBADMSG: there is none; or -errno. */
int xtr_chunk_ring_view(struct xtr_chunk_ring *r, size_t bytes, int fd, uint64_t at,
			const struct xtr_chunk_place *place);
/* Bytes that a chunk of this stored length takes. */
size_t xtr_chunk_ring_cost(uint32_t stored_len);
/* Append a copy. False: there is no room in one piece, or no memory. What is there stays as it is.
 */
bool xtr_chunk_ring_put(struct xtr_chunk_ring *r, const struct xtr_chunk *c, const uint8_t *stored);
/* The oldest one, or NULL. Valid until it is dropped. */
const struct xtr_chunk *xtr_chunk_ring_oldest(const struct xtr_chunk_ring *r);
/* Give up the oldest one, which is there; its memory stays as it is until the next call of another.
 */
void xtr_chunk_ring_drop(struct xtr_chunk_ring *r);
/* Return memory that holds nothing any more to the kernel, if it is worth it. */
void xtr_chunk_ring_give_back(struct xtr_chunk_ring *r);

/* Walk all of them from the oldest on: all zero at first. The ring must not change meanwhile. */
struct xtr_chunk_walk {
	size_t at;
	uint64_t seen;
};
/* The next one and its stored payload; NULL at the end. */
const struct xtr_chunk *xtr_chunk_ring_next(const struct xtr_chunk_ring *r,
					    struct xtr_chunk_walk *w, const uint8_t **stored);

#endif /* XTR_RECORDER_CHUNK_RING_H */
