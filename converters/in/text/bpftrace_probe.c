/* SPDX-License-Identifier: BSD-2-Clause */
#include "bpftrace.h"

#include <ctype.h>
#include <string.h>

enum kind {
	FUNCTION, /* [module:]function */
	LIBRARY,  /* path:function */
	EVENT,    /* system:event */
	RAW,      /* [module:]event */
	OTHER,    /* kept under its own name */
};

static const struct {
	const char *name;
	enum kind kind;
	bool ret;
} types[] = {
	{ "kprobe", FUNCTION, false },  { "kretprobe", FUNCTION, true },
	{ "fentry", FUNCTION, false },  { "fexit", FUNCTION, true },
	{ "kfunc", FUNCTION, false },   { "kretfunc", FUNCTION, true },
	{ "uprobe", LIBRARY, false },   { "uretprobe", LIBRARY, true },
	{ "tracepoint", EVENT, false }, { "rawtracepoint", RAW, false },
	{ "usdt", OTHER, false },       { "profile", OTHER, false },
	{ "interval", OTHER, false },   { "software", OTHER, false },
	{ "hardware", OTHER, false },   { "watchpoint", OTHER, false },
	{ "iter", OTHER, false },
};

/* Up to the first colon, which is taken; all of it if there is none. */
static void part(struct textin_at *a, const char **p, size_t *n)
{
	const char *colon = memchr(a->p, ':', (size_t)(a->end - a->p));

	*p = a->p;
	*n = (size_t)((colon ? colon : a->end) - a->p);
	a->p = colon ? colon + 1 : a->end;
}

/* A symbol as the kernel and compilers have them; bpftrace may print an offset of 0 behind it. */
static bool is_symbol(const char *p, size_t *n)
{
	size_t i = 0;

	while (i < *n && (isalnum((unsigned char)p[i]) || strchr("_.$@", p[i])))
		i++;
	if (!i || isdigit((unsigned char)*p) || (i < *n && strncmp(p + i, "+0", *n - i) != 0))
		return false;
	*n = i;
	return true;
}

static bool take_function(struct textin_at a, struct textin_event *e)
{
	part(&a, &e->name, &e->name_len);
	if (a.p < a.end) {
		e->system = e->name;
		e->system_len = e->name_len;
		part(&a, &e->name, &e->name_len);
	}
	e->call = true;
	return a.p == a.end && (!e->system || e->system_len) && is_symbol(e->name, &e->name_len);
}

/* The name of the file, which stands for the soname. */
static void base_name(const char **p, size_t *n)
{
	const char *slash = memrchr(*p, '/', *n);

	if (slash) {
		*n -= (size_t)(slash + 1 - *p);
		*p = slash + 1;
	}
}

/*
 * Libraries' files carry the whole version ("libze_loader.so.1.17.6") of which the soname has the
 * first number. Files with one or two numbers are called like their soname as a rule.
 */
static void cut_version(const char *p, size_t *n)
{
	const char *so = memmem(p, *n, ".so.", 4);
	size_t first = 0, dots = 0;

	if (!so)
		return;
	for (size_t i = (size_t)(so - p) + 4; i < *n; i++) {
		if (p[i] == '.') {
			first = dots++ ? first : i;
		} else if (!isdigit((unsigned char)p[i])) {
			return;
		}
	}
	if (dots >= 2)
		*n = first;
}

static bool take_library(struct textin_at a, struct textin_event *e)
{
	part(&a, &e->system, &e->system_len);
	base_name(&e->system, &e->system_len);
	cut_version(e->system, &e->system_len);
	textin_text(&a, "cpp:");
	e->name = a.p;
	e->name_len = (size_t)(a.end - a.p);
	e->api = e->call = true;
	return e->system_len && is_symbol(e->name, &e->name_len);
}

static bool take_event(struct textin_at a, struct textin_event *e)
{
	part(&a, &e->system, &e->system_len);
	part(&a, &e->name, &e->name_len);
	return a.p == a.end && e->system_len && e->name_len;
}

/* The text has the module of a raw tracepoint or nothing; never its system. */
static bool take_raw(struct textin_at a, struct textin_event *e)
{
	part(&a, &e->name, &e->name_len);
	if (a.p < a.end)
		part(&a, &e->name, &e->name_len);
	return a.p == a.end && e->name_len;
}

static bool take_kind(enum kind kind, struct textin_at a, struct textin_event *e)
{
	switch (kind) {
	case FUNCTION:
		return take_function(a, e);
	case LIBRARY:
		return take_library(a, e);
	case EVENT:
		return take_event(a, e);
	case RAW:
		return take_raw(a, e);
	default:
		return false;
	}
}

bool bpftrace_probe(const char *probe, size_t len, struct textin_event *e)
{
	struct textin_at a = { probe, probe + len };
	size_t n;

	part(&a, &e->system, &n);
	if (a.p == a.end)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].name) != n || memcmp(types[i].name, probe, n) != 0)
			continue;
		*e = (struct textin_event){ .ret = types[i].ret };
		if (take_kind(types[i].kind, a, e))
			return true;
		/* An address, a place within a function, a timer: under the name that it has. */
		*e = (struct textin_event){ .system = probe,
					    .system_len = n,
					    .name = a.p,
					    .name_len = (size_t)(a.end - a.p) };
		return true;
	}
	return false;
}
