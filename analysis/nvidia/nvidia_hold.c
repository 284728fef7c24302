/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What processes hold of NVIDIA's driver: open files, told by their pointer, and mappings, told by
 * process and address. A mapping lives from nvidia_mmap to nvidia_vma_release; nvidia_vma_open is a
 * copy made by fork (the same range: the child is not known yet), a part that a mapping is split
 * into (it shares one end), or a move (neither).
 */
#include "nvidia.h"

#include <errno.h>

#define NONE XTR_MAP_NONE

enum {
	KEY_BEGIN,
	KEY_END
};

/* --- files ------------------------------------------------------------------------------------ */

/* NONE: no room; -ENOMEM. */
static int64_t file_new(struct nvidia *nv)
{
	uint32_t i = nv->free_file;

	if (i != NONE) {
		nv->free_file = nv->file[i].next_free;
		return i;
	}
	if (nv->n_files == NV_FILES_MAX)
		return NONE;
	if (!nv_more((void **)&nv->file, nv->n_files, sizeof(*nv->file)))
		return -ENOMEM;
	return nv->n_files++;
}

static void file_gone(struct nvidia *nv, uint32_t i)
{
	struct nv_file *f = &nv->file[i];

	nv->process[f->process].open_files--;
	xtr_map_del(&nv->files, f->file, 0);
	f->live = false;
	f->next_free = nv->free_file;
	nv->free_file = i;
}

static int file_opened(struct nvidia *nv, const struct nv_step *s, uint32_t process)
{
	uint64_t file = s->v[NV_V_FILE];
	uint32_t old = xtr_map_index(&nv->files, file, 0);
	int64_t i;

	if (old != NONE) /* its close was lost: the pointer is in use again */
		file_gone(nv, old);
	i = file_new(nv);
	if (i < 0)
		return (int)i;
	if (i == NONE) {
		nv->untracked++;
		return 0;
	}
	nv->file[i] = (struct nv_file){ .file = file,
					.opened_ns = s->begin_ns ? s->begin_ns : s->ts,
					.process = process,
					.tid = s->tid,
					.live = true };
	nv->process[process].open_files++;
	return xtr_map_put(&nv->files, file, 0, (uint32_t)i);
}

int nv_open_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside)
{
	bool failed = s->end && s->ret_known && s->ret;

	/* What it came to is known when it returns. */
	if (s->end != s->paired)
		return 0;
	if (inside && failed)
		nv->process[process].open_errors++;
	else if (inside)
		nv->process[process].opens++;
	if (failed)
		return inside ? nv_add_error(nv, s, process) : 0;
	return s->has[NV_V_FILE] ? file_opened(nv, s, process) : 0;
}

/* The process that opened a file is told of its close, whoever closes it. */
int nv_close_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside)
{
	uint32_t i = s->has[NV_V_FILE] ? xtr_map_index(&nv->files, s->v[NV_V_FILE], 0) : NONE;
	struct nv_process *p = &nv->process[process];

	if (s->end)
		return 0;
	if (i == NONE) {
		p->closes_earlier += inside && s->has[NV_V_FILE];
		p->closes += inside && !s->has[NV_V_FILE];
		return 0;
	}
	p = &nv->process[nv->file[i].process];
	p->closes += inside;
	p->closes_elsewhere += inside && nv->file[i].tid != s->tid;
	file_gone(nv, i);
	return 0;
}

/* --- mappings --------------------------------------------------------------------------------- */

static uint64_t map_key(uint32_t process, int which)
{
	return (uint64_t)process << 1 | (uint64_t)which;
}

static uint64_t size_of(const struct nv_map *m)
{
	return m->end > m->begin ? m->end - m->begin : 0;
}

static int64_t map_new(struct nvidia *nv)
{
	uint32_t i = nv->free_map;

	if (i != NONE) {
		nv->free_map = nv->map[i].next_free;
		return i;
	}
	if (nv->n_maps == NV_MAPS_MAX)
		return NONE;
	if (!nv_more((void **)&nv->map, nv->n_maps, sizeof(*nv->map)))
		return -ENOMEM;
	return nv->n_maps++;
}

static void map_free(struct nvidia *nv, uint32_t i)
{
	nv->map[i].next_free = nv->free_map;
	nv->free_map = i;
}

static uint32_t own_at(const struct nvidia *nv, uint32_t process, int which, uint64_t address)
{
	return xtr_map_index(&nv->maps, map_key(process, which), address);
}

static int own_put(struct nvidia *nv, uint32_t i)
{
	const struct nv_map *m = &nv->map[i];

	return xtr_map_put(&nv->maps, map_key(m->process, KEY_BEGIN), m->begin, i) ||
			       xtr_map_put(&nv->maps, map_key(m->process, KEY_END), m->end, i)
		       ? -ENOMEM
		       : 0;
}

static void own_unput(struct nvidia *nv, uint32_t i)
{
	const struct nv_map *m = &nv->map[i];

	if (own_at(nv, m->process, KEY_BEGIN, m->begin) == i)
		xtr_map_del(&nv->maps, map_key(m->process, KEY_BEGIN), m->begin);
	if (own_at(nv, m->process, KEY_END, m->end) == i)
		xtr_map_del(&nv->maps, map_key(m->process, KEY_END), m->end);
}

static void own_gone(struct nvidia *nv, uint32_t i)
{
	nv->process[nv->map[i].process].mapped -= size_of(&nv->map[i]);
	own_unput(nv, i);
	map_free(nv, i);
}

static int own_add(struct nvidia *nv, uint32_t process, uint64_t begin, uint64_t end)
{
	struct nv_process *p = &nv->process[process];
	uint32_t old = own_at(nv, process, KEY_BEGIN, begin);
	int64_t i;

	if (old != NONE) /* its release was lost */
		own_gone(nv, old);
	i = map_new(nv);
	if (i < 0)
		return (int)i;
	if (i == NONE) {
		nv->untracked++;
		return 0;
	}
	nv->map[i] = (struct nv_map){ .begin = begin, .end = end, .process = process };
	p->mapped += size_of(&nv->map[i]);
	if (p->mapped > p->mapped_peak)
		p->mapped_peak = p->mapped;
	return own_put(nv, (uint32_t)i);
}

/* A range that ends before it begins is none. */
static bool range_of(const struct nv_step *s, uint64_t *begin, uint64_t *end)
{
	*begin = s->v[NV_V_VM_START];
	*end = s->v[NV_V_VM_END];
	return s->has[NV_V_VM_START] && s->has[NV_V_VM_END] && *end > *begin;
}

int nv_mmap_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside)
{
	struct nv_process *p = &nv->process[process];
	bool failed = s->end && s->ret_known && s->ret;
	uint64_t begin, end;
	bool ranged = range_of(s, &begin, &end);

	if (s->end != s->paired)
		return 0;
	if (failed) {
		p->mmap_errors += inside;
		return inside ? nv_add_error(nv, s, process) : 0;
	}
	p->mmaps += inside;
	if (!ranged)
		return 0;
	p->mmap_bytes += inside ? end - begin : 0;
	return own_add(nv, process, begin, end);
}

static int copy_add(struct nvidia *nv, uint32_t process, uint64_t begin, uint64_t end, bool inside)
{
	uint32_t i = xtr_map_index(&nv->copies, begin, end);
	struct nv_process *p = &nv->process[process];
	int64_t fresh;

	p->copies += inside;
	p->copy_bytes += inside ? end - begin : 0;
	if (i == NONE) {
		fresh = map_new(nv);
		if (fresh < 0)
			return (int)fresh;
		if (fresh == NONE) {
			nv->untracked++;
			return 0;
		}
		i = (uint32_t)fresh;
		nv->map[i] = (struct nv_map){ .begin = begin, .end = end, .process = process };
		if (xtr_map_put(&nv->copies, begin, end, i))
			return -ENOMEM;
	}
	nv->map[i].copies++;
	nv->process[nv->map[i].process].copied += end - begin;
	return 0;
}

/* The part from begin to end leaves mapping i, and becomes one of its own. */
static int split(struct nvidia *nv, uint32_t i, uint64_t begin, uint64_t end)
{
	struct nv_map *m = &nv->map[i];

	nv->process[m->process].mapped -= end - begin;
	own_unput(nv, i);
	if (m->begin == begin)
		m->begin = end;
	else
		m->end = begin;
	return own_put(nv, i) ? -ENOMEM : own_add(nv, m->process, begin, end);
}

int nv_vma_open_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside)
{
	struct nv_process *p = &nv->process[process];
	uint64_t begin, end;
	uint32_t i;

	if (s->end || !range_of(s, &begin, &end))
		return 0;
	i = own_at(nv, process, KEY_BEGIN, begin);
	if (i != NONE && nv->map[i].end == end)
		return copy_add(nv, process, begin, end, inside);
	if (i == NONE || nv->map[i].end < end)
		i = own_at(nv, process, KEY_END, end);
	if (i != NONE && nv->map[i].begin <= begin && nv->map[i].end >= end) {
		p->splits += inside;
		return split(nv, i, begin, end);
	}
	if (xtr_map_index(&nv->copies, begin, end) != NONE)
		return copy_add(nv, process, begin, end, inside);
	p->moves += inside;
	return own_add(nv, process, begin, end);
}

static void copy_released(struct nvidia *nv, uint32_t i)
{
	struct nv_map *m = &nv->map[i];

	nv->process[m->process].copied -= size_of(m);
	if (--m->copies)
		return;
	xtr_map_del(&nv->copies, m->begin, m->end);
	map_free(nv, i);
}

int nv_release_step(struct nvidia *nv, const struct nv_step *s, uint32_t process, bool inside)
{
	struct nv_process *p = &nv->process[process];
	uint64_t begin, end;
	uint32_t i;

	if (s->end)
		return 0;
	p->releases += inside;
	if (!range_of(s, &begin, &end))
		return 0;
	p->released_bytes += inside ? end - begin : 0;
	i = own_at(nv, process, KEY_BEGIN, begin);
	if (i != NONE) {
		own_gone(nv, i);
		return 0;
	}
	i = xtr_map_index(&nv->copies, begin, end);
	if (i != NONE)
		copy_released(nv, i);
	else
		p->releases_earlier += inside;
	return 0;
}
