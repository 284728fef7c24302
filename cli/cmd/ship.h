/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of recordings, from the directory where they are recorded to where they are wanted: a
 * command gets one after the other, oldest first, and what it has taken (status 0) is removed here.
 * docs/ship.md says what holds at each kill. All state is in names:
 *
 *   DIR/run.000007.xtr                a recorder's; locked by it while it is written
 *   DIR/ship/run.000007.ID.xtr        taken: durable, and the command gets it until it succeeds
 *   DIR/ship/run.000007.xtr.FILE_ID.collected   made of that one, whose recorder was killed
 *   DIR/failed/run.000007.ID.xtr      given up
 */
#ifndef XTR_CLI_SHIP_H
#define XTR_CLI_SHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ship_opts {
	const char *dir;
	const char *base;     /* pieces of the recording "run.xtr" alone: "run"; NULL: all */
	char *const *command; /* NULL-terminated; "{}" stands for the path, else it comes last */
	uint64_t limit;       /* bytes of all that is in DIR; 0: none */
	uint64_t tries;       /* failures after which a piece is given up; 0: never */
	uint64_t timeout;     /* ns that the command may take; 0: any time */
	uint64_t grace;       /* ns that it has left after a signal */
	uint64_t every;       /* ns between looks */
	uint64_t pause;       /* ns: the longest between two tries */
	bool follow;          /* go on until a signal, or until the end of `until` */
	bool quiet;
	/*
	 * Of a process beside the recorder; -1: none. A byte comes when it records, the end of the
	 * file when it has ended; signals are the recorder's until then.
	 */
	int until;
	int ready; /* gets a byte when the directory was opened; -1: none */
};

/* Times as xtr-ship(1) has them, where no option says something else. */
void ship_defaults(struct ship_opts *o);

/* The whole of it, with messages. Returns the exit status. */
int ship_run(const struct ship_opts *o);
/* Print what is there; changes nothing. Returns the exit status. */
int ship_list(const struct ship_opts *o);

#endif /* XTR_CLI_SHIP_H */
