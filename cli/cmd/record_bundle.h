/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xtr record --bundle: a process that waits while the recorder records, and then makes a bundle.
 * The recorder gives up all privileges; what drivers dump, the kernel's log and the directory of
 * somebody else may need those of who called. So the process is started before, keeps no more than
 * reading and writing files and the log need, and nothing that the program's file gave; it does
 * nothing, and reads nothing, until the recording is over.
 */
#ifndef XTR_CLI_RECORD_BUNDLE_H
#define XTR_CLI_RECORD_BUNDLE_H

#include "bundle_make.h"

#include <sys/types.h>

struct record_bundle {
	pid_t child; /* 0: none was asked for */
	int go;      /* a pipe: a byte starts it, its end ends it */
};

/* Before anything is attached. XTR_EXIT_OK, or the exit status after a line of what is wrong: the
 * bundle's file exists, say. */
int record_bundle_start(struct record_bundle *b, const struct bundle_opts *o, const char *trace,
			bool quiet);
/* The trace is written and closed (made), or will not be. The exit status of `xtr bundle`. */
int record_bundle_end(struct record_bundle *b, bool made);

#endif /* XTR_CLI_RECORD_BUNDLE_H */
