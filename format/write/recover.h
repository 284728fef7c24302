/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a whole section out of what is good of a damaged one. Chunks that can be read are taken
 * over as they are stored; metadata, tables, losses, END and index are written anew. Events in
 * chunks that are gone or cannot be read count as lost (cause `damaged`), each with the place and
 * time where it is missing, so that events kept + lost = events that happened, as in the section
 * that was damaged.
 */
#ifndef XTR_RECOVER_H
#define XTR_RECOVER_H

#include "format/io.h"
#include "format/read/reader.h"

/* Events that are missing at one place. */
struct xtr_recover_hole {
	uint64_t offset; /* bytes from the start of the file: of the chunk that cannot be read, else
			    of the chunk behind those that are gone, or the section's end */
	uint32_t seq;    /* of that chunk; 0 at the section's end */
	bool gone;       /* no chunk is there; else it is, and cannot be read */
	uint32_t stream; /* CPU; XTR_STREAM_NONE: not known */
	uint64_t first, last; /* ns: they happened between these times */
	uint64_t events;
};

struct xtr_writer;

/* A section that is being written anew, to which somebody else appends what he has of it. */
struct xtr_recover_more {
	const struct xtr_section *s; /* as it was */
	struct xtr_writer *w;
	struct xtr_meta *meta; /* these are written with the end */
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	const char *reason; /* of the end */
};

struct xtr_recover_opts {
	size_t sz;        /* sizeof(struct xtr_recover_opts) */
	uint64_t file_id; /* of the new section; 0: random */
	/* Each hole, in the order of the chunks' numbers, the section's end last. May be NULL. */
	void (*hole)(void *ctx, const struct xtr_recover_hole *h);
	/* Called now and then, with chunks done and in all. May be NULL. */
	void (*progress)(void *ctx, uint64_t done, uint64_t all);
	/*
	 * Called when everything good of a section that was not closed has been appended, before
	 * its end: appends what somebody else has of it, so that the end is known. 0, or -errno,
	 * which ends it. May be NULL.
	 */
	int (*more)(void *ctx, struct xtr_recover_more *m);
	void *ctx;
};

struct xtr_recover_result {
	uint64_t chunks;  /* of the section, those that are gone included, as far as known */
	uint64_t kept;    /* of them: can be read */
	uint64_t events;  /* in the new section */
	uint64_t missing; /* recorded, and not in the new section */
	uint64_t bytes;   /* of the new section */
	uint64_t last_ns; /* of the last event that is there; 0: there is none */
	bool unsure;      /* more may be missing than is known: the end is gone */
	bool complete;    /* everything that was recorded is in the new section */
	bool as_it_was;   /* nothing was wrong: copied byte for byte */
	bool written;     /* false: this part of a section is in the one before */
};

/*
 * Append the i-th section to io: byte for byte if it is whole, else what is good of it as a new
 * section. Where damage has split a section (a trailer or a header that stands in the wrong place),
 * the parts follow each other with one id: the first one is written with all their chunks, for the
 * others *res is all zero and nothing is written. The reader must have been verified. 0 with *res
 * set; -errno: what was appended is no whole section.
 */
int xtr_recover(const struct xtr_reader *r, size_t i, struct xtr_io *io,
		const struct xtr_recover_opts *opts, struct xtr_recover_result *res);

#endif /* XTR_RECOVER_H */
