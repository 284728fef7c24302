/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr bundle: one file for a bug report. */
#include "bundle_compare.h"
#include "bundle_make.h"

#include "bundle/tracker.h"

#include <string.h>

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct bundle_opts, output),
	  "write here, \"-\" for standard output; else named after the trace" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct bundle_opts, force),
	  "replace an existing file" },
	{ 0, "for", "TRACKER", CLI_STRING, offsetof(struct bundle_opts, tracker),
	  "write a report in the tracker's form, too: amd, intel, mesa, nvidia, npu, nouveau" },
	{ 0, "include", "PARTS", CLI_LIST, offsetof(struct bundle_opts, include),
	  "put these private parts in without asking: kmsg,xid,devcoredump,error and others" },
	{ 0, "exclude", "PARTS", CLI_LIST, offsetof(struct bundle_opts, exclude),
	  "leave these parts out: those, stats,findings,info,machine,devices,modules,firmware" },
	{ 0, "yes", NULL, CLI_FLAG, offsetof(struct bundle_opts, yes),
	  "put all private parts in without asking" },
	{ 0, "no-redact", NULL, CLI_FLAG, offsetof(struct bundle_opts, no_redact),
	  "the trace and the texts as they are, with all names" },
	{ 0, "key", "NUMBER", CLI_U64, offsetof(struct bundle_opts, key),
	  "for tests: of the redaction, which is random otherwise" },
	{ 0, "compare", NULL, CLI_FLAG, offsetof(struct bundle_opts, compare),
	  "of two bundles or traces: is it the same hang? Status 0, or 4 if not" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct bundle_opts, json),
	  "with --compare: JSON for programs (docs/hang.md)" },
};

static int run(const void *opts, int argc, char **argv)
{
	const struct bundle_opts *o = opts;

	if (o->compare)
		return bundle_compare(&cmd_bundle, argc, argv, o->json);
	if (o->json)
		return cli_usage_error(&cmd_bundle, "--json needs --compare");
	if (argc != 1)
		return cli_one_file(&cmd_bundle, argc);
	return bundle_check_opts(&cmd_bundle, opts) ?: bundle_make(opts, argv[0]);
}

static const char *words(const char *option, size_t i)
{
	const struct xtr_bundle_source *s;
	const struct xtr_tracker *t;

	if (!strcmp(option, "for")) {
		t = xtr_tracker(i);
		return t ? t->name : NULL;
	}
	if (strcmp(option, "include") != 0 && strcmp(option, "exclude") != 0)
		return NULL;
	s = xtr_bundle_source(i + 1); /* the trace is always there */
	return s ? s->name : NULL;
}

const struct cli_command cmd_bundle = {
	.name = "bundle",
	.summary = "pack a trace and facts about this machine into one file for a bug report",
	.args = "FILE [FILE]",
	.examples =
		"xtr bundle run.xtr\tinto run.tar.zst; asks before it adds anything private\n"
		"xtr bundle --for amd run.xtr\tthe same, and run.amd.md, a report with blanks to fill in\n"
		"xtr bundle --compare a.tar.zst b.tar.zst\tis it the same hang?",
	CLI_OPTIONS(options, struct bundle_opts),
	.words = words,
	.run = run,
};
