/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and directories as a command is given them. */
#ifndef XTR_CLI_PATHS_H
#define XTR_CLI_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct cli_paths { /* all zero: none */
	char **v;
	size_t n, cap;
};

/*
 * Of n arguments the files: a directory is all files in it and below it whose names end with
 * ".xtr", in order of their names as bytes, each directory's own order inside it. Links to files
 * are files, links to directories below it are not followed. "-" and what is not there stay as they
 * are. Returns the exit status: a directory that cannot be read, or has no such file, was told, and
 * is XTR_EXIT_FAILURE.
 */
int cli_paths_expand(struct cli_paths *p, size_t n, const char *const *args);
void cli_paths_free(struct cli_paths *p);
/* Is it a directory? */
bool cli_is_directory(const char *path);
/* Is it more than one file that is named: several arguments, or a directory? 0, 1, or -errno, which
 * is told. */
int cli_paths_several(int argc, char **argv);

#endif /* XTR_CLI_PATHS_H */
