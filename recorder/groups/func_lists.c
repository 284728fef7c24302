// SPDX-License-Identifier: BSD-2-Clause
#include "func_lists.h"
#include "recorder/host/proc_lines.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Copy the lines of modules. False: not all of them. */
static bool copy(const char *list, FILE *to)
{
	struct xtr_lines from;
	char line[1024];
	bool ok = true;

	if (xtr_lines_open(&from, list))
		return false;
	while (ok && xtr_lines_next(&from, line, sizeof(line)))
		ok = !strchr(line, '[') || fputs(line, to) >= 0;
	return xtr_lines_close(&from) == 0 && ok && fflush(to) == 0;
}

static int read_modules(const char *list)
{
	int fd = memfd_create("xtr-functions", MFD_CLOEXEC), second;
	bool ok = false;
	FILE *to;

	second = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	to = second < 0 ? NULL : fdopen(second, "w");
	if (to)
		ok = copy(list, to);
	if (to)
		fclose(to);
	else if (second >= 0)
		close(second);
	if (ok || fd < 0)
		return fd;
	close(fd);
	return -1;
}

const char *xtr_func_list_modules(struct xtr_func_list *l, const char *list)
{
	if (!l->fd) {
		l->fd = read_modules(list);
		snprintf(l->path, sizeof(l->path), "/proc/self/fd/%d", l->fd);
	}
	return l->fd < 0 ? list : l->path;
}

void xtr_func_list_free(struct xtr_func_list *l)
{
	if (l->fd > 0)
		close(l->fd);
	l->fd = 0;
}
