/* SPDX-License-Identifier: BSD-2-Clause */
#include "label.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct xtr_labels *l, uint32_t i, const char *s, size_t n)
{
	return !memcmp(l->name[i], s, n) && !l->name[i][n];
}

int64_t xtr_label(struct xtr_labels *l, const char *s, size_t n, uint32_t max)
{
	void *more;
	uint32_t i;

	if (!s || !n)
		s = "(unknown)", n = strlen(s);
	n = strnlen(s, n < XTR_LABEL_LEN - 1 ? n : XTR_LABEL_LEN - 1);
	if (l->last < l->n && is(l, l->last, s, n))
		return l->last;
	for (i = 0; i < l->n; i++)
		if (is(l, i, s, n))
			return l->last = i;
	if (l->n == max)
		return max - 1;
	if (l->n == max - 1)
		s = "(others)", n = strlen(s);
	more = realloc(l->name, (l->n + 1) * sizeof(*l->name));
	if (!more)
		return -ENOMEM;
	l->name = more;
	memset(l->name[l->n], 0, sizeof(l->name[0]));
	memcpy(l->name[l->n], s, n);
	return l->last = l->n++;
}

void xtr_labels_free(struct xtr_labels *l)
{
	free(l->name);
	*l = (struct xtr_labels){ 0 };
}
