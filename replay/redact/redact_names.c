// SPDX-License-Identifier: BSD-2-Clause
#include "redact_names.h"
#include "redact_impl.h"
#include "redact_words.h"

#include <string.h>

bool xtr_redact_name(const struct xtr_redact *x, size_t i, struct xtr_redact_name *name)
{
	const struct redact_name *one;

	if (i >= x->texts.n)
		return false;
	one = &x->texts.v[i];
	*name = (struct xtr_redact_name){ one->text, one->n, one->label, one->number };
	return true;
}

/* "0000:03:00.0" */
static bool is_pci(const char *s, size_t n)
{
	static const char shape[] = "hhhh:hh:hh.h";

	for (size_t i = 0; i < n && n == sizeof(shape) - 1; i++)
		if (shape[i] == 'h' ? !redact_is_hex(s + i, 1) : s[i] != shape[i])
			return false;
	return n == sizeof(shape) - 1;
}

bool xtr_redact_is_common(const char *text, size_t n)
{
	static const char kernel[] = "vmlinux";

	return is_pci(text, n) || (n == sizeof(kernel) - 1 && !memcmp(text, kernel, n)) ||
	       redact_is_kthread(text, n) || redact_is_driver(text, n);
}
