/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file, exported in every format and with the options that its size chooses:
 * whatever the sections say, an export ends, with a status, and writes no more than so many bytes
 * for each one that it read.
 */
#include "fuzz.h"

#include "converters/out/core/export.h"

#include <errno.h>
#include <string.h>

#define PER_BYTE 8192u      /* output for each byte of input; LZ4 alone may make 255 of one */
#define BASE     (1u << 20) /* and for none */

struct sink {
	uint64_t left;
};

static ssize_t swallow(void *cookie, const char *buf, size_t n)
{
	struct sink *s = cookie;

	(void)buf;
	FUZZ_CHECK(n <= s->left);
	s->left -= n;
	return (ssize_t)n;
}

static void progress(void *ctx, unsigned int permille)
{
	(void)ctx;
	FUZZ_CHECK(permille <= 1000);
}

/* One bit of the size each. */
static void choose(struct xtr_export *e, const struct xtr_exporter *x, size_t size)
{
	static const char *const tables[] = { "jobs",  "deps", "calls", "events",
					      "tasks", "gaps", "meta",  "rings" };
	static const uint32_t pids[] = { 0, 7 };
	static const char *const rings[] = { "*0*" };

	e->opts.jobs_only = size & 1;
	e->opts.raw = size & 2;
	e->opts.ftrace = size & 4;
	e->opts.track_events = size & 8;
	e->opts.compress = size & 16;
	if (!strcmp(x->name, "csv") || !strcmp(x->name, "jsonl") || !strcmp(x->name, "arrow"))
		e->opts.table = tables[size % 8];
	e->top = size & 32 ? 3 : 0;
	if (size & 64)
		e->select = (struct xtr_select){ .pids = pids, .n_pids = 2, .from = 1000 };
	if (size & 128)
		e->select = (struct xtr_select){ .rings = rings, .n_rings = 1, .to = 1u << 30 };
}

static void export(const struct xtr_reader *r, const struct xtr_exporter *x, size_t size)
{
	const cookie_io_functions_t io = { .write = swallow };
	struct sink sink = { BASE + (uint64_t)size * PER_BYTE };
	FILE *f = fopencookie(&sink, "w", io);
	struct xtr_export e = { .sz = sizeof(e),
				.exporter = x,
				.opts = { .sz = sizeof(e.opts),
					  .out = x->by_path ? NULL : f,
					  .path = x->by_path ? ":memory:" : NULL },
				.reader = r,
				.progress = progress };
	int ret;

	FUZZ_CHECK(f);
	choose(&e, x, size);
	ret = xtr_export(&e);
	/* Options that do not go together are the only thing to refuse; nothing else can fail here.
	 */
	FUZZ_CHECK(!ret || (ret == -EINVAL && e.why));
	fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xtr_exporter *const *x;
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;
	struct xtr_err err;

	if (xtr_io_mem_view(data, size, &io) || xtr_reader_open(&r, io, &err))
		return 0;
	for (x = xtr_exporters; *x; x++)
		export(r, *x, size);
	xtr_reader_close(r);
	return 0;
}
