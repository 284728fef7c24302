/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xtr record --on-hang: a process beside the recorder takes hangs (hang_taker.h). The recorder
 * gives up all privileges; dumps, debugfs and the kernel's log may need those of who called. So the
 * process is started before, and keeps what reading them and writing its files takes, and nothing
 * that the program's file gave. The two tell each other of triggers and flight files.
 */
#ifndef XTR_CLI_RECORD_HANG_H
#define XTR_CLI_RECORD_HANG_H

#include "recorder/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define RECORD_HANG_MAX_BYTES (4ull << 30) /* default of --bundle-max */
#define RECORD_HANG_WHYS      32u

struct record_hang_opts {
	bool on;
	const char *dir;
	uint64_t max;
};

struct record_hang {
	pid_t child;                 /* 0: none was asked for */
	int fd;                      /* of messages; -1: nobody is there */
	bool gone;                   /* it has ended by itself */
	char *why[RECORD_HANG_WHYS]; /* what it asked because of: the recorder keeps a pointer */
	size_t n_why;
};

/* What of the options does not go together, or NULL. */
const char *record_hang_conflict(const struct record_hang_opts *o, bool flight);
/*
 * Before anything is attached. pause: as the recorder has it, ns; keep: bundles. XTR_EXIT_OK, or
 * the exit status after a line of what is wrong.
 */
int record_hang_start(struct record_hang *h, const struct record_hang_opts *o, uint64_t pause,
		      uint64_t keep);
/* It has something to say: a flight file is asked for. Sets gone where it has ended. */
void record_hang_listen(struct record_hang *h, struct xtr_recorder *r);
/* Tell it of triggers that have fired, and of a flight file. */
void record_hang_tell_fired(struct record_hang *h, struct xtr_recorder *r);
void record_hang_tell_file(struct record_hang *h, const struct xtr_flown_file *f);
/* The recording has ended, and all files were told of: it makes what is left to be made. Its exit
 * status. */
int record_hang_end(struct record_hang *h);

/* "default", and what tells of a scheduler's timeouts on this machine: n names for the recorder's
 * events, or 0: what there is by default tells enough. */
size_t record_hang_events(const char *const **events);

#endif /* XTR_CLI_RECORD_HANG_H */
