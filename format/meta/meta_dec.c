/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CBOR to META, with all of xtr.cddl checked. A payload is parsed into a meta of its own, which is
 * then added to the other: a payload that breaks the grammar changes nothing.
 */
#include "cbor.h"
#include "meta_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Strings and arrays of one part while it is parsed: a list of blocks, freed together. */
struct block {
	struct block *next;
	max_align_t data[];
};

struct scratch {
	struct block *blocks;
	bool no_memory;
};

static void *scratch_alloc(struct scratch *s, size_t n)
{
	struct block *b = calloc(1, sizeof(*b) + n);

	if (!b) {
		s->no_memory = true;
		return NULL;
	}
	b->next = s->blocks;
	s->blocks = b;
	return b->data;
}

static void scratch_free(struct scratch *s)
{
	while (s->blocks) {
		struct block *b = s->blocks;

		s->blocks = b->next;
		free(b);
	}
}

/* The text of an item. False if it is not text, or there is no memory. */
static bool text(struct scratch *s, const cbor_item_t *item, const char **out)
{
	size_t n;
	char *p;

	if (!xtr_cbor_is_text(item))
		return false;
	n = cbor_string_length(item);
	p = scratch_alloc(s, n + 1);
	if (!p)
		return false;
	if (n)
		memcpy(p, cbor_string_handle(item), n);
	*out = p;
	return true;
}

static bool text_key(struct scratch *s, const cbor_item_t *map, const char *key, const char **out)
{
	return text(s, xtr_cbor_key(map, key), out);
}

/* The key may be absent: then *out stays NULL. */
static bool optional_key(struct scratch *s, const cbor_item_t *map, const char *key,
			 const char **out)
{
	const cbor_item_t *item = xtr_cbor_key(map, key);

	return !item || text(s, item, out);
}

static bool text_or_null(struct scratch *s, const cbor_item_t *item, const char **out)
{
	return cbor_is_null(item) || text(s, item, out);
}

/* A representation by name; what is not known is bytes (spec 6.2). */
static enum xtr_repr repr_by_name(const cbor_item_t *item, bool *known)
{
	for (int r = 0; r < XTR_REPR_COUNT; r++) {
		if (xtr_cbor_key_is(item, xtr_repr_name((enum xtr_repr)r))) {
			*known = true;
			return (enum xtr_repr)r;
		}
	}
	*known = false;
	return XTR_REPR_BYTES;
}

static enum xtr_sens sens_by_name(const cbor_item_t *item)
{
	if (cbor_is_null(item))
		return XTR_SENS_NONE;
	for (int c = XTR_SENS_PLAIN; c < XTR_SENS_COUNT; c++)
		if (xtr_cbor_key_is(item, xtr_sens_name((enum xtr_sens)c)))
			return (enum xtr_sens)c;
	return XTR_SENS_USER_DATA;
}

static bool get_names(struct scratch *s, const cbor_item_t *map, struct xtr_field *f)
{
	const struct cbor_pair *pairs;
	struct xtr_value_name *names;
	size_t n;

	if (!xtr_cbor_is_map(map))
		return false;
	n = cbor_map_size(map);
	pairs = cbor_map_handle(map);
	names = scratch_alloc(s, n * sizeof(*names));
	if (!names)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!xtr_cbor_u64(pairs[i].key, &names[i].value) ||
		    !text(s, pairs[i].value, &names[i].name))
			return false;
	f->names = names;
	f->n_names = (uint32_t)n;
	return true;
}

static bool get_repr(struct scratch *s, const cbor_item_t *item, struct xtr_field *f)
{
	cbor_item_t **v;
	size_t n;
	bool known;

	if (xtr_cbor_is_text(item)) {
		f->repr = repr_by_name(item, &known);
		return true;
	}
	v = xtr_cbor_array(item, 1, &n);
	if (!v || !xtr_cbor_is_text(v[0]))
		return false;
	if (xtr_cbor_key_is(v[0], "enum")) {
		f->names_kind = XTR_NAMES_ENUM;
	} else if (xtr_cbor_key_is(v[0], "flags")) {
		f->names_kind = XTR_NAMES_FLAGS;
	} else {
		f->repr = XTR_REPR_BYTES;
		return true;
	}
	if (n < 3 || !xtr_cbor_is_text(v[1]))
		return false;
	f->repr = repr_by_name(v[1], &known);
	return known && f->repr <= XTR_REPR_HEX64 && get_names(s, v[2], f);
}

static bool get_field(struct scratch *s, const cbor_item_t *item, struct xtr_field *f)
{
	size_t n;
	cbor_item_t **v = xtr_cbor_array(item, 6, &n);

	if (!v || !text(s, v[0], &f->name) || !xtr_cbor_u32(v[1], &f->offset) ||
	    !get_repr(s, v[2], f) || !text_or_null(s, v[3], &f->unit) ||
	    !(cbor_is_null(v[4]) || xtr_cbor_is_text(v[4])) || !xtr_cbor_u32(v[5], &f->size))
		return false;
	f->sens = sens_by_name(v[4]);
	return true;
}

static bool get_event(struct scratch *s, const cbor_item_t *map, struct xtr_event_desc *ev)
{
	struct xtr_field *fields;
	cbor_item_t **v;
	size_t n;

	v = xtr_cbor_array(xtr_cbor_key(map, "fields"), 0, &n);
	if (!v || !text_key(s, map, "name", &ev->name) ||
	    !xtr_cbor_u32(xtr_cbor_key(map, "provider"), &ev->provider) ||
	    !xtr_cbor_u32(xtr_cbor_key(map, "size"), &ev->size) ||
	    !xtr_cbor_u32(xtr_cbor_key(map, "type"), &ev->type))
		return false;
	fields = scratch_alloc(s, n * sizeof(*fields));
	if (!fields)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!get_field(s, v[i], &fields[i]))
			return false;
	ev->fields = fields;
	ev->n_fields = (uint32_t)n;
	return true;
}

static int take_event(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map)
{
	struct xtr_event_desc ev = { 0 };

	return get_event(s, map, &ev) ? xtr_meta_add_event(m, &ev) : -EBADMSG;
}

static int take_provider(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map)
{
	struct xtr_provider p = { .state = XTR_PROVIDER_MISSING };
	const cbor_item_t *state = xtr_cbor_key(map, "state");

	if (!xtr_cbor_u32(xtr_cbor_key(map, "id"), &p.id) || !text_key(s, map, "name", &p.name) ||
	    !text_key(s, map, "attach", &p.attach) || !text_key(s, map, "target", &p.target) ||
	    !xtr_cbor_is_text(state) || !optional_key(s, map, "why", &p.why) ||
	    !optional_key(s, map, "module", &p.module))
		return -EBADMSG;
	if (xtr_cbor_key_is(state, "attached"))
		p.state = XTR_PROVIDER_ATTACHED;
	else if (xtr_cbor_key_is(state, "refused"))
		p.state = XTR_PROVIDER_REFUSED;
	return xtr_meta_add_provider(m, &p);
}

static bool get_nodes(struct scratch *s, const cbor_item_t *item, struct xtr_device *d)
{
	const char **nodes;
	cbor_item_t **v;
	size_t n;

	if (!item)
		return true;
	v = xtr_cbor_array(item, 0, &n);
	nodes = v ? scratch_alloc(s, n * sizeof(*nodes)) : NULL;
	if (!nodes)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!text(s, v[i], &nodes[i]))
			return false;
	d->nodes = nodes;
	d->n_nodes = n;
	return true;
}

static int take_device(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map)
{
	struct xtr_device d = { 0 };

	if (!text_key(s, map, "name", &d.name) || !optional_key(s, map, "driver", &d.driver) ||
	    !optional_key(s, map, "pci-id", &d.pci_id) ||
	    !optional_key(s, map, "driver-version", &d.driver_version) ||
	    !optional_key(s, map, "driver-srcversion", &d.driver_srcversion) ||
	    !optional_key(s, map, "firmware", &d.firmware) ||
	    !optional_key(s, map, "subsystem", &d.subsystem) ||
	    !optional_key(s, map, "revision", &d.revision) ||
	    !optional_key(s, map, "model", &d.model) || !optional_key(s, map, "uuid", &d.uuid) ||
	    !optional_key(s, map, "vbios", &d.vbios) ||
	    !get_nodes(s, xtr_cbor_key(map, "nodes"), &d))
		return -EBADMSG;
	return xtr_meta_add_device(m, &d);
}

typedef int take_fn(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map);

static int take_map(struct xtr_meta *m, const cbor_item_t *item, take_fn *take)
{
	struct scratch s = { 0 };
	int err = xtr_cbor_is_text_map(item) ? take(m, &s, item) : -EBADMSG;

	if (s.no_memory)
		err = -ENOMEM;
	scratch_free(&s);
	return err;
}

/* An array of maps, each taken over. */
static int take_all(struct xtr_meta *m, const cbor_item_t *item, take_fn *take)
{
	size_t n;
	cbor_item_t **v = xtr_cbor_array(item, 0, &n);
	int err = v ? 0 : -EBADMSG;

	for (size_t i = 0; !err && i < n; i++)
		err = take_map(m, v[i], take);
	return err;
}

static int take_system(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map)
{
	const cbor_item_t *devices;
	struct xtr_system sys = { 0 };
	cbor_item_t **v;
	size_t n;

	v = xtr_cbor_array(xtr_cbor_key(map, "uname"), 3, &n);
	if (!v || n != 3 || !text(s, v[0], &sys.release) || !text(s, v[1], &sys.version) ||
	    !text(s, v[2], &sys.machine) || !xtr_cbor_u32(xtr_cbor_key(map, "cpus"), &sys.cpus) ||
	    !xtr_cbor_u32(xtr_cbor_key(map, "page"), &sys.page) ||
	    !optional_key(s, map, "hypervisor", &sys.hypervisor) ||
	    !optional_key(s, map, "hostname", &sys.hostname) ||
	    !optional_key(s, map, "machine-id", &sys.machine_id))
		return -EBADMSG;
	devices = xtr_cbor_key(map, "devices");
	return (devices ? take_all(m, devices, take_device) : 0) ?: xtr_meta_set_system(m, &sys);
}

static int take_clock(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map)
{
	const cbor_item_t *boot = xtr_cbor_key(map, "boot-id");
	const char *event = NULL;
	uint64_t res;

	if (!text_key(s, map, "event", &event) ||
	    !xtr_cbor_u64(xtr_cbor_key(map, "res-ns"), &res) || !boot ||
	    !cbor_isa_bytestring(boot) || cbor_bytestring_length(boot) != 16)
		return -EBADMSG;
	return xtr_meta_set_clock(m, event, cbor_bytestring_handle(boot), res);
}

static int take_writer(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map)
{
	const char *name = NULL, *version = NULL;

	if (!text_key(s, map, "name", &name) || !text_key(s, map, "version", &version))
		return -EBADMSG;
	return xtr_meta_set_writer(m, name, version);
}

/* Entries that are numbers or text; others are of no use to a reader of this version. */
static int take_config(struct xtr_meta *m, struct scratch *s, const cbor_item_t *map)
{
	const struct cbor_pair *pairs = cbor_map_handle(map);
	int err = 0;

	for (size_t i = 0; !err && i < cbor_map_size(map); i++) {
		const char *key = NULL, *str = NULL;
		uint64_t num;

		if (!text(s, pairs[i].key, &key))
			return -EBADMSG;
		if (xtr_cbor_u64(pairs[i].value, &num))
			err = xtr_meta_set_config_u64(m, key, num);
		else if (text(s, pairs[i].value, &str))
			err = xtr_meta_set_config_str(m, key, str);
	}
	return err;
}

static int take_format(const cbor_item_t *item)
{
	size_t n;
	cbor_item_t **v = xtr_cbor_array(item, 2, &n);
	uint64_t number;

	return v && n == 2 && xtr_cbor_u64(v[0], &number) && xtr_cbor_u64(v[1], &number) ? 0
											 : -EBADMSG;
}

static int parse(struct xtr_meta *m, const cbor_item_t *map)
{
	static const struct {
		const char *key;
		take_fn *take;
		bool list;
	} parts[] = {
		{ "clock", take_clock, false },   { "config", take_config, false },
		{ "events", take_event, true },   { "system", take_system, false },
		{ "writer", take_writer, false }, { "providers", take_provider, true },
	};
	int err = take_format(xtr_cbor_key(map, "format"));

	for (size_t i = 0; !err && i < sizeof(parts) / sizeof(parts[0]); i++) {
		const cbor_item_t *item = xtr_cbor_key(map, parts[i].key);

		err = parts[i].list ? take_all(m, item, parts[i].take)
				    : take_map(m, item, parts[i].take);
	}
	return err;
}

/* Everything of `from` into m: what has a key replaces what had it, the rest is `from`'s. */
static int add_all(struct xtr_meta *m, const struct xtr_meta *from)
{
	int err = xtr_meta_set_writer(m, from->writer_name, from->writer_version) ?:
		  xtr_meta_set_clock(m, from->clock, from->boot_id, from->res_ns) ?:
		  xtr_meta_set_system(m, from->system);

	for (size_t i = 0; !err && i < from->n_devices; i++)
		err = xtr_meta_add_device(m, from->devices[i]);
	for (size_t i = 0; !err && i < from->n_providers; i++)
		err = xtr_meta_add_provider(m, from->providers[i]);
	for (size_t i = 0; !err && i < from->n_events; i++)
		err = xtr_meta_add_event(m, xtr_meta_event_at(from, i));
	for (size_t i = 0; from->config && !err && i < from->config->n; i++) {
		const struct xtr_config_entry *e = &from->config->v[i];

		err = e->str ? xtr_meta_set_config_str(m, e->key, e->str)
			     : xtr_meta_set_config_u64(m, e->key, e->num);
	}
	return err;
}

int xtr_meta_merge(struct xtr_meta *m, const uint8_t *buf, size_t n, struct xtr_err *err)
{
	struct xtr_meta *new;
	cbor_item_t *map;
	int ret = xtr_cbor_load(buf, n, XTR_P_META, &map, err);

	if (ret)
		return ret;
	new = xtr_meta_new();
	ret = (new ? parse(new, map) : -ENOMEM) ?: add_all(m, new);
	xtr_meta_free(new);
	cbor_decref(&map);
	return ret == -EBADMSG || ret == -EINVAL ? xtr_cbor_broken(XTR_P_META, err) : ret;
}
