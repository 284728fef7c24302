/* SPDX-License-Identifier: BSD-2-Clause */
/* A plan as text: allocation or call, its number, or a place, the error, whether from then on, the
 * second fault. */
#include "server.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ERRNO_MAX = 200, /* of Linux: 133 */
};

static const struct {
	int err;
	const char *name;
} shorts[] = { { SHORT_ONE, "one" }, { SHORT_HALF, "half" } };

const char *inject_error_name(int err)
{
	for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++)
		if (shorts[i].err == err)
			return shorts[i].name;
	return strerrorname_np(err);
}

static int error_of(const char *name, size_t n)
{
	static const int others[] = { SHORT_ONE, SHORT_HALF };

	for (int i = 0; i < ERRNO_MAX + 2; i++) {
		int err = i < ERRNO_MAX ? i + 1 : others[i - ERRNO_MAX];
		const char *known = inject_error_name(err);

		if (known && strlen(known) == n && !strncmp(known, name, n))
			return err;
	}
	return 0;
}

const char *inject_plan_text(const struct plan *p)
{
	static char text[80];
	int n;

	if (p->site)
		n = snprintf(text, sizeof(text), "@%016" PRIx64 "=%s", p->site,
			     inject_error_name(p->err));
	else if (p->alloc_at)
		n = snprintf(text, sizeof(text), "a%u", p->alloc_at);
	else
		n = snprintf(text, sizeof(text), "c%u=%s", p->call_at, inject_error_name(p->err));
	if (p->sticky)
		text[n++] = '+';
	text[n] = '\0';
	if (p->then_alloc || p->then_call)
		snprintf(text + n, sizeof(text) - (size_t)n, ",%c%u", p->then_alloc ? 'a' : 'c',
			 p->then_alloc ? p->then_alloc : p->then_call);
	return text;
}

int inject_plan_parse(struct plan *p, const char *text)
{
	char *end;
	uint32_t n = 0;

	*p = (struct plan){ .err = ENOMEM };
	if (*text == '@')
		p->site = strtoull(text + 1, &end, 16);
	else
		n = text[0] ? (uint32_t)strtoul(text + 1, &end, 10) : 0;
	if (!p->site && (!n || (*text != 'a' && *text != 'c')))
		return -EINVAL;
	if (!p->site)
		*(*text == 'a' ? &p->alloc_at : &p->call_at) = n;
	if (*end == '=') {
		size_t len = strcspn(end + 1, "+,");

		p->err = error_of(end + 1, len);
		end += 1 + len;
	}
	if (*end == '+') {
		p->sticky = true;
		end++;
	}
	if (*end == ',') {
		const bool alloc = end[1] == 'a';

		n = end[1] ? (uint32_t)strtoul(end + 2, &end, 10) : 0;
		*(alloc ? &p->then_alloc : &p->then_call) = n;
	}
	return *end || !p->err ? -EINVAL : 0;
}
