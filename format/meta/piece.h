/* SPDX-License-Identifier: BSD-2-Clause */
/* What a section that is a piece of a rotated recording says of itself in META's config (spec 6.2).
 */
#ifndef XTR_PIECE_H
#define XTR_PIECE_H

#include "meta.h"

#include <stdbool.h>
#include <stdint.h>

struct xtr_piece {
	uint64_t number;        /* from 1 */
	uint64_t of;            /* random, the same in all pieces of a recording */
	uint64_t began;         /* ns: when the first piece began */
	uint64_t events_before; /* in all earlier pieces, also in those that were removed */
	uint64_t lost_before;   /* as they were lost there */
	/*
	 * ns: all events of all CPUs from `from` on and before `to` are in the piece, or counted as
	 * lost. 0: from when recording began; to where it ended, or not known yet.
	 */
	uint64_t from, to;
};

/* False: the section is no piece (or one that was cut, and so is a part of one). */
bool xtr_piece_read(struct xtr_piece *p, const struct xtr_meta *m);
/* The reason in END of a piece behind which another one comes. */
#define XTR_PIECE_ROTATED "rotated"

#define XTR_PIECE_DIGITS 6 /* of the number in a file's name, or more */

/*
 * A piece's file: "run.000007.xtr" of base "run" and suffix ".xtr". Returns its length, as snprintf
 * does.
 */
int xtr_piece_name(char *buf, size_t cap, const char *base, uint64_t number, const char *suffix);
/* The path of a piece of the recording "dir/run.xtr", to be freed. NULL: no memory. */
char *xtr_piece_path(const char *run, uint64_t number);
/*
 * The path of the piece behind the one at this path, in the same directory, to be freed. NULL: it
 * is not called like a piece, or there is no memory.
 */
char *xtr_piece_next_path(const char *path);
/* 0 or -ENOMEM. */
int xtr_piece_write(const struct xtr_piece *p, struct xtr_meta *m);

/* --- flight ----------------------------------------------------------------------------------- */

/* What a section that a flight recorder wrote says of itself in META's config (spec 6.2). */
struct xtr_flight_note {
	const char *why;     /* the trigger, "signal" or "end"; read: valid as long as the META */
	const char *event;   /* name of the event that fired it; "": none */
	uint64_t at;         /* ns: when that was */
	uint64_t from;       /* ns: nothing from then on was given up; 0: nothing at all */
	uint64_t bytes;      /* limits of what was kept: of chunks, */
	uint64_t ns;         /* and time before `at`; 0: none */
	uint64_t suppressed; /* triggers without a section of their own since the one before */
	uint64_t untracked;  /* jobs that were not watched */
	uint64_t ctx, seqno; /* of the job's fence; 0 0: none */
	uint64_t pid;        /* 0: not known */
	uint64_t value;      /* how long, ns, or how many events; 0: the trigger has none */
};

/* False: the section is of no flight recorder (or one that was cut, and so is a part of one). */
bool xtr_flight_read(struct xtr_flight_note *n, const struct xtr_meta *m);
/* 0 or -ENOMEM. */
int xtr_flight_write(const struct xtr_flight_note *n, struct xtr_meta *m);

#endif /* XTR_PIECE_H */
