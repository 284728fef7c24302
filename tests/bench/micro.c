/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libxtr itself costs per event: CPU time of one thread unless said, in memory, no I/O.
 *
 *     micro [-r ROUNDS] [-s STEP] FILE
 *
 * The events of FILE are the input; each step, or only STEP, is timed once per round. Prints rows
 * as bench.tsv has them: who, metric, unit, median, min, max, ratio (to memcpy of the same records;
 * none for sizes, and none with -s).
 */
#include "base/crc32c.h"
#include "format/codec/codecs.h"
#include "format/read/merge.h"
#include "format/read/decode.h"
#include "format/read/reader.h"
#include "format/write/writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 100

/* META, tables and losses of a section that holds built-in events. */
struct side {
	struct xtr_meta *meta;
	struct xtr_tables *tables;
	struct xtr_loss *loss;
	struct xtr_io *io;
	struct xtr_writer *writer;
};

/* A section that was made of the input. */
struct written {
	struct side side;
	struct xtr_reader *reader;
};

struct input {
	struct xtr_reader *reader;
	const struct xtr_section *section;
	struct xtr_batch *batches; /* the records of each EVENTS chunk */
	size_t n;
	uint64_t events;
	size_t largest; /* bytes of the largest batch */
	uint8_t *scratch;
	struct written written[XTR_CODEC_ZSTD + 1]; /* by codec */
};

struct step {
	const char *name;
	const char *unit;
	/* The cost per event, or a negative number on failure. */
	double (*run)(struct input *in, const struct step *s);
	enum xtr_filter filter;
	enum xtr_codec codec;
	unsigned int threads;
};

static volatile uint32_t sink; /* keeps results from being optimised away */

/* CPU time, which other programs disturb less, or real time where several threads work. */
static double now_ns(const struct step *s)
{
	struct timespec t;

	clock_gettime(s->threads ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double run_memcpy(struct input *in, const struct step *s)
{
	double start = now_ns(s);

	for (size_t i = 0; i < in->n; i++) {
		memcpy(in->scratch, in->batches[i].recs, in->batches[i].len);
		sink += in->scratch[in->batches[i].len / 2];
	}
	return (now_ns(s) - start) / (double)in->events;
}

static double run_crc(struct input *in, const struct step *s)
{
	double start = now_ns(s);

	for (size_t i = 0; i < in->n; i++)
		sink += xtr_crc32c(in->batches[i].recs, in->batches[i].len);
	return (now_ns(s) - start) / (double)in->events;
}

static void side_free(struct side *s)
{
	xtr_writer_free(s->writer);
	if (s->io)
		xtr_io_close(s->io);
	xtr_loss_free(s->loss);
	xtr_tables_free(s->tables);
	xtr_meta_free(s->meta);
}

static int side_open(struct side *s, const struct step *step)
{
	static const uint8_t boot_id[16] = { 1 };
	const struct xtr_system sys = { .release = "release",
					.version = "version",
					.machine = "machine",
					.cpus = 1,
					.page = 4096 };
	struct xtr_writer_opts o;

	memset(s, 0, sizeof(*s));
	s->meta = xtr_meta_new();
	s->tables = xtr_tables_new();
	s->loss = xtr_loss_new();
	if (!s->meta || !s->tables || !s->loss || xtr_io_mem_new(&s->io) ||
	    xtr_meta_set_writer(s->meta, "micro", "0") ||
	    xtr_meta_set_clock(s->meta, "monotonic", boot_id, 1) ||
	    xtr_meta_set_system(s->meta, &sys))
		return -1;
	for (size_t i = 0; i < xtr_builtin_event_count; i++)
		if (xtr_meta_add_event(s->meta, &xtr_builtin_events[i]))
			return -1;
	xtr_writer_opts_init(&o);
	o.filter = step->filter;
	o.codec = step->codec;
	return xtr_writer_open(&s->writer, s->io, s->meta, s->tables, s->loss, &o);
}

/* Write everything; *ns and *bytes per event. */
static int write_all(struct input *in, const struct step *step, double *ns, double *bytes)
{
	struct side s;
	int rc = side_open(&s, step);
	uint64_t before = rc ? 0 : xtr_writer_bytes(s.writer);
	double start = now_ns(step);

	for (size_t i = 0; !rc && i < in->n; i++)
		rc = xtr_writer_events(s.writer, &in->batches[i]);
	*ns = (now_ns(step) - start) / (double)in->events;
	if (!rc)
		*bytes = (double)(xtr_writer_bytes(s.writer) - before) / (double)in->events;
	side_free(&s);
	return rc;
}

static double run_write(struct input *in, const struct step *step)
{
	double ns, bytes;

	return write_all(in, step, &ns, &bytes) ? -1 : ns;
}

static double run_size(struct input *in, const struct step *step)
{
	double ns, bytes;

	return write_all(in, step, &ns, &bytes) ? -1 : bytes;
}

/* All EVENTS chunks of a section; a negative number on failure. */
static double decode_all(const struct xtr_reader *r, uint64_t events, const struct step *s)
{
	const struct xtr_section *section = xtr_reader_section(r, 0);
	struct xtr_decoder d = { 0 };
	uint8_t *buf = NULL;
	size_t cap = 0;
	struct xtr_err err;
	double start = now_ns(s);
	int rc = 0;

	for (size_t i = 0; !rc && i < xtr_section_n_chunks(section); i++) {
		const struct xtr_chunk *c = xtr_section_chunk(section, i);

		if (c->type == XTR_CHUNK_EVENTS)
			rc = xtr_decode(r, c, &d, &buf, &cap, &err);
	}
	xtr_decoder_free(&d);
	free(buf);
	return rc ? -1 : (now_ns(s) - start) / (double)events;
}

static double run_decode(struct input *in, const struct step *s)
{
	return decode_all(in->reader, in->events, s);
}

/* The same of what the step's filter and codec make of the events, in the first round. */
static double run_decode_again(struct input *in, const struct step *s)
{
	struct written *w = &in->written[s->codec];
	struct xtr_err err;

	if (!w->reader) {
		int rc = side_open(&w->side, s);

		for (size_t i = 0; !rc && i < in->n; i++)
			rc = xtr_writer_events(w->side.writer, &in->batches[i]);
		if (!rc)
			rc = xtr_writer_finish(w->side.writer, "end", NULL);
		if (!rc)
			rc = xtr_reader_open(&w->reader, w->side.io, &err);
		if (rc)
			return -1;
	}
	return decode_all(w->reader, in->events, s);
}

static double run_merge(struct input *in, const struct step *s)
{
	struct xtr_merge_opts o = { .sz = sizeof(o), .threads = s->threads };
	struct xtr_merge *m = NULL;
	struct xtr_event ev;
	struct xtr_err err;
	double start = now_ns(s);
	uint64_t n = 0;
	int rc = xtr_merge_open(&m, in->reader, in->section, &o);

	while (!rc && (rc = xtr_merge_next(m, &ev, &err)) == 1) {
		n += ev.rec != NULL;
		rc = 0;
	}
	xtr_merge_close(m);
	return rc || n != in->events ? -1 : (now_ns(s) - start) / (double)n;
}

#define NONE    XTR_FILTER_NONE, XTR_CODEC_NONE
#define LZ4     XTR_FILTER_NONE, XTR_CODEC_LZ4
#define DELTA   XTR_FILTER_ROWDELTA, XTR_CODEC_NONE
#define BOTH    XTR_FILTER_ROWDELTA, XTR_CODEC_LZ4
#define COLUMNS XTR_FILTER_COLUMNS, XTR_CODEC_LZ4
#define WORDS   XTR_FILTER_WORDS, XTR_CODEC_NONE
#define WORDS_Z XTR_FILTER_WORDS, XTR_ZSTD_KNOWN ? XTR_CODEC_ZSTD : XTR_CODEC_LZ4

static const struct step steps[] = {
	{ "memcpy", "ns/event", run_memcpy, NONE, 0 },
	{ "crc32c", "ns/event", run_crc, NONE, 0 },
	{ "write raw", "ns/event", run_write, NONE, 0 },
	{ "write lz4", "ns/event", run_write, LZ4, 0 },
	{ "write row-delta", "ns/event", run_write, DELTA, 0 },
	{ "write row-delta+lz4", "ns/event", run_write, BOTH, 0 },
	{ "write columns+lz4", "ns/event", run_write, COLUMNS, 0 },
	{ "write words", "ns/event", run_write, WORDS, 0 },
	{ "write words+zstd", "ns/event", run_write, WORDS_Z, 0 },
	{ "decode row-delta+lz4", "ns/event", run_decode, BOTH, 0 },
	{ "decode words", "ns/event", run_decode_again, WORDS, 0 },
	{ "decode words+zstd", "ns/event", run_decode_again, WORDS_Z, 0 },
	{ "decode+merge", "ns/event", run_merge, BOTH, 0 },
	{ "decode+merge, 2 threads", "ns/event", run_merge, BOTH, 2 },
	{ "size raw", "B/event", run_size, NONE, 0 },
	{ "size lz4", "B/event", run_size, LZ4, 0 },
	{ "size row-delta", "B/event", run_size, DELTA, 0 },
	{ "size row-delta+lz4", "B/event", run_size, BOTH, 0 },
	{ "size columns+lz4", "B/event", run_size, COLUMNS, 0 },
	{ "size words+zstd", "B/event", run_size, WORDS_Z, 0 },
};
#define N_STEPS (sizeof(steps) / sizeof(steps[0]))

static int load_chunk(struct input *in, const struct xtr_chunk *c)
{
	struct xtr_batch *b = &in->batches[in->n];
	uint8_t *buf = NULL;
	size_t cap = 0;
	struct xtr_err err;

	if (xtr_reader_decode(in->reader, c, &buf, &cap, &err))
		return -1;
	*b = (struct xtr_batch){
		.stream = c->stream, .recs = buf, .len = c->rec_len, .n = c->n_records
	};
	in->n++;
	in->events += c->n_records;
	if (c->rec_len > in->largest)
		in->largest = c->rec_len;
	return 0;
}

static int load(struct input *in, const char *path)
{
	struct xtr_err err;
	size_t chunks;

	memset(in, 0, sizeof(*in));
	if (xtr_reader_open_path(&in->reader, path, &err))
		return -1;
	in->section = xtr_reader_section(in->reader, 0);
	chunks = xtr_section_n_chunks(in->section);
	in->batches = calloc(chunks + 1, sizeof(*in->batches));
	for (size_t i = 0; in->batches && i < chunks; i++) {
		const struct xtr_chunk *c = xtr_section_chunk(in->section, i);

		if (c->type == XTR_CHUNK_EVENTS && load_chunk(in, c))
			return -1;
	}
	in->scratch = malloc(in->largest + 1);
	return in->batches && in->scratch && in->events ? 0 : -1;
}

static void unload(struct input *in)
{
	for (size_t i = 0; i < in->n; i++)
		free((void *)in->batches[i].recs);
	free(in->batches);
	free(in->scratch);
	for (size_t i = 0; i <= XTR_CODEC_ZSTD; i++) {
		if (!in->written[i].reader)
			continue;
		xtr_reader_close(in->written[i].reader);
		in->written[i].side.io = NULL; /* the reader's */
		side_free(&in->written[i].side);
	}
	xtr_reader_close(in->reader);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool wanted(const struct step *s, const char *only)
{
	return !only || !strcmp(s->name, only);
}

static void print(double (*samples)[ROUNDS_MAX], unsigned int rounds, const char *only)
{
	double copy = 0;

	for (size_t i = 0; i < N_STEPS; i++) {
		double *v = samples[i];

		if (!wanted(&steps[i], only))
			continue;
		qsort(v, rounds, sizeof(*v), compare);
		if (!i)
			copy = v[rounds / 2];
		printf("micro\t%s\t%s\t%.3f\t%.3f\t%.3f\t", steps[i].name, steps[i].unit,
		       v[rounds / 2], v[0], v[rounds - 1]);
		if (only || steps[i].run == run_size)
			printf("\n");
		else
			printf("%.2f\n", v[rounds / 2] / copy);
	}
}

/* A row of samples for each step that is wanted. 0: all succeeded, and there was one. */
static int measure(struct input *in, double (*samples)[ROUNDS_MAX], unsigned int rounds,
		   const char *only)
{
	size_t done = 0;

	for (unsigned int r = 0; r < rounds; r++)
		for (size_t i = 0; i < N_STEPS; i++) {
			if (!wanted(&steps[i], only))
				continue;
			samples[i][r] = steps[i].run(in, &steps[i]);
			if (samples[i][r] < 0) {
				fprintf(stderr, "micro: '%s' failed\n", steps[i].name);
				return -1;
			}
			done++;
		}
	if (!done)
		fprintf(stderr, "micro: no step '%s'\n", only);
	return done ? 0 : -1;
}

int main(int argc, char **argv)
{
	static double samples[N_STEPS][ROUNDS_MAX];
	unsigned long rounds = 5;
	const char *only = NULL;
	struct input in = { .n = 0 };
	int opt, status = 1;

	while ((opt = getopt(argc, argv, "r:s:")) != -1) {
		if (opt == 's')
			only = optarg;
		else
			rounds = opt == 'r' ? strtoul(optarg, NULL, 10) : 0;
	}
	if (optind + 1 != argc || !rounds || rounds > ROUNDS_MAX)
		return 2;
	if (load(&in, argv[optind])) {
		fprintf(stderr, "micro: '%s': no events to be read\n", argv[optind]);
	} else if (!measure(&in, samples, (unsigned int)rounds, only)) {
		print(samples, (unsigned int)rounds, only);
		status = 0;
	}
	unload(&in);
	return status;
}
