/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr pack: the same trace as a smaller file. */
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"
#include "trace.h"

#include "format/codec/codecs.h"
#include "format/write/pack.h"
#include "base/json.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct pack_opts {
	const char *output;
	uint64_t level;
	bool force, json, zstd;
};

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", CLI_STRING, offsetof(struct pack_opts, output),
	  "write here, \"-\" for standard output; else named after the trace" },
	{ 0, "force", NULL, CLI_FLAG, offsetof(struct pack_opts, force),
	  "replace an existing file" },
	{ 0, "zstd", NULL, CLI_FLAG, offsetof(struct pack_opts, zstd),
	  "compress with zstd: smaller, for readers that are built with libzstd" },
	{ 0, "level", "N", CLI_U64, offsetof(struct pack_opts, level),
	  "effort of the compressor, 1 to 12, of zstd 1 to 19 (default the highest)" },
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct pack_opts, json),
	  "print a report as JSON (schema xtr.pack/1)" },
};

struct pack_run {
	const struct pack_opts *o;
	const char *path;
	struct xtr_reader *reader;
	struct outfile out;
	struct xtr_pack_result sum; /* of all sections */
	uint64_t done, all;         /* chunks of all sections, for the progress */
};

static void on_progress(void *ctx, uint64_t done, uint64_t all)
{
	struct pack_run *r = ctx;

	(void)all;
	cli_progress("packing", r->done + done, r->all);
}

static void add_up(struct xtr_pack_result *sum, const struct xtr_pack_result *one)
{
	sum->events += one->events;
	sum->chunks_before += one->chunks_before;
	sum->chunks += one->chunks;
	sum->stored_before += one->stored_before;
	sum->stored += one->stored;
	sum->bytes_before += one->bytes_before;
	sum->bytes += one->bytes;
	sum->left_out += one->left_out;
}

static int all_sections(struct pack_run *r)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const struct xtr_pack_opts o = {
		.sz = sizeof(o),
		.codec = r->o->zstd ? XTR_CODEC_ZSTD : XTR_CODEC_LZ4,
		.level = (int)r->o->level,
		.threads = cpus > 0 ? (unsigned int)cpus : 1,
		.progress = on_progress,
		.ctx = r,
	};
	const size_t n = xtr_reader_n_sections(r->reader);
	struct outfile_io io;
	int err = 0;

	outfile_io_init(&io, &r->out);
	for (size_t i = 0; i < n; i++)
		r->all += xtr_section_n_chunks(xtr_reader_section(r->reader, i));
	for (size_t i = 0; i < n && !err; i++) {
		const struct xtr_section *s = xtr_reader_section(r->reader, i);
		struct xtr_pack_result res;

		err = xtr_pack(r->reader, s, &io.io, &o, &res);
		add_up(&r->sum, &res);
		r->done += xtr_section_n_chunks(s);
	}
	cli_progress_done();
	return err;
}

/* --- what is said ----------------------------------------------------------------------------- */

/* Hundredths of a byte in the file for each event. */
static uint64_t per_event(uint64_t bytes, uint64_t events)
{
	return events ? (bytes * 100 + events / 2) / events : 0;
}

static void say(const struct pack_run *r)
{
	const struct xtr_pack_result *s = &r->sum;
	const uint64_t before = per_event(s->bytes_before, s->events);
	const uint64_t after = per_event(s->bytes, s->events);

	if (s->left_out)
		cli_warn("'%s': %s chunks of unknown types are left out", r->path,
			 cli_count(s->left_out));
	if (cli_quiet)
		return;
	fprintf(stderr, "%s: from %s to %s", !strcmp(r->out.path, "-") ? "packed" : r->out.path,
		cli_bytes(s->bytes_before), cli_bytes(s->bytes));
	if (s->events)
		fprintf(stderr,
			", %" PRIu64 ".%02" PRIu64 " to %" PRIu64 ".%02" PRIu64
			" bytes for each of %s",
			before / 100, before % 100, after / 100, after % 100,
			cli_events(s->events));
	fputc('\n', stderr);
}

static void print_json(FILE *f, const struct pack_run *r)
{
	const struct xtr_pack_result *s = &r->sum;
	struct xtr_json j;

	xtr_json_document(&j, f, "xtr.pack/1");
	xtr_json_kv_str(&j, "file", r->path);
	xtr_json_kv_str(&j, "output", r->out.path);
	xtr_json_kv_str(&j, "codec", r->o->zstd ? "zstd" : "lz4");
	xtr_json_kv_u64(&j, "sections", xtr_reader_n_sections(r->reader));
	xtr_json_kv_u64(&j, "events", s->events);
	xtr_json_kv_u64(&j, "bytes_before", s->bytes_before);
	xtr_json_kv_u64(&j, "bytes", s->bytes);
	xtr_json_kv_u64(&j, "event_chunks_before", s->chunks_before);
	xtr_json_kv_u64(&j, "event_chunks", s->chunks);
	xtr_json_kv_u64(&j, "event_bytes_before", s->stored_before);
	xtr_json_kv_u64(&j, "event_bytes", s->stored);
	xtr_json_kv_u64(&j, "chunks_left_out", s->left_out);
	xtr_json_document_end(&j);
}

/* --- the command ------------------------------------------------------------------------------ */

static int pack(struct pack_run *r)
{
	int status = outfile_end(&r->out, r->path, all_sections(r));

	if (status != XTR_EXIT_OK)
		return status;
	say(r);
	if (r->o->json)
		print_json(cli_out(), r);
	return r->sum.left_out ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

static int run_opened(struct pack_run *r)
{
	/* Only a whole trace is packed: what is missing in a damaged one recover counts. */
	int lost, status = cli_verify_whole(r->path, r->reader, "it is not packed", "packed");

	if (status != XTR_EXIT_OK)
		return status;
	lost = cli_report_loss(r->path, r->reader);
	status = outfile_open_for(&r->out, r->o->output, r->path, ".packed.xtr", r->o->force)
			 ?: pack(r);
	outfile_free(&r->out);
	return status == XTR_EXIT_OK ? lost : status;
}

static int check_options(const struct pack_opts *o, int argc)
{
	const unsigned int most = o->zstd ? XTR_PACK_ZSTD_LEVEL : XTR_PACK_LZ4_LEVEL;

	if (argc != 1)
		return cli_one_file(&cmd_pack, argc);
	if (o->level > most)
		return cli_usage_error(&cmd_pack, "--level: 1 to %u", most);
	if (o->json && o->output && !strcmp(o->output, "-"))
		return cli_usage_error(&cmd_pack, "--json and -o - both want standard output");
	if (o->zstd && !XTR_ZSTD_KNOWN) {
		cli_error("--zstd: this xtr is built without libzstd");
		return XTR_EXIT_FAILURE;
	}
	return XTR_EXIT_OK;
}

static int run(const void *opts, int argc, char **argv)
{
	struct pack_run r = { .o = opts };
	int status = check_options(r.o, argc);

	if (status != XTR_EXIT_OK)
		return status;
	r.path = argv[0];
	r.reader = cli_open_trace(r.path, &status);
	if (!r.reader)
		return status;
	status = run_opened(&r);
	xtr_reader_close(r.reader);
	return status;
}

const struct cli_command cmd_pack = {
	.name = "pack",
	.summary = "write a trace as a smaller file, to attach to a report",
	.args = "FILE",
	.examples = "xtr pack run.xtr\tinto run.packed.xtr",
	CLI_OPTIONS(options, struct pack_opts),
	.run = run,
};
