/* SPDX-License-Identifier: BSD-2-Clause */
/* `make RECORDER=0`: the commands that need libbpf say so. */
#include "cli/ui/cli.h"

static int run(const void *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	cli_error("this xtr was built without the recorder");
	cli_hint("build it with 'make RECORDER=1', which needs libbpf and clang");
	return XTR_EXIT_PRIVILEGE;
}

extern const struct cli_command cmd_record, cmd_list, cmd_doctor;

const struct cli_command cmd_record = {
	.name = "record",
	.summary = "record events (not built in)",
	.args = "[-- COMMAND [ARG]...]",
	.run = run,
	.stop_at_first = true,
};

const struct cli_command cmd_list = {
	.name = "list",
	.summary = "list the events that can be recorded (not built in)",
	.args = "",
	.run = run,
};

const struct cli_command cmd_doctor = {
	.name = "doctor",
	.summary = "say what recording lacks here (not built in)",
	.args = "",
	.run = run,
};
