/* SPDX-License-Identifier: BSD-2-Clause */
/* The parser of command lines (cli/ui/options.c), over an own option table. */
#include "cli/ui/options.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <string.h>

struct opts {
	const char *output;
	struct cli_list events;
	uint64_t pid, size, duration;
	double pace;
	bool json, jsonl;
};

#define AT(field) offsetof(struct opts, field)
static const struct cli_option table[] = {
	{ 'o', "output", "FILE", CLI_STRING, AT(output), "where to write" },
	{ 'e', "event", "EVENT", CLI_LIST, AT(events), "what to record" },
	{ 'p', "pid", "PID", CLI_U64, AT(pid), "whom" },
	{ 0, "size", "SIZE", CLI_SIZE, AT(size), "how much" },
	{ 'd', "duration", "TIME", CLI_TIME, AT(duration), "how long" },
	{ 0, "pace", "FACTOR", CLI_FACTOR, AT(pace), "how fast" },
	{ 'j', "json", NULL, CLI_FLAG, AT(json), "for programs" },
	{ 0, "jsonl", NULL, CLI_FLAG, AT(jsonl), "for programs, by line" },
};

static const struct cli_command plain = {
	.name = "trial",
	.summary = "a trial",
	.args = "FILE",
	.options = table,
	.n_options = sizeof(table) / sizeof(table[0]),
	.opts_size = sizeof(struct opts),
};

static struct opts o;
static int first;
static char *args[32];

/* Parse a command line given as one string. The words stay in a static buffer, in args. */
static int parse_with(const struct cli_command *cmd, const char *line)
{
	static char words[512];
	int n = 1;

	memset(&o, 0, sizeof(o));
	memset(&cli_globals, 0, sizeof(cli_globals));
	snprintf(words, sizeof(words), "%s", line);
	args[0] = "trial";
	for (char *p = strtok(words, " "); p; p = strtok(NULL, " "))
		args[n++] = p;
	args[n] = NULL;
	return cli_parse(cmd, n, args, &o, &first);
}

static int parse(const char *line)
{
	return parse_with(&plain, line);
}

Test(options, every_kind_is_stored)
{
	cr_assert(eq(int, parse("-o a.xtr -e x --event=y -p 12 --size=64k -d 5ms --pace 0.5x -j"),
		     XTR_EXIT_OK));
	cr_expect(eq(str, (char *)o.output, "a.xtr"));
	cr_assert(eq(sz, o.events.n, 2));
	cr_expect(eq(str, (char *)o.events.v[0], "x"));
	cr_expect(eq(str, (char *)o.events.v[1], "y"));
	cr_expect(eq(u64, o.pid, 12));
	cr_expect(eq(u64, o.size, 65536));
	cr_expect(eq(u64, o.duration, 5000000));
	cr_expect(eq(dbl, o.pace, 0.5));
	cr_expect(o.json && !o.jsonl);
	cli_free_options(&plain, &o);
}

Test(options, forms_of_an_argument)
{
	static const char *const lines[] = { "-oX", "-o X", "--output X", "--output=X", "--out=X" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		cr_assert(eq(int, parse(lines[i]), XTR_EXIT_OK), "%s", lines[i]);
		cr_expect(eq(str, (char *)o.output, "X"), "%s", lines[i]);
	}
	cr_assert(eq(int, parse("-jqoX"), XTR_EXIT_OK));
	cr_expect(o.json && cli_globals.quiet && !strcmp(o.output, "X"));
}

Test(options, a_full_name_is_no_abbreviation_of_a_longer_one)
{
	cr_assert(eq(int, parse("--json"), XTR_EXIT_OK));
	cr_expect(o.json && !o.jsonl);
	cr_assert(eq(int, parse("--jsonl"), XTR_EXIT_OK));
	cr_expect(o.jsonl && !o.json);
}

Test(options, arguments_are_permuted)
{
	cr_assert(eq(int, parse("one -j two --size 1 three"), XTR_EXIT_OK));
	cr_assert(eq(int, first, 4));
	cr_expect(eq(str, args[first], "one"));
	cr_expect(eq(str, args[first + 2], "three"));
	cr_expect(o.json);
}

Test(options, two_dashes_end_them_and_one_is_an_argument)
{
	cr_assert(eq(int, parse("-j -- --size"), XTR_EXIT_OK));
	cr_expect(eq(str, args[first], "--size"));
	cr_assert(eq(int, parse("-"), XTR_EXIT_OK));
	cr_expect(eq(str, args[first], "-"));
}

Test(options, stop_at_first)
{
	struct cli_command stop = plain;

	stop.stop_at_first = true;
	cr_assert(eq(int, parse_with(&stop, "-j ls -o --nonsense"), XTR_EXIT_OK));
	cr_expect(o.json && !o.output);
	cr_expect(eq(str, args[first], "ls"));
	cr_assert(eq(int, parse_with(&stop, "-j -- ls -l"), XTR_EXIT_OK));
	cr_expect(eq(str, args[first], "ls"));
	cr_expect(eq(str, args[first + 1], "-l"));
}

struct wrong {
	const char *line, *message;
};

static const struct wrong wrongs[] = {
	{ "--nonsense", "xtr: unknown option '--nonsense'\n" },
	{ "--nonsense=1", "xtr: unknown option '--nonsense'\n" },
	{ "--ouptut=x", "xtr: unknown option '--ouptut': did you mean '--output'?\n" },
	{ "-x", "xtr: unknown option '-x'\n" },
	{ "-jx", "xtr: unknown option '-x'\n" },
	{ "--p=1", "xtr: option '--p' is ambiguous\n" },
	{ "--output", "xtr: option '--output' needs an argument: FILE\n" },
	{ "-j -o", "xtr: option '--output' needs an argument: FILE\n" },
	{ "--json=1", "xtr: option '--json' takes no argument\n" },
	{ "-p x", "xtr: --pid: 'x' is not a number\n" },
	{ "-p 18446744073709551616", "xtr: --pid: '18446744073709551616' is too large\n" },
	{ "--size 1kB", "xtr: --size: '1kB' is not a size such as 64k, 16M or 2G\n" },
	{ "-d soon", "xtr: --duration: 'soon' is not a time such as 10us, 5ms, 1.5s or 2m\n" },
	{ "--pace 0", "xtr: --pace: '0' is not a factor such as 1x or 0.5x\n" },
	{ "--color=maybe", "xtr: --color: 'maybe' is not auto, always or never\n" },
	{ "--ou\033[31m", "xtr: unknown option '--ou?[31m'" },
};

Test(options, mistakes_are_told, .init = cr_redirect_stderr)
{
	static char seen[4096], expected[4096];
	FILE *err = cr_get_redirected_stderr();
	size_t n = 0;

	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]) - 1; i++) {
		cr_expect(eq(int, parse(wrongs[i].line), XTR_EXIT_USAGE), "%s", wrongs[i].line);
		cli_free_options(&plain, &o);
		n += (size_t)snprintf(expected + n, sizeof(expected) - n,
				      "%sTry 'xtr trial --help'\n", wrongs[i].message);
	}
	fflush(stderr);
	n = fread(seen, 1, n, err);
	seen[n] = '\0';
	cr_expect(eq(str, seen, expected));
}

Test(options, control_characters_do_not_reach_the_terminal, .init = cr_redirect_stderr)
{
	const struct wrong *w = &wrongs[sizeof(wrongs) / sizeof(wrongs[0]) - 1];
	char seen[256];
	size_t n;

	cr_expect(eq(int, parse(w->line), XTR_EXIT_USAGE));
	fflush(stderr);
	n = fread(seen, 1, strlen(w->message), cr_get_redirected_stderr());
	seen[n] = '\0';
	cr_expect(eq(str, seen, (char *)w->message));
}

Test(options, help_ends_the_parsing)
{
	cr_assert(eq(int, parse("-h --nonsense"), XTR_EXIT_OK));
	cr_expect(cli_globals.help);
	cr_assert(eq(int, parse("--version --nonsense"), XTR_EXIT_OK));
	cr_expect(cli_globals.version);
}

Test(options, a_command_may_define_a_global_option_itself)
{
	static const struct cli_option own[] = {
		{ 'q', "quiet", NULL, CLI_FLAG, AT(json), "own meaning" },
	};
	struct cli_command cmd = plain;

	cmd.options = own;
	cmd.n_options = 1;
	cr_assert(eq(int, parse_with(&cmd, "-q"), XTR_EXIT_OK));
	cr_expect(o.json && !cli_globals.quiet);
	cr_assert(eq(int, parse_with(&cmd, "--qui"), XTR_EXIT_OK));
	cr_expect(o.json);
}

/* Every option of every command has what help, manual and parser need, and none stands twice. */
Test(options, tables_are_well_formed)
{
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct cli_command *cmd = cli_commands[i];
		const struct cli_option *a, *b;
		bool global;

		cr_expect(cmd->name && cmd->summary && cmd->args && cmd->run, "%s", cmd->name);
		for (size_t j = 0; (a = cli_option_at(cmd, j, &global)); j++) {
			cr_expect(a->name && *a->name && a->help && *a->help, "%s", cmd->name);
			cr_expect(eq(int, a->kind == CLI_FLAG, a->arg == NULL), "%s --%s",
				  cmd->name, a->name);
			cr_expect(a->help[strlen(a->help) - 1] != '.', "%s --%s", cmd->name,
				  a->name);
			cr_expect(global || a->offset < cmd->opts_size, "%s --%s", cmd->name,
				  a->name);
			for (size_t k = 0; k < j; k++) {
				b = cli_option_at(cmd, k, &global);
				cr_expect(strcmp(a->name, b->name) &&
						  (!a->letter || a->letter != b->letter),
					  "%s --%s and --%s", cmd->name, a->name, b->name);
			}
		}
	}
}
