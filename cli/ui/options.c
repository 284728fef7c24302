/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getopt_long over the option tables. Its own messages are off: ours name the nearest option and
 * end in the command to try.
 */
#include "options.h"
#include "units.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTIONS_MAX = 64,
	LONG_BASE = 256
};

struct cli_globals cli_globals;

#define AT(field) offsetof(struct cli_globals, field)
const struct cli_option cli_global_options[] = {
	{ 0, "color", "WHEN", CLI_STRING, AT(color), "use colours: auto, always or never" },
	{ 0, "no-pager", NULL, CLI_FLAG, AT(no_pager), "do not page output on a terminal" },
	{ 'q', "quiet", NULL, CLI_FLAG, AT(quiet), "no progress and no hints" },
	{ 'h', "help", NULL, CLI_FLAG, AT(help), "show this help" },
	{ 'V', "version", NULL, CLI_FLAG, AT(version), "show the version and what is built in" },
};
#undef AT
const size_t cli_n_global_options = sizeof(cli_global_options) / sizeof(cli_global_options[0]);

static bool defines(const struct cli_command *cmd, const char *name)
{
	for (size_t i = 0; i < cmd->n_options; i++)
		if (!strcmp(cmd->options[i].name, name))
			return true;
	return false;
}

const struct cli_option *cli_option_at(const struct cli_command *cmd, size_t i, bool *global)
{
	*global = i >= cmd->n_options;
	if (!*global)
		return &cmd->options[i];
	i -= cmd->n_options;
	for (size_t k = 0; k < cli_n_global_options; k++)
		if (!defines(cmd, cli_global_options[k].name) && i-- == 0)
			return &cli_global_options[k];
	return NULL;
}

/* The tables in getopt's form. A long option's value is LONG_BASE + its index; a letter's the
 * letter. */
struct parser {
	const struct cli_command *cmd;
	struct option longs[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 3];
};

static void fill_parser(struct parser *p)
{
	const struct cli_option *o;
	char *s = p->letters;
	bool global;

	if (p->cmd->stop_at_first)
		*s++ = '+';
	*s++ = ':';
	for (size_t i = 0; i < OPTIONS_MAX && (o = cli_option_at(p->cmd, i, &global)); i++) {
		p->longs[i] = (struct option){ .name = o->name,
					       .has_arg = o->arg ? required_argument : no_argument,
					       .val = LONG_BASE + (int)i };
		if (!o->letter)
			continue;
		*s++ = o->letter;
		if (o->arg)
			*s++ = ':';
	}
	*s = '\0';
}

/* The option that getopt returned, NULL if it is none. */
static const struct cli_option *find(const struct parser *p, int c, bool *global)
{
	const struct cli_option *o;

	if (c >= LONG_BASE)
		return cli_option_at(p->cmd, (size_t)(c - LONG_BASE), global);
	for (size_t i = 0; (o = cli_option_at(p->cmd, i, global)); i++)
		if (o->letter && o->letter == c)
			return o;
	return NULL;
}

static int list_append(struct cli_list *list, const char *s)
{
	const char **v = realloc(list->v, (list->n + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	v[list->n] = s;
	list->v = v;
	list->n++;
	return 0;
}

static int store(const struct cli_option *o, void *opts, const char *arg)
{
	void *field = (char *)opts + o->offset;

	switch (o->kind) {
	case CLI_FLAG:
		*(bool *)field = true;
		return 0;
	case CLI_STRING:
		*(const char **)field = arg;
		return 0;
	case CLI_LIST:
		return list_append(field, arg);
	case CLI_U64:
		return cli_parse_u64(arg, field);
	case CLI_SIZE:
		return cli_parse_size(arg, field);
	case CLI_TIME:
		return cli_parse_time(arg, field);
	case CLI_FACTOR:
		return cli_parse_factor(arg, field);
	}
	return -EINVAL;
}

static const char *expected(enum cli_kind kind)
{
	static const char *const text[] = {
		[CLI_U64] = "a number",
		[CLI_SIZE] = "a size such as 64k, 16M or 2G",
		[CLI_TIME] = "a time such as 10us, 5ms, 1.5s or 2m",
		[CLI_FACTOR] = "a factor such as 1x or 0.5x",
	};

	return text[kind];
}

static int bad_value(const struct parser *p, const struct cli_option *o, const char *arg, int err)
{
	if (err == -ENOMEM) {
		cli_error("out of memory");
		return XTR_EXIT_FAILURE;
	}
	if (err == -ERANGE)
		return cli_usage_error(p->cmd, "--%s: '%s' is too large", o->name, arg);
	return cli_usage_error(p->cmd, "--%s: '%s' is not %s", o->name, arg, expected(o->kind));
}

static int unknown_long(const struct parser *p, const char *arg)
{
	const char *names[OPTIONS_MAX], *near;
	char given[64];
	size_t n, len = strcspn(arg, "="), matches = 0;

	for (n = 0; p->longs[n].name; n++) {
		names[n] = p->longs[n].name;
		matches += !strncmp(names[n], arg, len);
	}
	if (matches > 1)
		return cli_usage_error(p->cmd, "option '--%.*s' is ambiguous", (int)len, arg);
	snprintf(given, sizeof(given), "%.*s", (int)(len < sizeof(given) ? len : 0), arg);
	near = cli_nearest(given, names, n);
	if (near)
		return cli_usage_error(p->cmd, "unknown option '--%.*s': did you mean '--%s'?",
				       (int)len, arg, near);
	return cli_usage_error(p->cmd, "unknown option '--%.*s'", (int)len, arg);
}

/* getopt said '?' or ':'. last is the element of argv that it looked at. */
static int complain(const struct parser *p, int c, const char *last)
{
	const struct cli_option *o;
	bool global;

	if (!optopt)
		return unknown_long(p, last + 2);
	o = find(p, optopt, &global);
	if (!o)
		return cli_usage_error(p->cmd, "unknown option '-%c'", optopt);
	if (c == ':')
		return cli_usage_error(p->cmd, "option '--%s' needs an argument: %s", o->name,
				       o->arg);
	return cli_usage_error(p->cmd, "option '--%s' takes no argument", o->name);
}

static int check_globals(const struct cli_command *cmd)
{
	static const char *const modes[] = { "auto", "always", "never" };

	cli_quiet = cli_globals.quiet;
	if (!cli_globals.color)
		return XTR_EXIT_OK;
	for (size_t i = 0; i < 3; i++) {
		if (!strcmp(cli_globals.color, modes[i])) {
			cli_color_mode = modes[i];
			return XTR_EXIT_OK;
		}
	}
	return cli_usage_error(cmd, "--color: '%s' is not auto, always or never",
			       cli_globals.color);
}

int cli_parse(const struct cli_command *cmd, int argc, char **argv, void *opts, int *first)
{
	struct parser p = { .cmd = cmd };
	const struct cli_option *o;
	bool global;
	int c, err;

	fill_parser(&p);
	optind = 0; /* glibc: start anew */
	opterr = 0;
	while ((c = getopt_long(argc, argv, p.letters, p.longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return complain(&p, c, argv[optind - 1]);
		o = find(&p, c, &global);
		err = store(o, global ? &cli_globals : opts, optarg);
		if (err)
			return bad_value(&p, o, optarg, err);
		if (cli_globals.help || cli_globals.version)
			break;
	}
	*first = optind;
	return check_globals(cmd);
}

void cli_free_options(const struct cli_command *cmd, void *opts)
{
	for (size_t i = 0; i < cmd->n_options; i++)
		if (cmd->options[i].kind == CLI_LIST)
			free(((struct cli_list *)(void *)((char *)opts + cmd->options[i].offset))
				     ->v);
}

/* --- nearest ---------------------------------------------------------------------------------- */

/*
 * Edit distance with neighbours exchanged counted once (optimal string alignment): the usual slips
 * are a letter too many, too few, wrong, or two exchanged.
 */

enum {
	LONGEST = 64
};

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	const unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Distance of a and b, both at most LONGEST long. Three rows of the table are kept. */
static unsigned int distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned int rows[3][LONGEST + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *t;

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = min3(last[j] + 1, row[j - 1] + 1,
				      last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		t = before;
		before = last;
		last = row;
		row = t;
	}
	return last[nb];
}

const char *cli_nearest(const char *s, const char *const *names, size_t n)
{
	const size_t len = strlen(s);
	/* One slip in a short word, about one in three letters of a longer one. */
	unsigned int best = len < 4 ? 2 : (unsigned int)len / 3 + 1;
	const char *found = NULL;
	unsigned int d;
	size_t m;

	if (!len || len > LONGEST)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		m = names[i] ? strlen(names[i]) : LONGEST + 1;
		if (m > LONGEST)
			continue;
		if (m > len && len >= 3 && !strncmp(names[i], s, len))
			d = 1; /* the beginning of a name is as good as one slip */
		else
			d = distance(s, len, names[i], m);
		if (d < best && d < (m > len ? m : len)) {
			best = d;
			found = names[i];
		}
	}
	return found;
}
