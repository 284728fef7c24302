/* SPDX-License-Identifier: BSD-2-Clause */
#include "modwatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FUNCTIONS "kprobe" /* how functions are attached begins so */
#define WHY       "the module was unloaded while it was recorded: later calls are not in the file"

/* 0: there is none. */
static uint64_t folder(const char *root, const char *module)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%.100s/%.100s", root, module);
	return stat(path, &st) ? 0 : st.st_ino;
}

static bool known(const struct xtr_modwatch *w, const char *module)
{
	for (size_t i = 0; i < w->n; i++) {
		if (strcmp(w->v[i].name, module) == 0)
			return true;
	}
	return false;
}

int xtr_modwatch_begin(struct xtr_modwatch *w, const struct xtr_selection *sel, const char *root)
{
	*w = (struct xtr_modwatch){ .v = calloc(sel->n_probes + 1, sizeof(*w->v)) };
	if (!w->v)
		return -ENOMEM;
	for (size_t i = 0; i < sel->n_probes; i++) {
		const struct xtr_probe *p = sel->probes[i];

		if (p->kind != XTR_PROBE_FUNC || p->state != XTR_PROVIDER_ATTACHED || !p->module ||
		    known(w, p->module))
			continue;
		w->v[w->n].name = p->module;
		w->v[w->n].ino = folder(root, p->module);
		w->n += w->v[w->n].ino != 0;
	}
	return 0;
}

void xtr_modwatch_end(struct xtr_modwatch *w, const char *root)
{
	for (size_t i = 0; i < w->n; i++)
		w->v[i].gone = folder(root, w->v[i].name) != w->v[i].ino;
}

const char *xtr_modwatch_gone(const struct xtr_modwatch *w, size_t i)
{
	for (size_t k = 0; k < w->n; k++) {
		if (w->v[k].gone && i-- == 0)
			return w->v[k].name;
	}
	return NULL;
}

static bool is_gone(const struct xtr_modwatch *w, const struct xtr_provider *p)
{
	const char *module;

	if (!p->module || p->state != XTR_PROVIDER_ATTACHED ||
	    strncmp(p->attach, FUNCTIONS, strlen(FUNCTIONS)) != 0)
		return false;
	for (size_t i = 0; (module = xtr_modwatch_gone(w, i)); i++) {
		if (strcmp(module, p->module) == 0)
			return true;
	}
	return false;
}

int xtr_modwatch_note(const struct xtr_modwatch *w, struct xtr_meta *m)
{
	size_t n = xtr_meta_n_providers(m);
	struct xtr_provider p;
	char why[512];
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		p = *xtr_meta_provider(m, i);
		if (!is_gone(w, &p))
			continue;
		snprintf(why, sizeof(why), "%.256s%s%s", p.why ? p.why : "",
			 p.why && *p.why ? "; " : "", WHY);
		p.why = why;
		err = xtr_meta_add_provider(m, &p);
	}
	return err;
}

void xtr_modwatch_free(struct xtr_modwatch *w)
{
	free(w->v);
	*w = (struct xtr_modwatch){ 0 };
}
