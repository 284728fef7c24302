// SPDX-License-Identifier: BSD-2-Clause
#include "redacted.h"
#include "base/text.h"

#include <string.h>

#define BY     "redacted-by"
#define POLICY "redacted-policy"
#define TEXTS  "redacted-texts"
#define IDS    "redacted-ids"

bool xtr_redacted(const struct xtr_meta *m)
{
	return xtr_meta_config_str(m, BY) != NULL;
}

void xtr_redacted_text(FILE *f, const struct xtr_meta *m)
{
	const char *policy = xtr_meta_config_str(m, POLICY);
	char text[XTR_TEXT_NAME], n[2][XTR_TEXT_NUMBER];
	uint64_t texts, ids;

	if (!xtr_redacted(m))
		return;
	fputs("REDACTED", f);
	if (policy)
		fprintf(f, ", policy %s",
			xtr_text_name(text, sizeof(text), policy, strlen(policy)));
	fputs(": names such as name#7, process ids, pointers and the time of day are not the machine's",
	      f);
	if (xtr_meta_config_u64(m, TEXTS, &texts) && xtr_meta_config_u64(m, IDS, &ids))
		fprintf(f, " (%s texts, %s ids)", xtr_text_count(n[0], texts),
			xtr_text_count(n[1], ids));
	fputs(".\n", f);
}

static void kv_number(struct xtr_json *j, const char *key, const struct xtr_meta *m,
		      const char *entry)
{
	uint64_t n;
	bool known = xtr_meta_config_u64(m, entry, &n);

	xtr_json_kv_u64_if(j, key, known, n);
}

void xtr_redacted_json(struct xtr_json *j, const struct xtr_meta *m)
{
	if (!xtr_redacted(m))
		return;
	xtr_json_kv_object(j, "redacted");
	xtr_json_kv_str(j, "by", xtr_meta_config_str(m, BY));
	xtr_json_kv_str(j, "policy", xtr_meta_config_str(m, POLICY));
	kv_number(j, "texts", m, TEXTS);
	kv_number(j, "ids", m, IDS);
	xtr_json_end_object(j);
}
