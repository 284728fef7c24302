// SPDX-License-Identifier: BSD-2-Clause
#include "list_groups.h"

#include "replay/json.h"

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
		xtr_json_kv_bool(j, "default", g->by_default && xtr_group_loaded(g));
		xtr_json_kv_u64(j, "events", c.parts);
		xtr_json_kv_u64(j, "available", c.available);
		xtr_json_kv_str(j, "why", c.why[0] ? c.why : NULL);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	return err;
}

const char *cli_group_name(size_t i)
{
	if (!i)
		return "default";
	return i <= xtr_n_groups ? xtr_groups[i - 1].name : NULL;
}
