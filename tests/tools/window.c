/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the events of a trace between two moments as a trace, and nothing else of it: unlike `xtr
 * cut` no event from before that jobs rest on. For tests that play many scenarios into one
 * recording.
 *
 * usage: window FROM_NS TO_NS IN OUT     exit status 3: IN has lost events
 */
#include "format/read/merge.h"
#include "format/write/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STREAMS_MAX = 4096
};

struct batch {
	uint8_t *recs;
	size_t len;
	uint32_t n;
};

static void die(const char *what, int err)
{
	fprintf(stderr, "window: %s: %s\n", what, strerror(-err));
	exit(1);
}

static void check(const char *what, int err)
{
	if (err)
		die(what, err);
}

static void append(struct batch *b, const struct xtr_event *ev)
{
	b->recs = realloc(b->recs, b->len + ev->size);
	if (!b->recs)
		die("memory", -ENOMEM);
	memcpy(b->recs + b->len, ev->rec, ev->size);
	b->len += ev->size;
	b->n++;
}

/* The events of the window by stream. The number of gaps that the trace has. */
static unsigned int take(struct xtr_reader *r, uint64_t from, uint64_t to, struct batch *batches)
{
	struct xtr_merge_opts opts = { .sz = sizeof(opts) };
	unsigned int gaps = 0;
	struct xtr_event ev;
	struct xtr_merge *m;
	struct xtr_err err;
	int ret = xtr_merge_open(&m, r, xtr_reader_section(r, 0), &opts);

	while (!ret && (ret = xtr_merge_next(m, &ev, &err)) == 1) {
		ret = 0;
		gaps += ev.gap != NULL;
		if (ev.gap || ev.ts < from || ev.ts > to)
			continue;
		if (ev.stream >= STREAMS_MAX)
			die("stream", -ERANGE);
		append(&batches[ev.stream], &ev);
	}
	check("read", ret);
	xtr_merge_close(m);
	return gaps;
}

static struct xtr_meta *meta_of(const struct xtr_section *s)
{
	struct xtr_meta *meta = xtr_meta_new();
	struct xtr_err err;
	uint8_t *buf;
	size_t n;

	if (!meta)
		die("memory", -ENOMEM);
	check("META", xtr_meta_encode(xtr_section_meta(s), &buf, &n));
	check("META", xtr_meta_merge(meta, buf, n, &err));
	free(buf);
	return meta;
}

static void write_window(const struct xtr_section *s, struct batch *batches, uint64_t to,
			 const char *path)
{
	struct xtr_tables *tables = xtr_tables_copy(xtr_section_tables(s));
	struct xtr_loss *loss = xtr_loss_new();
	struct xtr_meta *meta = meta_of(s);
	struct xtr_writer *w;
	struct xtr_io *io;

	if (!tables || !loss)
		die("memory", -ENOMEM);
	check(path, xtr_io_create(path, XTR_IO_FORCE, &io));
	check("write", xtr_writer_open(&w, io, meta, tables, loss, NULL));
	for (uint32_t i = 0; i < STREAMS_MAX; i++) {
		const struct batch *b = &batches[i];
		struct xtr_batch out = { .stream = i, .recs = b->recs, .len = b->len, .n = b->n };

		if (b->n)
			check("write", xtr_writer_events(w, &out));
		free(b->recs);
	}
	check("write", xtr_writer_round(w, to));
	check("write", xtr_writer_finish(w, "window", NULL));
	xtr_writer_free(w);
	xtr_io_close(io);
	xtr_meta_free(meta);
	xtr_tables_free(tables);
	xtr_loss_free(loss);
}

int main(int argc, char **argv)
{
	struct batch *batches = calloc(STREAMS_MAX, sizeof(*batches));
	unsigned int gaps;
	struct xtr_reader *r;
	uint64_t to;

	if (argc != 5 || !batches) {
		fputs("usage: window FROM_NS TO_NS IN OUT\n", stderr);
		return 2;
	}
	check(argv[3], xtr_reader_open_path(&r, argv[3], NULL));
	if (xtr_reader_n_sections(r) != 1)
		die(argv[3], -EINVAL);
	to = strtoull(argv[2], NULL, 10);
	gaps = take(r, strtoull(argv[1], NULL, 10), to, batches);
	write_window(xtr_reader_section(r, 0), batches, to, argv[4]);
	xtr_reader_close(r);
	free(batches);
	return gaps ? 3 : 0;
}
