/* SPDX-License-Identifier: BSD-2-Clause */
/* META, the tables and the losses of a section in JSON. For vector_reader.c alone. */
#ifndef VECTOR_META_H
#define VECTOR_META_H

#include "format/read/reader.h"
#include "vector_json.h"

#include <stdlib.h>

/* --- META ------------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	const struct xtr_device *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void *list_of(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);

	if (!p)
		abort();
	return p;
}

/* Where there is one. */
static void key_text_if(const char *key, const char *value)
{
	if (value)
		key_text(key, value);
}

static void devices(const struct xtr_meta *m)
{
	size_t n = xtr_meta_n_devices(m);
	const struct xtr_device **all = list_of(n, sizeof(*all));
	bool first = true;

	for (size_t i = 0; i < n; i++)
		all[i] = xtr_meta_device(m, i);
	qsort(all, n, sizeof(*all), by_name);
	fputs(",\"devices\":[", out);
	for (size_t i = 0; i < n; i++) {
		item(&first, "\n{\"name\":");
		text(all[i]->name);
		key_text("driver", all[i]->driver);
		key_text("pci_id", all[i]->pci_id);
		key_text("driver_version", all[i]->driver_version);
		key_text("firmware", all[i]->firmware);
		key_text_if("driver_srcversion", all[i]->driver_srcversion);
		key_text_if("subsystem", all[i]->subsystem);
		key_text_if("revision", all[i]->revision);
		key_text_if("model", all[i]->model);
		key_text_if("vbios", all[i]->vbios);
		key_text_if("uuid", all[i]->uuid);
		fputs(",\"nodes\":[", out);
		for (size_t k = 0; k < all[i]->n_nodes; k++) {
			if (k)
				putc(',', out);
			text(all[i]->nodes[k]);
		}
		fputs("]}", out);
	}
	putc(']', out);
	free(all);
}

static int by_id(const void *a, const void *b)
{
	const struct xtr_provider *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static void providers(const struct xtr_meta *m)
{
	static const char *const states[] = { "attached", "missing", "refused" };
	size_t n = xtr_meta_n_providers(m);
	const struct xtr_provider **all = list_of(n, sizeof(*all));
	bool first = true;

	for (size_t i = 0; i < n; i++)
		all[i] = xtr_meta_provider(m, i);
	qsort(all, n, sizeof(*all), by_id);
	fputs(",\"providers\":[", out);
	for (size_t i = 0; i < n; i++) {
		item(&first, "\n{\"id\":%" PRIu32 ",\"name\":", all[i]->id);
		text(all[i]->name);
		key_text("attach", all[i]->attach);
		key_text("target", all[i]->target);
		key_text("state", states[all[i]->state]);
		key_text("why", all[i]->why);
		key_text("module", all[i]->module);
		putc('}', out);
	}
	putc(']', out);
	free(all);
}

static void config(const struct xtr_meta *m)
{
	const char *key, *str;
	uint64_t num;
	bool first = true;

	fputs(",\"config\":[", out);
	for (size_t i = 0; xtr_meta_config(m, i, &key, &num, &str); i++) {
		item(&first, "\n[");
		text(key);
		putc(',', out);
		if (str)
			text(str);
		else
			fprintf(out, "%" PRIu64, num);
		putc(']', out);
	}
	putc(']', out);
}

static void meta_field(const struct xtr_field *f)
{
	fputs("\n{\"name\":", out);
	text(f->name);
	fprintf(out, ",\"offset\":%" PRIu32 ",\"size\":%" PRIu32 ",\"repr\":\"%s\",\"names\":",
		f->offset, f->size, xtr_repr_name(f->repr));
	if (f->names_kind == XTR_NAMES_NONE) {
		fputs("null", out);
	} else {
		fprintf(out, "[\"%s\",[", f->names_kind == XTR_NAMES_ENUM ? "enum" : "flags");
		for (uint32_t i = 0; i < f->n_names; i++) {
			fprintf(out, "%s[%" PRIu64 ",", i ? "," : "", f->names[i].value);
			text(f->names[i].name);
			putc(']', out);
		}
		fputs("]]", out);
	}
	key_text("unit", f->unit);
	key_text("class", f->sens == XTR_SENS_NONE ? NULL : xtr_sens_name(f->sens));
	putc('}', out);
}

static void meta_events(const struct xtr_meta *m)
{
	bool first = true;

	fputs(",\"events\":[", out);
	for (size_t i = 0; i < xtr_meta_n_events(m); i++) {
		const struct xtr_event_desc *e = xtr_meta_event_at(m, i);

		item(&first, "\n{\"type\":%" PRIu32 ",\"name\":", e->type);
		text(e->name);
		fprintf(out, ",\"size\":%" PRIu32 ",\"provider\":%" PRIu32 ",\"fields\":[", e->size,
			e->provider);
		for (uint32_t k = 0; k < e->n_fields; k++) {
			if (k)
				putc(',', out);
			meta_field(&e->fields[k]);
		}
		fputs("]}", out);
	}
	putc(']', out);
}

static void meta(const struct xtr_meta *m)
{
	const struct xtr_system *sys = xtr_meta_system(m);

	fputs(",\"meta\":{\"writer\":[", out);
	text(xtr_meta_writer_name(m));
	putc(',', out);
	text(xtr_meta_writer_version(m));
	fputs("],\"clock\":[", out);
	text(xtr_meta_clock(m));
	putc(',', out);
	hex(xtr_meta_boot_id(m), 16);
	fprintf(out,
		",%" PRIu64 "],\"system\":{\"cpus\":%" PRIu32 ",\"page\":%" PRIu32 ",\"uname\":[",
		xtr_meta_clock_res(m), sys->cpus, sys->page);
	text(sys->release);
	putc(',', out);
	text(sys->version);
	putc(',', out);
	text(sys->machine);
	putc(']', out);
	key_text("hypervisor", sys->hypervisor);
	key_text("hostname", sys->hostname);
	key_text_if("machine_id", sys->machine_id);
	putc('}', out);
	devices(m);
	config(m);
	providers(m);
	meta_events(m);
	putc('}', out);
}

/* --- tables ---------------------------------------------------------------------------------- */

static void string(const struct xtr_tables *t, uint64_t id)
{
	const char *s = NULL;
	size_t n = 0;

	if (id <= UINT32_MAX)
		s = xtr_tables_string(t, (uint32_t)id, &n);
	if (id == 0)
		fputs("null", out);
	else if (s)
		octets(s, n);
	else
		fprintf(out, "\"?str:%" PRIu64 "\"", id);
}

static void ring(const struct xtr_tables *t, uint32_t id)
{
	const struct xtr_ring *r = id ? xtr_tables_ring(t, id) : NULL;

	if (id == 0) {
		fputs("null", out);
	} else if (r) {
		fprintf(out, "{\"id\":%" PRIu32 ",\"device\":", id);
		string(t, r->device);
		fputs(",\"name\":", out);
		string(t, r->name);
		putc('}', out);
	} else {
		fprintf(out, "\"?ring:%" PRIu32 "\"", id);
	}
}

static void frames_of(const struct xtr_tables *t, uint32_t id)
{
	size_t n = 0;
	const uint32_t *f = xtr_tables_stack(t, id, &n);

	putc('[', out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", f[i]);
	putc(']', out);
}

static void stack(const struct xtr_tables *t, uint32_t id)
{
	size_t n;

	if (id == 0) {
		fputs("null", out);
	} else if (xtr_tables_stack(t, id, &n)) {
		fprintf(out, "{\"id\":%" PRIu32 ",\"frames\":", id);
		frames_of(t, id);
		putc('}', out);
	} else {
		fprintf(out, "\"?stack:%" PRIu32 "\"", id);
	}
}

static int task_order(const void *a, const void *b)
{
	const struct xtr_task *const *x = a, *const *y = b;

	if ((*x)->tid != (*y)->tid)
		return (*x)->tid < (*y)->tid ? -1 : 1;
	return ((*x)->since > (*y)->since) - ((*x)->since < (*y)->since);
}

static void tasks(const struct xtr_tables *t)
{
	size_t n = xtr_tables_n_tasks(t);
	const struct xtr_task **all = list_of(n, sizeof(*all));
	bool first = true;

	for (size_t i = 0; i < n; i++)
		all[i] = xtr_tables_task_at(t, i);
	qsort(all, n, sizeof(*all), task_order);
	fputs(",\"tasks\":[", out);
	for (size_t i = 0; i < n; i++) {
		item(&first,
		     "\n[%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64,
		     all[i]->tid, all[i]->pid, all[i]->since, all[i]->comm, all[i]->flags,
		     all[i]->start);
		if (all[i]->cgroup)
			fprintf(out, ",%" PRIu32, all[i]->cgroup);
		putc(']', out);
	}
	putc(']', out);
	free(all);
}

static int ring_order(const void *a, const void *b)
{
	const struct xtr_ring *const *x = a, *const *y = b;

	return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static void rings(const struct xtr_tables *t)
{
	size_t n = xtr_tables_n_rings(t);
	const struct xtr_ring **all = list_of(n, sizeof(*all));
	bool first = true;

	for (size_t i = 0; i < n; i++)
		all[i] = xtr_tables_ring_at(t, i);
	qsort(all, n, sizeof(*all), ring_order);
	fputs(",\"rings\":[", out);
	for (size_t i = 0; i < n; i++)
		item(&first,
		     "\n[%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]",
		     all[i]->id, all[i]->since, all[i]->sched, all[i]->device, all[i]->name,
		     all[i]->limit);
	putc(']', out);
	free(all);
}

static void tables(const struct xtr_tables *t)
{
	bool first = true;

	fputs(",\"strings\":[", out);
	for (uint32_t id = 0; xtr_tables_next_id(t, XTR_TABLE_STRINGS, &id);) {
		item(&first, "\n[%" PRIu32 ",", id);
		string(t, id);
		putc(']', out);
	}
	putc(']', out);
	tasks(t);
	rings(t);
	fputs(",\"frames\":[", out);
	first = true;
	for (uint32_t id = 0; xtr_tables_next_id(t, XTR_TABLE_FRAMES, &id);) {
		const struct xtr_frame *f = xtr_tables_frame(t, id);

		item(&first, "\n[%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 "]", id,
		     f->symbol, f->offset, f->module, f->build_id);
	}
	fputs("],\"stacks\":[", out);
	first = true;
	for (uint32_t id = 0; xtr_tables_next_id(t, XTR_TABLE_STACKS, &id);) {
		item(&first, "\n[%" PRIu32 ",", id);
		frames_of(t, id);
		putc(']', out);
	}
	putc(']', out);
}

/* --- losses ---------------------------------------------------------------------------------- */

static int loss_order(const void *a, const void *b)
{
	const struct xtr_loss_entry *const *x = a, *const *y = b;

	if ((*x)->stream != (*y)->stream)
		return (*x)->stream < (*y)->stream ? -1 : 1;
	if ((*x)->type != (*y)->type)
		return (*x)->type < (*y)->type ? -1 : 1;
	return ((*x)->cause > (*y)->cause) - ((*x)->cause < (*y)->cause);
}

static int gap_order(const void *a, const void *b)
{
	const struct xtr_gap *const *x = a, *const *y = b;
	const uint64_t k[] = { (*x)->first, (*x)->last, (*x)->stream, (*x)->count };
	const uint64_t m[] = { (*y)->first, (*y)->last, (*y)->stream, (*y)->count };

	for (size_t i = 0; i < 4; i++)
		if (k[i] != m[i])
			return k[i] < m[i] ? -1 : 1;
	return 0;
}

/* What is in the account beside losses. */
static void no_losses(const char *key, enum xtr_loss_cause cause, const struct xtr_loss_entry **all,
		      size_t n)
{
	bool first = true;

	fprintf(out, "],\"%s\":[", key);
	for (size_t i = 0; i < n; i++)
		if (all[i]->cause == cause && all[i]->total)
			item(&first, "\n[%" PRIu32 ",%" PRIu32 ",%" PRIu64 "]", all[i]->stream,
			     all[i]->type, all[i]->total);
}

static void loss(const struct xtr_loss *l)
{
	size_t n = xtr_loss_n_entries(l), n_gaps = xtr_loss_n_gaps(l);
	const struct xtr_loss_entry **all = list_of(n, sizeof(*all));
	const struct xtr_gap **gaps = list_of(n_gaps, sizeof(*gaps));
	bool first = true, aged = false;

	for (size_t i = 0; i < n; i++)
		all[i] = xtr_loss_entry_at(l, i);
	for (size_t i = 0; i < n_gaps; i++)
		gaps[i] = xtr_loss_gap_at(l, i);
	qsort(all, n, sizeof(*all), loss_order);
	qsort(gaps, n_gaps, sizeof(*gaps), gap_order);
	fputs(",\"lost\":[", out);
	for (size_t i = 0; i < n; i++)
		if (xtr_loss_is_loss(all[i]->cause) && all[i]->total)
			item(&first, "\n[%" PRIu32 ",%" PRIu32 ",%u,%" PRIu64 "]", all[i]->stream,
			     all[i]->type, (unsigned int)all[i]->cause, all[i]->total);
	no_losses("filtered", XTR_LOSS_FILTERED, all, n);
	for (size_t i = 0; i < n && !aged; i++)
		aged = all[i]->cause == XTR_LOSS_AGED;
	if (aged)
		no_losses("aged", XTR_LOSS_AGED, all, n);
	fputs("],\"gaps\":[", out);
	first = true;
	for (size_t i = 0; i < n_gaps; i++)
		item(&first, "\n[%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", gaps[i]->stream,
		     gaps[i]->first, gaps[i]->last, gaps[i]->count);
	putc(']', out);
	free(all);
	free(gaps);
}

#endif /* VECTOR_META_H */
