/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a bundle of a trace: for `xtr bundle` and `xtr record --bundle`. */
#ifndef XTR_CLI_BUNDLE_MAKE_H
#define XTR_CLI_BUNDLE_MAKE_H

#include "cli/ui/cli.h"

#include "bundle/bundle.h"

struct bundle_opts {
	const char *output;  /* NULL: named after the trace */
	const char *tracker; /* of --for, or NULL */
	struct cli_list include, exclude;
	uint64_t key;
	bool force, yes, no_redact;
	bool compare, json;
};

/* Are the names of --include and --exclude sources? 0 or the exit status of a usage error. */
int bundle_check_opts(const struct cli_command *cmd, const struct bundle_opts *o);
/* The whole of it, with messages. Returns the exit status. */
int bundle_make(const struct bundle_opts *o, const char *path);

/* bundle_ask.c: what is private and not wanted is dropped. */
void bundle_ask(struct xtr_bundle *b, const struct bundle_opts *o);
/* Is a source named in a list of comma-separated names? */
bool bundle_lists(const struct cli_list *list, const char *name);

struct xtr_reader;
/* bundle_views.c: add what stats and info say of the trace. 0 or -errno. */
int bundle_views(struct xtr_bundle *b, const struct bundle_opts *o, struct xtr_reader *r);

struct xtr_redact;
/* bundle_names.c: fill in the names that texts of this machine must not have. 0 or -ENOMEM. */
int bundle_names(struct xtr_scrub *s, const struct xtr_redact *x);

#endif /* XTR_CLI_BUNDLE_MAKE_H */
