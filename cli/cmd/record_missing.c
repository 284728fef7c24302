// SPDX-License-Identifier: BSD-2-Clause
#include "record_missing.h"
#include "record_names.h"

#include <string.h>

static bool is_function(const struct xtr_provider *p)
{
	return strncmp(p->name, "func:", 5) == 0;
}

/* By its name; a function also with what may stand behind that (:ret). */
static bool asked_for(const struct cli_list *events, const struct xtr_provider *p)
{
	size_t n = strlen(p->name);

	for (size_t i = 0; i < events->n; i++) {
		const char *e = events->v[i];

		if (strcmp(e, p->name) == 0 ||
		    (is_function(p) && strncmp(e, p->name, n) == 0 && e[n] == ':'))
			return true;
	}
	return false;
}

static bool is_worth_a_line(const struct cli_list *events, const struct xtr_provider *p)
{
	if (asked_for(events, p) || strncmp(p->name, "api:", 4) == 0)
		return p->state == XTR_PROVIDER_REFUSED || p->state == XTR_PROVIDER_MISSING;
	return p->state == XTR_PROVIDER_REFUSED && !is_function(p);
}

void record_report_missing(const struct xtr_recorder *r, const struct cli_list *events)
{
	const char *name;
	size_t refused = 0;

	for (size_t i = 0; (name = xtr_recorder_unknown(r, i)); i++)
		record_unknown_event(name, false);
	for (size_t i = 0; (name = xtr_recorder_note(r, i)); i++)
		cli_warn("%s", name);
	for (size_t i = 0; i < xtr_recorder_n_providers(r); i++) {
		const struct xtr_provider *p = xtr_recorder_provider(r, i);

		if (is_worth_a_line(events, p))
			cli_warn("%s is not recorded: %s", p->name, p->why ? p->why : "missing");
		else
			refused += p->state == XTR_PROVIDER_REFUSED;
	}
	if (refused)
		cli_warn("%zu functions are not recorded: 'xtr info' shows which and why", refused);
}
