/* SPDX-License-Identifier: BSD-2-Clause */
/* Problems of a file, as text and as JSON. */
#ifndef XTR_CLI_TRACE_H
#define XTR_CLI_TRACE_H

#include "bundle/open.h"
#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct xtr_json;
struct xtr_part;
struct xtr_reader;

/* Why a trace was not opened. */
struct cli_open_err {
	bool in_bundle; /* it is a bundle, and bundle tells; else trace does */
	struct xtr_bundle_err bundle;
	struct xtr_err trace;
};
/*
 * Open a trace, or the one in a bundle, without a word: what cli_open_part does before it speaks.
 * 0; -EBADMSG: it is none, or damaged; -ENOSYS: a bundle, and this xtr has no libarchive; other
 * -errno. why is filled.
 */
int cli_try_part(const char *path, const struct xtr_part *part, struct xtr_reader **r,
		 struct cli_open_err *why);

/* True if the file holds a recording that was recovered, and of which the end is missing. */
bool cli_end_is_missing(const struct xtr_reader *r);

struct xtr_meta;
/* Was it recorded since this machine was started? */
bool cli_same_boot(const struct xtr_meta *m);

/* Places of imported traces that could not be read, in all sections. */
uint64_t cli_import_damage(const struct xtr_reader *r);

/* "chunk 17 at 0x4a20: payload checksum mismatch", without a line feed. */
void cli_put_problem(FILE *f, const struct xtr_problem *p);
/* At most `most` problems of a file as messages, one line each, and how many more there are. */
void cli_report_problems(const char *path, const struct xtr_reader *r, size_t most);
/* Key "problems": an array of {code, offset, chunk}, of a list or of all that a reader has found.
 */
void cli_json_problems(struct xtr_json *j, const struct xtr_problem *p, size_t n);
void cli_json_reader_problems(struct xtr_json *j, const struct xtr_reader *r);
/* Verify all of a trace with progress; what: beside the progress. 0 or -errno. */
int cli_verify(struct xtr_reader *r, const char *what);
/*
 * The same for a command that takes whole traces only: XTR_EXIT_OK, or the exit status after lines
 * of what is wrong. why: "it is not packed"; done: "packed", what can be done to a recovered one.
 */
int cli_verify_whole(const char *path, struct xtr_reader *r, const char *why, const char *done);

#endif /* XTR_CLI_TRACE_H */
