// SPDX-License-Identifier: BSD-2-Clause
#include "imported.h"
#include "base/text.h"

#include <string.h>

uint64_t xtr_import_damage_of(const struct xtr_meta *m, const char **first)
{
	uint64_t n = 0;

	if (first)
		*first = xtr_meta_config_str(m, "import-damage-first");
	return xtr_meta_config_u64(m, "import-damage", &n) ? n : 0;
}

void xtr_import_damage_text(FILE *f, const struct xtr_meta *m)
{
	char n[XTR_TEXT_NUMBER];
	const char *first;
	const uint64_t places = xtr_import_damage_of(m, &first);

	if (!places)
		return;
	fprintf(f, "DAMAGED INPUT: %s %s of the trace that was imported could not be read",
		xtr_text_count(n, places), places == 1 ? "place" : "places");
	if (first) {
		fputs(places == 1 ? ": " : ", the first: ", f);
		xtr_text_put(f, first, strlen(first));
	}
	fputs(".\n", f);
}

void xtr_import_damage_json(struct xtr_json *j, const struct xtr_meta *m)
{
	const char *first;
	const uint64_t places = xtr_import_damage_of(m, &first);

	if (!places)
		return;
	xtr_json_kv_object(j, "import_damage");
	xtr_json_kv_u64(j, "places", places);
	xtr_json_kv_str(j, "first", first);
	xtr_json_end_object(j);
}
