/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_report.h"
#include "bundle_timeline.h"
#include "hang_head_cmd.h"
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

/* --- the hang --------------------------------------------------------------------------------- */

/* What may be read for facts of a hang: logs by their lines, dumps by their format. */
static int read_dump(struct xtr_dumps *d, const struct xtr_bundle_item *item)
{
	const bool log = !strcmp(item->source->name, "kmsg") ||
			 !strcmp(item->source->name, "dmesg") || !strcmp(item->source->name, "xid");
	struct xtr_dump_reader *reader;
	uint8_t buf[4096];
	int err = 0;

	if (!log && strcmp(item->source->name, "devcoredump") != 0 &&
	    strcmp(item->source->name, "error") != 0)
		return 0;
	reader = xtr_dump_begin(d, item->name, log);
	if (!reader)
		return -ENOMEM;
	for (uint64_t at = 0; at < item->size && !err;) {
		size_t n = item->size - at < sizeof(buf) ? (size_t)(item->size - at) : sizeof(buf);

		err = item->io->ops->read_at(item->io, at, buf, n) ?: xtr_dump_feed(reader, buf, n);
		at += n;
	}
	return xtr_dump_end(reader) ?: err;
}

/*
 * The hang in ten lines, by what goes into the bundle alone: the redacted trace, and what was asked
 * for. A dump has names as they are, so the lines are scrubbed.
 */
static int put_hang(struct hang_told *told, struct xtr_buf *seen, const struct xtr_bundle *b,
		    struct xtr_reader *r)
{
	static const struct replay_opts all = { 0 };
	struct replay_cmd cmd = { .path = "", .reader = r, .window = &all.window, .o = &all };
	struct xtr_buf text = { 0 };
	struct xtr_dumps dumps = { 0 };
	FILE *f = xtr_memory_stream(&text);
	int err = f ? 0 : -ENOMEM;

	for (size_t i = 0; i < b->n && !err; i++)
		if (b->v[i].io)
			err = read_dump(&dumps, &b->v[i]);
	err = err ?: hang_told_find(told, &cmd, &dumps);
	if (!err && told->head.n)
		hang_told_text(told, f);
	if (f) {
		err = err ?: xtr_memory_flush(f, &text);
		fclose(f);
	}
	if (!err && b->scrub)
		xtr_scrub_text(b->scrub, text.p, text.n, seen);
	else if (!err)
		xtr_buf_add(seen, text.p, text.n);
	xtr_buf_free(&text);
	xtr_dumps_free(&dumps);
	return err ? err : seen->err;
}

/* "amdgpu, Linux 6.12.3: hang of ring gfx_0.0.0", or a blank for what happens. */
static void make_title(char *title, size_t size, const struct facts *fa, const struct xtr_reader *r,
		       const struct xtr_hang_head *hang)
{
	const struct xtr_section *s = xtr_reader_section(r, 0);
	const char *driver = fa->fact[XTR_FACT_DRIVER];
	const char *release = s ? xtr_meta_system(xtr_section_meta(s))->release : NULL;

	snprintf(title, size, "%.*s%sLinux %s: %s%s%s%sFILL IN: what happens, in which program",
		 driver ? (int)strcspn(driver, " ,;") : 0, driver ? driver : "", driver ? ", " : "",
		 release && *release ? release : "?", hang->n ? "hang" : "",
		 hang->key.ring[0] ? " of ring " : "", hang->key.ring, hang->n ? "; " : "");
}

/* --- the text --------------------------------------------------------------------------------- */

/* The hang, the findings without the lines before their heading, and a timeline. */
static int put_seen(struct hang_told *told, struct xtr_buf *seen, struct xtr_buf *picture,
		    const struct xtr_bundle *b, struct xtr_reader *r)
{
	struct xtr_buf rest = { 0 };
	FILE *f = xtr_memory_stream(&rest), *svg = xtr_memory_stream(picture);
	int err = f && svg ? put_hang(told, seen, b, r) : -ENOMEM;
	char *text = member(b, "findings");
	const char *from = text ? strstr(text, "\nFindings\n") : NULL;

	if (!err && text)
		fprintf(f, "%s\n", from ? from + 1 : text);
	if (!err)
		err = bundle_timeline(r, f, svg)
			      ?: xtr_memory_flush(f, &rest)
			      ?: xtr_memory_flush(svg, picture);
	if (f)
		fclose(f);
	if (svg)
		fclose(svg);
	free(text);
	xtr_buf_add(seen, rest.p, rest.n);
	xtr_buf_add(seen, "", 1);
	xtr_buf_free(&rest);
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
	struct hang_told *told = calloc(1, sizeof(*told));
	struct facts *fa = calloc(1, sizeof(*fa));
	struct xtr_buf seen = { 0 };
	struct xtr_report_text text = { .bundle = bundle, .b = b, .trace_ns = o->trace_ns };
	char title[FACT_MAX];
	int err = fa && told ? put_seen(told, &seen, &o->picture, b, r) : -ENOMEM;

	if (!err) {
		collect(fa, b, r, o->tracker);
		o->other_drivers = !fa->fact[XTR_FACT_DRIVER];
		make_title(title, sizeof(title), fa, r, &told->head);
		memcpy(text.fact, fa->fact, sizeof(text.fact));
		text.title = title;
		text.seen = (const char *)seen.p;
		text.picture = o->picture.n;
		err = write_report(o, &text);
	}
	if (!err)
		err = xtr_bundle_add_text(b, xtr_bundle_source_named("report"), "report.md",
					  "xtr bundle --for", &o->text);
	if (!err && o->picture.n)
		err = xtr_bundle_add_text(b, xtr_bundle_source_named("report"), "timeline.svg",
					  "xtr bundle --for", &o->picture);
	xtr_buf_free(&seen);
	free(told);
	free(fa);
	return err;
}

/* --- beside the bundle ------------------------------------------------------------------------ */

static int write_beside(const char *path, const struct xtr_buf *text, bool force)
{
	struct outfile out = { 0 };
	int status = outfile_open(&out, path, force);

	if (status != XTR_EXIT_OK)
		return status;
	fwrite(text->p, 1, text->n, out.f);
	status = outfile_commit(&out);
	outfile_free(&out);
	return status;
}

static int write_all(const struct bundle_report *o, bool force)
{
	int status = write_beside(o->path, &o->text, force);

	if (status == XTR_EXIT_OK && o->picture.n)
		status = write_beside(o->picture_path, &o->picture, force);
	return status;
}

int bundle_report_tell(const struct bundle_report *o, const char *bundle, bool force)
{
	int status = o->path ? write_all(o, force) : XTR_EXIT_OK;

	if (status != XTR_EXIT_OK || cli_quiet)
		return status;
	if (o->other_drivers && o->tracker->drivers)
		cli_warn("no device of the trace has a driver that is reported there: %s",
			 o->tracker->drivers);
	fprintf(stderr, "%s: the report for %s\n", o->path ? o->path : "report.md",
		o->tracker->what);
	if (o->path && o->picture.n)
		fprintf(stderr, "%s: its timeline as a picture\n", o->picture_path);
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
	xtr_buf_free(&o->picture);
	free(o->path);
	free(o->picture_path);
}
