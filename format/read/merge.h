/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All events of a section in time order, in bounded memory: chunks are opened when the merge
 * reaches their ts_min, decoded and merged ahead by worker threads, and freed when read. Events of
 * equal time come in order of stream, then of their place in the stream.
 */
#ifndef XTR_MERGE_H
#define XTR_MERGE_H

#include "reader.h"

struct xtr_merge;

struct xtr_merge_opts {
	size_t sz;             /* sizeof(struct xtr_merge_opts) */
	uint64_t from, to;     /* ns on the event clock, inclusive; to 0: no end */
	unsigned int threads;  /* one merges, the others decode; 0: all in the caller's thread */
	size_t memory;         /* bytes of decoded events to hold, 0: 64 MiB */
	unsigned int keep;     /* see xtr_merge_keeps; at most XTR_MERGE_KEEP_MAX */
	const uint32_t *types; /* only these event types (NULL: all), n_types of them */
	size_t n_types;
};

#define XTR_MERGE_KEEP_MAX 16u

/* What comes out: an event, or the mark of a gap (events lost here). */
struct xtr_event {
	uint64_t ts;   /* ns */
	uint32_t type; /* 0 for a gap */
	uint32_t size; /* bytes of the record */
	uint32_t tid;
	uint32_t stream;    /* CPU */
	const uint8_t *rec; /* the whole record, valid until the next call; NULL for a gap */
	const struct xtr_event_desc *desc; /* from META; NULL if META does not know the type */
	const struct xtr_gap *gap;         /* not NULL: this is a gap; ts is gap->first */
};

int xtr_merge_open(struct xtr_merge **m, const struct xtr_reader *r, const struct xtr_section *s,
		   const struct xtr_merge_opts *opts);

/*
 * 1: *ev is the next one; 0: the end; -EBADMSG: a chunk is damaged (err says which): it is skipped
 * and the caller may go on; other -errno: give up.
 */
int xtr_merge_next(struct xtr_merge *m, struct xtr_event *ev, struct xtr_err *err);
/*
 * The same for several events at once: with 1, *ev are the next *n, at least one, with their
 * records valid until the next call of either function.
 */
int xtr_merge_next_batch(struct xtr_merge *m, const struct xtr_event **ev, size_t *n,
			 struct xtr_err *err);
/*
 * Do batches stay valid for as many more calls of xtr_merge_next_batch, whatever these return, as
 * opts.keep says? A thread may then read them meanwhile. Not where no thread merges ahead.
 */
bool xtr_merge_keeps(const struct xtr_merge *m);
/* Share of the section's events read so far, 0 to 1000. */
unsigned int xtr_merge_permille(const struct xtr_merge *m);
void xtr_merge_close(struct xtr_merge *m);

#endif /* XTR_MERGE_H */
