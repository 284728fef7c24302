/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr info --json`: schema xtr.info/1, described in docs/info-json.md. */
#include "info.h"
#include "trace.h"

#include "format/write/writer.h"
#include "format/xtr_format.h"
#include "base/json.h"
#include "replay/notes/notes.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static void put_types(struct xtr_json *j, const struct info_type *types, size_t n)
{
	xtr_json_kv_array(j, "event_types");
	for (size_t i = 0; i < n; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_u64(j, "type", types[i].type);
		xtr_json_kv_str(j, "name", types[i].name);
		xtr_json_kv_u64(j, "count", types[i].count);
		xtr_json_kv_u64(j, "bytes", types[i].bytes);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void put_loss(struct xtr_json *j, const struct xtr_section *s)
{
	const struct xtr_loss *loss = xtr_section_loss(s);
	const struct xtr_event_desc *d;
	const struct xtr_loss_entry *e;

	xtr_json_kv_array(j, "loss");
	for (size_t i = 0; i < xtr_loss_n_entries(loss); i++) {
		e = xtr_loss_entry_at(loss, i);
		d = xtr_meta_event(xtr_section_meta(s), e->type);
		xtr_json_begin_object(j);
		xtr_json_kv_u64_if(j, "cpu", !(e->stream == XTR_STREAM_NONE), e->stream);
		xtr_json_kv_u64(j, "type", e->type);
		xtr_json_kv_str(j, "name", d ? d->name : NULL);
		xtr_json_kv_str(j, "cause", xtr_loss_cause_name(e->cause));
		xtr_json_kv_u64(j, "count", e->total);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_u64(j, "gaps", xtr_loss_n_losses(loss));
}

static void put_system(struct xtr_json *j, const struct xtr_system *sys)
{
	xtr_json_key(j, "system");
	if (!sys) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "hostname", sys->hostname);
	xtr_json_kv_str(j, "release", sys->release);
	xtr_json_kv_str(j, "version", sys->version);
	xtr_json_kv_str(j, "machine", sys->machine);
	xtr_json_kv_u64(j, "cpus", sys->cpus);
	xtr_json_kv_u64(j, "page_bytes", sys->page);
	xtr_json_kv_str(j, "hypervisor", sys->hypervisor);
	xtr_json_kv_str(j, "machine_id", sys->machine_id);
	xtr_json_end_object(j);
}

static void put_devices(struct xtr_json *j, const struct xtr_meta *m)
{
	const struct xtr_device *d;

	xtr_json_kv_array(j, "devices");
	for (size_t i = 0; i < xtr_meta_n_devices(m); i++) {
		d = xtr_meta_device(m, i);
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", d->name);
		xtr_json_kv_str(j, "driver", d->driver);
		xtr_json_kv_str(j, "pci_id", d->pci_id);
		xtr_json_kv_str(j, "driver_version", d->driver_version);
		xtr_json_kv_str(j, "firmware", d->firmware);
		xtr_json_kv_str(j, "driver_srcversion", d->driver_srcversion);
		xtr_json_kv_str(j, "subsystem", d->subsystem);
		xtr_json_kv_str(j, "revision", d->revision);
		xtr_json_kv_str(j, "model", d->model);
		xtr_json_kv_str(j, "vbios", d->vbios);
		xtr_json_kv_str(j, "uuid", d->uuid);
		xtr_json_kv_array(j, "nodes");
		for (size_t k = 0; k < d->n_nodes; k++)
			xtr_json_str(j, d->nodes[k]);
		xtr_json_end_array(j);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void put_providers(struct xtr_json *j, const struct xtr_meta *m)
{
	static const char *const states[] = {
		[XTR_PROVIDER_ATTACHED] = "attached",
		[XTR_PROVIDER_MISSING] = "missing",
		[XTR_PROVIDER_REFUSED] = "refused",
	};
	const struct xtr_provider *p;

	xtr_json_kv_array(j, "providers");
	for (size_t i = 0; i < xtr_meta_n_providers(m); i++) {
		p = xtr_meta_provider(m, i);
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", p->name);
		xtr_json_kv_str(j, "attach", p->attach);
		xtr_json_kv_str(j, "target", p->target);
		xtr_json_kv_str(j, "module", p->module);
		xtr_json_kv_str(j, "state", states[p->state]);
		xtr_json_kv_str(j, "why", p->why);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void put_config(struct xtr_json *j, const struct xtr_meta *m)
{
	const char *key, *str;
	uint64_t num;

	xtr_json_kv_object(j, "config");
	for (size_t i = 0; xtr_meta_config(m, i, &key, &num, &str); i++) {
		if (str)
			xtr_json_kv_str(j, key, str);
		else
			xtr_json_kv_u64(j, key, num);
	}
	xtr_json_end_object(j);
}

static void put_labels(struct xtr_json *j, const struct xtr_meta *m)
{
	const char *key, *value;
	size_t at = 0;

	xtr_json_kv_object(j, "labels");
	while (xtr_meta_next_label(m, &at, &key, &value))
		xtr_json_kv_str(j, key, value);
	xtr_json_end_object(j);
}

static void put_recorder(struct xtr_json *j, const struct xtr_section *s)
{
	const struct xtr_recorder_cost *c = xtr_section_end_cost(s);

	xtr_json_key(j, "recorder");
	if (!c) {
		xtr_json_null(j);
		return;
	}
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "cpu_ns", c->cpu_ns);
	xtr_json_kv_u64(j, "ring_bytes", c->ring_bytes);
	xtr_json_kv_u64(j, "ring_high_bytes", c->ring_high);
	xtr_json_kv_u64(j, "bpf_run_ns", c->bpf_run_ns);
	xtr_json_kv_u64(j, "bpf_runs", c->bpf_run_cnt);
	xtr_json_kv_u64(j, "bpf_timed", c->bpf_timed_cnt);
	xtr_json_kv_u64(j, "elapsed_ns", c->elapsed_ns);
	xtr_json_end_object(j);
}

static void put_times(struct xtr_json *j, const struct info_section *is)
{
	bool times = xtr_meta_has_times(xtr_section_meta(is->s));

	static const char *const keys[] = { "first_ns", "last_ns", "start_realtime_ns" };
	const uint64_t values[] = { is->first, is->last, is->start_realtime };

	for (size_t i = 0; i < 3; i++)
		xtr_json_kv_u64_if(j, keys[i], times && is->events && values[i], values[i]);
	xtr_json_kv_u64_if(j, "duration_ns", times, is->last - is->first);
}

static void put_section(struct xtr_json *j, const struct info_section *is)
{
	const struct xtr_section_summary *sum = xtr_section_summary(is->s);
	const struct xtr_meta *m = xtr_section_meta(is->s);
	char id[2 * 16 + 1];

	snprintf(id, sizeof(id), "%016" PRIx64, xtr_section_file_id(is->s));
	xtr_json_begin_object(j);
	xtr_json_kv_u64(j, "offset", xtr_section_offset(is->s));
	xtr_json_kv_str(j, "file_id", id);
	xtr_json_kv_u64(j, "format_minor", xtr_section_minor(is->s));
	xtr_json_kv_str(j, "writer", xtr_meta_writer_name(m));
	xtr_json_kv_str(j, "writer_version", xtr_meta_writer_version(m));
	xtr_json_kv_bool(j, "closed", sum->closed);
	xtr_json_kv_str(j, "end_reason", xtr_section_end_reason(is->s));
	xtr_json_kv_u64(j, "events", is->events);
	xtr_json_kv_u64(j, "lost", sum->lost);
	xtr_json_kv_u64(j, "missing", sum->missing);
	xtr_json_kv_u64(j, "filtered", sum->filtered);
	xtr_import_damage_json(j, m);
	xtr_sampled_json(j, m);
	xtr_budgeted_json(j, is->s);
	xtr_flown_json(j, is->s);
	xtr_pieced_json(j, is->s);
	xtr_redacted_json(j, m);
	xtr_json_kv_u64(j, "event_bytes", sum->event_bytes);
	xtr_json_kv_u64(j, "event_chunks", is->chunks);
	xtr_json_kv_u64(j, "raw_chunks", is->raw);
	xtr_json_kv_u64(j, "streams", sum->streams);
	put_times(j, is);
	xtr_json_kv_str(j, "clock", xtr_meta_clock(m));
	xtr_json_kv_u64(j, "clock_snapshots", xtr_section_n_clocks(is->s));
	xtr_json_kv_str(j, "boot_id", xtr_text_hex(id, sizeof(id), xtr_meta_boot_id(m), 16));
	put_system(j, xtr_meta_system(m));
	put_devices(j, m);
	put_labels(j, m);
	put_config(j, m);
	put_types(j, is->types, is->n_types);
	put_loss(j, is->s);
	put_providers(j, m);
	put_recorder(j, is->s);
	xtr_json_end_object(j);
}

static void put_head(struct xtr_json *j, const struct info *info)
{
	const struct xtr_section *s = info->n_sections ? info->sections[0].s : NULL;
	const struct xtr_meta *m = s ? xtr_section_meta(s) : NULL;
	const struct xtr_system *sys = m ? xtr_meta_system(m) : NULL;

	xtr_json_kv_str(j, "schema", "xtr.info/1");
	xtr_json_kv_str(j, "file", info->path);
	xtr_json_kv_u64(j, "bytes", xtr_reader_size(info->r));
	xtr_json_kv_u64(j, "events", info->events);
	xtr_json_kv_u64(j, "lost", info->lost);
	xtr_json_kv_u64(j, "missing", info->missing);
	xtr_json_kv_u64(j, "filtered", info->filtered);
	xtr_json_kv_u64_if(j, "duration_ns", info->times, info->duration);
	xtr_json_kv_str(j, "clock", m ? xtr_meta_clock(m) : NULL);
	xtr_json_kv_str(j, "kernel", sys ? sys->release : NULL);
	if (s)
		put_types(j, info->sections[0].types, info->sections[0].n_types);
}

void info_print_json(FILE *f, const struct info *info)
{
	struct xtr_json j;

	xtr_json_init(&j, f, true);
	xtr_json_begin_object(&j);
	put_head(&j, info);
	cli_json_problems(&j, info->problems, info->n_problems);
	xtr_json_kv_array(&j, "sections");
	for (size_t i = 0; i < info->n_sections; i++)
		put_section(&j, &info->sections[i]);
	xtr_json_end_array(&j);
	xtr_json_document_end(&j);
}
