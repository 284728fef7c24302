/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything that is written from the tables: help, completions. */
#ifndef XTR_CLI_HELP_H
#define XTR_CLI_HELP_H

#include "cli.h"

extern const struct cli_command cli_top; /* xtr itself: what stands before the command's name */
/* xtr help. It is not in cli_commands: what is written of each command is not of it. */
extern const struct cli_command cmd_help;

const struct cli_command *cli_find_command(const char *name); /* NULL if there is none */
const struct cli_command *cli_find_any(const char *name);     /* the same, or help */
int cli_unknown_command(const char *name); /* says so, and which may be meant: the exit status */

void cli_help_all(FILE *f);                                    /* the commands */
void cli_help_command(FILE *f, const struct cli_command *cmd); /* usage, options, examples */
void cli_version(FILE *f);

/* shell: "bash", "zsh" or "fish". False for another one. */
bool cli_dump_completion(FILE *f, const char *shell);

#endif /* XTR_CLI_HELP_H */
