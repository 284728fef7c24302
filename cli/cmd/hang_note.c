/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of text about hangs: hang.txt in a bundle has the signs of this hang, hangs.txt in the
 * directory has each sign that ever came, and what became of it.
 */
#include "hang_taker.h"
#include "cli/ui/cli.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOG     "hangs.txt"
#define OLD     "hangs.old.txt"
#define LOG_MAX ((off_t)1 << 20) /* bytes; then it becomes the old one */

/* 2026-11-27T11:45:00.123Z; ago: ns. */
static void put_when(uint64_t ago, char *text, size_t n)
{
	struct timespec now;
	struct tm tm = { 0 };
	char when[32];
	uint64_t ms;
	time_t s;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	ms -= ago / 1000000 < ms ? ago / 1000000 : 0;
	s = (time_t)(ms / 1000);
	gmtime_r(&s, &tm);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, n, "%s.%03" PRIu64 "Z", when, ms % 1000);
}

static const char *or_dash(const char *s)
{
	return *s ? s : "-";
}

void hang_note(const struct hang *h, const struct xtr_hang_sign *s, uint64_t at)
{
	const uint64_t now = cli_now();
	char when[40], line[640];
	int err;

	put_when(now > at ? now - at : 0, when, sizeof(when));
	snprintf(line, sizeof(line), "%s [%5" PRIu64 ".%06" PRIu64 "] %s %s %s %s", when,
		 at / 1000000000, at % 1000000000 / 1000, s->kind, or_dash(s->device),
		 or_dash(s->name), s->text);
	err = h->folder < 0 ? 0 : xtr_hang_note(h->folder, XTR_HANG_NOTES, line);
	if (err)
		cli_failed(h->name, err);
}

void hang_note_text(const struct hang *h, const char *kind, const char *text)
{
	struct xtr_hang_sign s = { .kind = kind };

	snprintf(s.text, sizeof(s.text), "%s", text);
	hang_note(h, &s, cli_now());
}

void hang_log(const struct hang_taking *t, const char *became, const struct hang *h,
	      const struct xtr_hang_sign *s)
{
	char when[40], line[640];
	struct stat st;
	int err;

	if (!fstatat(t->dir, LOG, &st, AT_SYMLINK_NOFOLLOW) && st.st_size > LOG_MAX)
		(void)renameat(t->dir, LOG, t->dir, OLD);
	put_when(0, when, sizeof(when));
	snprintf(line, sizeof(line), "%s\t%s\t%s\t%s\t%s\t%s\t%s", when, became, h ? h->name : "-",
		 s->kind, or_dash(s->device), or_dash(s->name), s->text);
	err = xtr_hang_note(t->dir, LOG, line);
	if (err)
		cli_failed(LOG, err);
}

static bool has(const struct hang_taking *t, const char *file, const char *what)
{
	int fd = openat(t->dir, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t cap = 0;
	bool found = false;

	while (f && !found && getline(&line, &cap, f) > 0)
		found = strstr(line, "\tmade\t") && strstr(line, t->boot) && strstr(line, what);
	free(line);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return found;
}

bool hang_logged(const struct hang_taking *t, const char *dump)
{
	char what[80];

	snprintf(what, sizeof(what), " %s;", dump);
	return *t->boot && (has(t, LOG, what) || has(t, OLD, what));
}
