// SPDX-License-Identifier: BSD-2-Clause
#include "sampled.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

#define PREFIX "sample:"

const char *xtr_sampled_next(const struct xtr_meta *m, size_t *at, uint64_t *million)
{
	const char *key, *str;

	while (m && xtr_meta_config(m, (*at)++, &key, million, &str)) {
		if (!str && strncmp(key, PREFIX, strlen(PREFIX)) == 0)
			return key + strlen(PREFIX);
	}
	return NULL;
}

uint64_t xtr_sampled_share(const struct xtr_meta *m, const char *event)
{
	uint64_t million;
	const char *name;
	size_t at = 0, n;

	while ((name = xtr_sampled_next(m, &at, &million))) {
		n = strlen(name);
		if (strncmp(event, name, n) == 0 && (!event[n] || strcmp(event + n, ":ret") == 0))
			return million;
	}
	return 0;
}

void xtr_sampled_text(FILE *f, const struct xtr_meta *m)
{
	char text[XTR_TEXT_NAME];
	uint64_t million;
	const char *name;
	size_t at = 0;

	while ((name = xtr_sampled_next(m, &at, &million))) {
		xtr_text_name(text, sizeof(text), name, strlen(name));
		fprintf(f,
			"SAMPLED: %s: %" PRIu64 ".%04" PRIu64
			" %% of these events were to be recorded; all are counted in xtr:total.\n",
			text, million / 10000, million % 10000);
	}
}

void xtr_sampled_json(struct xtr_json *j, const struct xtr_meta *m)
{
	uint64_t million;
	const char *name;
	size_t at = 0;

	if (!xtr_sampled_next(m, &at, &million))
		return;
	at = 0;
	xtr_json_kv_array(j, "sampled");
	while ((name = xtr_sampled_next(m, &at, &million))) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "event", name);
		xtr_json_kv_u64(j, "millionths", million);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}
