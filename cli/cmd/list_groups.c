// SPDX-License-Identifier: BSD-2-Clause
#include "list_groups.h"

#include "base/json.h"

#include <string.h>

static const char *state_of(const struct xtr_group_count *c)
{
	return !c->available ? "missing" : c->available < c->parts ? "partly" : "available";
}

int cli_list_groups(FILE *f)
{
	struct xtr_group_count c;
	int err = 0;

	fputs("Groups of events ('xtr list GROUP' shows them; record them with -e):\n", f);
	for (size_t i = 0; i < xtr_n_groups && !err; i++) {
		const struct xtr_group *g = &xtr_groups[i];

		err = xtr_group_count(g, &c);
		if (!err)
			fprintf(f, "  %-10s %-18s %4zu of %-4zu %s\n", state_of(&c), g->name,
				c.available, c.parts, c.available ? g->help : c.why);
	}
	fputc('\n', f);
	return err;
}

int cli_list_groups_json(struct xtr_json *j)
{
	struct xtr_group_count c;
	int err = 0;

	xtr_json_kv_array(j, "groups");
	for (size_t i = 0; i < xtr_n_groups && !err; i++) {
		const struct xtr_group *g = &xtr_groups[i];

		err = xtr_group_count(g, &c);
		if (err)
			break;
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", g->name);
		xtr_json_kv_str(j, "state", state_of(&c));
		xtr_json_kv_str(j, "help", g->help);
		xtr_json_kv_str(j, "module", g->module);
		xtr_json_kv_bool(j, "default", xtr_group_default(g));
		xtr_json_kv_u64(j, "events", c.parts);
		xtr_json_kv_u64(j, "available", c.available);
		xtr_json_kv_str(j, "why", c.why[0] ? c.why : NULL);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	return err;
}

static void part_hook(char *buf, size_t n, const struct xtr_group_part *p)
{
	if (p->target && strcmp(p->target, p->name))
		snprintf(buf, n, "%s:%s", p->attach, p->target);
	else
		snprintf(buf, n, "%s", p->attach);
}

static void part_json(struct xtr_json *j, const struct xtr_group_part *p)
{
	char hook[256];

	part_hook(hook, sizeof(hook), p);
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "name", p->name);
	xtr_json_kv_str(j, "state", p->available ? "available" : "missing");
	xtr_json_kv_str(j, "hook", hook);
	xtr_json_kv_str(j, "why", p->why);
	if (p->purpose) {
		xtr_json_kv_str(j, "purpose", p->purpose);
		xtr_json_kv_array(j, "candidates");
		for (size_t i = 0; i < p->n_candidates; i++)
			xtr_json_str(j, p->candidates[i]);
		xtr_json_end_array(j);
	}
	xtr_json_end_object(j);
}

/* Behind the name: why it is missing, or the exact symbol where it is not the name's; and for a
 * function of several names the one it is recorded for. */
static void part_line(FILE *f, const struct xtr_group_part *p)
{
	const char *last = strrchr(p->name, ':');
	bool symbol = p->available && p->target && last && strcmp(p->target, last + 1) &&
		      strcmp(p->attach, "func") == 0;

	fprintf(f, "  %-10s %-44s", p->available ? "available" : "missing", p->name);
	if (p->purpose)
		fprintf(f, " %s", p->purpose);
	for (size_t i = 0; p->n_candidates > 1 && i < p->n_candidates; i++)
		fprintf(f, "%s%s", i ? " | " : ": ", p->candidates[i]);
	if (symbol)
		fprintf(f, " (%s)", p->target);
	if (p->why)
		fprintf(f, "%s%s", p->purpose ? "; " : " ", p->why);
	fputc('\n', f);
}

void cli_list_part(FILE *f, struct xtr_json *j, const struct xtr_group_part *p)
{
	if (j)
		part_json(j, p);
	else
		part_line(f, p);
}

const char *cli_group_name(size_t i)
{
	if (!i)
		return "default";
	return i <= xtr_n_groups ? xtr_groups[i - 1].name : NULL;
}
