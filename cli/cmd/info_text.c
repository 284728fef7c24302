/* SPDX-License-Identifier: BSD-2-Clause */
/* `xtr info` for people: what is missing first, then what there is. */
#include "info.h"
#include "cli/ui/text.h"
#include "trace.h"

#include "format/meta/piece.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"
#include "replay/notes/notes.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum {
	LABEL = 16,
	PROBLEMS_SHOWN = 20
};

static void label(FILE *f, const char *name)
{
	fprintf(f, "  %-*s", LABEL, name);
}

static void line(FILE *f, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	label(f, name);
	cli_put(f, value, 0);
	fputc('\n', f);
}

/* "1,200 of 1,001,200 events (0.120 %)" */
static void share(FILE *f, uint64_t part, uint64_t rest)
{
	const unsigned __int128 all = (unsigned __int128)part + rest;
	const unsigned int permyriad =
		all ? (unsigned int)((unsigned __int128)part * 100000 / all) : 0;

	fprintf(f, "%s of %s events (%u.%03u %%)", cli_count(part),
		cli_count(all > UINT64_MAX ? UINT64_MAX : (uint64_t)all), permyriad / 1000,
		permyriad % 1000);
}

static void print_loss_entries(FILE *f, const struct xtr_section *s)
{
	const struct xtr_loss *loss = xtr_section_loss(s);
	const struct xtr_event_desc *d;
	const struct xtr_loss_entry *e;

	for (size_t i = 0; i < xtr_loss_n_entries(loss); i++) {
		e = xtr_loss_entry_at(loss, i);
		d = xtr_meta_event(xtr_section_meta(s), e->type);
		if (!e->total)
			continue;
		if (e->stream == XTR_STREAM_NONE)
			fprintf(f, "    %-9s", "no CPU");
		else
			fprintf(f, "    CPU %-5" PRIu32, e->stream);
		fprintf(f, "%15s  ", cli_count(e->total));
		cli_put(f, xtr_loss_cause_name(e->cause), 10);
		fputs("  ", f);
		if (d)
			cli_put(f, d->name, 0);
		else if (e->type)
			fprintf(f, "type %" PRIu32, e->type);
		else
			fputs("type unknown", f);
		fputc('\n', f);
	}
	if (xtr_loss_n_losses(loss))
		fprintf(f, "    in %s gap%s; 'xtr dump' shows where\n",
			cli_count(xtr_loss_n_losses(loss)),
			xtr_loss_n_losses(loss) == 1 ? "" : "s");
}

static void print_lost(FILE *f, const struct info *info)
{
	fputs("Lost while recording: ", f);
	if (info->open)
		fputs("at least ", f);
	if (info->lost)
		share(f, info->lost, info->events + info->missing);
	else
		fputs("nothing", f);
	if (info->filtered)
		fprintf(f, "; left out on purpose: %s", cli_count(info->filtered));
	fputs(info->open ? "; the end of the recording is missing\n" : "\n", f);
	for (size_t i = 0; i < info->n_sections; i++) {
		print_loss_entries(f, info->sections[i].s);
		xtr_sampled_text(f, xtr_section_meta(info->sections[i].s));
		xtr_budgeted_text(f, info->sections[i].s);
		xtr_flown_text(f, info->sections[i].s);
		xtr_pieced_text(f, info->sections[i].s);
		xtr_redacted_text(f, xtr_section_meta(info->sections[i].s));
	}
}

static void print_damage(FILE *f, const struct info *info)
{
	fputs("Damage: ", f);
	if (!info->n_problems && !info->missing) {
		fputs(info->unread ? "none of the file itself\n" : "none\n", f);
	} else {
		if (info->missing)
			share(f, info->missing, info->events);
		else
			fputs("no recorded event", f);
		fputs(" cannot be read\n", f);
	}
	for (size_t i = 0; i < info->n_sections; i++)
		xtr_import_damage_text(f, xtr_section_meta(info->sections[i].s));
	for (size_t i = 0; i < info->n_problems && i < PROBLEMS_SHOWN; i++) {
		fputs("    ", f);
		cli_put_problem(f, &info->problems[i]);
		fputc('\n', f);
	}
	if (info->n_problems > PROBLEMS_SHOWN)
		fprintf(f, "    and %s more: 'xtr check' shows all\n",
			cli_count(info->n_problems - PROBLEMS_SHOWN));
}

static void print_cost(FILE *f, const struct info_section *is)
{
	const struct xtr_recorder_cost *c = xtr_section_end_cost(is->s);

	if (!c)
		return;
	label(f, "own cost");
	fprintf(f, "%s CPU", cli_ns(c->cpu_ns));
	if (is->events)
		fprintf(f, ", %s per event", cli_ns(c->cpu_ns / is->events));
	if (c->ring_bytes)
		fprintf(f, "; rings of %s, filled to %u %%", cli_bytes(c->ring_bytes),
			(unsigned int)((unsigned __int128)c->ring_high * 100 / c->ring_bytes));
	if (c->bpf_run_cnt)
		fprintf(f, "; BPF %s per run, %s runs", cli_ns(c->bpf_run_ns / c->bpf_run_cnt),
			cli_count(c->bpf_run_cnt));
	fputc('\n', f);
}

static void print_piece(FILE *f, const struct xtr_meta *m)
{
	struct xtr_piece p;

	if (!xtr_piece_read(&p, m))
		return;
	label(f, "piece");
	fprintf(f, "%s of a %s recording", cli_count(p.number),
		xtr_meta_config_str(m, "flight") ? "flight" : "rotated");
	if (p.number > 1)
		fprintf(f, "; in those before it: %s, %s lost", cli_events(p.events_before),
			cli_count(p.lost_before));
	fputc('\n', f);
}

static void print_amount(FILE *f, const struct info_section *is)
{
	const struct xtr_section_summary *sum = xtr_section_summary(is->s);
	uint64_t tenths;

	label(f, "events");
	fprintf(f, "%s on %" PRIu32 " CPU%s", cli_count(is->events), sum->streams,
		sum->streams == 1 ? "" : "s");
	if (sum->events) {
		tenths = (uint64_t)((unsigned __int128)sum->event_bytes * 10 / sum->events);
		fprintf(f, ", %s in the file, %" PRIu64 ".%" PRIu64 " B per event",
			cli_bytes(sum->event_bytes), tenths / 10, tenths % 10);
	}
	fputc('\n', f);
	if (is->raw) {
		label(f, "raw");
		fprintf(f, "%s of %s chunks are not compressed, as when the recorder is behind\n",
			cli_count(is->raw), cli_count(is->chunks));
	}
}

/* "node=gpu17, cluster=eu" */
static void print_labels(FILE *f, const struct xtr_meta *m)
{
	const char *key, *value;
	size_t at = 0, n = 0;

	for (; xtr_meta_next_label(m, &at, &key, &value); n++) {
		if (!n)
			label(f, "labels");
		fputs(n ? ", " : "", f);
		cli_put(f, key, 0);
		fputc('=', f);
		cli_put(f, value, 0);
	}
	if (n)
		fputc('\n', f);
}

static void print_recording(FILE *f, const struct info_section *is)
{
	const char *reason = xtr_section_end_reason(is->s);
	const struct xtr_meta *m = xtr_section_meta(is->s);

	fputs("Recording\n", f);
	label(f, "started");
	if (!xtr_meta_has_times(m))
		fputs("unknown: the trace has no times", f);
	else if (is->start_realtime)
		cli_put_utc(f, is->start_realtime);
	else
		fputs("unknown: no clock snapshot", f);
	fputc('\n', f);
	label(f, "span");
	if (!xtr_meta_has_times(m))
		fputs("order only, no times\n", f);
	else
		fprintf(f, "%s (%" PRIu64 " ns)\n",
			is->events ? cli_ns(is->last - is->first) : "no events",
			is->last - is->first);
	print_labels(f, m);
	print_piece(f, m);
	print_amount(f, is);
	line(f, "ended",
	     reason ? reason : "not closed: the recorder was killed or is still running");
	label(f, "written by");
	cli_put(f, xtr_meta_writer_name(m), 0);
	fputc(' ', f);
	cli_put(f, xtr_meta_writer_version(m), 0);
	fprintf(f, ", format %d.%u\n", XTR_MAJOR, xtr_section_minor(is->s));
	print_cost(f, is);
}

/* Times of the clocks that xtr.cddl lists can be compared with other recordings of the same boot.
 */
static void print_clock(FILE *f, const char *clock)
{
	static const char *const known[] = { "monotonic", "monotonic-raw", "boottime", "realtime",
					     "tai" };

	label(f, "event clock");
	cli_put(f, clock, 0);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(clock, known[i])) {
			fputc('\n', f);
			return;
		}
	}
	fputs(strcmp(clock, XTR_CLOCK_SEQUENCE)
		      ? " (a tracer's own: cannot be compared with other clocks)\n"
		      : " (no times: events are numbered in their order)\n",
	      f);
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return !n;
}

static void print_machine(FILE *f, const struct xtr_section *s)
{
	const struct xtr_meta *m = xtr_section_meta(s);
	const struct xtr_system *sys = xtr_meta_system(m);
	const uint8_t *boot = xtr_meta_boot_id(m);

	fputs("Machine\n", f);
	if (sys) {
		line(f, "host", sys->hostname);
		line(f, "machine id", sys->machine_id);
		line(f, "kernel", sys->release);
		line(f, "", sys->version);
		line(f, "architecture", sys->machine);
		label(f, "CPUs");
		if (!sys->cpus)
			fputs("unknown, ", f);
		else
			fprintf(f, "%" PRIu32 ", ", sys->cpus);
		if (!sys->page)
			fputs("pages of unknown size\n", f);
		else
			fprintf(f, "pages of %" PRIu32 " B\n", sys->page);
		line(f, "hypervisor", sys->hypervisor);
	}
	print_clock(f, xtr_meta_clock(m));
	label(f, "clock readings");
	fprintf(f, "%zu\n", xtr_section_n_clocks(s));
	if (!boot || all_zero(boot, 16))
		return;
	label(f, "boot");
	for (int i = 0; i < 16; i++)
		fprintf(f, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", boot[i]);
	fputc('\n', f);
}

static void print_fact(FILE *f, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(f, ", %s ", name);
	cli_put(f, value, 0);
}

/* What tells this device from others, in a line of its own. */
static void print_product(FILE *f, const struct xtr_device *d)
{
	if (!d->model && !d->subsystem && !d->uuid)
		return;
	fputs("    ", f);
	cli_put(f, d->model ? d->model : "model unknown", 0);
	print_fact(f, "subsystem", d->subsystem);
	print_fact(f, "revision", d->revision);
	print_fact(f, "UUID", d->uuid);
	fputc('\n', f);
}

static void print_devices(FILE *f, const struct xtr_meta *m)
{
	const struct xtr_device *d;

	if (!xtr_meta_n_devices(m))
		return;
	fputs("Devices\n", f);
	for (size_t i = 0; i < xtr_meta_n_devices(m); i++) {
		d = xtr_meta_device(m, i);
		fputs("  ", f);
		cli_put(f, d->name, LABEL);
		fputs("  ", f);
		cli_put(f, d->driver, 10);
		fputs("  ", f);
		cli_put(f, d->pci_id, 9);
		for (size_t k = 0; k < d->n_nodes; k++) {
			fputc(' ', f);
			cli_put(f, d->nodes[k], 0);
		}
		print_fact(f, "driver", d->driver_version);
		print_fact(f, "source", d->driver_srcversion);
		print_fact(f, "firmware", d->firmware);
		print_fact(f, "video BIOS", d->vbios);
		fputc('\n', f);
		print_product(f, d);
	}
}

static void print_config(FILE *f, const struct xtr_meta *m)
{
	const char *key, *str;
	uint64_t num;

	for (size_t i = 0; xtr_meta_config(m, i, &key, &num, &str); i++) {
		if (i == 0)
			fputs("Options of the recording\n", f);
		fputs("  ", f);
		cli_put(f, key, LABEL);
		fputs("  ", f);
		if (str)
			cli_put(f, str, 0);
		else
			fprintf(f, "%" PRIu64, num);
		fputc('\n', f);
	}
}

static void print_events(FILE *f, const struct info_section *is)
{
	const struct info_type *t;
	int width = 5, w;

	if (!is->n_types)
		return;
	for (size_t i = 0; i < is->n_types; i++) {
		w = is->types[i].name ? cli_width(is->types[i].name) : 0;
		width = w > width ? w : width;
	}
	fprintf(f, "Events\n  %5s  %-*s  %15s  %15s\n", "type", width, "name", "count",
		"unpacked bytes");
	for (size_t i = 0; i < is->n_types; i++) {
		t = &is->types[i];
		fprintf(f, "  %5" PRIu32 "  ", t->type);
		cli_put(f, t->name ? t->name : "?", width);
		fprintf(f, "  %15s  %15s\n", cli_count(t->count), cli_count(t->bytes));
	}
}

static void print_provider(FILE *f, const struct xtr_provider *p)
{
	static const char *const states[] = {
		[XTR_PROVIDER_ATTACHED] = "attached",
		[XTR_PROVIDER_MISSING] = "missing",
		[XTR_PROVIDER_REFUSED] = "refused",
	};

	fprintf(f, "  %-8s  ", states[p->state]);
	cli_put(f, p->name, 36);
	fputs("  ", f);
	cli_put(f, p->why, 0);
	fputc('\n', f);
}

/* Those that are not recorded, or those that are, of which something is to be said. */
static void print_providers(FILE *f, const struct xtr_meta *m, const char *title, bool attached)
{
	const struct xtr_provider *p;
	bool any = false;

	for (size_t i = 0; i < xtr_meta_n_providers(m); i++) {
		p = xtr_meta_provider(m, i);
		if ((p->state == XTR_PROVIDER_ATTACHED) != attached || (attached && !p->why))
			continue;
		if (!any)
			fprintf(f, "%s\n", title);
		any = true;
		print_provider(f, p);
	}
}

static void print_section(FILE *f, const struct info *info, size_t i)
{
	const struct info_section *is = &info->sections[i];
	const struct xtr_meta *m = xtr_section_meta(is->s);

	fputc('\n', f);
	if (info->n_sections > 1)
		fprintf(f, "Section %zu of %zu, at 0x%" PRIx64 "\n", i + 1, info->n_sections,
			xtr_section_offset(is->s));
	print_recording(f, is);
	print_machine(f, is->s);
	print_devices(f, m);
	print_config(f, m);
	print_events(f, is);
	print_providers(f, m, "Not recorded", false);
	print_providers(f, m, "Recorded, but", true);
}

void info_print_head(FILE *f, const struct info *info)
{
	cli_put(f, xtr_text_input(info->path), 0);
	fprintf(f, ": %s, %s", cli_bytes(xtr_reader_size(info->r)), cli_events(info->events));
	if (info->n_sections > 1)
		fprintf(f, ", %zu sections", info->n_sections);
	fputc('\n', f);
	print_lost(f, info);
	print_damage(f, info);
}

void info_print_text(FILE *f, const struct info *info)
{
	info_print_head(f, info);
	for (size_t i = 0; i < info->n_sections; i++)
		print_section(f, info, i);
}
