/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of recovering: recover.c writes, recover_account.c counts what is missing. */
#ifndef XTR_RECOVER_PRIV_H
#define XTR_RECOVER_PRIV_H

#include "base/map.h"
#include "recover.h"

struct rec_stream {
	uint32_t stream;
	uint64_t next_ordinal; /* as the chunks so far say */
	uint64_t last_ns;      /* ts_max of the chunk before */
	uint64_t lost;         /* while recording, as the chunks so far say */
	uint64_t damaged;      /* missing because of damage, so far */
	uint64_t written;      /* lost_total of the last chunk that was written */
	uint32_t holes;        /* of the section at the chunk before */
};

struct rec_account {
	const struct xtr_section *s;
	const struct xtr_recover_opts *o;
	struct xtr_recover_result *res;
	struct xtr_map by_stream; /* stream -> index in stream */
	struct rec_stream *stream;
	size_t n_streams, cap_streams;
	struct xtr_gap *gap;
	size_t n_gaps, cap_gaps;
	uint64_t next_seq; /* after the last chunk that was found */
	uint32_t holes;    /* times that chunks are gone */
	uint64_t in_holes; /* events of which the ordinals tell that they are gone */
	uint64_t at_end;   /* events that END alone tells of */
};

/*
 * recover_order.c: a section whose chunks are all in order, those that the reader ignored too, and
 * those of the sections behind it into which damage has split it.
 */
struct rec_order {
	struct xtr_reader *r;  /* knows no more than this section's problems */
	struct xtr_section *s; /* NULL: the section was in order as it is */
};

/* Of n sections that follow each other. 0 or -errno. */
int rec_order_init(struct rec_order *o, const struct xtr_reader *r, struct xtr_section *const *s,
		   size_t n);
void rec_order_free(struct rec_order *o);

/* recover_account.c */
void rec_account_free(struct rec_account *a);
/* A chunk comes: what is gone before it is counted. Of EVENTS, *s is its stream. 0 or -errno. */
int rec_account_chunk(struct rec_account *a, const struct xtr_chunk *c, struct rec_stream **s);
/* An EVENTS chunk that came cannot be read. */
int rec_account_unreadable(struct rec_account *a, const struct xtr_chunk *c, struct rec_stream *s);
/* All chunks have come: what END tells of is counted. */
int rec_account_end(struct rec_account *a);
/* Put the losses of the section and of its damage into an empty account. */
int rec_account_loss(const struct rec_account *a, struct xtr_loss *loss);
/* lost_total of a chunk of the stream that is written now. */
uint64_t rec_account_lost_total(struct rec_stream *s);

#endif /* XTR_RECOVER_PRIV_H */
