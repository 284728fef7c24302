/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bundle itself: README, manifest and digests are made of the other members, and stand before
 * them.
 */
#include "bundle.h"

#include "base/json.h"
#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- README ------------------------------------------------------------------------------------
 */

static void readme_head(FILE *f, const struct xtr_bundle_head *h)
{
	fprintf(f,
		"This is a report about GPU or NPU drivers, made by xtr " XTR_VERSION
		" (" XTR_BUNDLE_SCHEMA ").\n\n"
		"How to look at it, anywhere, without root:\n\n"
		"    xtr stats %s" XTR_BUNDLE_ENDING "      what the recorded jobs did\n"
		"    xtr info %s" XTR_BUNDLE_ENDING
		"       machine, drivers, what was recorded and lost\n"
		"    tar --zstd -xf %s" XTR_BUNDLE_ENDING " all of it, without xtr\n"
		"    cd %s && sha256sum -c SHA256SUMS\n\n",
		h->folder, h->folder, h->folder, h->folder);
	if (h->hang)
		fputs("It was taken when a device hung (docs/hang.md). ", f);
	if (h->redacted)
		fprintf(f,
			"The trace is redacted: names of people, programs and machines are name#1, path#1, ...,\n"
			"process ids are ranks, pointers are mapped. %" PRIu64
			" private texts and pointers of the\n"
			"original were looked for in it, and none was found. In texts of the machine the same\n"
			"names, the host's, those of users, UUIDs and addresses of network cards are replaced;\n"
			"process ids and other numbers are not. Dumps of devices are byte for byte as they were.\n\n",
			h->checked);
	else
		fputs("NOTHING IS REDACTED: the trace and the texts are as they were.\n\n", f);
}

static int make_readme(const struct xtr_bundle *b, const struct xtr_bundle_head *h, FILE *f)
{
	size_t out = 0;

	readme_head(f, h);
	fputs("What is in it:\n\n", f);
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].io)
			fprintf(f, "    %-28s %s%s%s%s\n", b->v[i].name, b->v[i].source->what,
				!b->v[i].source->holds ? ""
				: h->hang              ? " (private)"
						       : " (private, put in on request)",
				b->v[i].why[0] ? ": NOT ALL OF IT: " : "", b->v[i].why);
	fputs("    manifest.json                the same for programs\n", f);
	for (size_t i = 0; i < b->n; i++) {
		const struct xtr_bundle_item *item = &b->v[i];

		if (item->io)
			continue;
		if (!out++)
			fputs("\nWhat is not, and why:\n\n", f);
		fprintf(f, "    %-28s %s: %s\n", item->name[0] ? item->name : item->source->name,
			item->source->what, item->why);
	}
	return 0;
}

/* --- manifest.json and SHA256SUMS ---------------------------------------------------------------
 */

static void put_text(struct xtr_json *j, const char *key, const char *text)
{
	xtr_json_kv_str(j, key, *text ? text : NULL);
}

static void manifest_item(struct xtr_json *j, const struct xtr_bundle_item *item)
{
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "source", item->source->name);
	put_text(j, "name", item->name);
	xtr_json_kv_str(j, "what", item->source->what);
	put_text(j, "from", item->from);
	xtr_json_kv_bool(j, "private", item->source->holds);
	xtr_json_kv_bool(j, "present", item->io);
	if (item->io) {
		xtr_json_kv_u64(j, "bytes", item->size);
		put_text(j, "sha256", item->digest);
		xtr_json_kv_bool(j, "unaltered", item->raw);
		if (item->why[0])
			xtr_json_kv_str(j, "cut", item->why);
	} else {
		xtr_json_kv_str(j, "why", item->why);
	}
	xtr_json_end_object(j);
}

static int make_manifest(const struct xtr_bundle *b, const struct xtr_bundle_head *h, FILE *f)
{
	struct xtr_json j;

	xtr_json_document(&j, f, XTR_BUNDLE_SCHEMA);
	xtr_json_kv_str(&j, "xtr", XTR_VERSION);
	xtr_json_kv_bool(&j, "redacted", h->redacted);
	xtr_json_kv_u64(&j, "checked", h->checked);
	if (h->hang)
		xtr_json_kv_bool(&j, "hang", true);
	xtr_json_kv_array(&j, "members");
	for (size_t i = 0; i < b->n; i++)
		manifest_item(&j, &b->v[i]);
	xtr_json_end_array(&j);
	xtr_json_document_end(&j);
	return 0;
}

static int make_sums(const struct xtr_bundle *b, const struct xtr_bundle_head *h, FILE *f)
{
	(void)h;
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].io && b->v[i].digest[0])
			fprintf(f, "%s  %s\n", b->v[i].digest, b->v[i].name);
	return 0;
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static const struct {
	const char *name;
	int (*make)(const struct xtr_bundle *b, const struct xtr_bundle_head *h, FILE *f);
} made[] = {
	{ "README", make_readme },
	{ "manifest.json", make_manifest },
	{ "SHA256SUMS", make_sums },
};

static int add_made(struct xtr_bundle_writer *w, const struct xtr_bundle *b,
		    const struct xtr_bundle_head *h, size_t i)
{
	struct xtr_buf text = { 0 };
	FILE *f = xtr_memory_stream(&text);
	struct xtr_io *io = NULL;
	int err = f ? made[i].make(b, h, f) : -ENOMEM;

	if (f) {
		err = err ? err : xtr_memory_flush(f, &text);
		fclose(f);
	}
	err = err ?: xtr_io_mem_view(text.p, text.n, &io) ?:
	      xtr_bundle_writer_add(w, made[i].name, io, text.n);
	xtr_io_close(io);
	xtr_buf_free(&text);
	return err;
}

static int digests(struct xtr_bundle *b)
{
	int err = 0;

	for (size_t i = 0; i < b->n && !err; i++)
		if (b->v[i].io)
			err = xtr_bundle_digest(b->v[i].io, b->v[i].size, b->v[i].digest);
	return err;
}

int xtr_bundle_write(struct xtr_bundle *b, const struct xtr_bundle_head *h, struct xtr_io *io)
{
	struct xtr_bundle_writer *w = NULL;
	int err = digests(b) ?: xtr_bundle_writer_open(&w, io, h->folder, h->mtime);

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]) && !err; i++)
		err = add_made(w, b, h, i);
	for (size_t i = 0; i < b->n && !err; i++)
		if (b->v[i].io)
			err = xtr_bundle_writer_add(w, b->v[i].name, b->v[i].io, b->v[i].size);
	if (!err)
		err = xtr_bundle_writer_finish(w);
	xtr_bundle_writer_free(w);
	return err;
}
