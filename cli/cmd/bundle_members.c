/* SPDX-License-Identifier: BSD-2-Clause */
#include "bundle_members.h"

#include "base/buf.h"

#include <errno.h>
#include <string.h>

#define TEXT_MAX ((size_t)64 << 20) /* bytes: of a log, with much room */

/* Members of old and new bundles, by how their names begin. */
static const struct {
	const char *name, *source;
	bool raw;
} members[] = {
	{ "machine.txt", "machine", false },
	{ "devices.txt", "devices", false },
	{ "modules.txt", "modules", false },
	{ "firmware.txt", "firmware", false },
	{ "cmdline.txt", "cmdline", false },
	{ "kmsg.txt", "kmsg", false },
	{ "xid.txt", "xid", false },
	{ "hang.txt", "hang", false },
	{ "dmesg.txt", "dmesg", false },
	{ "state", "state", false },
	{ "devcoredump-", "devcoredump", true },
	{ "error-", "error", true },
	{ "nvidia-smi.txt", "nvidia-smi", false },
	{ "nvidia-bug-report.log.gz", "nvidia-bug-report", true },
};

struct taking {
	struct xtr_bundle *b;
	const struct bundle_opts *o;
	const char *path;
	/* The member that is read. */
	const struct xtr_bundle_source *source;
	char name[96];
	bool raw, cut;
	struct xtr_io *io;
	uint64_t size;
	struct xtr_buf text;
};

static bool begin(void *ctx, const char *name, uint64_t size)
{
	struct taking *t = ctx;

	(void)size;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strncmp(name, members[i].name, strlen(members[i].name)) != 0)
			continue;
		t->source = xtr_bundle_source_named(members[i].source);
		t->raw = members[i].raw;
		t->cut = false;
		t->size = 0;
		t->text.n = 0;
		snprintf(t->name, sizeof(t->name), "%s", name);
		return t->source && !bundle_lists(&t->o->exclude, t->source->name);
	}
	return false;
}

static int data(void *ctx, const void *p, size_t n)
{
	struct taking *t = ctx;
	int err = 0;

	if (t->raw) {
		err = t->io ? 0 : xtr_io_temp(&t->io);
		t->size += n;
		return err ?: t->io->ops->append(t->io, p, n);
	}
	t->cut |= t->text.n + n > TEXT_MAX;
	if (!t->cut)
		xtr_buf_add(&t->text, p, n);
	return t->text.err;
}

static int end(void *ctx)
{
	struct taking *t = ctx;
	struct xtr_io *io = t->io;

	t->io = NULL;
	if (t->cut)
		return xtr_bundle_absent(t->b, t->source, t->name, t->path,
					 "it is longer than %zu MiB", TEXT_MAX >> 20);
	if (!t->raw)
		return xtr_bundle_add_text(t->b, t->source, t->name, t->path, &t->text);
	return io ? xtr_bundle_add_file(t->b, t->source, t->name, t->path, io, t->size) : 0;
}

static bool has(const struct xtr_bundle *b, const struct xtr_bundle_source *s)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].source == s)
			return true;
	return false;
}

static int add_absent(struct xtr_bundle *b, const struct bundle_opts *o)
{
	const struct xtr_bundle_source *s;
	int err = 0;

	for (size_t i = 0; (s = xtr_bundle_source(i)) && !err; i++)
		if (s->machine && !has(b, s))
			err = xtr_bundle_absent(b, s, "", "",
						bundle_lists(&o->exclude, s->name)
							? "left out on request"
							: "the bundle has none");
	return err;
}

int bundle_members(struct xtr_bundle *b, const char *path, const struct bundle_opts *o,
		   bool *is_bundle)
{
	struct taking t = { .b = b, .o = o, .path = path };
	const struct xtr_bundle_see see = { begin, data, end, &t };
	struct xtr_io *io, *trace = NULL;
	struct xtr_bundle_err why;
	int err;

	*is_bundle = false;
	if (!strcmp(path, "-")) /* it was read already */
		return 0;
	err = xtr_io_open_read(path, &io);
	if (err)
		return err;
	*is_bundle = xtr_bundle_is(io);
	if (*is_bundle)
		err = xtr_bundle_open(io, &see, &trace, &why) ?: add_absent(b, o);
	xtr_io_close(trace);
	xtr_io_close(t.io);
	xtr_io_close(io);
	xtr_buf_free(&t.text);
	return err;
}
