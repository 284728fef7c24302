/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machines (one boot of one host), devices and rings over all sections of a file: what was recorded
 * of the same boot goes on the same tracks.
 */
#include "perfetto.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static char *copy(const char *s, int *ret)
{
	char *p = s ? strdup(s) : NULL;

	if (s && !p)
		*ret = -ENOMEM;
	return p;
}

static int add_machine(struct pf *pf, const struct xtr_meta *meta)
{
	size_t i = pf->n_machines;
	struct pf_machine *m;
	int err = xtr_grow_array(&pf->machine, &pf->cap_machines, i + 1, sizeof(*m));

	if (err)
		return err;
	m = &pf->machine[i];
	*m = (struct pf_machine){ .id = (uint32_t)i };
	memcpy(m->boot_id, xtr_meta_boot_id(meta), sizeof(m->boot_id));
	m->hostname = copy(or_empty(xtr_meta_system(meta)->hostname), &err);
	pf->n_machines += !err;
	return err;
}

static bool same_machine(const struct xtr_meta *a, const struct xtr_meta *b)
{
	return !memcmp(xtr_meta_boot_id(a), xtr_meta_boot_id(b), 16) &&
	       !strcmp(or_empty(xtr_meta_system(a)->hostname),
		       or_empty(xtr_meta_system(b)->hostname));
}

static bool has_realtime(const struct xtr_section *s)
{
	for (size_t i = 0; i < xtr_section_n_clocks(s); i++)
		if (xtr_section_clock(s, i)->realtime)
			return true;
	return false;
}

bool pf_machines_many(const struct xtr_reader *r, bool *wall_clocks)
{
	const struct xtr_section *first = xtr_reader_section(r, 0);
	bool many = false;

	*wall_clocks = true;
	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		const struct xtr_section *s = xtr_reader_section(r, i);

		*wall_clocks &= has_realtime(s);
		many |= !same_machine(xtr_section_meta(first), xtr_section_meta(s));
	}
	return many;
}

int64_t pf_machine_of(struct pf *pf, const struct xtr_export_section *s)
{
	const char *host = or_empty(xtr_meta_system(s->meta)->hostname);
	const uint8_t *boot = xtr_meta_boot_id(s->meta);
	size_t i;

	for (i = 0; i < pf->n_machines; i++)
		if (!memcmp(pf->machine[i].boot_id, boot, sizeof(pf->machine[i].boot_id)) &&
		    !strcmp(pf->machine[i].hostname, host))
			return (int64_t)i;
	return add_machine(pf, s->meta) ?: (int64_t)i;
}

static char *join(const char *const *text, size_t n, int *ret)
{
	size_t len = 1;
	char *p, *at;

	if (!n)
		return NULL;
	for (size_t i = 0; i < n; i++)
		len += strlen(text[i]) + 1;
	p = at = malloc(len);
	if (!p) {
		*ret = -ENOMEM;
		return NULL;
	}
	*at = '\0';
	for (size_t i = 0; i < n; i++) {
		if (i)
			*at++ = ' ';
		at = stpcpy(at, text[i]);
	}
	return p;
}

static void free_device(struct pf_device *d)
{
	free(d->name);
	free(d->driver);
	free(d->pci_id);
	free(d->driver_version);
	free(d->firmware);
	free(d->nodes);
}

/* d may be NULL: only its name is known. */
static int add_device(struct pf_machine *m, const char *name, const struct xtr_device *d)
{
	struct pf_device *to;
	int err = xtr_grow_array(&m->device, &m->cap_devices, m->n_devices + 1, sizeof(*to));

	if (err)
		return err;
	to = &m->device[m->n_devices];
	*to = (struct pf_device){ .name = copy(name, &err) };
	if (d) {
		to->driver = copy(d->driver, &err);
		to->pci_id = copy(d->pci_id, &err);
		to->driver_version = copy(d->driver_version, &err);
		to->firmware = copy(d->firmware, &err);
		to->nodes = join(d->nodes, d->n_nodes, &err);
	}
	if (!err)
		err = xtr_map_put(&m->devices, pf_hash_text(name, strlen(name)), 0,
				  (uint32_t)m->n_devices);
	if (err)
		free_device(to);
	m->n_devices += !err;
	return err;
}

int64_t pf_device_of(struct pf *pf, const char *name, const struct xtr_device *d, bool *is_new)
{
	struct pf_machine *m = pf_machine(pf);
	uint32_t i = xtr_map_index(&m->devices, pf_hash_text(name, strlen(name)), 0);

	*is_new = i == XTR_MAP_NONE;
	if (!*is_new)
		return i;
	return add_device(m, name, d) ?: (int64_t)m->n_devices - 1;
}

/* How many rings of this name the device has had in this section, with this one. */
static int64_t count_ring(struct pf *pf, uint32_t gpu, const char *name)
{
	uint64_t hash = pf_hash_text(name, strlen(name));
	uint32_t n = xtr_map_index(&pf->ordinals, hash, gpu);

	n = n == XTR_MAP_NONE ? 0 : n + 1;
	return xtr_map_put(&pf->ordinals, hash, gpu, n) ?: (int64_t)n;
}

/* Rings of the machine are found by what names them; so they are the same in each section. */
static int64_t find_ring(struct pf *pf, uint32_t gpu, const char *name, uint32_t ordinal)
{
	struct pf_machine *m = pf_machine(pf);
	uint64_t a = pf_hash(pf_hash_text(name, strlen(name)), ordinal), b = gpu;
	uint32_t i = xtr_map_index(&m->rings, a, b);
	struct pf_ring *r;
	int err;

	if (i != XTR_MAP_NONE)
		return i;
	err = xtr_grow_array(&m->ring, &m->cap_rings, m->n_rings + 1, sizeof(*r));
	if (err)
		return err;
	i = (uint32_t)m->n_rings;
	r = &m->ring[i];
	*r = (struct pf_ring){ .gpu = gpu, .ordinal = ordinal, .name = copy(name, &err) };
	if (!err)
		err = xtr_map_put(&m->rings, a, b, i);
	if (err) {
		free(r->name);
		return err;
	}
	m->n_rings++;
	return i;
}

static int64_t new_ring(struct pf *pf, const struct xtr_model_ring *ring)
{
	bool is_new;
	int64_t gpu = pf_device_of(pf, ring->device_name, NULL, &is_new), ordinal, i;
	int err = 0;

	if (gpu >= 0 && is_new)
		err = pf_gpu_info(pf);
	if (gpu < 0 || err)
		return err ? err : gpu;
	ordinal = count_ring(pf, (uint32_t)gpu, ring->name);
	if (ordinal < 0)
		return ordinal;
	i = find_ring(pf, (uint32_t)gpu, ring->name, (uint32_t)ordinal);
	if (i < 0)
		return i;
	pf->ring_of[ring->index] = (uint32_t)i + 1;
	return i;
}

int64_t pf_ring_of(struct pf *pf, const struct xtr_model_ring *ring)
{
	size_t old = pf->cap_rings;
	int err;

	if (ring->index < old && pf->ring_of[ring->index])
		return pf->ring_of[ring->index] - 1;
	err = xtr_grow_array(&pf->ring_of, &pf->cap_rings, (size_t)ring->index + 1,
			     sizeof(*pf->ring_of));
	if (err)
		return err;
	memset(pf->ring_of + old, 0, (pf->cap_rings - old) * sizeof(*pf->ring_of));
	return new_ring(pf, ring);
}

static void free_machine(struct pf_machine *m)
{
	for (size_t i = 0; i < m->n_devices; i++)
		free_device(&m->device[i]);
	for (size_t i = 0; i < m->n_rings; i++) {
		free(m->ring[i].name);
		xtr_lanes_free(&m->ring[i].waits);
		xtr_lanes_free(&m->ring[i].jobs);
	}
	xtr_map_free(&m->rings);
	xtr_map_free(&m->devices);
	free(m->device);
	free(m->ring);
	free(m->hostname);
}

void pf_machines_free(struct pf *pf)
{
	for (size_t i = 0; i < pf->n_machines; i++)
		free_machine(&pf->machine[i]);
	free(pf->machine);
}
