/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory of pieces: names, locks, and the steps from one state to the next (ship.h). */
#ifndef XTR_CLI_SHIP_SPOOL_H
#define XTR_CLI_SHIP_SPOOL_H

#include "ship.h"

#include <limits.h>
#include <sys/types.h>
#include <time.h>

#define SHIP_TAKEN     "ship"
#define SHIP_FAILED    "failed"
#define SHIP_COLLECTED ".collected" /* behind the piece's name and the file_id that it had */
#define SHIP_OF        17           /* bytes of that: ".0123456789abcdef" */
#define SHIP_ID        34           /* bytes of an ID, with its end */

struct ship_spool {
	const char *path; /* as it was given, for messages */
	const char *base;
	int dir, taken, failed; /* `taken` is locked: one shipper at a time. -1: not open */
	/* What has gone unshipped, and what was given up, since the start. */
	uint64_t removed, given_up;
};

enum ship_place {
	SHIP_IS_FAILED, /* in the order in which a full spool gives them up */
	SHIP_IS_TAKEN,
	SHIP_IS_NEW,
	SHIP_IS_LEFT, /* collected, and not yet taken */
};

struct ship_piece {
	char name[NAME_MAX + 1]; /* in the directory of its place */
	enum ship_place place;
	bool written; /* its recorder is at it: locked */
	uint64_t bytes;
	struct timespec at; /* last written */
};

struct ship_pieces {
	struct ship_piece *v;
	size_t n, cap;
};

/*
 * Open the directory and, with `make`, its folders, and lock it. -EPERM: it is not this user's, or
 * others may write to it; -EBUSY: another shipper, or the command of one that was killed, is at it.
 */
int ship_spool_open(struct ship_spool *s, const struct ship_opts *o, bool make);
void ship_spool_close(struct ship_spool *s);

/* All pieces that are there, oldest first; what was taken comes before what was not. 0 or -errno.
 */
int ship_spool_list(const struct ship_spool *s, struct ship_pieces *all);
void ship_pieces_free(struct ship_pieces *all);
/* The directory of a place. */
int ship_spool_at(const struct ship_spool *s, enum ship_place place);

/* --- what a piece is -------------------------------------------------------------------------- */

struct ship_facts {
	bool whole;       /* it has its end, and no damage that opening finds */
	bool empty;       /* a beginning in which nothing is */
	bool flight;      /* a flight recorder's */
	bool pinned;      /* if its recorder was killed, something may be left in this kernel */
	char id[SHIP_ID]; /* its file_id, and a digest of all bytes: 16 digits each */
	char host[256];
	uint64_t file_id, of, number, events, lost, bytes, realtime;
};

/*
 * Read a piece. The ID is found only if it is asked for: it takes all bytes. 0; -EBADMSG: it is no
 * trace; or -errno.
 */
int ship_facts(int dir, const char *name, bool with_id, struct ship_facts *f);

/* --- steps ------------------------------------------------------------------------------------ */

/* Each is made whole by one rename or unlink, and is durable when it returns. 0 or -errno. */
/* A whole piece, new or collected: name becomes the one it has from then on. */
int ship_take(const struct ship_spool *s, struct ship_piece *p, const struct ship_facts *f);
/* The command has it. */
int ship_done(const struct ship_spool *s, const struct ship_piece *p);
/* It goes to failed/. */
int ship_give_up(struct ship_spool *s, struct ship_piece *p);
/* "run.000007.xtr" and the file_id of "run.000007.xtr.FILE_ID.collected"; false: it is none. */
bool ship_collected_of(const char *name, char of[NAME_MAX + 1], uint64_t *file_id);
/* Of a piece that was collected, what the recorder had written: the name is free again. */
int ship_forget_rest(const struct ship_spool *s, const char *name, uint64_t file_id);
/*
 * Remove the oldest pieces until no more than `limit` bytes are left: what was given up first; not
 * `but` (NULL: any), and none that is being written. Says which.
 */
void ship_trim(struct ship_spool *s, uint64_t limit, const char *but);

#endif /* XTR_CLI_SHIP_SPOOL_H */
