/* SPDX-License-Identifier: BSD-2-Clause */
/* Problems of a file, as text and as JSON. */
#ifndef XTR_CLI_TRACE_H
#define XTR_CLI_TRACE_H

#include "format/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct xtr_json;
struct xtr_reader;

/* True if the file holds a recording that was recovered, and of which the end is missing. */
bool cli_end_is_missing(const struct xtr_reader *r);

/* "chunk 17 at 0x4a20: payload checksum mismatch", without a line feed. */
void cli_put_problem(FILE *f, const struct xtr_problem *p);
/* At most `most` problems of a file as messages, one line each, and how many more there are. */
void cli_report_problems(const char *path, const struct xtr_reader *r, size_t most);
/* Key "problems": an array of {code, offset, chunk}. */
void cli_json_problems(struct xtr_json *j, const struct xtr_problem *p, size_t n);

#endif /* XTR_CLI_TRACE_H */
