/* SPDX-License-Identifier: BSD-2-Clause */
#include "modules.h"
#include "base/buf.h"
#include "base/map.h"
#include "debug_files.h"
#include "debug_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A frame without a name. */
struct place {
	uint32_t section, id;
};

struct module {
	struct xtr_module m;
	struct place *v; /* those that have no name yet */
	size_t n, cap;
};

struct xtr_modules {
	struct xtr_tables **tables; /* of each section, a copy */
	size_t n_sections;
	struct module *v;
	size_t n, cap;
	struct xtr_map by_text; /* (hash of path and build id, n-th with this hash) -> index */
};

/* --- reading ---------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *path, const char *build_id)
{
	return xtr_hash_bytes(path, strlen(path)) ^ xtr_hash_bytes(build_id, strlen(build_id)) << 1;
}

static int add_module(struct xtr_modules *m, const char *path, const char *build_id, uint64_t hash,
		      uint64_t k)
{
	struct module *to;

	if (xtr_grow_array(&m->v, &m->cap, m->n + 1, sizeof(*m->v)))
		return -ENOMEM;
	to = &m->v[m->n];
	*to = (struct module){ 0 };
	to->m.path = strdup(path);
	to->m.build_id = strdup(build_id);
	if (to->m.path && to->m.build_id && !xtr_map_put(&m->by_text, hash, k, m->n)) {
		m->n++;
		return 0;
	}
	free((char *)to->m.path);
	free((char *)to->m.build_id);
	return -ENOMEM;
}

static int module_of(struct xtr_modules *m, const char *path, const char *build_id,
		     struct module **out)
{
	const uint64_t hash = hash_of(path, build_id);
	const uint64_t *i;
	uint64_t k;
	int err;

	for (k = 0; (i = xtr_map_get(&m->by_text, hash, k)); k++) {
		*out = &m->v[*i];
		if (!strcmp((*out)->m.path, path) && !strcmp((*out)->m.build_id, build_id))
			return 0;
	}
	err = add_module(m, path, build_id, hash, k);
	*out = err ? NULL : &m->v[m->n - 1];
	return err;
}

/* A string with a NUL in it ends there; it is no path and no build id. */
static const char *text_of(const struct xtr_tables *t, uint32_t id)
{
	const char *s = id ? xtr_tables_string(t, id, NULL) : NULL;

	return s ? s : "";
}

static int take_frame(struct xtr_modules *m, uint32_t section, uint32_t id)
{
	const struct xtr_tables *t = m->tables[section];
	const struct xtr_frame *f = xtr_tables_frame(t, id);
	const char *path = text_of(t, f->module), *build_id = text_of(t, f->build_id);
	struct module *to;
	int err;

	/* Modules of the kernel have names, not paths. */
	if (!strchr(path, '/') && !*build_id)
		return 0;
	err = module_of(m, path, xtr_is_build_id(build_id) ? build_id : "", &to);
	if (err)
		return err;
	to->m.frames++;
	if (*text_of(t, f->symbol)) {
		to->m.named++;
		return 0;
	}
	if (xtr_grow_array(&to->v, &to->cap, to->n + 1, sizeof(*to->v)))
		return -ENOMEM;
	to->v[to->n++] = (struct place){ section, id };
	return 0;
}

static int by_path(const void *pa, const void *pb)
{
	const struct module *a = pa, *b = pb;
	int cmp = strcmp(a->m.path, b->m.path);

	return cmp ? cmp : strcmp(a->m.build_id, b->m.build_id);
}

static int read_all(struct xtr_modules *m, const struct xtr_reader *r)
{
	int err = 0;

	m->n_sections = xtr_reader_n_sections(r);
	m->tables = calloc(m->n_sections + 1, sizeof(*m->tables));
	if (!m->tables)
		return -ENOMEM;
	for (uint32_t s = 0; s < m->n_sections && !err; s++) {
		m->tables[s] = xtr_tables_copy(xtr_section_tables(xtr_reader_section(r, s)));
		if (!m->tables[s])
			return -ENOMEM;
		for (uint32_t id = 0;
		     !err && xtr_tables_next_id(m->tables[s], XTR_TABLE_FRAMES, &id);)
			err = take_frame(m, s, id);
	}
	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_path);
	return err;
}

int xtr_modules_read(struct xtr_modules **m, const struct xtr_reader *r)
{
	int err;

	*m = calloc(1, sizeof(**m));
	if (!*m)
		return -ENOMEM;
	err = read_all(*m, r);
	if (err) {
		xtr_modules_free(*m);
		*m = NULL;
	}
	return err;
}

void xtr_modules_free(struct xtr_modules *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_sections && m->tables; i++)
		xtr_tables_free(m->tables[i]);
	for (size_t i = 0; i < m->n; i++) {
		free((char *)m->v[i].m.path);
		free((char *)m->v[i].m.build_id);
		free(m->v[i].v);
	}
	xtr_map_free(&m->by_text);
	free(m->tables);
	free(m->v);
	free(m);
}

size_t xtr_modules_n(const struct xtr_modules *m)
{
	return m->n;
}

const struct xtr_module *xtr_modules_at(const struct xtr_modules *m, size_t i)
{
	return i < m->n ? &m->v[i].m : NULL;
}

struct xtr_tables *xtr_modules_tables(struct xtr_modules *m, size_t section)
{
	return section < m->n_sections ? m->tables[section] : NULL;
}

/* --- naming ----------------------------------------------------------------------------------- */

/* 1: named; 0: the file has no name for it; -errno. */
static int name_frame(struct xtr_tables *t, uint32_t id, const struct xtr_debug_names *e)
{
	struct xtr_frame f = *xtr_tables_frame(t, id);
	char name[XTR_DEBUG_NAME_MAX];
	int err;

	if (!xtr_debug_names_find(e, f.offset, name, &f.offset))
		return 0;
	err = xtr_tables_intern(t, name, strlen(name), &f.symbol)
		      ?: xtr_tables_set_frame(t, id, &f);
	return err ? err : 1;
}

int xtr_modules_name(struct xtr_modules *m, size_t i, const char *file)
{
	struct module *of = &m->v[i];
	struct xtr_debug_names *e;
	size_t left = 0;
	int err = xtr_debug_names_open(&e, file, of->m.build_id);

	for (size_t k = 0; k < of->n && e; k++) {
		int named = err ? 0 : name_frame(m->tables[of->v[k].section], of->v[k].id, e);

		if (named > 0)
			of->m.found++;
		else
			of->v[left++] = of->v[k];
		err = named < 0 ? named : err;
	}
	if (e)
		of->n = left;
	xtr_debug_names_close(e);
	return err;
}
