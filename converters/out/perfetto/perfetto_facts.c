/* SPDX-License-Identifier: BSD-2-Clause */
/* What a section's events are about: the trace, the machine, its clocks, its devices. */
#include "perfetto.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CLOCKS_MAX     6u
#define ATTRIBUTES_MAX 64u

/* --- clocks --------------------------------------------------------------------------------- */

struct snapshot {
	Pf__ClockSnapshot packet;
	Pf__ClockSnapshot__Clock clock[CLOCKS_MAX], *ptr[CLOCKS_MAX];
};

static void add_clock(struct snapshot *s, uint32_t id, uint64_t ns)
{
	Pf__ClockSnapshot__Clock *c = &s->clock[s->packet.n_clocks];

	pf__clock_snapshot__clock__init(c);
	c->has_clock_id = c->has_timestamp = true;
	c->clock_id = id;
	c->timestamp = ns;
	s->ptr[s->packet.n_clocks++] = c;
}

/*
 * The trace's clock is BOOTTIME of its machine. If there are several it is REALTIME of the first:
 * a boot may have begun after another machine's events, and importers drop times before 0. An
 * importer takes any snapshot with BOOTTIME, whatever machine it is of, for the choice of that,
 * unless it chooses or has the clock of the trace file too.
 */
static void choose_clock(const struct pf *pf, struct snapshot *s, uint64_t boot)
{
	if (pf->machine[pf->m].id) {
		add_clock(s, PF_CLOCK_TRACE_FILE, boot);
		return;
	}
	s->packet.has_primary_trace_clock = true;
	s->packet.primary_trace_clock = pf->by_wall_clock ? PF_CLOCK_REALTIME : PF_CLOCK_BOOTTIME;
}

/*
 * Where an importer lines up machines by REALTIME, a step of it would change the duration of slices
 * across it: there it goes on from the first reading as BOOTTIME does.
 */
static uint64_t real_offset(const struct pf *pf, const struct pf_clock_span *span,
			    const struct pf_clock_span *first)
{
	bool matters = pf->by_wall_clock || pf->machine[pf->m].id;

	if (!matters || !first->real)
		return span->real;
	return first->real + (span->boot - first->boot);
}

/* All clocks at one moment; always the same ones, or an importer takes them for another series. */
static int put_snapshot(struct pf *pf, const struct pf_clock_span *span,
			const struct pf_clock_span *first, uint64_t ts)
{
	struct snapshot s = { .packet = PF__CLOCK_SNAPSHOT__INIT };

	s.packet.clocks = s.ptr;
	add_clock(&s, PF_CLOCK_BOOTTIME, ts + span->boot);
	if (pf->clock.monotonic)
		add_clock(&s, PF_CLOCK_MONOTONIC, ts);
	if (pf->clock.real_known)
		add_clock(&s, PF_CLOCK_REALTIME, ts + real_offset(pf, span, first));
	add_clock(&s, PF_CLOCK_RELATIVE, ts - pf->clock.base);
	add_clock(&s, PF_CLOCK_EVENT, ts);
	choose_clock(pf, &s, ts + span->boot);
	pf_packet(pf)->clock_snapshot = &s.packet;
	pf->packet.has_first_packet_on_sequence = pf->packet.first_packet_on_sequence =
		pf->intern.cleared;
	return pf_send(pf);
}

/* At the begin, where an offset changes, at the end. */
static int clocks(struct pf *pf)
{
	const struct pf_clock *c = &pf->clock;
	const struct pf_clock_span *first;
	uint64_t to = pf->s->to, last = c->base;
	size_t i = 0;
	int ret;

	while (i + 1 < c->n && c->span[i + 1].from <= c->base)
		i++;
	first = &c->span[i];
	ret = put_snapshot(pf, first, first, c->base);
	for (i++; i < c->n && c->span[i].from <= to && !ret; i++) {
		last = c->span[i].from;
		ret = put_snapshot(pf, &c->span[i], first, last);
	}
	if (!ret && to > last)
		ret = put_snapshot(pf, &c->span[i - 1], first, to);
	return ret;
}

/* --- the trace ------------------------------------------------------------------------------ */

/* The same trace exported in another way is another trace. */
static int uuid(struct pf *pf)
{
	const struct xtr_export_opts *o = &pf->o;
	uint64_t id = xtr_section_file_id(pf->s->section), ways;
	Pf__TraceUuid u = PF__TRACE_UUID__INIT;

	ways = (uint64_t)o->jobs_only | (uint64_t)o->raw << 1 | (uint64_t)o->ftrace << 2 |
	       (uint64_t)o->track_events << 3;
	u.has_msb = u.has_lsb = true;
	u.msb = (int64_t)id;
	u.lsb = (int64_t)pf_hash(pf_hash(pf->s->from, pf->s->to), pf_hash(id, ways));
	pf_packet(pf)->trace_uuid = &u;
	return pf_send(pf);
}

struct attributes {
	Pf__TraceAttributes packet;
	Pf__TraceAttributes__Attribute attribute[ATTRIBUTES_MAX], *ptr[ATTRIBUTES_MAX];
};

/* Keys of a second section are its own. */
static Pf__TraceAttributes__Attribute *add(struct pf *pf, struct attributes *a, const char *key)
{
	static Pf__TraceAttributes__Attribute nowhere;
	Pf__TraceAttributes__Attribute *to = &nowhere;

	if (a->packet.n_attribute < ATTRIBUTES_MAX) {
		to = &a->attribute[a->packet.n_attribute];
		a->ptr[a->packet.n_attribute++] = to;
	}
	pf__trace_attributes__attribute__init(to);
	if (pf->s->index)
		to->key = pf_textf(pf, "xtr.section%zu.%s", pf->s->index + 1, key);
	else
		to->key = pf_textf(pf, "xtr.%s", key);
	return to;
}

static void add_text(struct pf *pf, struct attributes *a, const char *key, const char *text)
{
	if (text && text[0])
		add(pf, a, key)->string_value = pf_text(pf, text, strlen(text));
}

static void add_number(struct pf *pf, struct attributes *a, const char *key, uint64_t v)
{
	Pf__TraceAttributes__Attribute *to = add(pf, a, key);

	to->has_long_value = true;
	to->long_value = (int64_t)v;
}

static void add_config(struct pf *pf, struct attributes *a)
{
	const char *key, *text;
	char name[128];
	uint64_t v;
	size_t i;

	for (i = 0; xtr_meta_config(pf->s->meta, i, &key, &v, &text); i++) {
		snprintf(name, sizeof(name), "config.%s", key);
		if (text)
			add_text(pf, a, name, text);
		else
			add_number(pf, a, name, v);
	}
}

static void add_recording(struct pf *pf, struct attributes *a)
{
	const struct xtr_section *s = pf->s->section;
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const struct pf_clock *c = &pf->clock;
	char id[2 * 16 + 1];

	add(pf, a, "file_id")->string_value = pf_textf(pf, "%016" PRIx64, xtr_section_file_id(s));
	add(pf, a, "recorder")->string_value =
		pf_textf(pf, "%s %s", xtr_meta_writer_name(pf->s->meta),
			 xtr_meta_writer_version(pf->s->meta));
	xtr_text_hex(id, sizeof(id), xtr_meta_boot_id(pf->s->meta), 16);
	add(pf, a, "boot_id")->string_value = pf_textf(pf, "%s", id);
	add_text(pf, a, "event_clock", xtr_meta_clock(pf->s->meta));
	add_text(pf, a, "boottime", c->boot_known ? "read" : "unknown, taken as the event clock");
	if (c->real_known)
		add_number(pf, a, "start_realtime_ns", c->base + c->span[0].real);
	add_number(pf, a, "base_ns", c->base);
	add_number(pf, a, "from_ns", pf->s->from);
	add_number(pf, a, "to_ns", pf->s->to);
	add_number(pf, a, "events", sum->events);
	add_number(pf, a, "lost_events", sum->lost + sum->missing);
	add_text(pf, a, "end_reason", xtr_section_end_reason(s));
}

static int attributes(struct pf *pf)
{
	const struct xtr_system *sys = xtr_meta_system(pf->s->meta);
	struct attributes a = { .packet = PF__TRACE_ATTRIBUTES__INIT };

	pf_packet(pf)->trace_attributes = &a.packet;
	a.packet.attribute = a.ptr;
	add_text(pf, &a, "version", XTR_VERSION);
	add_text(pf, &a, "hostname", sys->hostname);
	add_text(pf, &a, "kernel", sys->release);
	add_text(pf, &a, "hypervisor", sys->hypervisor);
	add_recording(pf, &a);
	add_config(pf, &a);
	return pf_send(pf);
}

/* --- the machine ------------------------------------------------------------------------------ */

static int system_info(struct pf *pf)
{
	const struct xtr_system *sys = xtr_meta_system(pf->s->meta);
	Pf__SystemInfo info = PF__SYSTEM_INFO__INIT;
	Pf__SystemInfo__Utsname uts = PF__SYSTEM_INFO__UTSNAME__INIT;
	char linux_name[] = "Linux";

	pf_packet(pf)->system_info = &info;
	if (sys->release[0] && sys->machine[0]) {
		uts.sysname = linux_name;
		uts.release = pf_text(pf, sys->release, strlen(sys->release));
		uts.version = pf_text(pf, sys->version, strlen(sys->version));
		uts.machine = pf_text(pf, sys->machine, strlen(sys->machine));
		info.utsname = &uts;
	}
	info.has_page_size = sys->page != 0;
	info.page_size = sys->page;
	info.has_num_cpus = sys->cpus != 0;
	info.num_cpus = sys->cpus;
	if (sys->hostname && sys->hostname[0])
		info.machine_name = pf_text(pf, sys->hostname, strlen(sys->hostname));
	return pf_send(pf);
}

/* --- devices ---------------------------------------------------------------------------------- */

#define EXTRAS 4u

struct gpu {
	Pf__GpuInfo__Gpu gpu;
	Pf__GpuInfo__KeyValue extra[EXTRAS], *ptr[EXTRAS];
};

static const struct {
	const char *pci, *name;
} vendors[] = {
	{ "1002:", "AMD" },    { "1022:", "AMD" },      { "8086:", "Intel" },
	{ "10de:", "NVIDIA" }, { "17cb:", "Qualcomm" },
};

static bool is_pci_address(const char *s)
{
	static const char form[] = "hhhh:hh:hh.h";
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == 'h' ? !strchr("0123456789abcdef", s[i]) || !s[i] : s[i] != form[i])
			return false;
	return !s[i];
}

static char *text_or_null(struct pf *pf, const char *s)
{
	return s ? pf_text(pf, s, strlen(s)) : NULL;
}

static void add_extra(struct pf *pf, struct gpu *g, const char *key, const char *value)
{
	Pf__GpuInfo__KeyValue *kv = &g->extra[g->gpu.n_extra_info];

	if (!value)
		return;
	pf__gpu_info__key_value__init(kv);
	kv->key = pf_text(pf, key, strlen(key));
	kv->value = text_or_null(pf, value);
	g->ptr[g->gpu.n_extra_info++] = kv;
}

static void fill_gpu(struct pf *pf, struct gpu *g, const struct pf_device *d)
{
	const char *driver = d->driver ? d->driver : "", *name = d->name[0] ? d->name : "unknown";
	size_t i;

	pf__gpu_info__gpu__init(&g->gpu);
	g->gpu.extra_info = g->ptr;
	g->gpu.name = pf_textf(pf, "%s%s%s", driver, driver[0] ? " " : "", name);
	if (is_pci_address(d->name))
		g->gpu.pci_bdf = text_or_null(pf, d->name);
	g->gpu.model = text_or_null(pf, d->pci_id);
	for (i = 0; d->pci_id && i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (!strncmp(d->pci_id, vendors[i].pci, strlen(vendors[i].pci)))
			g->gpu.vendor = text_or_null(pf, vendors[i].name);
	add_extra(pf, g, "driver", d->driver);
	add_extra(pf, g, "driver_version", d->driver_version);
	add_extra(pf, g, "firmware", d->firmware);
	add_extra(pf, g, "nodes", d->nodes);
}

int pf_gpu_info(struct pf *pf)
{
	const struct pf_machine *m = pf_machine(pf);
	struct gpu *g = calloc(m->n_devices + 1, sizeof(*g));
	Pf__GpuInfo__Gpu **ptr = calloc(m->n_devices + 1, sizeof(*ptr));
	Pf__GpuInfo info = PF__GPU_INFO__INIT;
	size_t i;
	int ret = g && ptr ? 0 : -ENOMEM;

	if (!ret) {
		pf_packet(pf)->gpu_info = &info;
		info.gpus = ptr;
		info.n_gpus = m->n_devices;
		for (i = 0; i < m->n_devices; i++) {
			fill_gpu(pf, &g[i], &m->device[i]);
			ptr[i] = &g[i].gpu;
		}
		ret = pf_send(pf);
	}
	free(g);
	free(ptr);
	return ret;
}

/* The devices that are known from the start, those that were described first. */
static int devices(struct pf *pf)
{
	const struct xtr_meta *meta = pf->s->meta;
	bool is_new;
	int64_t ret = 0;
	size_t i;

	for (i = 0; i < xtr_meta_n_devices(meta) && ret >= 0; i++)
		ret = pf_device_of(pf, xtr_meta_device(meta, i)->name, xtr_meta_device(meta, i),
				   &is_new);
	for (i = 0; i < xtr_model_n_devices(pf->s->rings) && ret >= 0; i++)
		if (xtr_model_device(pf->s->rings, i)->name[0])
			ret = pf_device_of(pf, xtr_model_device(pf->s->rings, i)->name, NULL,
					   &is_new);
	return ret < 0 ? (int)ret : pf_gpu_info(pf);
}

int pf_facts(struct pf *pf)
{
	int ret = clocks(pf);

	if (!ret && !pf->s->index)
		ret = uuid(pf);
	if (!ret)
		ret = system_info(pf);
	if (!ret)
		ret = attributes(pf);
	return ret ? ret : devices(pf);
}
