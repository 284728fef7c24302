/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xtr record --on-piece: a process beside the recorder does what `xtr ship --follow` does, with the
 * pieces of this recording. The recorder never waits for it while it records.
 */
#ifndef XTR_CLI_RECORD_SHIP_H
#define XTR_CLI_RECORD_SHIP_H

#include <stdbool.h>
#include <sys/types.h>

struct record_ship {
	pid_t child; /* 0: none */
	int go;      /* a byte: begin; end of file: the recording has ended, or its process */
};

/*
 * Start it, before anything is opened or given up. It acts as the owner of the output's directory,
 * with no right that xtr's file gives. Returns the exit status, after a line of what is wrong.
 */
int record_ship_start(struct record_ship *s, const char *output, const char *command, bool quiet);
/* Recording has begun. */
void record_ship_go(const struct record_ship *s);
/* Recording has ended: wait until the last piece was tried. Returns its exit status. */
int record_ship_end(struct record_ship *s);

#endif /* XTR_CLI_RECORD_SHIP_H */
