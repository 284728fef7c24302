/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a scenario (tests/drivers/README.md) as a trace, through the real writer, with META made
 * of tracefs format files as the recorder makes it.
 */
#include "player/play.h"

#include "format/meta/loss.h"
#include "format/write/writer.h"
#include "format/xtr_format.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUND_EVENTS = 4096,
	FORMATS_MAX = 8,
};

struct batch {
	uint8_t *recs;
	size_t len, cap;
	uint32_t n;
	uint64_t lost; /* events so far */
};

struct player {
	struct play_scenario s;
	struct play_output out;
	struct xtr_loss *loss;
	struct xtr_writer *w;
	struct batch *batches; /* of each CPU */
};

static void check(const char *what, int err)
{
	if (err)
		play_fail(NULL, "%s: %s", what, strerror(-err));
}

static void append(struct batch *b, const uint8_t *rec, uint32_t size)
{
	if (b->len + size > b->cap) {
		b->cap = b->cap ? b->cap * 2 : 65536;
		b->recs = realloc(b->recs, b->cap);
		if (!b->recs)
			play_fail(NULL, "out of memory");
	}
	memcpy(b->recs + b->len, rec, size);
	b->len += size;
	b->n++;
}

static void flush(struct player *p, uint64_t watermark)
{
	for (uint32_t i = 0; i < p->s.cpus; i++) {
		struct batch *b = &p->batches[i];
		struct xtr_batch out = { .stream = i,
					 .recs = b->recs,
					 .len = b->len,
					 .n = b->n,
					 .lost_total = b->lost };

		if (b->n)
			check("write", xtr_writer_events(p->w, &out));
		b->len = 0;
		b->n = 0;
	}
	check("write", xtr_writer_round(p->w, watermark));
}

/* What was lost is counted by its kind, and its place is a gap. */
static void lose(struct player *p, const struct play_line *l)
{
	struct xtr_gap gap = { .stream = l->cpu, .first = l->ts, .last = l->ts, .count = l->lost };
	uint32_t type = play_type(&p->out, l);
	uint64_t before = xtr_loss_get(p->loss, l->cpu, type, XTR_LOSS_RING_FULL);

	flush(p, l->ts);
	p->batches[l->cpu].lost += l->lost;
	check("loss", xtr_loss_set(p->loss, l->cpu, type, XTR_LOSS_RING_FULL, before + l->lost));
	check("loss", xtr_loss_add_gap(p->loss, &gap));
}

static void clocks(struct player *p, uint64_t ts)
{
	const struct xtr_clock_reading r[] = {
		{ "boottime", ts + 5000 },
		{ "realtime", ts + 1700000000000000000u },
	};

	check("write", xtr_writer_clock(p->w, ts, ts + 100, r, 2));
}

static void describe(struct player *p)
{
	const char *dir = strrchr(p->out.formats[0], '/');
	char release[64];
	const struct xtr_system sys = { .release = release,
					.version = "#1 SMP",
					.machine = "x86_64",
					.cpus = p->s.cpus,
					.page = 4096 };
	struct xtr_meta *meta = p->out.meta;
	uint8_t boot[16] = { 'p', 'l', 'a', 'y' };

	snprintf(release, sizeof(release), "%s.0", dir && dir[1] ? dir + 1 : p->out.formats[0]);
	check("meta", xtr_meta_set_writer(meta, "play", "1"));
	check("meta", xtr_meta_set_clock(meta, "monotonic", boot, 1));
	check("meta", xtr_meta_set_system(meta, &sys));
	for (size_t i = 0; i < p->s.n_devices; i++) {
		struct xtr_device d = { .name = p->s.devices[i].name,
					.driver = p->s.devices[i].driver,
					.pci_id = p->s.devices[i].pci_id };

		check("meta", xtr_meta_add_device(meta, &d));
	}
	play_describe(&p->out);
}

static void play(struct player *p)
{
	uint8_t rec[PLAY_RECORD_MAX];
	uint64_t last = PLAY_START_NS;

	clocks(p, PLAY_START_NS);
	for (size_t i = 0; i < p->s.n_lines; i++) {
		const struct play_line *l = &p->s.lines[i];

		last = l->ts;
		if (l->lost)
			lose(p, l);
		else
			append(&p->batches[l->cpu], rec, play_encode(&p->out, l, rec));
		if (i % ROUND_EVENTS == ROUND_EVENTS - 1)
			flush(p, last);
	}
	flush(p, last);
	clocks(p, last);
}

static void run(struct player *p, const char *path)
{
	const struct xtr_recorder_cost cost = { .cpu_ns = 1 };
	struct xtr_writer_opts opts;
	struct xtr_io *io;

	p->out.s = &p->s;
	p->out.meta = xtr_meta_new();
	p->out.tables = xtr_tables_new();
	p->out.next_type = XTR_TYPE_FIRST_DYNAMIC;
	p->loss = xtr_loss_new();
	p->batches = play_alloc(p->s.cpus * sizeof(*p->batches));
	if (!p->out.meta || !p->out.tables || !p->loss)
		play_fail(NULL, "out of memory");
	describe(p);
	xtr_writer_opts_init(&opts);
	opts.file_id = 1; /* the same scenario gives the same bytes */
	check(path, xtr_io_create(path, XTR_IO_FORCE, &io));
	check(path, xtr_writer_open(&p->w, io, p->out.meta, p->out.tables, p->loss, &opts));
	play(p);
	check(path, xtr_writer_finish(p->w, "end", &cost));
	check(path, xtr_io_close(io));
}

static int usage(void)
{
	fputs("usage: play [--formats FOLDER]... SCENARIO -o FILE\n"
	      "FOLDER holds SYSTEM/EVENT; default: tests/data/tracefs/7.2\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = { { "formats", required_argument, NULL, 'f' }, { 0 } };
	static const char *formats[FORMATS_MAX] = { "tests/data/tracefs/7.2" };
	static struct player p; /* what it points to lives as long as the program */
	const char *path = NULL;
	int opt;

	p.out.formats = formats;
	while ((opt = getopt_long(argc, argv, "f:o:", longs, NULL)) != -1) {
		if (opt == 'o')
			path = optarg;
		else if (opt == 'f' && p.out.n_formats < FORMATS_MAX)
			formats[p.out.n_formats++] = optarg;
		else
			return usage();
	}
	if (!path || optind != argc - 1)
		return usage();
	if (!p.out.n_formats)
		p.out.n_formats = 1;
	play_read(&p.s, argv[optind]);
	run(&p, path);
	return 0;
}
