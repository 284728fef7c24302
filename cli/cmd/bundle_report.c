/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_report.h"
#include "bundle_timeline.h"
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"

#include "format/read/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)64 << 10) /* of a member that is read for its facts */
#define FACT_MAX 512u

struct facts {
	char text[XTR_FACTS][FACT_MAX];
	const char *fact[XTR_FACTS];
};

/* --- facts ------------------------------------------------------------------------------------ */

static void add(struct facts *fa, enum xtr_fact fact, const char *separator, const char *s)
{
	char *to = fa->text[fact];
	size_t n = strlen(to);

	if (!s || !*s)
		return;
	snprintf(to + n, FACT_MAX - n, "%s%s", n ? separator : "", s);
	fa->fact[fact] = to;
}

/* Of each device with a driver: "0000:03:00.0, 1002:744c, Radeon ..." and what its driver tells. */
static void of_devices(struct facts *fa, const struct xtr_meta *m, const struct xtr_tracker *t)
{
	for (size_t i = 0; i < xtr_meta_n_devices(m); i++) {
		const struct xtr_device *d = xtr_meta_device(m, i);

		if (!d->driver || !xtr_tracker_takes(t, d->driver))
			continue;
		add(fa, XTR_FACT_DEVICE, "; ", d->model ? d->model : d->name);
		add(fa, XTR_FACT_DEVICE, ", PCI ", d->pci_id);
		add(fa, XTR_FACT_DEVICE, ", subsystem ", d->subsystem);
		add(fa, XTR_FACT_DEVICE, ", revision ", d->revision);
		add(fa, XTR_FACT_DRIVER, "; ", d->driver);
		add(fa, XTR_FACT_DRIVER, " ", d->driver_version);
		add(fa, XTR_FACT_DRIVER, ", srcversion ", d->driver_srcversion);
		add(fa, XTR_FACT_FIRMWARE, "; ", d->firmware);
	}
}

/* A text of the bundle, NUL-terminated; NULL: it is not there, or no memory. */
static char *member(const struct xtr_bundle *b, const char *source)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct xtr_bundle_item *item = &b->v[i];
		size_t n = item->size < TEXT_MAX ? (size_t)item->size : TEXT_MAX;
		char *text;

		if (!item->io || strcmp(item->source->name, source) != 0)
			continue;
		text = calloc(1, n + 1);
		if (text && n && item->io->ops->read_at(item->io, 0, text, n))
			*text = 0;
		return text;
	}
	return NULL;
}

/* Lines "KEY: VALUE" of machine.txt (bundle/machine.c). */
static const struct {
	const char *key;
	enum xtr_fact fact;
} lines[] = {
	{ "kernel", XTR_FACT_KERNEL },         { "distribution", XTR_FACT_DISTRIBUTION },
	{ "processor", XTR_FACT_CPU },         { "memory", XTR_FACT_MEMORY },
	{ "vendor", XTR_FACT_COMPUTER },       { "product", XTR_FACT_COMPUTER },
	{ "BIOS version", XTR_FACT_COMPUTER },
};

static void of_line(struct facts *fa, const char *line)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t n = strlen(lines[i].key);

		if (!strncmp(line, lines[i].key, n) && line[n] == ':')
			add(fa, lines[i].fact, ", ", line + n + 1 + strspn(line + n + 1, " "));
	}
}

static void of_machine(struct facts *fa, const struct xtr_bundle *b)
{
	char *text = member(b, "machine"), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		of_line(fa, line);
	free(text);
	text = member(b, "cmdline");
	if (text) {
		text[strcspn(text, "\n")] = 0;
		add(fa, XTR_FACT_CMDLINE, "", text);
	}
	free(text);
}

static void collect(struct facts *fa, const struct xtr_bundle *b, const struct xtr_reader *r,
		    const struct xtr_tracker *t)
{
	const struct xtr_section *s = xtr_reader_section(r, 0);
	const struct xtr_system *sys;

	of_machine(fa, b);
	if (!s)
		return;
	of_devices(fa, xtr_section_meta(s), t);
	if (fa->fact[XTR_FACT_KERNEL])
		return;
	sys = xtr_meta_system(xtr_section_meta(s));
	add(fa, XTR_FACT_KERNEL, "", sys->release);
	add(fa, XTR_FACT_KERNEL, " ", sys->version);
	add(fa, XTR_FACT_KERNEL, " ", sys->machine);
}

/* "amdgpu on Linux 6.12.3: <FILL IN: what happens, in which program>" */
static void make_title(char *title, size_t size, const struct facts *fa, const struct xtr_reader *r)
{
	const struct xtr_section *s = xtr_reader_section(r, 0);
	const char *driver = fa->fact[XTR_FACT_DRIVER];
	const char *release = s ? xtr_meta_system(xtr_section_meta(s))->release : NULL;

	snprintf(title, size, "%.*s%sLinux %s: FILL IN: what happens, in which program",
		 driver ? (int)strcspn(driver, " ,;") : 0, driver ? driver : "", driver ? ", " : "",
		 release && *release ? release : "?");
}

/* --- the text --------------------------------------------------------------------------------- */

/* The findings, without the lines before their heading, and a timeline. */
static int put_seen(struct xtr_buf *seen, const struct xtr_bundle *b, struct xtr_reader *r)
{
	FILE *f = xtr_memory_stream(seen);
	char *text = member(b, "findings");
	const char *from = text ? strstr(text, "\nFindings\n") : NULL;
	int err = f ? 0 : -ENOMEM;

	if (!err && text)
		fprintf(f, "%s\n", from ? from + 1 : text);
	if (!err)
		err = bundle_timeline(r, f);
	if (f) {
		err = err ?: xtr_memory_flush(f, seen);
		fclose(f);
	}
	free(text);
	xtr_buf_add(seen, "", 1);
	return err ? err : seen->err;
}

static int write_report(struct bundle_report *o, const struct xtr_report_text *text)
{
	FILE *f = xtr_memory_stream(&o->text), *left = xtr_memory_stream(&o->missing);
	int err = f && left ? 0 : -ENOMEM;

	if (!err) {
		o->n_missing = xtr_tracker_report(o->tracker, text, f);
		xtr_tracker_missing(o->tracker, text, true, "  ", left);
		err = xtr_memory_flush(f, &o->text) ?: xtr_memory_flush(left, &o->missing);
	}
	if (f)
		fclose(f);
	if (left)
		fclose(left);
	return err;
}

int bundle_report_make(struct bundle_report *o, struct xtr_bundle *b, struct xtr_reader *r,
		       const char *bundle)
{
	struct facts *fa = calloc(1, sizeof(*fa));
	struct xtr_buf seen = { 0 };
	struct xtr_report_text text = { .bundle = bundle, .b = b, .trace_ns = o->trace_ns };
	char title[FACT_MAX];
	int err = fa ? put_seen(&seen, b, r) : -ENOMEM;

	if (!err) {
		collect(fa, b, r, o->tracker);
		o->other_drivers = !fa->fact[XTR_FACT_DRIVER];
		make_title(title, sizeof(title), fa, r);
		memcpy(text.fact, fa->fact, sizeof(text.fact));
		text.title = title;
		text.seen = (const char *)seen.p;
		err = write_report(o, &text);
	}
	if (!err)
		err = xtr_bundle_add_text(b, xtr_bundle_source_named("report"), "report.md",
					  "xtr bundle --for", &o->text);
	xtr_buf_free(&seen);
	free(fa);
	return err;
}

/* --- beside the bundle ------------------------------------------------------------------------ */

static int write_beside(const struct bundle_report *o, bool force)
{
	struct outfile out = { 0 };
	int status = outfile_open(&out, o->path, force);

	if (status != XTR_EXIT_OK)
		return status;
	fwrite(o->text.p, 1, o->text.n, out.f);
	status = outfile_commit(&out);
	outfile_free(&out);
	return status;
}

int bundle_report_tell(const struct bundle_report *o, const char *bundle, bool force)
{
	int status = o->path ? write_beside(o, force) : XTR_EXIT_OK;

	if (status != XTR_EXIT_OK || cli_quiet)
		return status;
	if (o->other_drivers && o->tracker->drivers)
		cli_warn("no device of the trace has a driver that is reported there: %s",
			 o->tracker->drivers);
	fprintf(stderr, "%s: the report for %s\n", o->path ? o->path : "report.md",
		o->tracker->what);
	if (o->n_missing)
		fprintf(stderr, "still to be filled in, of what is demanded there:\n%.*s",
			(int)o->missing.n, (const char *)o->missing.p);
	if (o->tracker->limit && o->bytes > o->tracker->limit) {
		cli_warn("the bundle has %s, and attachments there at most %s", cli_bytes(o->bytes),
			 cli_bytes(o->tracker->limit));
		cli_hint("leave parts out with --exclude, or put it where it can be downloaded");
	} else if (o->trace_ns) {
		fprintf(stderr, "its trace is cut to its last %s, to fit into %s\n",
			cli_ns(o->trace_ns), cli_bytes(o->tracker->limit));
	}
	if (o->tracker->zip_only)
		fprintf(stderr, "attachments must be .zip or .gz there: zip -0 %s.zip %s\n", bundle,
			bundle);
	fprintf(stderr, "then post it: %s\n", o->tracker->where);
	return status;
}

void bundle_report_free(struct bundle_report *o)
{
	xtr_buf_free(&o->text);
	xtr_buf_free(&o->missing);
	free(o->path);
}
