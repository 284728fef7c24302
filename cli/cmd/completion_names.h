/* SPDX-License-Identifier: BSD-2-Clause */
/* Names in a trace, for the completions of shells. */
#ifndef XTR_CLI_NAMES_H
#define XTR_CLI_NAMES_H

#include <stddef.h>
#include <stdio.h>

/*
 * What of a trace the argument of an option names: "events", "devices", "rings" or "pids"; NULL for
 * an option (its long name) whose argument is none of them.
 */
const char *cli_names_kind(const char *option);
/*
 * One line for each name of this kind in the first of n words that is a trace or a bundle, sorted,
 * each once: the name, a tab, and what tells it from others (a ring's device, a process's name), or
 * nothing. Names that a shell or a terminal might take for something else are left out. Nothing is
 * said of words that are no trace, or damaged; that one cannot be read, or all of it not be
 * remembered, is.
 * The exit status, and what went wrong told: of usage if there is no such kind.
 */
int cli_dump_names(FILE *f, const char *kind, char *const *words, size_t n);

#endif /* XTR_CLI_NAMES_H */
