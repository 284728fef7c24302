/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands, in the order of `xtr help`. cli/cmd_NAME.c defines cmd_NAME. */
#include "cli.h"

extern const struct cli_command cmd_record, cmd_list, cmd_doctor, cmd_info, cmd_stats, cmd_jobs,
	cmd_dump, cmd_check;

const struct cli_command *const cli_commands[] = {
#if __has_include("cmd_record.c") || defined(XTR_NO_RECORDER)
	&cmd_record,
#endif
#if __has_include("cmd_list.c") || defined(XTR_NO_RECORDER)
	&cmd_list,
#endif
#if __has_include("cmd_doctor.c") || defined(XTR_NO_RECORDER)
	&cmd_doctor,
#endif
#if __has_include("cmd_info.c")
	&cmd_info,
#endif
#if __has_include("cmd_stats.c")
	&cmd_stats,
#endif
#if __has_include("cmd_jobs.c")
	&cmd_jobs,
#endif
#if __has_include("cmd_dump.c")
	&cmd_dump,
#endif
#if __has_include("cmd_check.c")
	&cmd_check,
#endif
	NULL,
};
