/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears under its name only when it is whole: written under a temporary name beside
 * it, then renamed. Mode 0600, as a trace tells what its machine did. SIGHUP, SIGINT and SIGTERM
 * remove the temporary file too. One at a time.
 */
#ifndef XTR_CLI_OUTFILE_H
#define XTR_CLI_OUTFILE_H

#include "format/io.h"
#include "out.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct outfile {
	const char *path; /* as given; "-": standard output, nothing is renamed */
	char *made;       /* path, where none was given */
	char *temporary;  /* NULL for standard output */
	FILE *f;
	struct stream stream; /* of f: descriptor and error */
	bool force;
};

/*
 * Returns the exit status: XTR_EXIT_OK, or XTR_EXIT_FAILURE after one line of what is wrong (it
 * exists and force is not set; it is the terminal; no permission). path is borrowed.
 */
int outfile_open(struct outfile *o, const char *path, bool force);
/*
 * The same of a path that may not have been given (NULL): then it is made from that of `input`, its
 * base name without ".xtr", with suffix, in the current directory; of standard input it is "trace"
 * + suffix. Whatever the status, outfile_free frees it.
 */
int outfile_open_for(struct outfile *o, const char *path, const char *input, const char *suffix,
		     bool force);
void outfile_free(struct outfile *o);
/* That name, to be freed; NULL: no memory. */
char *outfile_name_for(const char *input, const char *suffix);
/* Could outfile_open take this path? The exit status, after a line of what is wrong. */
int outfile_check(const char *path, bool force);
/* Whether writing to it failed: then a line is said (of standard output cli_finish says it). */
bool outfile_broken(const struct outfile *o);
/* Flush, sync, rename. Returns the exit status; on failure a line is said and nothing is left. */
int outfile_commit(struct outfile *o);
/*
 * After writing, which came to err: 0, and it is committed; or -errno, and nothing is left behind a
 * line of what is wrong: with its own name if its own writing failed, else with that of input.
 */
int outfile_end(struct outfile *o, const char *input, int err);
/* The same as outfile_commit, and a line of what was written and how large it is: on a terminal,
 * unless quiet. */
int outfile_commit_told(struct outfile *o);
/* Leave nothing behind. Nothing happens after outfile_commit. */
void outfile_abandon(struct outfile *o);

/* --- outfile io ------------------------------------------------------------------------------- */

/* An output file as the I/O layer of format/'s writer. */
struct outfile_io {
	struct xtr_io io;
	struct outfile *out;
};

/* Append goes to out->f, which stays the caller's to commit; there is nothing to close. */
void outfile_io_init(struct outfile_io *io, struct outfile *out);

/* --- owner ------------------------------------------------------------------------------------ */

/*
 * Whose the files are that a command makes.
 */
/*
 * Who asked root to run this, by sudo(8): SUDO_UID and SUDO_GID, where this is root by right and
 * they name a user that there is, not root, and a group of that user. Else false, both stay as they
 * are, and files are whose they are made by.
 */
bool cli_owner(uid_t *uid, gid_t *gid);

#endif /* XTR_CLI_OUTFILE_H */
