/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/buf.h"
#include "meta_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct xtr_meta *xtr_meta_new(void)
{
	return calloc(1, sizeof(struct xtr_meta));
}

const struct xtr_meta *xtr_meta_none(void)
{
	static const struct xtr_meta none;

	return &none;
}

void xtr_meta_settle(struct xtr_meta *m)
{
	xtr_config_sort(m->config);
}

void xtr_meta_free(struct xtr_meta *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_devices; i++)
		free(m->devices[i]);
	for (size_t i = 0; i < m->n_providers; i++)
		free(m->providers[i]);
	for (size_t i = 0; i < m->n_events; i++)
		free(xtr_meta_of_type(m, m->types[i]));
	for (size_t i = 0; i < sizeof(m->pages) / sizeof(m->pages[0]); i++)
		free(m->pages[i]);
	xtr_map_free(&m->by_device);
	xtr_map_free(&m->by_provider);
	xtr_config_free(m->config);
	free(m->devices);
	free(m->providers);
	xtr_name_index_free(m->names);
	free(m->names);
	free(m->types);
	free(m->system);
	free(m->writer_name);
	free(m->writer_version);
	free(m->clock);
	free(m);
}

static int set_str(char **to, const char *s)
{
	char *new = strdup(s);

	if (!new)
		return -ENOMEM;
	free(*to);
	*to = new;
	return 0;
}

int xtr_meta_set_writer(struct xtr_meta *m, const char *name, const char *version)
{
	return set_str(&m->writer_name, name) ?: set_str(&m->writer_version, version);
}

int xtr_meta_set_clock(struct xtr_meta *m, const char *event_clock, const uint8_t boot_id[16],
		       uint64_t res_ns)
{
	int err = set_str(&m->clock, event_clock);

	if (err)
		return err;
	memcpy(m->boot_id, boot_id, sizeof(m->boot_id));
	m->res_ns = res_ns;
	return 0;
}

int xtr_meta_set_system(struct xtr_meta *m, const struct xtr_system *sys)
{
	struct xtr_system *new = xtr_system_dup(sys);

	if (!new)
		return -ENOMEM;
	free(m->system);
	m->system = new;
	return 0;
}

/* Where a device of this name is, by the hash of its name; else n_devices, and *k is free. */
static size_t find_device(const struct xtr_meta *m, const char *name, uint64_t hash, uint64_t *k)
{
	const uint64_t *i;

	for (*k = 0; (i = xtr_map_get(&m->by_device, hash, *k)); ++*k)
		if (!strcmp(m->devices[*i]->name, name))
			return *i;
	return m->n_devices;
}

int xtr_meta_add_device(struct xtr_meta *m, const struct xtr_device *dev)
{
	struct xtr_device *new;
	uint64_t hash, k;
	size_t i;

	if (!dev->name)
		return -EINVAL;
	if (xtr_grow_array(&m->devices, &m->cap_devices, m->n_devices + 1, sizeof(*m->devices)))
		return -ENOMEM;
	hash = xtr_hash_bytes(dev->name, strlen(dev->name));
	i = find_device(m, dev->name, hash, &k);
	if (i == m->n_devices && xtr_map_put(&m->by_device, hash, k, i))
		return -ENOMEM;
	new = xtr_device_dup(dev);
	if (!new &&i == m->n_devices)
		xtr_map_del(&m->by_device, hash, k);
	if (!new)
		return -ENOMEM;
	if (i < m->n_devices)
		free(m->devices[i]);
	else
		m->n_devices++;
	m->devices[i] = new;
	return 0;
}

int xtr_meta_add_provider(struct xtr_meta *m, const struct xtr_provider *p)
{
	struct xtr_provider *new;
	const uint64_t *known;
	size_t i;

	if (!p->name || !p->attach || !p->target)
		return -EINVAL;
	if (xtr_grow_array(&m->providers, &m->cap_providers, m->n_providers + 1,
			   sizeof(*m->providers)))
		return -ENOMEM;
	known = xtr_map_get(&m->by_provider, p->id, 0);
	i = known ? *known : m->n_providers;
	if (!known && xtr_map_put(&m->by_provider, p->id, 0, i))
		return -ENOMEM;
	new = xtr_provider_dup(p);
	if (!new &&i == m->n_providers)
		xtr_map_del(&m->by_provider, p->id, 0);
	if (!new)
		return -ENOMEM;
	if (i < m->n_providers)
		free(m->providers[i]);
	else
		m->n_providers++;
	m->providers[i] = new;
	return 0;
}

/* Put a type into its place among the sorted ones. */
static void insert_type(struct xtr_meta *m, uint16_t type)
{
	size_t low = 0, high = m->n_events, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->types[mid] < type)
			low = mid + 1;
		else
			high = mid;
	}
	memmove(m->types + low + 1, m->types + low, (m->n_events - low) * sizeof(*m->types));
	m->types[low] = type;
	m->n_events++;
}

int xtr_meta_add_event(struct xtr_meta *m, const struct xtr_event_desc *ev)
{
	struct xtr_event_page **page;
	struct xtr_event_desc *new, **at;

	if (!xtr_event_is_sane(ev))
		return -EINVAL;
	page = &m->pages[ev->type >> 8];
	if (!*page)
		*page = calloc(1, sizeof(**page));
	if (!m->names)
		m->names = calloc(1, sizeof(*m->names));
	if (!*page || !m->names ||
	    xtr_grow_array(&m->types, &m->cap_types, m->n_events + 1, sizeof(*m->types)))
		return -ENOMEM;
	new = xtr_event_dup(ev);
	if (!new)
		return -ENOMEM;
	xtr_name_index_free(m->names);
	at = &(*page)->of[ev->type & 255];
	if (*at)
		free(*at);
	else
		insert_type(m, (uint16_t)ev->type);
	*at = new;
	return 0;
}

bool xtr_meta_is_empty(const struct xtr_meta *m)
{
	return !m->writer_name;
}

const char *xtr_meta_writer_name(const struct xtr_meta *m)
{
	return m->writer_name ? m->writer_name : "";
}

const char *xtr_meta_writer_version(const struct xtr_meta *m)
{
	return m->writer_version ? m->writer_version : "";
}

const char *xtr_meta_clock(const struct xtr_meta *m)
{
	return m->clock ? m->clock : "monotonic";
}

bool xtr_meta_has_times(const struct xtr_meta *m)
{
	return !m || strcmp(xtr_meta_clock(m), XTR_CLOCK_SEQUENCE) != 0;
}

const uint8_t *xtr_meta_boot_id(const struct xtr_meta *m)
{
	return m->boot_id;
}

uint64_t xtr_meta_clock_res(const struct xtr_meta *m)
{
	return m->res_ns;
}

const struct xtr_system *xtr_meta_system(const struct xtr_meta *m)
{
	static const struct xtr_system none = { .release = "", .version = "", .machine = "" };

	return m->system ? m->system : &none;
}

size_t xtr_meta_n_devices(const struct xtr_meta *m)
{
	return m->n_devices;
}

const struct xtr_device *xtr_meta_device(const struct xtr_meta *m, size_t i)
{
	return i < m->n_devices ? m->devices[i] : NULL;
}

size_t xtr_meta_n_providers(const struct xtr_meta *m)
{
	return m->n_providers;
}

const struct xtr_provider *xtr_meta_provider(const struct xtr_meta *m, size_t i)
{
	return i < m->n_providers ? m->providers[i] : NULL;
}

size_t xtr_meta_n_events(const struct xtr_meta *m)
{
	return m->n_events;
}

const struct xtr_event_desc *xtr_meta_event_at(const struct xtr_meta *m, size_t i)
{
	return i < m->n_events ? xtr_meta_of_type(m, m->types[i]) : NULL;
}

const struct xtr_event_desc *xtr_meta_event(const struct xtr_meta *m, uint32_t type)
{
	return type <= UINT16_MAX ? xtr_meta_of_type(m, type) : NULL;
}

/* --- meta name -------------------------------------------------------------------------------- */

/*
 * Events of META by name. The first search sorts all of them; an index in order needs no hash that
 * a file could be made against.
 */

static int by_name(const void *pa, const void *pb, void *ctx)
{
	const struct xtr_meta *m = ctx;
	uint16_t a = *(const uint16_t *)pa, b = *(const uint16_t *)pb;
	int cmp = strcmp(xtr_meta_of_type(m, a)->name, xtr_meta_of_type(m, b)->name);

	return cmp ? cmp : (int)a - b;
}

/* False: no memory. */
static bool sort(const struct xtr_meta *m, struct xtr_name_index *x)
{
	x->types = malloc(m->n_events * sizeof(*x->types));
	if (!x->types)
		return false;
	memcpy(x->types, m->types, m->n_events * sizeof(*x->types));
	qsort_r(x->types, m->n_events, sizeof(*x->types), by_name, (void *)(uintptr_t)m);
	return true;
}

static const struct xtr_event_desc *search(const struct xtr_meta *m, const char *name)
{
	for (size_t i = 0; i < m->n_events; i++)
		if (!strcmp(xtr_meta_event_at(m, i)->name, name))
			return xtr_meta_event_at(m, i);
	return NULL;
}

void xtr_name_index_free(struct xtr_name_index *x)
{
	if (!x)
		return;
	free(x->types);
	x->types = NULL;
}

const struct xtr_event_desc *xtr_meta_event_by_name(const struct xtr_meta *m, const char *name)
{
	const struct xtr_event_desc *d;
	size_t low = 0, high = m->n_events, mid;

	if (!high)
		return NULL;
	if (!m->names->types && !sort(m, m->names))
		return search(m, name);
	while (low < high) { /* the first whose name is not before this one */
		mid = low + (high - low) / 2;
		if (strcmp(xtr_meta_of_type(m, m->names->types[mid])->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	d = low < m->n_events ? xtr_meta_of_type(m, m->names->types[low]) : NULL;
	return d && !strcmp(d->name, name) ? d : NULL;
}
