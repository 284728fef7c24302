/* SPDX-License-Identifier: BSD-2-Clause */
#include "func_event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "func:"
#define API    "api:"
#define RETURN ":ret"

/* Sets *other to the other half of the event, whose name has n bytes without ":ret". */
static int find_other(const struct xtr_event_desc **other, const struct xtr_meta *meta,
		      const char *event, size_t n, bool ret)
{
	char *half = malloc(n + sizeof(RETURN));

	if (!half)
		return -ENOMEM;
	memcpy(half, event, n);
	strcpy(half + n, ret ? "" : RETURN);
	*other = xtr_meta_event_by_name(meta, half);
	free(half);
	return 0;
}

bool func_event_parse(struct func_event *f, const char *event)
{
	bool api = !strncmp(event, API, strlen(API));
	size_t n = strlen(event), prefix = strlen(api ? API : KERNEL), ret = strlen(RETURN);
	const char *colon;

	if (!api && strncmp(event, KERNEL, prefix))
		return false;
	colon = strchr(event + prefix, ':');
	if (!colon || !colon[1])
		return false;
	*f = (struct func_event){ .api = api,
				  .module = event + prefix,
				  .module_len = (size_t)(colon - event) - prefix,
				  .name = colon + 1 };
	f->name_len = n - (size_t)(f->name - event);
	f->ret = f->name_len > ret && !strcmp(event + n - ret, RETURN);
	f->name_len -= f->ret ? ret : 0;
	return true;
}

int func_event(struct func_event *f, const struct xtr_meta *meta, const struct xtr_event_desc *d)
{
	if (!func_event_parse(f, d->name))
		return 0;
	return find_other(&f->other, meta, d->name, (size_t)(f->name - d->name) + f->name_len,
			  f->ret)
		       ? -ENOMEM
		       : 1;
}

bool func_event_of(const struct func_event *f, const char *module, const char *prefix)
{
	size_t n = strlen(prefix);

	if (f->api)
		return false;
	return (f->module_len == strlen(module) && !memcmp(f->module, module, f->module_len)) ||
	       (f->name_len >= n && !memcmp(f->name, prefix, n));
}
