// SPDX-License-Identifier: BSD-2-Clause
#include "diff_opts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of the name of n bytes; -EINVAL. */
static int find(const char *s, size_t n, const char *(*name)(unsigned int))
{
	unsigned int i;

	for (i = 0; name(i); i++)
		if (strlen(name(i)) == n && !strncmp(name(i), s, n))
			return (int)i;
	return -EINVAL;
}

int diff_parse_list(const char *s, const char *(*name)(unsigned int), uint32_t *bits)
{
	size_t n;
	int i;

	*bits = 0;
	for (;;) {
		n = strcspn(s, ",");
		i = find(s, n, name);
		if (i < 0)
			return -EINVAL;
		*bits |= 1u << i;
		if (!s[n])
			return 0;
		s += n + 1;
	}
}

/* "5%" or "5": more than 0. */
static int parse_percent(const char *s, double *share)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)s[0]) || s[1] == 'x' || s[1] == 'X')
		return -EINVAL;
	v = strtod(s, &end);
	if (*end == '%')
		end++;
	if (*end || !isfinite(v) || v <= 0)
		return -EINVAL;
	*share = v / 100;
	return 0;
}

int diff_parse_limit(const char *s, double limit[XTR_DIFF_METRIC_COUNT])
{
	const char *equals = strchr(s, '=');
	unsigned int m;
	double share;
	int which = -1;

	if (equals) {
		which = find(s, (size_t)(equals - s), xtr_diff_metric_name);
		if (which < 0)
			return -EINVAL;
		s = equals + 1;
	}
	if (parse_percent(s, &share))
		return -EINVAL;
	for (m = 0; m < XTR_DIFF_METRIC_COUNT; m++)
		if (which < 0 || m == (unsigned int)which)
			limit[m] = share;
	return 0;
}
