// SPDX-License-Identifier: BSD-2-Clause
#include "list_apis.h"

#include "recorder/groups/api.h"

#include <stdio.h>
#include <string.h>

/* An interface is there if any function of its libraries is. */
static int show_interface(const struct xtr_api_group *g, cli_list_show *show, void *ctx)
{
	char name[64], why[XTR_API_WHY_MAX + 64];
	const char *pattern = name;
	struct xtr_api a;
	int err;

	snprintf(name, sizeof(name), "api:%s", g->name);
	err = xtr_api_select(&a, &pattern, 1, NULL);
	if (err)
		return err;
	if (a.n_probes)
		snprintf(why, sizeof(why), "%s: %zu functions, %.150s", g->title, a.n_probes,
			 a.probes[0].places[0].file->path);
	else
		snprintf(why, sizeof(why), "%s: %.190s", g->title,
			 a.n_problems ? a.problems[0].why : "none of its functions");
	show(ctx, name, a.n_probes > 0, why);
	xtr_api_free(&a);
	return 0;
}

static int show_functions(const char *pattern, cli_list_show *show, void *ctx)
{
	struct xtr_api a;
	int err = xtr_api_select(&a, &pattern, 1, NULL);

	if (err)
		return err;
	for (size_t i = 0; i < a.n_probes; i++) {
		for (size_t k = 0; k < a.probes[i].n_places; k++)
			show(ctx, a.probes[i].name, true, a.probes[i].places[k].file->path);
	}
	for (size_t i = 0; i < a.n_problems; i++)
		show(ctx, a.problems[i].name, false, a.problems[i].why);
	xtr_api_free(&a);
	return 0;
}

static bool is_all(const char *pattern)
{
	return strcmp(pattern, "api") == 0 || strcmp(pattern, "api:") == 0;
}

bool cli_list_is_api(const char *pattern)
{
	return is_all(pattern) || xtr_api_valid(pattern);
}

int cli_list_api(const char *pattern, cli_list_show *show, void *ctx)
{
	int err = 0;

	if (!is_all(pattern))
		return show_functions(pattern, show, ctx);
	for (const struct xtr_api_group *g = xtr_api_groups; g->name && !err; g++)
		err = show_interface(g, show, ctx);
	return err;
}
