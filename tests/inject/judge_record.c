/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract of a recording in which a call fails: it ends, with a documented status; what it
 * could not do is one line that says why; each file that it leaves can be read, and is whole where
 * the status is that of success; no block, descriptor, thread, process or pinned object is left.
 * A hook, a name or a fact of the machine that cannot be had may be missing.
 */
#include "server.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define LINES_MAX 4 /* an error, what to do about it, what was lost */

/* Those of a command that could not be run are the last. */
static const int statuses[] = { 0, 1, 3, 5, 126, 127 };

static bool documented(int status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i] == status)
			return true;
	return false;
}

/* Each trace opens; whole: and is what was written. */
static const char *files_are_right(const struct outcome *o, bool whole)
{
	size_t n = 0;

	for (size_t i = 0; i < o->dir.n; i++) {
		const char *name = o->dir.file[i].name;
		char *argv[] = { "xtr", "check", (char *)name, NULL };
		int status;

		if (fnmatch("out*", name, 0))
			return "a file that was not asked for was left";
		if (fnmatch("*.xtr", name, 0))
			continue; /* a bundle: it is renamed when it is whole */
		status = inject_run_plain(3, argv);
		if (status != 0 && status != 3 && !inject_struck_call("unlink"))
			return "a file that cannot be read was left";
		if (whole && status)
			return "a status of success with a file that is not whole";
		n++;
	}
	return whole && !n ? "a status of success without a file" : NULL;
}

/* What failed, a colon, and why; a thread without memory is one that cannot be had now. */
static bool says_why(const char *line)
{
	const char *colon = strstr(line + strlen("xtr: "), ": ");

	for (int i = 0; i < 2 && i < inject->n_strikes; i++)
		if ((colon && strstr(colon, strerror(inject->strikes[i].err))) ||
		    (inject->strikes[i].err == ENOMEM &&
		     (strstr(line, "out of memory") || strstr(line, strerror(EAGAIN)))))
			return true;
	return false;
}

/* What the machine lacks (5) is named, in the words of whoever looked for it. */
static const char *message_is_right(const struct scenario *s, const struct outcome *o, int status)
{
	const bool failed = status == 1 || status == 5;
	static char text[TEXT_MAX];
	char *save, *line;
	bool told = false;
	size_t n = 0;

	memcpy(text, o->err, sizeof(text));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "xtr: ", 5))
			return "a line on stderr without the prefix";
		n += !inject_has_line(s->good.err, line);
		told |= status == 5 || says_why(line);
	}
	if (n > LINES_MAX)
		return "too many messages";
	if (failed && !n)
		return "no message";
	return failed && !told ? "the message does not tell what happened" : NULL;
}

const char *inject_judge_recording(const struct scenario *s, const struct outcome *o,
				   bool *absorbed)
{
	const char *why = inject_ended_badly(s, o);
	bool left = inject_bpffs_left();
	int status;

	*absorbed = false;
	if (why)
		return why;
	status = WEXITSTATUS(o->status);
	if (!documented(status))
		return "wrong exit status";
	if (left)
		return "something is left in the BPF file system";
	if (inject_all_passing() && status != s->status)
		return "did not get over it";
	why = files_are_right(o, status == 0);
	if (!why && !inject->stderr_struck)
		why = message_is_right(s, o, status);
	*absorbed = !why && status == s->status;
	return why;
}
