// SPDX-License-Identifier: BSD-2-Clause
#include "meta_priv.h"
#include "buf.h"
#include "cborenc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TYPES ((size_t)UINT16_MAX + 1)

struct xtr_meta *xtr_meta_new(void)
{
	return calloc(1, sizeof(struct xtr_meta));
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
		free(m->by_type[m->types[i]]);
	for (size_t i = 0; i < m->n_config; i++) {
		free(m->config[i].key);
		free(m->config[i].str);
	}
	free(m->devices);
	free(m->providers);
	xtr_name_index_free(m->names);
	free(m->names);
	free(m->by_type);
	free(m->types);
	free(m->config);
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
	int err = set_str(&m->writer_name, name);

	return err ? err : set_str(&m->writer_version, version);
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

int xtr_meta_add_device(struct xtr_meta *m, const struct xtr_device *dev)
{
	struct xtr_device *new;
	size_t i = 0;

	if (!dev->name)
		return -EINVAL;
	if (xtr_grow_array(&m->devices, &m->cap_devices, m->n_devices + 1, sizeof(*m->devices)))
		return -ENOMEM;
	new = xtr_device_dup(dev);
	if (!new)
		return -ENOMEM;
	while (i < m->n_devices && strcmp(m->devices[i]->name, dev->name))
		i++;
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
	size_t i = 0;

	if (!p->name || !p->attach || !p->target)
		return -EINVAL;
	if (xtr_grow_array(&m->providers, &m->cap_providers, m->n_providers + 1,
			   sizeof(*m->providers)))
		return -ENOMEM;
	new = xtr_provider_dup(p);
	if (!new)
		return -ENOMEM;
	while (i < m->n_providers && m->providers[i]->id != p->id)
		i++;
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
	struct xtr_event_desc *new;

	if (!xtr_event_is_sane(ev))
		return -EINVAL;
	if (!m->by_type)
		m->by_type = calloc(TYPES, sizeof(struct xtr_event_desc *));
	if (!m->names)
		m->names = calloc(1, sizeof(*m->names));
	if (!m->by_type || !m->names ||
	    xtr_grow_array(&m->types, &m->cap_types, m->n_events + 1, sizeof(*m->types)))
		return -ENOMEM;
	new = xtr_event_dup(ev);
	if (!new)
		return -ENOMEM;
	xtr_name_index_free(m->names);
	if (m->by_type[ev->type])
		free(m->by_type[ev->type]);
	else
		insert_type(m, (uint16_t)ev->type);
	m->by_type[new->type] = new;
	return 0;
}

/* The entry of a key, made in its place if it is new; NULL: no memory. */
static struct xtr_config_entry *config_entry(struct xtr_meta *m, const char *key)
{
	char *copy;
	size_t i;

	for (i = 0; i < m->n_config; i++) {
		int cmp = xtr_enc_key_cmp(m->config[i].key, key);

		if (!cmp)
			return &m->config[i];
		if (cmp > 0)
			break;
	}
	copy = strdup(key);
	if (!copy ||
	    xtr_grow_array(&m->config, &m->cap_config, m->n_config + 1, sizeof(*m->config))) {
		free(copy);
		return NULL;
	}
	memmove(m->config + i + 1, m->config + i, (m->n_config - i) * sizeof(*m->config));
	m->n_config++;
	m->config[i] = (struct xtr_config_entry){ .key = copy };
	return &m->config[i];
}

int xtr_meta_set_config_u64(struct xtr_meta *m, const char *key, uint64_t value)
{
	struct xtr_config_entry *e = config_entry(m, key);

	if (!e)
		return -ENOMEM;
	free(e->str);
	e->str = NULL;
	e->num = value;
	return 0;
}

int xtr_meta_set_config_str(struct xtr_meta *m, const char *key, const char *value)
{
	struct xtr_config_entry *e = config_entry(m, key);

	return e ? set_str(&e->str, value) : -ENOMEM;
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
	return i < m->n_events ? m->by_type[m->types[i]] : NULL;
}

const struct xtr_event_desc *xtr_meta_event(const struct xtr_meta *m, uint32_t type)
{
	return m->by_type && type < TYPES ? m->by_type[type] : NULL;
}

bool xtr_meta_config(const struct xtr_meta *m, size_t i, const char **key, uint64_t *num,
		     const char **str)
{
	if (i >= m->n_config)
		return false;
	*key = m->config[i].key;
	*num = m->config[i].num;
	*str = m->config[i].str;
	return true;
}

static const struct xtr_config_entry *find_config(const struct xtr_meta *m, const char *key)
{
	for (size_t i = 0; i < m->n_config; i++)
		if (!strcmp(m->config[i].key, key))
			return &m->config[i];
	return NULL;
}

bool xtr_meta_config_u64(const struct xtr_meta *m, const char *key, uint64_t *num)
{
	const struct xtr_config_entry *e = find_config(m, key);

	*num = e && !e->str ? e->num : 0;
	return e && !e->str;
}

const char *xtr_meta_config_str(const struct xtr_meta *m, const char *key)
{
	const struct xtr_config_entry *e = find_config(m, key);

	return e ? e->str : NULL;
}
