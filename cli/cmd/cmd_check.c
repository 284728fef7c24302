/* SPDX-License-Identifier: BSD-2-Clause */
/* xtr check: verify every checksum and every rule of the format. */
#include "cli/ui/cli.h"
#include "trace.h"

#include "base/checked.h"
#include "format/read/intact.h"
#include "base/json.h"
#include "base/text.h"

struct check_opts {
	bool json;
};

static const struct cli_option options[] = {
	{ 'j', "json", NULL, CLI_FLAG, offsetof(struct check_opts, json),
	  "print JSON (schema xtr.check/1)" },
};

struct totals {
	uint64_t chunks, events, missing, lost;
	uint64_t unread; /* places of imported traces */
	bool refused;    /* a section that nothing can be shown of */
	bool open;       /* one that was recovered without its end */
};

static struct totals add_up(const struct xtr_reader *r)
{
	const struct xtr_section_summary *sum;
	const struct xtr_section *s;
	uint64_t unreadable;
	struct totals t = { .open = cli_end_is_missing(r), .unread = cli_import_damage(r) };

	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		s = xtr_reader_section(r, i);
		sum = xtr_section_summary(s);
		unreadable = xtr_section_unreadable(r, s);
		t.chunks += xtr_section_n_chunks(s);
		if (sum->events > unreadable)
			t.events = xtr_sat_add(t.events, sum->events - unreadable);
		t.missing = xtr_sat_add(t.missing, xtr_sat_add(sum->missing, unreadable));
		t.lost += sum->lost;
	}
	for (size_t i = 0; i < xtr_reader_n_problems(r); i++)
		t.refused |= xtr_problem_is_fatal(xtr_reader_problem(r, i)->code);
	return t;
}

static void print_text(FILE *f, const char *path, const struct xtr_reader *r,
		       const struct totals *t)
{
	const size_t n = xtr_reader_n_problems(r);

	fprintf(f, "%s: %s chunks, %s, %s", xtr_text_input(path), cli_count(t->chunks),
		cli_events(t->events), cli_bytes(xtr_reader_size(r)));
	if (n)
		fprintf(f, ": %s problem%s", cli_count(n), n == 1 ? "" : "s");
	else
		fprintf(f, ": every checksum is right");
	if (t->missing)
		fprintf(f, "; cannot be read: %s", cli_events(t->missing));
	if (t->lost)
		fprintf(f, "; counted as lost: %s", cli_events(t->lost));
	if (t->unread)
		fprintf(f, "; could not be imported: %s place%s", cli_count(t->unread),
			t->unread == 1 ? "" : "s");
	if (t->open)
		fprintf(f, "; the end of the recording is missing");
	fputc('\n', f);
}

static void print_json(FILE *f, const char *path, const struct xtr_reader *r,
		       const struct totals *t)
{
	struct xtr_json j;

	xtr_json_document(&j, f, "xtr.check/1");
	xtr_json_kv_str(&j, "file", path);
	xtr_json_kv_u64(&j, "bytes", xtr_reader_size(r));
	xtr_json_kv_u64(&j, "sections", xtr_reader_n_sections(r));
	xtr_json_kv_u64(&j, "chunks", t->chunks);
	xtr_json_kv_u64(&j, "events", t->events);
	xtr_json_kv_u64(&j, "missing", t->missing);
	xtr_json_kv_u64(&j, "lost", t->lost);
	xtr_json_kv_u64(&j, "import_damage", t->unread);
	xtr_json_kv_bool(&j, "refused", t->refused);
	cli_json_reader_problems(&j, r);
	xtr_json_document_end(&j);
}

static int check(const struct check_opts *o, const char *path, struct xtr_reader *r)
{
	struct totals t;
	int err = cli_verify(r, "verifying");

	if (err)
		return cli_failed(path, err);
	t = add_up(r);
	if (o->json) {
		print_json(cli_out(), path, r, &t);
	} else {
		cli_report_problems(path, r, SIZE_MAX);
		print_text(cli_out(), path, r, &t);
	}
	if (t.refused)
		return XTR_EXIT_FAILURE;
	return xtr_reader_n_problems(r) || t.missing || t.lost || t.open || t.unread ? XTR_EXIT_LOSS
										     : XTR_EXIT_OK;
}

static int run(const void *opts, int argc, char **argv)
{
	struct xtr_reader *r;
	int status;

	if (argc != 1)
		return cli_one_file(&cmd_check, argc);
	r = cli_open_trace(argv[0], &status);
	if (!r)
		return status;
	status = check(opts, argv[0], r);
	xtr_reader_close(r);
	return status;
}

const struct cli_command cmd_check = {
	.name = "check",
	.summary = "verify every checksum of a trace",
	.args = "FILE",
	.examples = "xtr check run.xtr\tis it intact?",
	CLI_OPTIONS(options, struct check_opts),
	.run = run,
};
