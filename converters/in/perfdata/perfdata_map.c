/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What lies where in which process: files and functions that MMAP, MMAP2 and KSYMBOL tell of. What
 * an exec replaces stays until something else lies there, as nothing tells when memory goes: until
 * the new program runs, the stack of its thread is the old one's.
 */
#include "perfdata_priv.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>

#define MAPS_OF_ONE_MAX 8192u /* of a process: then the lowest one goes */
#define MAPS_MAX        ((size_t)1 << 19)
#define PROCS_MAX       ((size_t)1 << 17)
#define FILES_MAX       ((size_t)1 << 16)
#define NAME_BYTES      4096u

static struct perf_proc *proc_of(const struct perfdata *d, uint32_t pid)
{
	const uint64_t *i = xtr_map_get(&d->maps.by_pid, pid, 0);

	return i ? &d->maps.procs[*i] : NULL;
}

/* NULL in *p: there are too many. */
static int make_proc(struct perfdata *d, uint32_t pid, struct perf_proc **p)
{
	struct perf_maps *m = &d->maps;

	*p = proc_of(d, pid);
	if (*p || m->n_procs >= PROCS_MAX)
		return 0;
	if (xtr_grow_array(&m->procs, &m->cap_procs, m->n_procs + 1, sizeof(**p)) ||
	    xtr_map_put(&m->by_pid, pid, 0, m->n_procs))
		return -ENOMEM;
	*p = &m->procs[m->n_procs++];
	**p = (struct perf_proc){ 0 };
	return 0;
}

static void aged(struct perf_maps *m, struct perf_proc *p)
{
	p->age = ++m->age;
}

static int file_of(struct perf_maps *m, const char *name, size_t len, uint32_t *file)
{
	uint64_t hash, k;
	const uint64_t *at;

	len = strnlen(name, len < NAME_BYTES ? len : NAME_BYTES);
	hash = xtr_hash_bytes(name, len);
	for (k = 0; (at = xtr_map_get(&m->file_ids, hash, k)); k++) {
		*file = (uint32_t)*at;
		if (strlen(m->files[*at]) == len && !memcmp(m->files[*at], name, len))
			return 0;
	}
	if (m->n_files >= FILES_MAX)
		return -E2BIG;
	if (xtr_grow_array(&m->files, &m->cap_files, m->n_files + 1, sizeof(*m->files)))
		return -ENOMEM;
	m->files[m->n_files] = xtr_copy_text(name, len);
	if (!m->files[m->n_files])
		return -ENOMEM;
	*file = (uint32_t)m->n_files++;
	return xtr_map_put(&m->file_ids, hash, k, *file);
}

/* Index of the first map that ends behind addr. */
static uint32_t first_behind(const struct perf_proc *p, uint64_t addr)
{
	uint32_t low = 0, high = p->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->maps[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int insert(struct perf_maps *m, struct perf_proc *p, uint32_t i, const struct perf_map *map)
{
	size_t cap = p->cap;

	if (m->n_maps >= MAPS_MAX)
		return 0;
	if (p->n >= MAPS_OF_ONE_MAX) {
		if (!i)
			return 0;
		memmove(p->maps, p->maps + 1, --i * sizeof(*map));
		p->maps[i] = *map;
		return 0;
	}
	if (xtr_grow_array(&p->maps, &cap, p->n + 1, sizeof(*map)))
		return -ENOMEM;
	p->cap = (uint32_t)cap;
	memmove(p->maps + i + 1, p->maps + i, (p->n - i) * sizeof(*map));
	p->maps[i] = *map;
	p->n++;
	m->n_maps++;
	return 0;
}

/* What lay there goes; of a map that is cut in two the part behind is put in anew. */
static int make_way(struct perf_maps *m, struct perf_proc *p, const struct perf_map *map)
{
	uint32_t i = first_behind(p, map->start), from;
	struct perf_map rest;

	if (!p->n)
		return 0;
	if (i < p->n && p->maps[i].start < map->start) {
		rest = p->maps[i];
		p->maps[i++].end = map->start;
		if (rest.end > map->end) {
			rest.pgoff += map->end - rest.start;
			rest.start = map->end;
			return insert(m, p, i, &rest);
		}
	}
	for (from = i; i < p->n && p->maps[i].end <= map->end;)
		i++;
	memmove(p->maps + from, p->maps + i, (p->n - i) * sizeof(*map));
	p->n -= i - from;
	m->n_maps -= i - from;
	if (from < p->n && p->maps[from].start < map->end) {
		p->maps[from].pgoff += map->end - p->maps[from].start;
		p->maps[from].start = map->end;
	}
	return 0;
}

int perf_map_add(struct perfdata *d, uint32_t pid, const struct perf_map *map, const char *name,
		 size_t len)
{
	struct perf_map new = *map;
	struct perf_proc *p;
	int err;

	if (map->start >= map->end)
		return 0;
	err = file_of(&d->maps, name, len, &new.file);
	if (err)
		return err == -E2BIG ? 0 : err;
	err = make_proc(d, pid, &p);
	if (err || !p)
		return err;
	err = make_way(&d->maps, p, &new) ?: insert(&d->maps, p, first_behind(p, new.start), &new);
	aged(&d->maps, p);
	return err;
}

static void clear(struct perfdata *d, uint32_t pid)
{
	struct perf_proc *p = proc_of(d, pid);

	if (!p)
		return;
	d->maps.n_maps -= p->n;
	free(p->maps);
	*p = (struct perf_proc){ 0 };
	aged(&d->maps, p);
}

void perf_map_leave(struct perfdata *d, uint32_t pid)
{
	struct perf_proc *p = proc_of(d, pid), *old;
	uint32_t *place = &d->maps.gone[d->maps.n_gone % PERF_GONE];

	if (!p)
		return;
	p->gone = true;
	old = d->maps.n_gone++ >= PERF_GONE ? proc_of(d, *place) : NULL;
	if (old && old->gone) /* else there is another one with its number */
		clear(d, *place);
	*place = pid;
}

int perf_map_fork(struct perfdata *d, uint32_t pid, uint32_t parent)
{
	const struct perf_proc *from;
	struct perf_proc *p;
	int err;

	if (pid == parent)
		return 0;
	clear(d, pid);
	if (!proc_of(d, parent))
		return 0;
	err = make_proc(d, pid, &p);
	from = proc_of(d, parent);
	if (err || !p || !from->n || from->n > MAPS_MAX - d->maps.n_maps)
		return err;
	p->maps = reallocarray(NULL, from->n, sizeof(*p->maps));
	if (!p->maps)
		return -ENOMEM;
	memcpy(p->maps, from->maps, from->n * sizeof(*p->maps));
	p->n = p->cap = from->n;
	d->maps.n_maps += p->n;
	aged(&d->maps, p);
	return 0;
}

const struct perf_map *perf_map_find(const struct perfdata *d, uint32_t pid, uint64_t addr)
{
	const struct perf_proc *p = proc_of(d, pid);
	uint32_t i = p ? first_behind(p, addr) : 0;

	return p && i < p->n && p->maps[i].start <= addr ? &p->maps[i] : NULL;
}

uint32_t perf_map_age(const struct perfdata *d, uint32_t pid)
{
	const struct perf_proc *p = proc_of(d, pid);

	return p ? p->age : 0;
}

void perf_maps_free(struct perf_maps *m)
{
	for (size_t i = 0; i < m->n_procs; i++)
		free(m->procs[i].maps);
	for (size_t i = 0; i < m->n_files; i++)
		free(m->files[i]);
	free(m->procs);
	free(m->files);
	xtr_map_free(&m->by_pid);
	xtr_map_free(&m->file_ids);
	xtr_map_free(&m->chains);
}
