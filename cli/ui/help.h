/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that is written from the tables: help, manual pages, completions. */
#ifndef XTR_CLI_HELP_H
#define XTR_CLI_HELP_H

#include "cli.h"

extern const struct cli_command cli_top; /* xtr itself: what stands before the command's name */
/* xtr help. It is not in cli_commands: what is written of each command is not of it. */
extern const struct cli_command cmd_help;

struct cli_exit_text {
	enum xtr_exit code;
	const char *text;
};
extern const struct cli_exit_text cli_exit_texts[];
extern const size_t cli_n_exit_texts;

const struct cli_command *cli_find_command(const char *name); /* NULL if there is none */
const struct cli_command *cli_find_any(const char *name);     /* the same, or help */
int cli_unknown_command(const char *name); /* says so, and which may be meant: the exit status */

void cli_help_all(FILE *f);                                    /* the commands */
void cli_help_command(FILE *f, const struct cli_command *cmd); /* usage and options */
void cli_help_long(FILE *f, const struct cli_command *cmd);    /* and what the manual page says */
void cli_version(FILE *f);

/* cmd NULL: xtr(1); else xtr-NAME(1). */
void cli_dump_man(FILE *f, const struct cli_command *cmd);
/* shell: "bash", "zsh" or "fish". False for another one. */
bool cli_dump_completion(FILE *f, const char *shell);

#endif /* XTR_CLI_HELP_H */
