/* SPDX-License-Identifier: BSD-2-Clause */
/* --help, `xtr help`, --version: written from the tables. Manual pages are texts, in man/. */
#include "help.h"
#include "options.h"

#include "format/xtr_format.h"

#include <string.h>

enum {
	COLUMNS = 79
};

const struct cli_command cli_top = {
	.name = "xtr",
	.summary = "record and replay what GPU and NPU kernel drivers do",
	.args = "COMMAND [ARG]...",
	.examples = "xtr record -o run.xtr -- ./workload\trecord while a command runs\n"
		    "xtr stats run.xtr\twhat the GPU did, by device, ring and process\n"
		    "xtr check run.xtr\tverify every checksum\n",
	.stop_at_first = true,
};

const struct cli_command *cli_find_command(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (!strcmp(cli_commands[i]->name, name))
			return cli_commands[i];
	return NULL;
}

static void print_usage(FILE *f, const struct cli_command *cmd)
{
	if (cmd == &cli_top)
		fprintf(f, "Usage: xtr [OPTION]... %s\n", cmd->args);
	else
		fprintf(f, "Usage: xtr %s [OPTION]...%s%s\n", cmd->name, *cmd->args ? " " : "",
			cmd->args);
}

/* "  -o, --output=FILE" into s; returns its width. */
static int option_text(char *s, size_t size, const struct cli_option *o)
{
	char letter[8] = "    ";

	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	return snprintf(s, size, "  %s--%s%s%s", letter, o->name, o->arg ? "=" : "",
			o->arg ? o->arg : "");
}

/*
 * Paragraphs (separated by an empty line), filled to COLUMNS, every line but the first indented.
 * The cursor is at column indent already.
 */
static void print_filled(FILE *f, const char *s, int indent)
{
	size_t column = 0, len;

	while (*s) {
		if (*s == '\n') {
			fputs(column ? "\n\n" : "", f);
			column = 0;
			s += strspn(s, "\n");
			continue;
		}
		s += strspn(s, " ");
		len = strcspn(s, " \n");
		if (column && (size_t)indent + column + 1 + len > COLUMNS) {
			fprintf(f, "\n%*s", indent, "");
			column = 0;
		}
		fprintf(f, "%s%.*s", column ? " " : "", (int)len, s);
		column += len + (column ? 1 : 0);
		s += len;
	}
	if (column)
		fputc('\n', f);
}

static void print_options(FILE *f, const struct cli_command *cmd)
{
	const struct cli_option *o;
	char text[80];
	int width = 0, w;
	bool global;

	for (size_t i = 0; (o = cli_option_at(cmd, i, &global)); i++) {
		w = option_text(text, sizeof(text), o);
		width = w > width ? w : width;
	}
	fprintf(f, "\nOptions:\n");
	for (size_t i = 0; (o = cli_option_at(cmd, i, &global)); i++) {
		option_text(text, sizeof(text), o);
		fprintf(f, "%-*s  ", width, text);
		print_filled(f, o->help, width + 2);
	}
}

static void print_examples(FILE *f, const char *s)
{
	size_t len, tab;

	if (!s)
		return;
	fprintf(f, "\nExamples:\n");
	for (; *s; s += len + (s[len] == '\n')) {
		len = strcspn(s, "\n");
		tab = strcspn(s, "\t\n");
		fprintf(f, "  %.*s\n", (int)tab, s);
		if (tab < len)
			fprintf(f, "      %.*s\n", (int)(len - tab - 1), s + tab + 1);
	}
}

static void print_summary(FILE *f, const struct cli_command *cmd)
{
	fprintf(f, "  %-10s", cmd->name);
	print_filled(f, cmd->summary, 12);
}

void cli_help_all(FILE *f)
{
	print_usage(f, &cli_top);
	fprintf(f, "%s\n\nCommands:\n", cli_top.summary);
	for (size_t i = 0; cli_commands[i]; i++)
		print_summary(f, cli_commands[i]);
	print_summary(f, &cmd_help);
	print_options(f, &cli_top);
	fprintf(f, "\n'xtr help COMMAND' shows the manual page of a command.\n");
	print_examples(f, cli_top.examples);
}

void cli_help_command(FILE *f, const struct cli_command *cmd)
{
	print_usage(f, cmd);
	print_filled(f, cmd->summary, 0);
	print_options(f, cmd);
	print_examples(f, cmd->examples);
}

/* The parts that a build may leave out. */
static const struct {
	const char *name;
	bool built_in;
} parts[] = {
#ifdef XTR_NO_RECORDER
	{ "recorder (libbpf)", false },
#else
	{ "recorder (libbpf)", true },
#endif
#ifdef HAVE_LIBDW
	{ "symbols (elfutils)", true },
#else
	{ "symbols (elfutils)", false },
#endif
#ifdef HAVE_SQLITE
	{ "SQL (libsqlite3)", true },
#else
	{ "SQL (libsqlite3)", false },
#endif
#ifdef HAVE_ZLIB
	{ "zlib in trace.dat", true },
#else
	{ "zlib in trace.dat", false },
#endif
#ifdef HAVE_ZSTD
	{ "zstd in trace.dat", true },
#else
	{ "zstd in trace.dat", false },
#endif
#ifdef HAVE_LIBARCHIVE
	{ "bundles (libarchive)", true },
#else
	{ "bundles (libarchive)", false },
#endif
};

static void put_parts(FILE *f, const char *before, bool built_in)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].built_in != built_in)
			continue;
		fprintf(f, "%s%s", before, parts[i].name);
		before = ", ";
	}
}

void cli_version(FILE *f)
{
	fprintf(f, "xtr %s\nfile format %d.%d\n", XTR_VERSION, XTR_MAJOR, XTR_MINOR);
	fprintf(f, "built in: reader");
	put_parts(f, ", ", true);
	put_parts(f, "; left out: ", false);
	fputc('\n', f);
}
