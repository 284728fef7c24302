/* SPDX-License-Identifier: BSD-2-Clause */
/* What code a frame is of, by the name of its module: as recordings have them, and as perf has. */
#include "flame.h"

#include <string.h>

enum how {
	WHOLE,
	BEGIN,
	END,
};

static bool matches(const char *s, size_t n, const char *text, enum how how)
{
	size_t m = strlen(text);

	if (n < m || (how == WHOLE && n != m))
		return false;
	return !memcmp(how == END ? s + n - m : s, text, m);
}

/* "libdrm.so.2", "x.so": ".so" with nothing or a point behind it, in the file's own name. */
static bool is_library(const char *s, size_t n)
{
	const char *base = memrchr(s, '/', n), *end = s + n, *at;

	for (at = base ? base : s; end - at >= 3; at++)
		if (!memcmp(at, ".so", 3) && (end - at == 3 || at[3] == '.' || at[3] == ' '))
			return true;
	return false;
}

/* The first that fits. */
static const struct {
	const char *text;
	enum how how;
	enum xtr_flame_kind kind;
} rules[] = {
	{ "", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[unknown]", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[heap]", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[stack]", WHOLE, XTR_FLAME_UNKNOWN },
	{ "[anon", BEGIN, XTR_FLAME_UNKNOWN },
	{ "//anon", BEGIN, XTR_FLAME_UNKNOWN },
	{ "kernel", WHOLE, XTR_FLAME_KERNEL },
	{ "[kernel", BEGIN, XTR_FLAME_KERNEL },
	{ "[guest.kernel", BEGIN, XTR_FLAME_KERNEL },
	{ "vmlinux", END, XTR_FLAME_KERNEL },
	{ "[vdso]", WHOLE, XTR_FLAME_LIBRARY },
	{ "[vsyscall]", WHOLE, XTR_FLAME_KERNEL },
	{ "[", BEGIN, XTR_FLAME_DRIVER },
	{ ".ko", END, XTR_FLAME_DRIVER },
	{ ".ko.xz", END, XTR_FLAME_DRIVER },
	{ ".ko.gz", END, XTR_FLAME_DRIVER },
	{ ".ko.zst", END, XTR_FLAME_DRIVER },
};

enum xtr_flame_kind xtr_flame_kind_of(const char *module, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (matches(module, n, rules[i].text, rules[i].how))
			return rules[i].kind;
	if (is_library(module, n))
		return XTR_FLAME_LIBRARY;
	return memchr(module, '/', n) ? XTR_FLAME_USER : XTR_FLAME_DRIVER;
}
