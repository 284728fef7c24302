// SPDX-License-Identifier: BSD-2-Clause
#include "modwatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

void xtr_modwatch_free(struct xtr_modwatch *w)
{
	free(w->v);
	*w = (struct xtr_modwatch){ 0 };
}
