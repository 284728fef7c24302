/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages: one line each on stderr. Names in them come from strangers (file names, options), so
 * control characters do not reach the terminal.
 */
#include "cli.h"
#include "help.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

/* Bytes of a message: two names of files, and words. Nothing is allocated: the message may be of
 * that. */
#define MESSAGE_MAX (3 * PATH_MAX)

bool cli_quiet;
/* Of a thread that works for another one: where its messages wait. */
static _Thread_local FILE *captured;

void cli_capture(FILE *f)
{
	captured = f;
}

bool cli_captured(void)
{
	return captured;
}

static void make_printable(char *s)
{
	for (unsigned char *p = (unsigned char *)s; *p; p++) {
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f) /* C1 controls in UTF-8 */
			p[0] = p[1] = '?';
	}
}

__attribute__((format(printf, 2, 0))) static void message(const char *prefix, const char *fmt,
							  va_list ap)
{
	char text[MESSAGE_MAX];

	cli_progress_done();
	vsnprintf(text, sizeof(text), fmt, ap);
	make_printable(text);
	fprintf(captured ? captured : stderr, "%s%s\n", prefix, text);
}

const char *cli_strerror(int err)
{
	err = err < 0 ? -err : err;
	return err == ENOMEM ? "out of memory" : strerror(err);
}

void cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("xtr: ", fmt, ap);
	va_end(ap);
}

void cli_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message("xtr: warning: ", fmt, ap);
	va_end(ap);
}

void cli_hint(const char *fmt, ...)
{
	va_list ap;

	if (cli_quiet)
		return;
	va_start(ap, fmt);
	message("xtr: ", fmt, ap);
	va_end(ap);
}

int cli_failed(const char *path, int err)
{
	cli_error("'%s': %s", path, cli_strerror(err));
	return XTR_EXIT_FAILURE;
}

int cli_usage_error(const struct cli_command *cmd, const char *fmt, ...)
{
	const bool top = !cmd || cmd == &cli_top;
	va_list ap;

	va_start(ap, fmt);
	message("xtr: ", fmt, ap);
	va_end(ap);
	fprintf(captured ? captured : stderr, "Try 'xtr %s%s--help'\n", top ? "" : cmd->name,
		top ? "" : " ");
	return XTR_EXIT_USAGE;
}

int cli_one_file(const struct cli_command *cmd, int argc)
{
	return argc ? cli_usage_error(cmd, "%s takes one file", cmd->name)
		    : cli_usage_error(cmd, "%s: which file?", cmd->name);
}

int cli_worse(int a, int b)
{
	static const int order[] = { XTR_EXIT_USAGE, XTR_EXIT_FAILURE, XTR_EXIT_PRIVILEGE,
				     XTR_EXIT_THRESHOLD, XTR_EXIT_LOSS };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return XTR_EXIT_OK;
}
