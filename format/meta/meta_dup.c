/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies of META's parts: one block each, structures first, then their strings. */
#include "meta_priv.h"
#include "format/xtr_format.h"

#include <stdlib.h>
#include <string.h>

static size_t str_bytes(const char *s)
{
	return s ? strlen(s) + 1 : 0;
}

static const char *put_str(char **at, const char *s)
{
	size_t n = str_bytes(s);
	char *p = *at;

	if (!s)
		return NULL;
	memcpy(p, s, n);
	*at += n;
	return p;
}

struct xtr_system *xtr_system_dup(const struct xtr_system *sys)
{
	size_t n = sizeof(*sys) + str_bytes(sys->release) + str_bytes(sys->version) +
		   str_bytes(sys->machine) + str_bytes(sys->hypervisor) + str_bytes(sys->hostname) +
		   str_bytes(sys->machine_id);
	struct xtr_system *new = malloc(n);
	char *at;

	if (!new)
		return NULL;
	at = (char *)(new + 1);
	*new = *sys;
	new->release = put_str(&at, sys->release);
	new->version = put_str(&at, sys->version);
	new->machine = put_str(&at, sys->machine);
	new->hypervisor = put_str(&at, sys->hypervisor);
	new->hostname = put_str(&at, sys->hostname);
	new->machine_id = put_str(&at, sys->machine_id);
	return new;
}

struct xtr_device *xtr_device_dup(const struct xtr_device *dev)
{
	size_t n = sizeof(*dev) + dev->n_nodes * sizeof(*dev->nodes) + str_bytes(dev->name) +
		   str_bytes(dev->driver) + str_bytes(dev->pci_id) +
		   str_bytes(dev->driver_version) + str_bytes(dev->driver_srcversion) +
		   str_bytes(dev->firmware) + str_bytes(dev->subsystem) + str_bytes(dev->revision) +
		   str_bytes(dev->model) + str_bytes(dev->vbios) + str_bytes(dev->uuid);
	struct xtr_device *new;
	const char **nodes;
	char *at;

	for (size_t i = 0; i < dev->n_nodes; i++)
		n += str_bytes(dev->nodes[i]);
	new = malloc(n);
	if (!new)
		return NULL;
	nodes = (const char **)(new + 1);
	at = (char *)(nodes + dev->n_nodes);
	for (size_t i = 0; i < dev->n_nodes; i++)
		nodes[i] = put_str(&at, dev->nodes[i]);
	*new = (struct xtr_device){
		.name = put_str(&at, dev->name),
		.driver = put_str(&at, dev->driver),
		.pci_id = put_str(&at, dev->pci_id),
		.driver_version = put_str(&at, dev->driver_version),
		.driver_srcversion = put_str(&at, dev->driver_srcversion),
		.firmware = put_str(&at, dev->firmware),
		.subsystem = put_str(&at, dev->subsystem),
		.revision = put_str(&at, dev->revision),
		.model = put_str(&at, dev->model),
		.vbios = put_str(&at, dev->vbios),
		.uuid = put_str(&at, dev->uuid),
		.nodes = nodes,
		.n_nodes = dev->n_nodes,
	};
	return new;
}

struct xtr_provider *xtr_provider_dup(const struct xtr_provider *p)
{
	size_t n = sizeof(*p) + str_bytes(p->name) + str_bytes(p->attach) + str_bytes(p->target) +
		   str_bytes(p->why) + str_bytes(p->module);
	struct xtr_provider *new = malloc(n);
	char *at;

	if (!new)
		return NULL;
	at = (char *)(new + 1);
	*new = (struct xtr_provider){
		.id = p->id,
		.name = put_str(&at, p->name),
		.attach = put_str(&at, p->attach),
		.target = put_str(&at, p->target),
		.state = p->state,
		.why = put_str(&at, p->why),
		.module = put_str(&at, p->module),
	};
	return new;
}

/* Insertion sort: names come sorted, or nearly so. Returns how many are left without repetitions.
 */
static uint32_t sort_names(struct xtr_value_name *v, uint32_t n)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct xtr_value_name name = v[i];
		uint32_t j = out;

		while (j && v[j - 1].value > name.value)
			j--;
		if (j && v[j - 1].value == name.value)
			continue;
		memmove(v + j + 1, v + j, (out - j) * sizeof(*v));
		v[j] = name;
		out++;
	}
	return out;
}

static size_t event_bytes(const struct xtr_event_desc *ev)
{
	size_t n = sizeof(*ev) + ev->n_fields * sizeof(*ev->fields) + str_bytes(ev->name);

	for (uint32_t i = 0; i < ev->n_fields; i++) {
		const struct xtr_field *f = &ev->fields[i];

		n += str_bytes(f->name) + str_bytes(f->unit) + f->n_names * sizeof(*f->names);
		for (uint32_t k = 0; k < f->n_names; k++)
			n += str_bytes(f->names[k].name);
	}
	return n;
}

struct xtr_event_desc *xtr_event_dup(const struct xtr_event_desc *ev)
{
	struct xtr_event_desc *new = malloc(event_bytes(ev));
	struct xtr_value_name *names;
	struct xtr_field *fields;
	char *at;

	if (!new)
		return NULL;
	fields = (struct xtr_field *)(new + 1);
	*new = *ev;
	new->fields = fields;
	names = (struct xtr_value_name *)(fields + ev->n_fields);
	at = (char *)names;
	for (uint32_t i = 0; i < ev->n_fields; i++)
		at += ev->fields[i].n_names * sizeof(*names);
	new->name = put_str(&at, ev->name);
	for (uint32_t i = 0; i < ev->n_fields; i++) {
		const struct xtr_field *f = &ev->fields[i];

		fields[i] = *f;
		fields[i].name = put_str(&at, f->name);
		fields[i].unit = put_str(&at, f->unit);
		fields[i].names = names;
		for (uint32_t k = 0; k < f->n_names; k++)
			names[k] = (struct xtr_value_name){ f->names[k].value,
							    put_str(&at, f->names[k].name) };
		fields[i].n_names = sort_names(names, f->n_names);
		names += f->n_names;
	}
	return new;
}

static bool field_is_sane(const struct xtr_field *f, uint32_t rec_size)
{
	uint32_t width = xtr_repr_width(f->repr);

	if (!f->name || (unsigned int)f->repr >= XTR_REPR_COUNT || !f->size ||
	    f->offset > rec_size || f->size > rec_size - f->offset)
		return false;
	if (f->names_kind != XTR_NAMES_NONE && f->repr > XTR_REPR_HEX64)
		return false;
	if (f->repr == XTR_REPR_STRID)
		return f->size == 4 || f->size == 8;
	return !width || f->size == width;
}

bool xtr_event_is_sane(const struct xtr_event_desc *ev)
{
	if (!ev->name || ev->type < XTR_TYPE_FIRST_BUILTIN || ev->type > UINT16_MAX ||
	    ev->size < XTR_RECORD_HEADER_SIZE || ev->size > UINT16_MAX || ev->size % 8)
		return false;
	for (uint32_t i = 0; i < ev->n_fields; i++)
		if (!field_is_sane(&ev->fields[i], ev->size))
			return false;
	return true;
}
