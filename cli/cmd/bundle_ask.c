/* SPDX-License-Identifier: BSD-2-Clause */
/* Nothing private goes into a bundle that somebody has not asked for, one by one or by name. */
#include "bundle_make.h"
#include "cli/ui/text.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum {
	SHOWN_BYTES = 8192 /* of a member, before the question is asked again */
};

bool bundle_lists(const struct cli_list *list, const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; i < list->n; i++)
		for (const char *p = list->v[i]; *p; p += strcspn(p, ","), p += *p == ',')
			if (strcspn(p, ",") == n && !strncmp(p, name, n))
				return true;
	return false;
}

/* Its beginning, line by line, with nothing that a terminal obeys. */
static void show(const struct xtr_bundle_item *item)
{
	char text[SHOWN_BYTES + 1], *line = text, *end;
	size_t n = item->size < SHOWN_BYTES ? (size_t)item->size : SHOWN_BYTES;

	if (item->io->ops->read_at(item->io, 0, text, n))
		n = 0;
	for (size_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : '.';
	text[n] = 0;
	do {
		end = strchr(line, '\n');
		if (end)
			*end = 0;
		fputs("  | ", stderr);
		cli_put(stderr, line, 0);
		fputc('\n', stderr);
		line = end ? end + 1 : line;
	} while (end && *line);
	if (n < item->size)
		fprintf(stderr, "  | ... (%s more)\n", cli_bytes(item->size - n));
}

/* The letter that was answered; 'n' at the end of input. */
static int answer(void)
{
	char line[64];
	int c;

	fputs("Put it in? [y]es, [N]o, [s]how: ", stderr);
	fflush(stderr);
	if (!fgets(line, sizeof(line), stdin)) {
		fputc('\n', stderr);
		return 'n';
	}
	c = tolower((unsigned char)line[0]);
	while (!strchr(line, '\n') && fgets(line, sizeof(line), stdin))
		;
	return c == 'y' || c == 's' ? c : 'n';
}

static bool wanted(const struct xtr_bundle_item *item)
{
	int c;

	fprintf(stderr, "\n%s, %s: %s\nIt may tell: %s.\n", item->name, cli_bytes(item->size),
		item->source->what, item->source->holds);
	while ((c = answer()) == 's')
		show(item);
	return c == 'y';
}

void bundle_ask(struct xtr_bundle *b, const struct bundle_opts *o)
{
	const bool tty = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);

	for (size_t i = 0; i < b->n; i++) {
		struct xtr_bundle_item *item = &b->v[i];

		if (!item->io || !item->source->holds || o->yes ||
		    bundle_lists(&o->include, item->source->name))
			continue;
		if (!tty)
			xtr_bundle_drop(item, "it is private, and nobody was there to be asked");
		else if (!wanted(item))
			xtr_bundle_drop(item, "it is private, and was not wanted");
	}
}
