/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pieces of a rotated recording as files: run.xtr becomes run.000001.xtr, run.000002.xtr, ...
 * (a name without .xtr gets the number at its end). When to begin the next one, which ones are
 * removed, and what META says of them (format/meta/piece.h). All files are reached through the
 * directory as it was when recording began.
 */
#ifndef XTR_RECORDER_ROTATE_H
#define XTR_RECORDER_ROTATE_H

#include "recorder/host/dir_user.h"
#include "recorder/recorder.h"

#include "format/io.h"
#include "format/meta/piece.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct xtr_rotate {
	bool on;
	uint64_t bytes, ns;     /* limits of one piece, 0: none */
	uint32_t keep;          /* newest pieces that stay, 0: all */
	struct xtr_owner owner; /* for dir_user.h */
	int dir;
	char *base, *suffix; /* of the names in the directory, without the dot before the number */
	char *path;          /* of the piece being written, as messages name it */
	size_t path_size, dir_len;
	bool force;
	struct xtr_piece piece; /* being written */
	uint64_t oldest;        /* number of the oldest piece that is still there */
	uint64_t next_at;       /* ns: end of this piece by time */
	uint64_t past_bytes;    /* of the pieces before */
	bool ending;            /* the piece before the one being written is still open */
	atomic_uint_fast64_t count, removed;
};

/*
 * Take the limits from opts and look at the directory: pieces of that name are -EEXIST, or are
 * removed if force is given. *err says what is wrong. Does nothing if opts ask neither for pieces
 * nor for a flight recorder.
 */
int xtr_rotate_open(struct xtr_rotate *p, const struct xtr_record_opts *opts,
		    struct xtr_record_err *err);
/*
 * Create the file of the piece that follows; it becomes the one being written with
 * xtr_rotate_begin. On an error `path` names what could not be created.
 */
int xtr_rotate_create(struct xtr_rotate *p, struct xtr_io **io);
/* Remove the file that _create made last: nothing was written to it. 0 or -errno. */
int xtr_rotate_undo(struct xtr_rotate *p);
/* The piece that was created is being written now; the one before it has not ended. */
void xtr_rotate_begin(struct xtr_rotate *p, const struct xtr_piece *piece);
/* The piece before the one being written has ended, with so many bytes. */
void xtr_rotate_ended(struct xtr_rotate *p, uint64_t bytes);
/*
 * Is the piece being written, of so many bytes and events, at its end? Not while the one before it
 * is open. now: ns; *border: ns, its end if that is by time, else 0.
 */
bool xtr_rotate_due(const struct xtr_rotate *p, uint64_t bytes, uint64_t events, uint64_t now,
		    uint64_t *border);
/* The piece before the one being written, or with `last` this one itself, is complete: remove those
 * that are too many. */
void xtr_rotate_trim(struct xtr_rotate *p, bool last);
/* Remove the oldest complete piece to make room, if --keep allows it. False: there is none. */
bool xtr_rotate_drop(struct xtr_rotate *p);
/* Bytes free where the pieces are; UINT64_MAX: not known. */
uint64_t xtr_rotate_space(const struct xtr_rotate *p);
void xtr_rotate_free(struct xtr_rotate *p);

#endif /* XTR_RECORDER_ROTATE_H */
