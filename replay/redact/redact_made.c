// SPDX-License-Identifier: BSD-2-Clause
/* What redacting made, as it is seen in a redacted file: names that stand for others, and of which
 * mapping they are. */
#include "redact_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPPING   "redacted-mapping"
#define LABEL_MAX 8u /* letters */

static const char *const labels[] = { "name",   "path",  "symbol", "module",
				      "device", "event", "text",   "ring" };

int redact_put_mapping(struct xtr_meta *m, uint64_t mapping)
{
	char text[20];

	snprintf(text, sizeof(text), "%016" PRIx64, mapping);
	return xtr_meta_set_config_str(m, MAPPING, text);
}

bool xtr_redact_mapping(const struct xtr_meta *m, uint64_t *mapping)
{
	const char *text = xtr_meta_config_str(m, MAPPING);

	*mapping = 0;
	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return false;
	*mapping = strtoull(text, NULL, 16);
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A label ends before s[at]. */
static bool label_before(const char *s, size_t at)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		size_t len = strlen(labels[i]);

		if (len <= at && !memcmp(s + at - len, labels[i], len))
			return true;
	}
	return false;
}

bool redact_is_label(const char *s, size_t n)
{
	const char *hash = memchr(s, '#', n < LABEL_MAX ? n : LABEL_MAX);
	size_t at = hash ? (size_t)(hash - s) + 1 : 0;

	if (!hash || at == n || (hash > s && !label_before(s, at - 1)))
		return false;
	while (at < n && is_digit(s[at]))
		at++;
	return at == n;
}

bool xtr_redact_is_made(const char *s, size_t n)
{
	static const char hwctx[] = "hwctx.";

	for (size_t i = 0; i + 1 < n; i++) {
		if (s[i] == '#' && is_digit(s[i + 1]) && label_before(s, i))
			return true;
		if (n - i >= sizeof(hwctx) && !memcmp(s + i, hwctx, sizeof(hwctx) - 1))
			return true;
	}
	return false;
}
