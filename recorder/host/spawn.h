/* SPDX-License-Identifier: BSD-2-Clause */
/* The command that is recorded: a process that waits until recording has begun, so that its first
 * event is in. */
#ifndef XTR_RECORDER_SPAWN_H
#define XTR_RECORDER_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct xtr_child {
	pid_t pid;  /* 0: none */
	int go;     /* write end; closed without a byte, the child gives up */
	int failed; /* read end: errno of exec, or end of file */
};

/*
 * Start argv, waiting, with the privileges of the user who runs this program. aside: its standard
 * output is our standard error, because ours carries the trace. 0 or -errno.
 */
int xtr_child_start(struct xtr_child *c, char *const *argv, bool aside);
/* Let it run. 0, or -errno of the exec (the child has ended then). */
int xtr_child_go(struct xtr_child *c);
/* Give up a child that was not let go, and close what is open. */
void xtr_child_close(struct xtr_child *c);

#endif /* XTR_RECORDER_SPAWN_H */
