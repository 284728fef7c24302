/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xtr redact` says of what it did: lines for people, JSON for programs. */
#ifndef XTR_CLI_REDACT_SAY_H
#define XTR_CLI_REDACT_SAY_H

#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"

#include "replay/redact/redact.h"

struct redact_opts {
	const char *output, *policy, *check;
	struct cli_list canaries;
	uint64_t key;
	bool force, json;
};

/* One of the files. */
struct redact_file {
	const char *path;
	char *output; /* NULL: as -o says */
	struct xtr_reader *reader;
	struct xtr_redact_result sum; /* of its sections */
};

struct redact_run {
	const struct redact_opts *o;
	struct redact_file file[XTR_REDACT_FILES_MAX];
	size_t n;
	unsigned int policy;
	struct xtr_reader *other; /* that is checked */
	struct xtr_redact *redact;
	struct outfile out;
	uint64_t tried, found;
};

/* Add the result of a section to that of its file. */
void redact_add(struct xtr_redact_result *sum, const struct xtr_redact_result *one);
/* Where a file goes: "-", or its name. */
const char *redact_output(const struct redact_run *r, const struct redact_file *f);

/* What was replaced and left out: on stderr, and with --json on standard output. */
void redact_say(const struct redact_run *r);
/* One thing that --check found; ctx is the run. Counts it. */
void redact_say_found(void *ctx, const struct xtr_redact_found *f);
/* What --check came to. */
void redact_say_checked(const struct redact_run *r);

#endif /* XTR_CLI_REDACT_SAY_H */
