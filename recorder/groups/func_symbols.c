/* SPDX-License-Identifier: BSD-2-Clause */
#include "func_symbols.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What stands before functions without being one: padding, call thunks, static calls, CFI. */
static const char *const not_functions[] = { "__pfx_",    "__cfi_",      "__SCT__", "__ksymtab_",
					     "__kstrtab", "__initcall_", "$",       "." };

uint32_t xtr_func_base(const char *symbol)
{
	size_t base = strcspn(symbol, ".");

	for (size_t i = 0; i < sizeof(not_functions) / sizeof(*not_functions); i++) {
		if (strncmp(symbol, not_functions[i], strlen(not_functions[i])) == 0)
			return 0;
	}
	for (const char *part = strchr(symbol, '.'); part; part = strchr(part + 1, '.')) {
		if (strcspn(part + 1, ".") == 4 && strncmp(part + 1, "cold", 4) == 0)
			return 0;
	}
	return (uint32_t)base;
}

static int add(struct xtr_func_symbols *f, const char *symbol, uint64_t addr)
{
	uint32_t base = xtr_func_base(symbol);
	struct xtr_func_symbol *more;
	char *copy;

	if (!base)
		return 0;
	if (f->n == f->cap) {
		f->cap = f->cap ? 2 * f->cap : 256;
		more = reallocarray(f->v, f->cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->v = more;
	}
	copy = strdup(symbol);
	if (!copy)
		return -ENOMEM;
	f->v[f->n++] = (struct xtr_func_symbol){ .symbol = copy, .base = base, .addr = addr };
	return 0;
}

/* An alias that the module loader looks for; the function has a name of its own. */
static bool is_alias(const char *symbol)
{
	return strcmp(symbol, "init_module") == 0 || strcmp(symbol, "cleanup_module") == 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct xtr_func_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (is_alias(x->symbol) != is_alias(y->symbol))
		return is_alias(x->symbol) ? 1 : -1;
	return strcmp(x->symbol, y->symbol);
}

static int by_name(const void *a, const void *b)
{
	const struct xtr_func_symbol *x = a, *y = b;
	int c = strncmp(x->symbol, y->symbol, x->base < y->base ? x->base : y->base);

	if (c)
		return c;
	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return strcmp(x->symbol, y->symbol);
}

/* Two names of one address are one function; probed twice, its calls would count twice. */
static void drop_aliases(struct xtr_func_symbols *f)
{
	size_t n = 0;

	qsort(f->v, f->n, sizeof(*f->v), by_addr);
	for (size_t i = 0; i < f->n; i++) {
		if (n && f->v[i].addr && f->v[i].addr == f->v[n - 1].addr)
			free(f->v[i].symbol);
		else
			f->v[n++] = f->v[i];
	}
	f->n = n;
	qsort(f->v, f->n, sizeof(*f->v), by_name);
}

int xtr_func_symbols_read(struct xtr_func_symbols *f, const char *kallsyms, const char *module)
{
	bool kernel = strcmp(module, "vmlinux") == 0;
	char line[1024], name[512], its[64], type;
	unsigned long long addr;
	struct xtr_lines in;
	int n, err = xtr_lines_open(&in, kallsyms), ended;

	*f = (struct xtr_func_symbols){ 0 };
	if (err)
		return err;
	while (!err && xtr_lines_next(&in, line, sizeof(line))) {
		if (!kernel && !strchr(line, '['))
			continue;
		n = sscanf(line, "%llx %c %511s [%63[^]]", &addr, &type, name, its);
		if (n < 3 || !strchr("tTwW", type))
			continue;
		if (kernel ? n == 3 : n == 4 && strcmp(its, module) == 0)
			err = add(f, name, addr);
	}
	ended = xtr_lines_close(&in);
	err = err ? err : ended;
	if (err)
		xtr_func_symbols_free(f);
	else if (f->n)
		drop_aliases(f);
	return err;
}

static int by_symbol(const void *a, const void *b)
{
	const struct xtr_func_symbol *const *x = a, *const *y = b;

	return strcmp((*x)->symbol, (*y)->symbol);
}

static void mark_traced(struct xtr_func_symbol **sorted, size_t n, const char *symbol)
{
	struct xtr_func_symbol key = { .symbol = (char *)symbol }, *at = &key, **found;

	found = bsearch(&at, sorted, n, sizeof(struct xtr_func_symbol *), by_symbol);
	if (!found)
		return;
	/* Functions of files of their own may have one name. */
	for (; found > sorted && strcmp(found[-1]->symbol, symbol) == 0; found--)
		;
	for (; found < sorted + n && strcmp((*found)->symbol, symbol) == 0; found++)
		(*found)->untraced = false;
}

int xtr_func_symbols_check(struct xtr_func_symbols *f, const char *list, const char *module)
{
	bool kernel = strcmp(module, "vmlinux") == 0;
	struct xtr_func_symbol **sorted;
	char line[1024], name[512], its[64];
	struct xtr_lines in;
	int n, err = xtr_lines_open(&in, list);

	if (err)
		return err;
	sorted = calloc(f->n + 1, sizeof(struct xtr_func_symbol *));
	if (!sorted) {
		xtr_lines_close(&in);
		return -ENOMEM;
	}
	for (size_t i = 0; i < f->n; i++) {
		sorted[i] = &f->v[i];
		f->v[i].untraced = true;
	}
	qsort(sorted, f->n, sizeof(struct xtr_func_symbol *), by_symbol);
	while (xtr_lines_next(&in, line, sizeof(line))) {
		if (kernel == (strchr(line, '[') != NULL))
			continue;
		n = sscanf(line, "%511s [%63[^]]", name, its);
		if (kernel ? n == 1 : n == 2 && strcmp(its, module) == 0)
			mark_traced(sorted, f->n, name);
	}
	free(sorted);
	err = xtr_lines_close(&in);
	for (size_t i = 0; i < f->n && err; i++)
		f->v[i].untraced = false;
	f->checked = !err;
	return err;
}

void xtr_func_symbols_free(struct xtr_func_symbols *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].symbol);
	free(f->v);
	*f = (struct xtr_func_symbols){ 0 };
}

/* --- func lists ------------------------------------------------------------------------------- */

/* Copy the lines of modules. False: not all of them. */
static bool copy(const char *list, FILE *to)
{
	struct xtr_lines from;
	char line[1024];
	bool ok = true;

	if (xtr_lines_open(&from, list))
		return false;
	while (ok && xtr_lines_next(&from, line, sizeof(line)))
		ok = !strchr(line, '[') || fputs(line, to) >= 0;
	return xtr_lines_close(&from) == 0 && ok && fflush(to) == 0;
}

static int read_modules(const char *list)
{
	int fd = memfd_create("xtr-functions", MFD_CLOEXEC), second;
	bool ok = false;
	FILE *to;

	second = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	to = second < 0 ? NULL : fdopen(second, "w");
	if (to)
		ok = copy(list, to);
	if (to)
		fclose(to);
	else if (second >= 0)
		close(second);
	if (ok || fd < 0)
		return fd;
	close(fd);
	return -1;
}

const char *xtr_func_list_modules(struct xtr_func_list *l, const char *list)
{
	if (!l->fd) {
		l->fd = read_modules(list);
		snprintf(l->path, sizeof(l->path), "/proc/self/fd/%d", l->fd);
	}
	return l->fd < 0 ? list : l->path;
}

void xtr_func_list_free(struct xtr_func_list *l)
{
	if (l->fd > 0)
		close(l->fd);
	l->fd = 0;
}
