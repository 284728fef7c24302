/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract of a failing run: a documented status that is no success unless the output is whole;
 * one line that tells what happened; nothing leaked, nothing half-written under a final name, no
 * temporary file left. Faults that a program must get over leave no trace at all.
 */
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINES_MAX 3 /* an error and what to do about it */

uint64_t inject_hash(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}

/* --- files ------------------------------------------------------------------------------------ */

/* Each file of the outcome is as before or as after; others are there only if they could not be
 * removed. */
static const char *files_are_right(const struct scenario *s, const struct outcome *o,
				   bool unlink_failed)
{
	const struct dir_state *d = &o->dir, *sides[] = { &s->before, &s->good.dir };

	for (size_t i = 0; i < d->n; i++) {
		bool known = false, right = false;

		for (size_t k = 0; k < 2; k++)
			for (size_t j = 0; j < sides[k]->n; j++)
				if (!strcmp(sides[k]->file[j].name, d->file[i].name)) {
					known = true;
					right |= sides[k]->file[j].hash == d->file[i].hash;
				}
		if (known && !right)
			return "a half-written file under the final name";
		if (!known && !unlink_failed)
			return "a temporary file was left";
	}
	for (size_t j = 0; j < s->before.n; j++) {
		bool there = false;

		for (size_t i = 0; i < d->n; i++)
			there |= !strcmp(d->file[i].name, s->before.file[j].name);
		if (!there)
			return "the file that was there is gone";
	}
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool has_content(const struct dir_state *d, uint64_t hash)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->file[i].hash == hash)
			return true;
	return false;
}

/* Has one of these bytes and of this name, wherever. */
static bool has_file(const struct dir_state *d, const struct file_state *f)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->file[i].hash == f->hash &&
		    !strcmp(base_name(d->file[i].name), base_name(f->name)))
			return true;
	return false;
}

/* Of what goes from one folder to another nothing is lost, and none has another name or is half. */
static const char *moved_are_right(const struct scenario *s, const struct outcome *o)
{
	for (size_t i = 0; i < s->before.n; i++)
		if (!has_content(&o->dir, s->before.file[i].hash))
			return "a file was lost";
	for (size_t i = 0; i < o->dir.n; i++)
		if (!has_file(&s->before, &o->dir.file[i]) &&
		    !has_file(&s->good.dir, &o->dir.file[i]))
			return "a file has a name or bytes that none had";
	return NULL;
}

/* --- faults ----------------------------------------------------------------------------------- */

/* To be got over: the call can be made again, but where EAGAIN says that there are no more. */
static bool passing(int nr, int err)
{
	return nr >= 0 && (err == SHORT_ONE || err == SHORT_HALF || err == EINTR || err == EAGAIN);
}

static int n_strikes(void)
{
	return inject->n_strikes < 2 ? inject->n_strikes : 2;
}

bool inject_all_passing(void)
{
	for (int i = 0; i < n_strikes(); i++)
		if (!passing(inject->strikes[i].nr, inject->strikes[i].err))
			return false;
	return true;
}

bool inject_struck_call(const char *part)
{
	for (int i = 0; i < n_strikes(); i++)
		if (strstr(inject_call_name(inject->strikes[i].nr), part))
			return true;
	return false;
}

static bool struck_fd(int fd)
{
	for (int i = 0; i < n_strikes(); i++)
		if (inject->strikes[i].fd == fd)
			return true;
	return false;
}

/* --- messages --------------------------------------------------------------------------------- */

static bool says_error(const struct scenario *s, const char *line, int err)
{
	static const char *const sql[] = { "disk I/O error", "unable to open database",
					   "database or disk is full" };

	if (strstr(line, err == ENOMEM ? "out of memory" : strerror(err)))
		return true;
	for (size_t i = 0; s->sql && i < sizeof(sql) / sizeof(sql[0]); i++)
		if (strstr(line, sql[i]))
			return true;
	return false;
}

static bool names_thing(const char *line)
{
	static const char *const things[] = { "'",         "standard ", "SQL",
					      "temporary", "tracefs",   "dead recorders" };

	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++)
		if (strstr(line, things[i]))
			return true;
	return false;
}

/* Inputs are given by absolute names, outputs by relative ones. */
static bool names_other(const struct strike *k, const char *line)
{
	static const char *const writing[] = { "write", "sync", "rename", "ftruncate" };

	for (size_t i = 0; i < sizeof(writing) / sizeof(writing[0]); i++)
		if (strstr(inject_call_name(k->nr), writing[i]))
			return strstr(line, "'/") && !strstr(line, "temporary");
	return false;
}

static bool line_is_right(const struct scenario *s, const char *line)
{
	for (int i = 0; i < n_strikes(); i++) {
		const struct strike *k = &inject->strikes[i];

		if (says_error(s, line, k->err) && (k->err == ENOMEM || names_thing(line)) &&
		    !names_other(k, line))
			return true;
	}
	return false;
}

bool inject_has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = text; (p = strstr(p, line)); p++)
		if ((p == text || p[-1] == '\n') && p[n] == '\n')
			return true;
	return false;
}

/* Lines that a run without faults does not say: one tells of a fault, and there are few. */
static const char *message_is_right(const struct scenario *s, const struct outcome *o)
{
	static char text[TEXT_MAX];
	size_t len = strlen(o->err), n = 0;
	bool told = false;
	char *save, *line;

	if (len && o->err[len - 1] != '\n')
		return "the message does not end with a newline";
	memcpy(text, o->err, len + 1);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (inject_has_line(s->good.err, line))
			continue;
		if (strncmp(line, "xtr: ", 5))
			return "a line on stderr without the prefix";
		n++;
		told |= line_is_right(s, line);
	}
	if (!n)
		return "no message";
	if (n > LINES_MAX)
		return "too many messages";
	return told ? NULL : "the message does not tell what happened";
}

/* --- the verdict ------------------------------------------------------------------------------ */

static bool same_output(const struct scenario *s, const struct outcome *o)
{
	return o->out == s->good.out && inject_same_dir(&o->dir, &s->good.dir);
}

const char *inject_ended_badly(const struct scenario *s, const struct outcome *o)
{
	if (o->status == -1)
		return "did not end";
	if (WIFSIGNALED(o->status))
		return WTERMSIG(o->status) == SIGPIPE && struck_fd(STDOUT_FILENO)
			       ? files_are_right(s, o, false)
			       : "was killed by a signal";
	if (!inject->ended)
		return "ended within main";
	if (inject->live > s->live)
		return "memory leaked";
	if (inject->leaked_fd >= 0)
		return "a descriptor was left open";
	if (inject->threads > 1)
		return "a thread was left running";
	if (inject->child)
		return "a process was left behind";
	return NULL;
}

const char *inject_judge(const struct scenario *s, const struct outcome *o, bool *absorbed)
{
	const char *why;
	int status;

	if (s->recording)
		return inject_judge_recording(s, o, absorbed);
	why = inject_ended_badly(s, o);
	*absorbed = false;
	if (why || !WIFEXITED(o->status))
		return why;
	status = WEXITSTATUS(o->status);
	why = s->moves ? moved_are_right(s, o)
		       : files_are_right(s, o, inject_struck_call("unlink"));
	if (why)
		return why;
	if (status == s->status && same_output(s, o)) {
		*absorbed = true;
		return NULL;
	}
	/* What cannot be looked at is listed as missing, with the status of that. */
	if (s->loose && !inject_all_passing() && (status == s->status || status == 5))
		return NULL;
	if (status == s->status && status != 1)
		return "a status of success with wrong output";
	if (inject_all_passing() && !inject->stderr_struck)
		return "did not get over it";
	if (status != 1)
		return "wrong exit status";
	return inject->stderr_struck ? NULL : message_is_right(s, o);
}
