// SPDX-License-Identifier: BSD-2-Clause
#include "runpath.h"
#include "elfsyms.h"
#include "util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file that execvp(3) runs; NULL: there is none, or no memory. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *file;
	size_t n;

	if (strchr(name, '/'))
		return strdup(name);
	for (; path && *path; path += n + (path[n] != 0)) {
		n = strcspn(path, ":");
		if (asprintf(&file, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name) < 0)
			return NULL;
		if (access(file, X_OK) == 0)
			return file;
		free(file);
	}
	return NULL;
}

/* A list of directories with $ORIGIN, the program's own, put in (ld.so(8)). NULL: no memory. */
static char *expand_origin(const char *list, const char *program)
{
	static const char *const tokens[] = { "${ORIGIN}", "$ORIGIN" };
	size_t dir = strrchr(program, '/') ? (size_t)(strrchr(program, '/') - program) : 0, n, i;
	char *text = NULL;
	FILE *f = open_memstream(&text, &n);

	while (f && *list) {
		for (i = 0; i < ARRAY_LEN(tokens); i++)
			if (strncmp(list, tokens[i], strlen(tokens[i])) == 0)
				break;
		if (i < ARRAY_LEN(tokens)) {
			fprintf(f, "%.*s", dir ? (int)dir : 1, dir ? program : ".");
			list += strlen(tokens[i]);
		} else {
			fputc(*list++, f);
		}
	}
	if (f && fclose(f)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Links to the program are followed: $ORIGIN is where the file itself lies. */
int xtr_runpath(const char *program, char **list)
{
	char *found = find_program(program), *real = found ? realpath(found, NULL) : NULL;
	int fd = real ? xtr_open_regular(real) : -ENOENT, err = 0;
	struct xtr_elf *elf = NULL;

	*list = NULL;
	if (fd >= 0 && xtr_elf_open(&elf, fd) == 0 && xtr_elf_runpath(elf)) {
		*list = expand_origin(xtr_elf_runpath(elf), real);
		err = *list ? 0 : -ENOMEM;
	}
	xtr_elf_free(elf);
	if (fd >= 0)
		close(fd);
	free(real);
	free(found);
	return err;
}
