/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands, in the order of `xtr help`. cli/cmd_NAME.c defines cmd_NAME. */
#include "cli/ui/cli.h"

const struct cli_command *const cli_commands[] = {
	&cmd_record,  &cmd_top,    &cmd_list,    &cmd_doctor, &cmd_info, &cmd_stats, &cmd_jobs,
	&cmd_why,     &cmd_frames, &cmd_whatif,  &cmd_diff,   &cmd_dump, &cmd_query, &cmd_flame,
	&cmd_report,  &cmd_export, &cmd_import,  &cmd_cut,    &cmd_cat,  &cmd_pack,  &cmd_check,
	&cmd_recover, &cmd_redact, &cmd_symbols, &cmd_bundle, &cmd_ship, NULL,
};
