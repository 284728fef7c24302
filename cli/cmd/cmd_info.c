/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr info: what is in a trace. */
#include "cli/ui/cli.h"
#include "info.h"

#include <string.h>

struct info_opts {
	bool json, overhead;
};

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct info_opts, json),
	  "print JSON (schema xtr.info/1)" },
	{ 'O', "overhead", NULL, CLI_FLAG, offsetof(struct info_opts, overhead),
	  "show what recording cost the machine, and nothing else" },
};

static int run(const void *opts, int argc, char **argv)
{
	const struct info_opts *o = opts;
	struct xtr_reader *r;
	struct info info;
	int status, err;

	if (argc != 1)
		return cli_one_file(&cmd_info, argc);
	r = cli_open_trace(argv[0], &status);
	if (!r)
		return status;
	err = info_gather(&info, argv[0], r);
	if (err) {
		cli_error("'%s': %s", argv[0], cli_strerror(err));
		status = XTR_EXIT_FAILURE;
	} else {
		(o->json       ? info_print_json
		 : o->overhead ? info_print_overhead
			       : info_print_text)(cli_out(), &info);
		status = info.lost || info.missing || info.n_problems || info.open || info.unread
				 ? XTR_EXIT_LOSS
				 : XTR_EXIT_OK;
	}
	info_free(&info);
	xtr_reader_close(r);
	return status;
}

const struct cli_command cmd_info = {
	.name = "info",
	.summary = "show what is in a trace: machine, events, losses, damage",
	.args = "FILE",
	.examples = "xtr info run.xtr\twhat a trace contains\n"
		    "xtr info --overhead run.xtr\twhat recording cost",
	CLI_OPTIONS(options, struct info_opts),
	.run = run,
};
