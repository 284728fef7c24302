/* SPDX-License-Identifier: BSD-2-Clause */
/* What a section's events are about: the trace, the machine, its clocks, its devices. */
#include "perfetto.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* --- clocks --------------------------------------------------------------------------------- */

static void put_reading(struct pf *pf, uint32_t id, uint64_t ns)
{
	struct xtr_buf *b = &pf->out.block;
	size_t at = pf_message(b, PF_CLOCKS_CLOCK);

	pf_put_uint(b, PF_CLOCK_ID, id);
	pf_put_uint(b, PF_CLOCK_TIMESTAMP, ns);
	pf_message_end(b, at);
}

/*
 * The trace's clock is BOOTTIME of its machine. If there are several it is REALTIME of the first:
 * a boot may have begun after another machine's events, and importers drop times before 0. An
 * importer takes any snapshot with BOOTTIME, whatever machine it is of, for the choice of that,
 * unless it chooses or has the clock of the trace file too.
 */
static void choose_clock(struct pf *pf, uint64_t boot)
{
	if (pf->machine[pf->m].id)
		put_reading(pf, PF_CLOCK_TRACE_FILE, boot);
	else
		pf_put_uint(&pf->out.block, PF_CLOCKS_PRIMARY,
			    pf->by_wall_clock ? PF_CLOCK_REALTIME : PF_CLOCK_BOOTTIME);
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
	size_t at;

	pf_packet(pf);
	pf->packet.first = pf->intern.cleared;
	at = pf_in_packet(pf, PF_PACKET_CLOCKS);
	put_reading(pf, PF_CLOCK_BOOTTIME, ts + span->boot);
	if (pf->clock.monotonic)
		put_reading(pf, PF_CLOCK_MONOTONIC, ts);
	if (pf->clock.real_known)
		put_reading(pf, PF_CLOCK_REALTIME, ts + real_offset(pf, span, first));
	put_reading(pf, PF_CLOCK_RELATIVE, ts - pf->clock.base);
	put_reading(pf, PF_CLOCK_EVENT, ts);
	choose_clock(pf, ts + span->boot);
	return pf_packet_end_with(pf, at);
}

/* At the begin, where an offset changes, at the end. */
static int clocks(struct pf *pf)
{
	const struct pf_clock *c = &pf->clock;
	const struct pf_clock_span *first;
	uint64_t to = pf->s->to, last = c->base;
	size_t i = 0;
	int err;

	while (i + 1 < c->n && c->span[i + 1].from <= c->base)
		i++;
	first = &c->span[i];
	err = put_snapshot(pf, first, first, c->base);
	for (i++; i < c->n && c->span[i].from <= to && !err; i++) {
		last = c->span[i].from;
		err = put_snapshot(pf, &c->span[i], first, last);
	}
	if (!err && to > last)
		err = put_snapshot(pf, &c->span[i - 1], first, to);
	return err;
}

/* --- the trace ------------------------------------------------------------------------------ */

/* The same trace exported in another way is another trace. */
static int uuid(struct pf *pf)
{
	const struct xtr_export_opts *o = &pf->o;
	uint64_t id = xtr_section_file_id(pf->s->section), ways;
	size_t at;

	ways = (uint64_t)o->jobs_only | (uint64_t)o->raw << 1 | (uint64_t)o->ftrace << 2 |
	       (uint64_t)o->track_events << 3;
	pf_packet(pf);
	at = pf_in_packet(pf, PF_PACKET_UUID);
	pf_put_uint(&pf->out.block, PF_UUID_MSB, id);
	pf_put_uint(&pf->out.block, PF_UUID_LSB,
		    pf_hash(pf_hash(pf->s->from, pf->s->to), pf_hash(id, ways)));
	return pf_packet_end_with(pf, at);
}

/* Begin an attribute. Keys of a second section are its own. */
static size_t put_key(struct pf *pf, const char *key)
{
	struct xtr_buf *b = &pf->out.block;
	size_t at = pf_message(b, PF_ATTRIBUTES_ONE);
	char section[32] = "";

	if (pf->s->index)
		snprintf(section, sizeof(section), "section%zu.", pf->s->index + 1);
	pf_put_text(b, PF_ATTRIBUTE_KEY, pf_textf(pf, "xtr.%s%s", section, key));
	return at;
}

static void put_text(struct pf *pf, const char *key, const char *text)
{
	size_t at;

	if (!text || !text[0])
		return;
	at = put_key(pf, key);
	pf_put_text(&pf->out.block, PF_ATTRIBUTE_TEXT, pf_text(pf, text, strlen(text)));
	pf_message_end(&pf->out.block, at);
}

static void put_number(struct pf *pf, const char *key, uint64_t v)
{
	size_t at = put_key(pf, key);

	pf_put_uint(&pf->out.block, PF_ATTRIBUTE_NUMBER, v);
	pf_message_end(&pf->out.block, at);
}

static void put_config(struct pf *pf)
{
	const char *key, *text;
	char name[128];
	uint64_t v;

	for (size_t i = 0; xtr_meta_config(pf->s->meta, i, &key, &v, &text); i++) {
		snprintf(name, sizeof(name), "config.%s", key);
		if (text)
			put_text(pf, name, text);
		else
			put_number(pf, name, v);
	}
}

static void put_recording(struct pf *pf)
{
	const struct xtr_section *s = pf->s->section;
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const struct pf_clock *c = &pf->clock;
	char id[2 * 16 + 1];

	put_text(pf, "file_id", pf_textf(pf, "%016" PRIx64, xtr_section_file_id(s)));
	put_text(pf, "recorder",
		 pf_textf(pf, "%s %s", xtr_meta_writer_name(pf->s->meta),
			  xtr_meta_writer_version(pf->s->meta)));
	xtr_text_hex(id, sizeof(id), xtr_meta_boot_id(pf->s->meta), 16);
	put_text(pf, "boot_id", id);
	put_text(pf, "event_clock", xtr_meta_clock(pf->s->meta));
	put_text(pf, "boottime", c->boot_known ? "read" : "unknown, taken as the event clock");
	if (c->real_known)
		put_number(pf, "start_realtime_ns", c->base + c->span[0].real);
	put_number(pf, "base_ns", c->base);
	put_number(pf, "from_ns", pf->s->from);
	put_number(pf, "to_ns", pf->s->to);
	put_number(pf, "events", sum->events);
	put_number(pf, "lost_events", sum->lost + sum->missing);
	put_text(pf, "end_reason", xtr_section_end_reason(s));
}

static int attributes(struct pf *pf)
{
	const struct xtr_system *sys = xtr_meta_system(pf->s->meta);
	size_t at;

	pf_packet(pf);
	at = pf_in_packet(pf, PF_PACKET_ATTRIBUTES);
	put_text(pf, "version", XTR_VERSION);
	put_text(pf, "hostname", sys->hostname);
	put_text(pf, "kernel", sys->release);
	put_text(pf, "hypervisor", sys->hypervisor);
	put_recording(pf);
	put_config(pf);
	return pf_packet_end_with(pf, at);
}

/* --- the machine ------------------------------------------------------------------------------ */

static void put_clean(struct pf *pf, uint32_t field, const char *text)
{
	if (text)
		pf_put_text(&pf->out.block, field, pf_text(pf, text, strlen(text)));
}

static int system_info(struct pf *pf)
{
	const struct xtr_system *sys = xtr_meta_system(pf->s->meta);
	struct xtr_buf *b = &pf->out.block;
	size_t at, uts;

	pf_packet(pf);
	at = pf_in_packet(pf, PF_PACKET_SYSTEM);
	if (sys->release[0] && sys->machine[0]) {
		uts = pf_message(b, PF_SYSTEM_UTSNAME);
		pf_put_text(b, PF_UTSNAME_SYSNAME, "Linux");
		put_clean(pf, PF_UTSNAME_VERSION, sys->version);
		put_clean(pf, PF_UTSNAME_RELEASE, sys->release);
		put_clean(pf, PF_UTSNAME_MACHINE, sys->machine);
		pf_message_end(b, uts);
	}
	if (sys->page)
		pf_put_uint(b, PF_SYSTEM_PAGE_SIZE, sys->page);
	if (sys->cpus)
		pf_put_uint(b, PF_SYSTEM_CPUS, sys->cpus);
	if (sys->hostname && sys->hostname[0])
		put_clean(pf, PF_SYSTEM_NAME, sys->hostname);
	return pf_packet_end_with(pf, at);
}

/* --- devices ---------------------------------------------------------------------------------- */

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

static void put_extra(struct pf *pf, const char *key, const char *value)
{
	struct xtr_buf *b = &pf->out.block;
	size_t at;

	if (!value)
		return;
	at = pf_message(b, PF_GPU_EXTRA);
	pf_put_text(b, PF_EXTRA_KEY, key);
	put_clean(pf, PF_EXTRA_VALUE, value);
	pf_message_end(b, at);
}

static const char *vendor(const char *pci_id)
{
	for (size_t i = 0; pci_id && i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (!strncmp(pci_id, vendors[i].pci, strlen(vendors[i].pci)))
			return vendors[i].name;
	return NULL;
}

static void put_gpu(struct pf *pf, const struct pf_device *d)
{
	const char *driver = d->driver ? d->driver : "", *name = d->name[0] ? d->name : "unknown";
	struct xtr_buf *b = &pf->out.block;
	size_t at = pf_message(b, PF_GPUS_GPU);

	pf_put_text(b, PF_GPU_NAME, pf_textf(pf, "%s%s%s", driver, driver[0] ? " " : "", name));
	pf_put_text(b, PF_GPU_VENDOR, vendor(d->pci_id));
	put_clean(pf, PF_GPU_MODEL, d->pci_id);
	put_extra(pf, "driver", d->driver);
	put_extra(pf, "driver_version", d->driver_version);
	put_extra(pf, "firmware", d->firmware);
	put_extra(pf, "nodes", d->nodes);
	if (is_pci_address(d->name))
		pf_put_text(b, PF_GPU_PCI, d->name);
	pf_message_end(b, at);
}

int pf_gpu_info(struct pf *pf)
{
	const struct pf_machine *m = pf_machine(pf);
	size_t at;

	pf_packet(pf);
	at = pf_in_packet(pf, PF_PACKET_GPUS);
	for (size_t i = 0; i < m->n_devices; i++)
		put_gpu(pf, &m->device[i]);
	return pf_packet_end_with(pf, at);
}

/* The devices that are known from the start, those that were described first. */
static int devices(struct pf *pf)
{
	const struct xtr_meta *meta = pf->s->meta;
	bool is_new;
	int64_t ret = 0;

	for (size_t i = 0; i < xtr_meta_n_devices(meta) && ret >= 0; i++)
		ret = pf_device_of(pf, xtr_meta_device(meta, i)->name, xtr_meta_device(meta, i),
				   &is_new);
	for (size_t i = 0; i < xtr_model_n_devices(pf->s->rings) && ret >= 0; i++)
		if (xtr_model_device(pf->s->rings, i)->name[0])
			ret = pf_device_of(pf, xtr_model_device(pf->s->rings, i)->name, NULL,
					   &is_new);
	return ret < 0 ? (int)ret : pf_gpu_info(pf);
}

int pf_facts(struct pf *pf)
{
	int err = clocks(pf);

	if (!err && !pf->s->index)
		err = uuid(pf);
	return err ?: system_info(pf) ?: attributes(pf) ?: devices(pf);
}
