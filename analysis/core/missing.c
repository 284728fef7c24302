// SPDX-License-Identifier: BSD-2-Clause
#include "missing.h"

#include <stdarg.h>
#include <stdio.h>

/* Appends; what does not fit is cut off. */
static __attribute__((format(printf, 3, 4))) void put(char *buf, size_t *len, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf + *len, XTR_MISSING_TEXT - *len, fmt, ap);
	va_end(ap);
	*len += n > 0 ? (size_t)n : 0;
	if (*len >= XTR_MISSING_TEXT)
		*len = XTR_MISSING_TEXT - 1;
}

const char *xtr_missing_text(char buf[XTR_MISSING_TEXT], const char *const *names,
			     const bool *missing, size_t n)
{
	size_t i, all = 0, said = 0, len = 0;

	buf[0] = '\0';
	for (i = 0; i < n; i++)
		all += missing[i];
	for (i = 0; i < n; i++) {
		if (!missing[i])
			continue;
		put(buf, &len, "%s%s", !said ? "" : said + 1 < all ? ", " : " and ", names[i]);
		said++;
	}
	put(buf, &len, " %s not recorded", all == 1 ? "was" : "were");
	return buf;
}

const char *xtr_missing_half(char buf[XTR_MISSING_TEXT], const char *name, struct xtr_halves h)
{
	if (!h.entry && !h.ret)
		snprintf(buf, XTR_MISSING_TEXT, "%s was not recorded", name);
	else
		snprintf(buf, XTR_MISSING_TEXT, "%s of %s were not recorded",
			 h.entry ? "returns" : "entries", name);
	return buf;
}
