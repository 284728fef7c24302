/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr info: what is in a trace. */
#include "cli/ui/cli.h"
#include "info.h"

#include <string.h>

struct info_opts {
	bool json, overhead;
};

extern const struct cli_command cmd_info;

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
		return cli_usage_error(&cmd_info,
				       argc ? "info takes one file" : "info: which file?");
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
	.about =
		"Shows what a trace holds: what was lost while recording and what is damaged first; then the "
		"span and the time of day, the machine, its devices and drivers, the recorder's own cost, "
		"how many events of each type there are, and which events could not be recorded and why."
		"\n\n"
		"Every event is decoded, so a damaged chunk is found; 'xtr check' verifies everything else "
		"too. If something is missing, the exit status is 3."
		"\n\n"
		"--overhead: recorder: CPU time of its process, user and system, while it recorded. Probes: time in "
		"its BPF programs, on the traced threads; one run in 256 is timed, from where it has found its "
		"CPU until the record is in the ring, and the mean is multiplied by the runs. Runs include "
		"events that were left out or lost. Not in it: the kernel's way into a program, counting "
		"programs, what caches and disks lose. Shares are of the time recorded, on one CPU or all.",
	.examples = "xtr info run.xtr\twhat is in it\n"
		    "xtr info --overhead run.xtr\twhat recording it cost\n"
		    "xtr info --json run.xtr\tthe same for programs\n",
	.options = options,
	.n_options = sizeof(options) / sizeof(options[0]),
	.opts_size = sizeof(struct info_opts),
	.run = run,
};
