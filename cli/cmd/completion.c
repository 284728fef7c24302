/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions for bash, zsh and fish, written from the tables. */
#include "cli/ui/help.h"
#include "completion_names.h"
#include "cli/ui/options.h"

#include <string.h>

static void words(FILE *f, const struct cli_command *cmd)
{
	const struct cli_option *o;
	bool global;

	for (size_t i = 0; (o = cli_option_at(cmd, i, &global)); i++) {
		if (o->letter)
			fprintf(f, " -%c", o->letter);
		fprintf(f, " --%s%s", o->name, o->arg ? "=" : "");
	}
}

static const char *word(const struct cli_command *cmd, const struct cli_option *o, size_t i)
{
	return o->arg && cmd->words ? cmd->words(o->name, i) : NULL;
}

/* Every word that an option's argument may be, with a space between them. */
static void argument_words(FILE *f, const struct cli_command *cmd, const struct cli_option *o)
{
	const char *w;

	for (size_t i = 0; (w = word(cmd, o, i)); i++)
		fprintf(f, "%s%s", i ? " " : "", w);
}

/* What an argument names of the trace that is on the line, or NULL. */
static const char *names_kind(const struct cli_command *cmd, const struct cli_option *o)
{
	return o->arg && !cmd->privileged && !word(cmd, o, 0) ? cli_names_kind(o->name) : NULL;
}

static void bash_argument(FILE *f, const struct cli_command *cmd, const struct cli_option *o)
{
	const char *kind = names_kind(cmd, o);

	if (!kind && !word(cmd, o, 0))
		return;
	fprintf(f, "\t%s\\ --%s", cmd->name, o->name);
	if (o->letter)
		fprintf(f, "|%s\\ -%c", cmd->name, o->letter);
	if (kind) {
		fprintf(f, ") kind=%s ;;\n", kind);
		return;
	}
	fputs(") args='", f);
	argument_words(f, cmd, o);
	fputs("' ;;\n", f);
}

static void bash_arguments(FILE *f)
{
	const struct cli_option *o;
	bool global;

	for (size_t i = 0; cli_commands[i]; i++) {
		for (size_t n = 0; (o = cli_option_at(cli_commands[i], n, &global)); n++)
			bash_argument(f, cli_commands[i], o);
	}
}

/* What stands before and behind the tables. */
static const char bash_head[] =
	"# bash completion for xtr\n"
	"\n"
	"# Names in the trace on the line. A trace may come from a stranger: nothing of it is expanded.\n"
	"_xtr_names()\n{\n"
	"\tlocal name more\n"
	"\tcompopt +o filenames\n"
	"\twhile IFS=$'\\t' read -r name more; do\n"
	"\t\t[[ $name != \"$cur\"* ]] || COMPREPLY+=(\"$name\")\n"
	"\tdone < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" --dump-names \"$1\" "
	"\"${COMP_WORDS[@]//[\\\\\\\"\\']/}\" 2>/dev/null)\n"
	"}\n"
	"\n"
	"_xtr()\n{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD before cmd= i words args= kind= prev\n"
	"\tCOMPREPLY=()\n"
	"\t# bash breaks words at colons, which names have.\n"
	"\twhile ((at > 1)) && [[ ${COMP_WORDS[at]} == : || ${COMP_WORDS[at-1]} == : ]]; do\n"
	"\t\tcur=${COMP_WORDS[--at]}$cur\n"
	"\tdone\n"
	"\tbefore=${cur%\"${cur##*:}\"}\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t-*) ;;\n"
	"\t\t*) cmd=${COMP_WORDS[i]}; break ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tcase $cmd in\n";

static const char bash_tail[] =
	"\tesac\n"
	"\tif [[ -n $kind ]]; then\n"
	"\t\t_xtr_names \"$kind\"\n"
	"\telif [[ -n $args ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$args\" -- \"$cur\")\n"
	"\telif [[ -n $cmd && $cmd != help && $cur != -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\telse\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	"\t\t[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
	"\tfi\n"
	"\t[[ $COMP_WORDBREAKS != *:* ]] || COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
	"}\n"
	"complete -o filenames -F _xtr xtr\n";

static void bash(FILE *f)
{
	fputs(bash_head, f);
	for (size_t i = 0; cli_commands[i]; i++) {
		fprintf(f, "\t%s) words='", cli_commands[i]->name);
		words(f, cli_commands[i]);
		fputs("' ;;\n", f);
	}
	fputs("\t*) words='", f);
	words(f, &cli_top);
	fputs(" help", f);
	for (size_t i = 0; cli_commands[i]; i++)
		fprintf(f, " %s", cli_commands[i]->name);
	fputs("' ;;\n"
	      "\tesac\n"
	      "\tprev=${COMP_WORDS[at-1]}\n"
	      "\tif [[ $cur == = ]]; then\n"
	      "\t\tcur=\n"
	      "\telif [[ $prev == = ]]; then\n"
	      "\t\tprev=${COMP_WORDS[at-2]}\n"
	      "\tfi\n"
	      "\tcase $cmd\\ $prev in\n",
	      f);
	bash_arguments(f);
	fputs(bash_tail, f);
}

/* Text inside '...' of a shell, with what zsh's _arguments would take for its own left out. */
static void quoted(FILE *f, const char *s, const char *escape)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", f);
		else if (strchr(escape, *s))
			fprintf(f, "\\%c", *s);
		else
			fputc(*s, f);
	}
}

static void zsh_argument(FILE *f, const struct cli_command *cmd, const struct cli_option *o)
{
	fputc(':', f);
	quoted(f, o->arg, ":\\");
	fputs(strcmp(o->arg, "FILE") ? ":" : ":_files", f);
	if (names_kind(cmd, o)) {
		fprintf(f, " _xtr_names %s", names_kind(cmd, o));
	} else if (word(cmd, o, 0)) {
		fputc('(', f);
		argument_words(f, cmd, o);
		fputc(')', f);
	}
}

static void zsh_option(FILE *f, const struct cli_command *cmd, const struct cli_option *o)
{
	const char *star = o->kind == CLI_LIST ? "*" : "";

	for (int form = o->letter ? 0 : 1; form < 2; form++) {
		fprintf(f, " \\\n\t\t\t'%s", star);
		if (form == 0)
			fprintf(f, "-%c%s", o->letter, o->arg ? "+" : "");
		else
			fprintf(f, "--%s%s", o->name, o->arg ? "=" : "");
		fputc('[', f);
		quoted(f, o->help, "[]:\\");
		fputc(']', f);
		if (o->arg)
			zsh_argument(f, cmd, o);
		fputc('\'', f);
	}
}

static void zsh_options(FILE *f, const struct cli_command *cmd)
{
	const struct cli_option *o;
	bool global;

	for (size_t i = 0; (o = cli_option_at(cmd, i, &global)); i++)
		zsh_option(f, cmd, o);
}

static void zsh(FILE *f)
{
	fputs("#compdef xtr\n"
	      "\n"
	      "# Names in the trace on the line, and what tells each from others.\n"
	      "_xtr_names()\n{\n"
	      "\tlocal -a names shown\n"
	      "\tlocal line\n"
	      "\tfor line in ${(f)\"$($xtr --dump-names $1 ${(Q)words} 2>/dev/null)\"}; do\n"
	      "\t\tnames+=(\"${line%%$'\\t'*}\")\n"
	      "\t\tshown+=(\"${line/$'\\t'/  }\")\n"
	      "\tdone\n"
	      "\tcompadd -l -d shown -a names\n"
	      "}\n"
	      "\n"
	      "_xtr()\n{\n"
	      "\tlocal xtr=${${(Q)words[1]}/#\\~/$HOME}\n"
	      "\tlocal -a commands=(\n",
	      f);
	for (size_t i = 0; cli_commands[i]; i++) {
		fprintf(f, "\t\t'%s:", cli_commands[i]->name);
		quoted(f, cli_commands[i]->summary, ":\\");
		fputs("'\n", f);
	}
	fputs("\t\t'help:show the commands or explain one'\n\t)\n"
	      "\tlocal line state\n"
	      "\t_arguments -C",
	      f);
	zsh_options(f, &cli_top);
	fputs(" \\\n\t\t\t'1: :->command' '*:: :->rest'\n"
	      "\tcase $state in\n"
	      "\tcommand) _describe command commands ;;\n"
	      "\trest)\n"
	      "\t\tcase $line[1] in\n"
	      "\t\thelp) _describe command commands ;;\n",
	      f);
	for (size_t i = 0; cli_commands[i]; i++) {
		fprintf(f, "\t\t%s) _arguments", cli_commands[i]->name);
		zsh_options(f, cli_commands[i]);
		fputs(" '*:file:_files' ;;\n", f);
	}
	fputs("\t\tesac ;;\n\tesac\n}\n_xtr \"$@\"\n", f);
}

static void fish_options(FILE *f, const struct cli_command *cmd, const char *condition)
{
	const struct cli_option *o;
	bool global;

	for (size_t i = 0; (o = cli_option_at(cmd, i, &global)); i++) {
		fprintf(f, "complete -c xtr -n '%s'", condition);
		if (o->letter)
			fprintf(f, " -s %c", o->letter);
		fprintf(f, " -l %s%s", o->name, o->arg ? " -r" : "");
		if (names_kind(cmd, o)) {
			fprintf(f, " -f -a '(__xtr_names %s)'", names_kind(cmd, o));
		} else if (word(cmd, o, 0)) {
			fputs(" -f -a '", f);
			argument_words(f, cmd, o);
			fputc('\'', f);
		}
		fputs(" -d '", f);
		quoted(f, o->help, "\\");
		fputs("'\n", f);
	}
}

static void fish(FILE *f)
{
	char condition[80];

	fputs("# fish completion for xtr\n"
	      "\n"
	      "# Names in the trace on the line, and what tells each from others.\n"
	      "function __xtr_names\n"
	      "\tset -l words (commandline -op)\n"
	      "\t$words[1] --dump-names $argv[1] $words[2..-1] 2>/dev/null\n"
	      "end\n"
	      "\n",
	      f);
	for (size_t i = 0; cli_commands[i]; i++) {
		fprintf(f, "complete -c xtr -f -n __fish_use_subcommand -a %s -d '",
			cli_commands[i]->name);
		quoted(f, cli_commands[i]->summary, "\\");
		fputs("'\n", f);
	}
	fputs("complete -c xtr -f -n __fish_use_subcommand -a help -d 'explain a command'\n", f);
	fish_options(f, &cli_top, "__fish_use_subcommand");
	for (size_t i = 0; cli_commands[i]; i++) {
		snprintf(condition, sizeof(condition), "__fish_seen_subcommand_from %s",
			 cli_commands[i]->name);
		fish_options(f, cli_commands[i], condition);
	}
}

bool cli_dump_completion(FILE *f, const char *shell)
{
	static const struct {
		const char *name;
		void (*dump)(FILE *f);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; i < 3; i++) {
		if (!strcmp(shells[i].name, shell)) {
			shells[i].dump(f);
			return true;
		}
	}
	return false;
}
