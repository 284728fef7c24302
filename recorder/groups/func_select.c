/* SPDX-License-Identifier: BSD-2-Clause */
#include "func_select.h"
#include "btf_types.h"
#include "func_symbols.h"
#include "recorder/host/caps.h"
#include "select.h"
#include "recorder/host/tracefs.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KALLSYMS    "/proc/kallsyms"
#define MODULES_MAX 16

struct module {
	char name[64];
	struct xtr_func_symbols symbols;
};

struct xtr_funcs {
	struct module modules[MODULES_MAX];
	size_t n;
	struct xtr_btf_types *types;
	struct xtr_func_list kallsyms, traceable; /* the lines of modules */
};

static int bad(struct xtr_record_err *err, const char *text, const char *what, const char *about)
{
	err->code = -EINVAL;
	err->kind = XTR_FAIL_USAGE;
	snprintf(err->what, sizeof(err->what), "'%.120s': %s%.60s", text, what, about);
	snprintf(err->hint, sizeof(err->hint),
		 "functions are given as func:MODULE:GLOB, behind it :ret and :args");
	return -EINVAL;
}

/* Copy up to the next colon; returns the place behind it, NULL: empty or too long. */
static const char *take(char *out, size_t size, const char *from)
{
	size_t n = strcspn(from, ":");

	if (!n || n >= size)
		return NULL;
	memcpy(out, from, n);
	out[n] = 0;
	return from + n + (from[n] == ':');
}

int xtr_func_pattern(struct xtr_func_pattern *p, const char *text, struct xtr_record_err *err)
{
	const char *at = text + strlen(XTR_FUNC_PREFIX);
	char flag[64];

	*p = (struct xtr_func_pattern){ 0 };
	at = take(p->module, sizeof(p->module), at);
	if (!at)
		return bad(err, text, "a module is missing", "");
	at = take(p->glob, sizeof(p->glob), at);
	if (!at)
		return bad(err, text, "a function, or a pattern of its name, is missing", "");
	while (*at) {
		at = take(flag, sizeof(flag), at);
		if (at && strcmp(flag, "ret") == 0)
			p->ret = true;
		else if (at && strcmp(flag, "args") == 0)
			p->args = true;
		else
			return bad(err, text, "neither ret nor args: ", at ? flag : "");
	}
	for (char *c = p->module; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return 0;
}

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

static struct xtr_funcs *funcs_of(struct xtr_selection *s)
{
	if (!s->funcs)
		s->funcs = calloc(1, sizeof(*s->funcs));
	return s->funcs;
}

struct xtr_btf_types *xtr_func_types(struct xtr_selection *s)
{
	struct xtr_funcs *f = funcs_of(s);

	if (f && !f->types)
		f->types = xtr_btf_types_new();
	return f ? f->types : NULL;
}

static int read_symbols(struct xtr_funcs *funcs, struct xtr_func_symbols *f, const char *module)
{
	bool kernel = strcmp(module, "vmlinux") == 0;
	const char *dir, *all = KALLSYMS;
	char list[160];
	int err, ignored;

	if (!kernel)
		all = xtr_func_list_modules(&funcs->kallsyms, KALLSYMS);
	err = xtr_func_symbols_read(f, all, module);

	if (err)
		return err;
	dir = f->n ? xtr_tracefs_dir(&ignored) : NULL;
	if (!dir)
		return 0;
	snprintf(list, sizeof(list), "%s/available_filter_functions", dir);
	err = xtr_func_symbols_check(
		f, kernel ? list : xtr_func_list_modules(&funcs->traceable, list), module);
	return err == -ENOMEM ? err : 0;
}

static int symbols_of(struct xtr_selection *s, const char *module,
		      const struct xtr_func_symbols **out)
{
	struct xtr_funcs *f = funcs_of(s);
	struct module *m;
	int err;

	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		*out = &f->modules[i].symbols;
		if (strcmp(f->modules[i].name, module) == 0)
			return 0;
	}
	if (f->n == MODULES_MAX)
		return -E2BIG;
	m = &f->modules[f->n];
	snprintf(m->name, sizeof(m->name), "%s", module);
	err = read_symbols(f, &m->symbols, module);
	if (err)
		return err;
	*out = &m->symbols;
	f->n++;
	return 0;
}

void xtr_funcs_free(struct xtr_funcs *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		xtr_func_symbols_free(&f->modules[i].symbols);
	xtr_func_list_free(&f->kallsyms);
	xtr_func_list_free(&f->traceable);
	xtr_btf_types_free(f->types);
	free(f);
}

static bool module_has(const char *module, const char *file)
{
	char path[160];

	snprintf(path, sizeof(path), "/sys/module/%s/%s", module, file);
	return access(path, F_OK) == 0;
}

/* Why a module has no functions at all, or none of this name. */
static void explain_missing(char *why, size_t n, const struct xtr_func_symbols *f,
			    const char *module, const char *glob)
{
	if (f->n && is_glob(glob))
		snprintf(why, n, "no function of %s matches '%.60s'", module, glob);
	else if (f->n)
		snprintf(why, n, "%s has no function of this name: it may be inlined or renamed",
			 module);
	else if (strcmp(module, "vmlinux") == 0)
		snprintf(why, n, "this kernel shows no functions in " KALLSYMS);
	else if (module_has(module, "initstate"))
		snprintf(why, n, "module %s is loaded, but has no functions in " KALLSYMS, module);
	else if (module_has(module, ""))
		snprintf(why, n, "%s is built into the kernel: its functions are those of vmlinux",
			 module);
	else
		snprintf(why, n, "module %s is not loaded", module);
}

static const char untraced[] = "the kernel lets nobody trace it (notrace)";

/* A run of symbols of one name in the source: v[i] to v[end - 1]. */
static size_t end_of_run(const struct xtr_func_symbols *f, size_t i)
{
	const struct xtr_func_symbol *a = &f->v[i];
	size_t end = i + 1;

	while (end < f->n && f->v[end].base == a->base &&
	       strncmp(f->v[end].symbol, a->symbol, a->base) == 0)
		end++;
	return end;
}

static void base_name(char *out, size_t n, const struct xtr_func_symbol *f)
{
	snprintf(out, n, "%.*s", (int)f->base, f->symbol);
}

/* All symbols of the run that may be traced are places of the probe. */
static int add_places(struct xtr_probe *p, const struct xtr_func_symbol *v, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		if (!v[i].untraced)
			err = xtr_probe_add_target(p, v[i].symbol, NULL, v[i].addr);
	}
	if (!err && !p->n_targets)
		xtr_probe_say(p, XTR_PROVIDER_REFUSED, "%s", untraced);
	return err;
}

static int make_probe(struct xtr_selection *s, const struct xtr_func_pattern *pat,
		      const struct xtr_func_symbol *v, size_t n, struct xtr_probe **out)
{
	char function[512];
	int err;

	base_name(function, sizeof(function), v);
	err = xtr_probe_new(out, XTR_PROBE_FUNC, pat->module, function);
	if (err)
		return err;
	err = add_places(*out, v, n);
	if (!err && !(*out)->why[0] && (pat->ret || pat->args))
		err = xtr_func_describe(*out, xtr_func_types(s), function, pat->ret, pat->args);
	if (err)
		xtr_probe_free(*out);
	return err;
}

static int make_missing(const struct xtr_func_pattern *pat, const struct xtr_func_symbols *f,
			struct xtr_probe **out)
{
	int err = xtr_probe_new(out, XTR_PROBE_FUNC, pat->module, pat->glob);
	char why[200];

	if (err)
		return err;
	explain_missing(why, sizeof(why), f, pat->module, pat->glob);
	xtr_probe_say(*out, XTR_PROVIDER_MISSING, "%s", why);
	return 0;
}

static int add_probe(struct xtr_selection *s, struct xtr_probe *p)
{
	int err = xtr_selection_add_probe(s, p);

	if (err)
		xtr_probe_free(p);
	return err;
}

static int select_matching(struct xtr_selection *s, const struct xtr_func_pattern *pat)
{
	const struct xtr_func_symbols *f;
	struct xtr_probe *p;
	char function[512];
	bool any = false;
	int err = symbols_of(s, pat->module, &f);

	for (size_t i = 0, end; !err && i < f->n; i = end) {
		end = end_of_run(f, i);
		base_name(function, sizeof(function), &f->v[i]);
		if (fnmatch(pat->glob, function, 0))
			continue;
		any = true;
		err = make_probe(s, pat, &f->v[i], end - i, &p) ?: add_probe(s, p);
		if (!err && s->n_probes > XTR_DYNAMIC_MAX)
			err = -E2BIG;
	}
	if (err || any)
		return err;
	return make_missing(pat, f, &p) ?: add_probe(s, p);
}

int xtr_func_select(struct xtr_selection *s, const char *pattern, struct xtr_record_err *err)
{
	struct xtr_func_pattern pat;

	return xtr_func_pattern(&pat, pattern, err) ?: select_matching(s, &pat);
}

static const struct xtr_func_symbol *find(const struct xtr_func_symbols *f, const char *name,
					  size_t *n)
{
	size_t len = strlen(name), end;

	for (size_t i = 0; i < f->n; i = end) {
		end = end_of_run(f, i);
		*n = end - i;
		if (f->v[i].base == len && strncmp(f->v[i].symbol, name, len) == 0)
			return &f->v[i];
	}
	return NULL;
}

int xtr_func_first(struct xtr_selection *s, const char *module, const char *const *names, bool ret,
		   struct xtr_probe **p)
{
	struct xtr_func_pattern pat = { .ret = ret };
	const struct xtr_func_symbol *v;
	const struct xtr_func_symbols *f;
	char all[128] = "";
	size_t n, len = 0;
	int err = symbols_of(s, module, &f);

	if (err)
		return err;
	snprintf(pat.module, sizeof(pat.module), "%s", module);
	snprintf(pat.glob, sizeof(pat.glob), "%s", names[0]);
	for (size_t i = 0; names[i]; i++) {
		v = find(f, names[i], &n);
		if (v)
			return make_probe(s, &pat, v, n, p);
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "",
						names[i]);
	}
	err = make_missing(&pat, f, p);
	if (!err && f->n && names[1])
		xtr_probe_say(*p, XTR_PROVIDER_MISSING, "%s has none of these functions: %s",
			      module, all);
	return err;
}

int xtr_func_each(const char *pattern,
		  int (*fn)(void *ctx, const char *name, const char *symbol, const char *why),
		  void *ctx, struct xtr_record_err *err)
{
	struct xtr_selection s = { 0 };
	bool able = xtr_probe_pmu("kprobe") >= 0;
	struct xtr_func_pattern pat;
	int ret = xtr_func_pattern(&pat, pattern, err) ?: select_matching(&s, &pat);

	for (size_t i = 0; i < s.n_probes && !ret; i++) {
		const struct xtr_probe *p = s.probes[i];

		ret = fn(ctx, p->name, p->target,
			 p->why[0] ? p->why
			 : able    ? NULL
				   : "this kernel has no kprobes");
	}
	xtr_selection_free(&s);
	return ret;
}
