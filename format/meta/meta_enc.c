/* SPDX-License-Identifier: BSD-2-Clause */
/* META to CBOR (xtr.cddl). Map keys stand here in the order of their encoded bytes. */
#include "cbor.h"
#include "meta_priv.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <stdlib.h>

static const char *const states[] = {
	[XTR_PROVIDER_ATTACHED] = "attached",
	[XTR_PROVIDER_MISSING] = "missing",
	[XTR_PROVIDER_REFUSED] = "refused",
};

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static void put_optional(struct xtr_buf *b, const char *key, const char *s)
{
	if (s)
		xtr_enc_pair_text(b, key, s);
}

static void put_clock(struct xtr_buf *b, const struct xtr_meta *m)
{
	xtr_enc_text(b, "clock");
	xtr_enc_map(b, 3);
	xtr_enc_pair_text(b, "event", xtr_meta_clock(m));
	xtr_enc_pair_uint(b, "res-ns", m->res_ns);
	xtr_enc_text(b, "boot-id");
	xtr_enc_bytes(b, m->boot_id, sizeof(m->boot_id));
}

static void put_config(struct xtr_buf *b, const struct xtr_meta *m)
{
	size_t n = m->config ? m->config->n : 0;

	xtr_config_sort(m->config);
	xtr_enc_text(b, "config");
	xtr_enc_map(b, n);
	for (size_t i = 0; i < n; i++) {
		const struct xtr_config_entry *e = &m->config->v[i];

		if (e->str)
			xtr_enc_pair_text(b, e->key, e->str);
		else
			xtr_enc_pair_uint(b, e->key, e->num);
	}
}

static void put_repr(struct xtr_buf *b, const struct xtr_field *f)
{
	if (f->names_kind == XTR_NAMES_NONE) {
		xtr_enc_text(b, xtr_repr_name(f->repr));
		return;
	}
	xtr_enc_array(b, 3);
	xtr_enc_text(b, f->names_kind == XTR_NAMES_ENUM ? "enum" : "flags");
	xtr_enc_text(b, xtr_repr_name(f->repr));
	xtr_enc_map(b, f->n_names);
	for (uint32_t i = 0; i < f->n_names; i++) {
		xtr_enc_uint(b, f->names[i].value);
		xtr_enc_text(b, or_empty(f->names[i].name));
	}
}

static void put_event(struct xtr_buf *b, const struct xtr_event_desc *ev)
{
	xtr_enc_map(b, 5);
	xtr_enc_pair_text(b, "name", ev->name);
	xtr_enc_pair_uint(b, "size", ev->size);
	xtr_enc_pair_uint(b, "type", ev->type);
	xtr_enc_text(b, "fields");
	xtr_enc_array(b, ev->n_fields);
	for (uint32_t i = 0; i < ev->n_fields; i++) {
		const struct xtr_field *f = &ev->fields[i];

		xtr_enc_array(b, 6);
		xtr_enc_text(b, f->name);
		xtr_enc_uint(b, f->offset);
		put_repr(b, f);
		xtr_enc_text(b, f->unit);
		xtr_enc_text(b, xtr_sens_name(f->sens));
		xtr_enc_uint(b, f->size);
	}
	xtr_enc_pair_uint(b, "provider", ev->provider);
}

static void put_device(struct xtr_buf *b, const struct xtr_device *d)
{
	xtr_enc_map(b, 1 + (size_t)(d->n_nodes > 0) + !!d->uuid + !!d->model + !!d->vbios +
			       !!d->driver + !!d->pci_id + !!d->firmware + !!d->revision +
			       !!d->subsystem + !!d->driver_version + !!d->driver_srcversion);
	xtr_enc_pair_text(b, "name", d->name);
	put_optional(b, "uuid", d->uuid);
	put_optional(b, "model", d->model);
	if (d->n_nodes) {
		xtr_enc_text(b, "nodes");
		xtr_enc_array(b, d->n_nodes);
		for (size_t i = 0; i < d->n_nodes; i++)
			xtr_enc_text(b, or_empty(d->nodes[i]));
	}
	put_optional(b, "vbios", d->vbios);
	put_optional(b, "driver", d->driver);
	put_optional(b, "pci-id", d->pci_id);
	put_optional(b, "firmware", d->firmware);
	put_optional(b, "revision", d->revision);
	put_optional(b, "subsystem", d->subsystem);
	put_optional(b, "driver-version", d->driver_version);
	put_optional(b, "driver-srcversion", d->driver_srcversion);
}

static void put_system(struct xtr_buf *b, const struct xtr_meta *m)
{
	const struct xtr_system *s = xtr_meta_system(m);

	xtr_enc_text(b, "system");
	xtr_enc_map(b, 3 + (size_t)(m->n_devices > 0) + !!s->hostname + !!s->hypervisor +
			       !!s->machine_id);
	xtr_enc_pair_uint(b, "cpus", s->cpus);
	xtr_enc_pair_uint(b, "page", s->page);
	xtr_enc_text(b, "uname");
	xtr_enc_array(b, 3);
	xtr_enc_text(b, or_empty(s->release));
	xtr_enc_text(b, or_empty(s->version));
	xtr_enc_text(b, or_empty(s->machine));
	if (m->n_devices) {
		xtr_enc_text(b, "devices");
		xtr_enc_array(b, m->n_devices);
		for (size_t i = 0; i < m->n_devices; i++)
			put_device(b, m->devices[i]);
	}
	put_optional(b, "hostname", s->hostname);
	put_optional(b, "hypervisor", s->hypervisor);
	put_optional(b, "machine-id", s->machine_id);
}

static void put_provider(struct xtr_buf *b, const struct xtr_provider *p)
{
	xtr_enc_map(b, 5 + (size_t) !!p->why + !!p->module);
	xtr_enc_pair_uint(b, "id", p->id);
	put_optional(b, "why", p->why);
	xtr_enc_pair_text(b, "name", p->name);
	xtr_enc_pair_text(b, "state", states[p->state]);
	xtr_enc_pair_text(b, "attach", p->attach);
	put_optional(b, "module", p->module);
	xtr_enc_pair_text(b, "target", p->target);
}

int xtr_meta_encode(const struct xtr_meta *m, uint8_t **buf, size_t *n)
{
	struct xtr_buf b = { 0 };
	size_t bad;

	xtr_enc_map(&b, 7);
	put_clock(&b, m);
	put_config(&b, m);
	xtr_enc_text(&b, "events");
	xtr_enc_array(&b, m->n_events);
	for (size_t i = 0; i < m->n_events; i++)
		put_event(&b, xtr_meta_of_type(m, m->types[i]));
	xtr_enc_text(&b, "format");
	xtr_enc_array(&b, 2);
	xtr_enc_uint(&b, XTR_MAJOR);
	xtr_enc_uint(&b, XTR_MINOR);
	put_system(&b, m);
	xtr_enc_text(&b, "writer");
	xtr_enc_map(&b, 2);
	xtr_enc_pair_text(&b, "name", xtr_meta_writer_name(m));
	xtr_enc_pair_text(&b, "version", xtr_meta_writer_version(m));
	xtr_enc_text(&b, "providers");
	xtr_enc_array(&b, m->n_providers);
	for (size_t i = 0; i < m->n_providers; i++)
		put_provider(&b, m->providers[i]);
	if (!b.err && (b.n > XTR_RAW_MAX || !xtr_cbor_check(b.p, b.n, &bad)))
		b.err = -E2BIG; /* too many items, or a string too long: nothing else can be wrong
				 */
	if (b.err) {
		int err = b.err;

		xtr_buf_free(&b);
		return err;
	}
	*buf = b.p;
	*n = b.n;
	return 0;
}

int xtr_meta_copy(struct xtr_meta *to, const struct xtr_meta *from)
{
	struct xtr_err why;
	uint8_t *buf = NULL;
	size_t n;
	int err;

	if (xtr_meta_is_empty(from))
		return 0;
	err = xtr_meta_encode(from, &buf, &n) ?: xtr_meta_merge(to, buf, n, &why);
	free(buf);
	return err;
}
