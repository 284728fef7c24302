/* SPDX-License-Identifier: BSD-2-Clause */
/* Manual pages in man(7), written from the tables. */
#include "help.h"
#include "options.h"

#include "format/version.h"

#include <ctype.h>
#include <string.h>

/* Text of n bytes with roff's special characters escaped. */
static void roff(FILE *f, const char *s, size_t n)
{
	bool start = true;

	for (size_t i = 0; i < n; i++) {
		if (start && (s[i] == '.' || s[i] == '\''))
			fputs("\\&", f);
		if (s[i] == '\\')
			fputs("\\e", f);
		else if (s[i] == '-')
			fputs("\\-", f);
		else
			fputc(s[i], f);
		start = s[i] == '\n';
	}
}

static void roff_str(FILE *f, const char *s)
{
	roff(f, s, strlen(s));
}

static void paragraphs(FILE *f, const char *s)
{
	size_t len;

	while (*s) {
		len = strcspn(s, "\n");
		roff(f, s, len);
		s += len;
		len = strspn(s, "\n");
		fputs(len > 1 && s[len] ? "\n.PP\n" : "\n", f);
		s += len;
	}
}

static void options(FILE *f, const struct cli_command *cmd)
{
	const struct cli_option *o;
	bool global;

	fputs(".SH OPTIONS\n", f);
	for (size_t i = 0; (o = cli_option_at(cmd, i, &global)); i++) {
		fputs(".TP\n\\fB", f);
		if (o->letter)
			fprintf(f, "\\-%c\\fR, \\fB", o->letter);
		fputs("\\-\\-", f);
		roff_str(f, o->name);
		if (o->arg) {
			fputs("\\fR=\\fI", f);
			roff_str(f, o->arg);
		}
		fputs("\\fR\n", f);
		roff_str(f, o->help);
		fputs(".\n", f);
	}
}

static void examples(FILE *f, const char *s)
{
	size_t len, tab;

	if (!s)
		return;
	fputs(".SH EXAMPLES\n", f);
	for (; *s; s += len + (s[len] == '\n')) {
		len = strcspn(s, "\n");
		tab = strcspn(s, "\t\n");
		fputs(".TP\n\\fB", f);
		roff(f, s, tab);
		fputs("\\fR\n", f);
		if (tab < len)
			roff(f, s + tab + 1, len - tab - 1);
		fputc('\n', f);
	}
}

static void exit_status(FILE *f)
{
	fputs(".SH EXIT STATUS\n", f);
	for (size_t i = 0; i < cli_n_exit_texts; i++)
		fprintf(f, ".TP\n\\fB%d\\fR\n%s\n", cli_exit_texts[i].code, cli_exit_texts[i].text);
}

static void see_also(FILE *f, const struct cli_command *cmd)
{
	fputs(".SH SEE ALSO\n", f);
	if (cmd)
		fputs(".BR xtr (1),\n", f);
	for (size_t i = 0; cli_commands[i]; i++)
		if (cli_commands[i] != cmd)
			fprintf(f, ".BR xtr\\-%s (1),\n", cli_commands[i]->name);
	fputs(".BR xtr (5),\n.BR xtr\\-tutorial (7)\n"
	      ".PP\nDocuments that are named docs/NAME.md and spec/NAME.md are in the documentation "
	      "folder of xtr, /usr/share/doc/xtr or /usr/local/share/doc/xtr.\n",
	      f);
}

static void title(FILE *f, const struct cli_command *cmd)
{
	fputs(".TH XTR", f);
	if (cmd != &cli_top) {
		fputc('-', f);
		for (const char *s = cmd->name; *s; s++)
			fputc(toupper((unsigned char)*s), f);
	}
	fprintf(f, " 1 \"%s\" \"xtr %s\" \"User Commands\"\n.SH NAME\nxtr", XTR_DATE, XTR_VERSION);
	if (cmd != &cli_top)
		fprintf(f, "\\-%s", cmd->name);
	fputs(" \\- ", f);
	roff_str(f, cmd->summary);
	fputs("\n.SH SYNOPSIS\n.B xtr", f);
	if (cmd != &cli_top)
		fprintf(f, " %s", cmd->name);
	fputs("\n.RI [ OPTION ]...\n", f);
	roff_str(f, cmd->args);
	fputs("\n.SH DESCRIPTION\n", f);
}

static void commands(FILE *f)
{
	fputs(".SH COMMANDS\n", f);
	for (size_t i = 0; cli_commands[i]; i++) {
		fprintf(f, ".TP\n.BR xtr\\-%s (1)\n", cli_commands[i]->name);
		roff_str(f, cli_commands[i]->summary);
		fputc('\n', f);
	}
}

static void environment(FILE *f)
{
	fputs(".SH ENVIRONMENT\n"
	      ".TP\n\\fBXTR_PAGER\\fR, \\fBPAGER\\fR\npager for output on a terminal, else "
	      "\\fBless\\fR; empty, \\fBcat\\fR, or not installed: none\n"
	      ".TP\n\\fBNO_COLOR\\fR\nif set and not empty, no colours\n"
	      ".TP\n\\fBTMPDIR\\fR\nwhere a trace that is read from a pipe is kept meanwhile\n",
	      f);
}

void cli_dump_man(FILE *f, const struct cli_command *cmd)
{
	const struct cli_command *page = cmd ? cmd : &cli_top;

	title(f, page);
	paragraphs(f, page->about ? page->about : page->summary);
	if (!cmd)
		commands(f);
	options(f, page);
	examples(f, page->examples);
	exit_status(f);
	environment(f);
	see_also(f, cmd);
}
