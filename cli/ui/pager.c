/* SPDX-License-Identifier: BSD-2-Clause */
#include "pager.h"
#include "secure.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Letters of a command's first word that mean nothing else to the shell. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-"

static bool can_run(const char *dir, size_t dir_len, const char *word, size_t len)
{
	char path[PATH_MAX];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%.*s%s%.*s", (int)dir_len, dir, dir_len ? "/" : "",
			 (int)len, word);

	return n > 0 && (size_t)n < sizeof(path) && !stat(path, &st) && S_ISREG(st.st_mode) &&
	       !access(path, X_OK);
}

/* False where the shell would not find the program; what begins with more than a word is the
 * shell's to judge. */
static bool is_there(const char *command)
{
	const char *path = cli_getenv("PATH");
	size_t len, dir;

	command += strspn(command, " \t");
	len = strspn(command, PLAIN);
	if (!len || (command[len] && !strchr(" \t", command[len])))
		return true;
	if (memchr(command, '/', len))
		return can_run("", 0, command, len);
	if (!path)
		return true; /* the shell has a path of its own */
	for (;; path += dir + 1) {
		dir = strcspn(path, ":");
		if (can_run(path, dir, command, len))
			return true;
		if (!path[dir])
			return false;
	}
}

/* With more rights than who runs it, the program starts none: not even "less" by its PATH. */
const char *pager_command(void)
{
	const char *s = cli_getenv("XTR_PAGER");

	if (!s)
		s = cli_getenv("PAGER");
	if (!s)
		s = cli_getenv("PATH") ? "less" : "";
	return *s && strcmp(s, "cat") && is_there(s) ? s : NULL;
}
