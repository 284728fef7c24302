/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a file, exported in every format and with the options that its size chooses:
 * whatever the sections say, an export ends, with a status, and writes no more than so many bytes
 * for each one that it read. Of Parquet each file is whole, and none is left under another name.
 */
#include "fuzz.h"

#include "base/bytes.h"
#include "converters/out/core/export.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#define PER_BYTE 8192u      /* output for each byte of input; LZ4 alone may make 255 of one */
#define BASE     (1u << 20) /* and for none */
#define ROWS     100u       /* of a table that is made here */

struct sink {
	uint64_t left;
};

struct input {
	const uint8_t *data;
	size_t n;
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

/* --- a directory of files --------------------------------------------------------------------- */

#define FOLDER "/dev/shm/xtr-fuzz.XXXXXX"

static struct {
	uint64_t files, bytes;
} left;

/* Begin and end, and a footer that lies between them. */
static int look_at(const char *path, const struct stat *st, int type, struct FTW *at)
{
	uint8_t end[8], begin[4];
	FILE *f;

	if (type != FTW_F)
		return 0;
	FUZZ_CHECK(path[at->base] != '.');
	f = fopen(path, "r");
	FUZZ_CHECK(f && fread(begin, 1, 4, f) == 4 && !fseek(f, -8, SEEK_END));
	FUZZ_CHECK(fread(end, 1, 8, f) == 8);
	FUZZ_CHECK(!memcmp(begin, "PAR1", 4) && !memcmp(end + 4, "PAR1", 4));
	FUZZ_CHECK(xtr_le32(end) + 12ull <= (uint64_t)st->st_size);
	fclose(f);
	left.files++;
	left.bytes += (uint64_t)st->st_size;
	return 0;
}

static int remove_it(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

/* Tables whose cells are bytes of the file: one that is always there, and one of rows. */
static int more(void *ctx, const struct xtr_export_section *s, struct xtr_export_tables *to)
{
	static const struct xtr_column columns[] = { { "a", XTR_COLUMN_INT, NULL, "" },
						     { "b", XTR_COLUMN_TEXT, NULL, "" } };
	const struct input *in = ctx;
	int err = to->begin(to, "always", "", true) ?: to->column(to, &columns[0]) ?:
		  to->begin(to, "rows", "", false) ?: to->column(to, &columns[0]) ?:
		  to->column(to, &columns[1]);

	(void)s;
	for (size_t i = 0; i + 8 < in->n && i < 8 * ROWS && !err; i += 8) {
		size_t n = in->data[i] & 7u;
		const struct xtr_cell row[] = {
			xtr_cell_uint(in->data[i] & 8, xtr_le64(in->data + i)),
			{ .kind = in->data[i] & 16 ? XTR_CELL_TEXT : XTR_CELL_NULL,
			  .s = (const char *)in->data + i + 1,
			  .n = n }
		};

		err = to->row(to, row, 2);
	}
	return err;
}

/* --- all formats ------------------------------------------------------------------------------ */

static void export(const struct xtr_reader *r, const struct xtr_exporter *x, const uint8_t *data,
		   size_t size)
{
	struct input in = { data, size };
	char folder[] = FOLDER;
	const cookie_io_functions_t io = { .write = swallow };
	struct sink sink = { BASE + (uint64_t)size * PER_BYTE };
	FILE *f = fopencookie(&sink, "w", io);
	struct xtr_export e = { .sz = sizeof(e),
				.exporter = x,
				.opts = { .sz = sizeof(e.opts),
					  .out = x->by_path ? NULL : f,
					  .path = x->by_folder ? folder
						  : x->by_path ? ":memory:"
							       : NULL,
					  .more = size % 3 ? more : NULL,
					  .more_ctx = &in },
				.reader = r,
				.progress = progress };
	int ret;

	FUZZ_CHECK(f && (!x->by_folder || mkdtemp(folder)));
	choose(&e, x, size);
	ret = xtr_export(&e);
	/* Options that do not go together are the only thing to refuse; nothing else can fail here.
	 */
	FUZZ_CHECK(!ret || (ret == -EINVAL && e.why));
	fclose(f);
	if (!x->by_folder)
		return;
	left.files = left.bytes = 0;
	FUZZ_CHECK(!nftw(folder, look_at, 16, FTW_PHYS));
	FUZZ_CHECK(left.bytes <= BASE + size * (uint64_t)PER_BYTE);
	FUZZ_CHECK(ret || left.files || !xtr_reader_n_sections(r));
	FUZZ_CHECK(!nftw(folder, remove_it, 16, FTW_PHYS | FTW_DEPTH));
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
		export(r, *x, data, size);
	xtr_reader_close(r);
	return 0;
}
