/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a dead recorder left (pinned.h), into a file that holds what it had written: the batches
 * that it had taken from the rings, the rings, definitions, losses and totals. Nothing that was
 * left is changed by it, so that it can be done again, until it is dropped.
 */
#ifndef XTR_RECORDER_SALVAGE_H
#define XTR_RECORDER_SALVAGE_H

#include "format/read/reader.h"
#include "format/write/recover.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xtr_salvage;

/* What a recorder has in the BPF file system. */
struct xtr_leftover {
	uint64_t id;          /* of its first file: names the directory */
	uint64_t first, last; /* pieces that were open, by number; 0: it wrote one file */
	bool alive;   /* it still records; then only what is open, flight and output are known */
	bool nothing; /* died before it began, or after its file was complete */
	bool flight;  /* a flight recorder: there may be no file of the piece */
	/* -errno: cannot be looked at, and what follows is not known. -ENODATA: somebody removed
	 * what a flight recorder kept */
	int error;
	uint64_t pid, began_ns; /* CLOCK_REALTIME */
	uint64_t bytes;         /* of kernel memory, and of a flight recorder's file in memory */
	uint64_t events;        /* in batches, rings, kept; some of a batch may be in the file */
	char output[4096];      /* path as it was given; pieces are named after it */
};

/* All of them; *v is malloc'ed. 0, or -errno: none can be looked at. */
int xtr_leftovers(struct xtr_leftover **v, size_t *n);
/* Remove what a dead recorder left, whatever it holds. 0; -ENOENT; -EBUSY: it lives; or -errno. */
int xtr_leftover_drop(uint64_t id);
/* Remove those that hold nothing. */
void xtr_leftovers_sweep(void);

/*
 * Open what the recorder of this file left, for nobody else meanwhile. 0; -ENOENT: there is
 * nothing; -EBUSY: it lives, or somebody else is at it; -EBADMSG: of another version of xtr;
 * -EAGAIN: two pieces were open, and what belongs to the one before comes first; or -errno.
 */
int xtr_salvage_open(struct xtr_salvage **s, uint64_t file_id);

/*
 * The same of a flight recorder, by its id. *image: what it kept, as a trace that was not closed,
 * to be closed by the caller: what is collected of it goes into that one's section. -ENOENT: it is
 * none.
 */
int xtr_salvage_open_flight(struct xtr_salvage **s, uint64_t id, struct xtr_reader **image);

struct xtr_salvage_result {
	uint64_t events; /* appended */
	uint64_t lost;   /* of the whole recording: cumulative */
	bool names_lost; /* of a flight recorder: for some there was no room */
};

/*
 * Append what is not in m's section to its writer, which holds the chunks of that. May be done
 * again, with another writer. 0 with *res set; -errno: nothing of what was left has changed.
 */
int xtr_salvage_write(struct xtr_salvage *s, struct xtr_recover_more *m,
		      struct xtr_salvage_result *res);
/* The result is safe: remove what was left, or keep it for the piece that comes next (*next: its
 * number, else 0). 0 or -errno: something is still there. */
int xtr_salvage_done(struct xtr_salvage *s, uint64_t *next);
void xtr_salvage_close(struct xtr_salvage *s);

#endif /* XTR_RECORDER_SALVAGE_H */
