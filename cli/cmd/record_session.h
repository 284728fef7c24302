/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording while it runs: signals, the command, the status line, and why it ends. */
#ifndef CLI_RECORD_SESSION_H
#define CLI_RECORD_SESSION_H

#include "record_hang.h"

#include "recorder/recorder.h"

#include <stdbool.h>
#include <stdint.h>

struct record_session {
	struct xtr_recorder *r;
	struct record_hang hang; /* who takes hangs, if anybody */
	bool quiet;
	int signals;      /* signalfd, -1: none */
	bool tty;         /* the status line is shown */
	int child_status; /* of waitpid */
	bool child_ended;
	bool ending;       /* a signal came, the command has time until deadline */
	uint64_t deadline; /* ns on CLOCK_MONOTONIC, 0: none */
	uint64_t last_events, last_at;
	const char *reason; /* why it ends, NULL: it does not */
	bool failed;        /* it ended because it could not go on */
};

/* From now on signals come through a descriptor; threads that are started later inherit that.
 * flight: SIGUSR1, too. 0 or -errno: there is no descriptor. */
int record_session_signals(struct record_session *s, bool flight);
/* Recording has begun: wait until there is a reason to end, which is s->reason. duration: ns, 0:
 * none. */
void record_session_wait(struct record_session *s, uint64_t duration);
/* Recording has ended, the command may not: ask it to end where the user has set the end, then wait
 * for it. */
void record_session_wait_for_command(struct record_session *s);
/* Tell of the files that a flight recorder has written, and who takes hangs of triggers, too. */
void record_session_tell_files(struct record_session *s);
/* Free what is the session's own. */
void record_session_end(struct record_session *s);

#endif /* CLI_RECORD_SESSION_H */
