/* SPDX-License-Identifier: BSD-2-Clause */
#include "sign.h"

#include <string.h>

static void clean_text(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = ' ';
}

/* What is no name of a device or of a file in its folder is none. */
static void clean_name(char *s)
{
	for (const char *p = s; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '/')
			*s = '\0';
	if (!strcmp(s, ".") || !strcmp(s, ".."))
		*s = '\0';
}

void xtr_hang_sign_clean(struct xtr_hang_sign *s)
{
	clean_text(s->text);
	clean_name(s->device);
	clean_name(s->name);
	if (!s->name[0])
		s->left = XTR_HANG_NOTHING;
}
