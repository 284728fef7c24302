// SPDX-License-Identifier: BSD-2-Clause
/* Calls of functions, as spec/events.md names and lays them out. */
#include "import_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MODULE_MAX 64u  /* bytes of a module's or a library's name */
#define SYMBOL_MAX 255u /* bytes of a function's */
/* A record's filter has room for 64 fields, and the context is one. */
#define VALUES_MAX (XTR_IMPORT_VALUES - 1)

/* ".isra.0": a suffix of the compiler for what is still the function. 0: none at p. */
static size_t suffix_at(const char *p, const char *end)
{
	static const char *const words[] = { ".isra.", ".constprop.", ".part." };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]), digits = n;

		if ((size_t)(end - p) <= n || memcmp(p, words[i], n) != 0)
			continue;
		while (p + digits < end && isdigit((unsigned char)p[digits]))
			digits++;
		return digits > n ? digits : 0;
	}
	return 0;
}

/* The length of the name in the source: without suffixes, of which there may be several. */
static size_t source_name(const char *symbol, size_t len)
{
	const char *end = symbol + len;

	for (const char *dot = symbol; dot < end; dot++) {
		const char *p = dot;
		size_t n;

		while (*dot == '.' && p < end && (n = suffix_at(p, end)))
			p += n;
		if (p == end)
			return (size_t)(dot - symbol);
	}
	return len;
}

int xtr_import_call(struct xtr_import *im, const struct xtr_import_at *at,
		    const struct xtr_import_call *call, const struct xtr_import_value *v, size_t n)
{
	char name[MODULE_MAX + SYMBOL_MAX + sizeof("func:unknown::ret")], target[SYMBOL_MAX + 1];
	size_t len = call->symbol_len < SYMBOL_MAX ? call->symbol_len : SYMBOL_MAX;
	size_t module_len = call->module_len < MODULE_MAX ? call->module_len : MODULE_MAX;
	int err = import_see(im, at);

	snprintf(target, sizeof(target), "%.*s", (int)len, call->symbol);
	snprintf(name, sizeof(name), "%s:%.*s:%.*s%s", call->api ? "api" : "func",
		 (int)(module_len ? module_len : sizeof("unknown") - 1),
		 module_len ? call->module : "unknown", (int)source_name(call->symbol, len),
		 call->symbol, call->ret ? ":ret" : "");
	import_clean(name);
	import_clean(target);
	return err ? err
		   : import_values_put(im, at, name, target, call, v,
				       n < VALUES_MAX ? n : VALUES_MAX);
}
