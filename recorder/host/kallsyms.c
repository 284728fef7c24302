/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines are "ffffffff81000000 T _stext" and, for modules, a tab and "[module]" behind that. */
#include "kallsyms.h"
#include "util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t addr;
	char *name; /* with the module's name behind its NUL */
};

struct xtr_kallsyms {
	struct xtr_lines in;
	bool open; /* until it is read */
	struct symbol *v;
	size_t n, cap;
};

struct xtr_kallsyms *xtr_kallsyms_open(const char *path)
{
	struct xtr_kallsyms *k = calloc(1, sizeof(*k));

	if (k)
		k->open = !xtr_lines_open(&k->in, path);
	return k;
}

/* The first symbols may be at 0 where addresses are shown: per-CPU variables. */
bool xtr_kallsyms_shown(void)
{
	struct xtr_lines in;
	char line[512];
	bool shown = false;

	if (xtr_lines_open(&in, "/proc/kallsyms"))
		return false;
	while (!shown && xtr_lines_next(&in, line, sizeof(line)))
		shown = strspn(line, "0") < strcspn(line, " ");
	xtr_lines_close(&in);
	return shown;
}

struct line {
	unsigned long long addr;
	char name[512], module[64];
};

static bool parse(const char *text, struct line *l)
{
	char type;

	l->module[0] = 0;
	return sscanf(text, "%llx %c %511s [%63[^]]", &l->addr, &type, l->name, l->module) >= 3;
}

uint64_t xtr_kallsyms_address(const char *path, const char *module, const char *symbol)
{
	struct xtr_lines in;
	char text[1024];
	struct line l;
	uint64_t addr = 0;

	if (xtr_lines_open(&in, path))
		return 0;
	while (!addr && xtr_lines_next(&in, text, sizeof(text))) {
		if (strstr(text, symbol) && parse(text, &l) && strcmp(l.name, symbol) == 0 &&
		    strcmp(l.module, module ? module : "") == 0)
			addr = l.addr;
	}
	xtr_lines_close(&in);
	return addr;
}

/* Keep one line; false: no memory. */
static bool keep(struct xtr_kallsyms *k, const char *text)
{
	struct symbol *more;
	struct line l;
	char *both;

	if (!parse(text, &l) || !l.addr)
		return true;
	if (k->n == k->cap) {
		k->cap = k->cap ? 2 * k->cap : 65536;
		more = reallocarray(k->v, k->cap, sizeof(*more));
		if (!more)
			return false;
		k->v = more;
	}
	both = malloc(strlen(l.name) + strlen(l.module) + 2);
	if (!both)
		return false;
	strcpy(both, l.name);
	strcpy(both + strlen(l.name) + 1, l.module);
	k->v[k->n++] = (struct symbol){ .addr = l.addr, .name = both };
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void forget(struct xtr_kallsyms *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i].name);
	k->n = 0;
}

/* Of a part of the symbols the nearest one would be a wrong name: rather none. */
void xtr_kallsyms_load(struct xtr_kallsyms *k)
{
	char line[1024];
	bool kept = true;

	if (!k->open)
		return;
	while (kept && xtr_lines_next(&k->in, line, sizeof(line)))
		kept = keep(k, line);
	k->open = false;
	if (xtr_lines_close(&k->in) || !kept)
		forget(k);
	qsort(k->v, k->n, sizeof(*k->v), by_addr);
}

bool xtr_kallsyms_find(struct xtr_kallsyms *k, uint64_t addr, const char **symbol,
		       const char **module, uint64_t *offset)
{
	size_t lo = 0;

	xtr_kallsyms_load(k);
	for (size_t hi = k->n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	*symbol = k->v[lo - 1].name;
	*module = *symbol + strlen(*symbol) + 1;
	*offset = addr - k->v[lo - 1].addr;
	return true;
}

void xtr_kallsyms_free(struct xtr_kallsyms *k)
{
	if (!k)
		return;
	if (k->open)
		xtr_lines_close(&k->in);
	forget(k);
	free(k->v);
	free(k);
}
