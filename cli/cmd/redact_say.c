// SPDX-License-Identifier: BSD-2-Clause
#include "redact_say.h"
#include "cli/ui/text.h"

#include "base/json.h"

#include <inttypes.h>
#include <string.h>

enum {
	FOUND_SHOWN = 20
};

void redact_add(struct xtr_redact_result *sum, const struct xtr_redact_result *one)
{
	sum->events += one->events;
	sum->attachments += one->attachments;
	sum->chunks += one->chunks;
	sum->bytes += one->bytes;
	sum->ids = one->ids;
	sum->texts = one->texts;
}

static struct xtr_redact_result sum_of(const struct redact_run *r)
{
	struct xtr_redact_result sum = { 0 };

	for (size_t i = 0; i < r->n; i++)
		redact_add(&sum, &r->file[i].sum);
	return sum;
}

const char *redact_output(const struct redact_run *r, const struct redact_file *f)
{
	return f->output ? f->output : r->o->output;
}

static void say(const struct redact_run *r)
{
	const struct xtr_redact_result sum = sum_of(r);

	for (size_t i = 0; i < r->n; i++) {
		const struct redact_file *f = &r->file[i];
		const char *output = redact_output(r, f);

		if (f->sum.attachments)
			cli_warn("'%s': %s attached files are left out", f->path,
				 cli_count(f->sum.attachments));
		if (f->sum.chunks)
			cli_warn("'%s': %s chunks of unknown types are left out", f->path,
				 cli_count(f->sum.chunks));
		if (cli_quiet)
			continue;
		fprintf(stderr, "%s: %s%s", !strcmp(output, "-") ? "redacted" : output,
			cli_events(f->sum.events), i + 1 < r->n ? "\n" : "");
	}
	if (cli_quiet)
		return;
	if (r->n > 1)
		fprintf(stderr, "\nalike in all %zu files: ", r->n);
	else
		fputs(", ", stderr);
	fprintf(stderr, "%s texts and %s process and thread ids replaced\n", cli_count(sum.texts),
		cli_count(sum.ids));
}

static void begin_json(struct xtr_json *j, FILE *f, const struct redact_run *r)
{
	xtr_json_init(j, f, true);
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "schema", "xtr.redact/1");
	xtr_json_kv_str(j, "file", r->n == 1 ? r->file[0].path : NULL);
	xtr_json_kv_str(j, "policy", xtr_redact_policy_name(r->policy));
}

static void json_counts(struct xtr_json *j, const struct xtr_redact_result *s)
{
	xtr_json_kv_u64(j, "events", s->events);
	xtr_json_kv_u64(j, "attachments_left_out", s->attachments);
	xtr_json_kv_u64(j, "chunks_left_out", s->chunks);
	xtr_json_kv_u64(j, "bytes", s->bytes);
}

static void json_files(struct xtr_json *j, const struct redact_run *r)
{
	xtr_json_kv_array(j, "files");
	for (size_t i = 0; i < r->n; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "file", r->file[i].path);
		xtr_json_kv_str(j, "output", redact_output(r, &r->file[i]));
		json_counts(j, &r->file[i].sum);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

static void print_json(FILE *f, const struct redact_run *r)
{
	const struct xtr_redact_result sum = sum_of(r);
	size_t sections = 0;
	struct xtr_json j;

	for (size_t i = 0; i < r->n; i++)
		sections += xtr_reader_n_sections(r->file[i].reader);
	begin_json(&j, f, r);
	xtr_json_kv_str(&j, "output", r->n == 1 ? redact_output(r, &r->file[0]) : NULL);
	xtr_json_kv_u64(&j, "sections", sections);
	xtr_json_kv_u64(&j, "texts", sum.texts);
	xtr_json_kv_u64(&j, "ids", sum.ids);
	json_counts(&j, &sum);
	json_files(&j, r);
	xtr_json_end_object(&j);
	xtr_json_newline(&j);
}

void redact_say(const struct redact_run *r)
{
	say(r);
	if (r->o->json)
		print_json(cli_out(), r);
}

/* --- checking --------------------------------------------------------------------------------- */

void redact_say_found(void *ctx, const struct xtr_redact_found *f)
{
	struct redact_run *r = ctx;

	r->found++;
	if (r->o->json || r->found > FOUND_SHOWN)
		return;
	fprintf(stderr, "xtr: '%s': %s at 0x%" PRIx64 ": ", r->o->check, f->where, f->offset);
	if (f->text)
		cli_put(stderr, f->text, 0);
	else if (f->is_id)
		fprintf(stderr, "thread id %" PRIu64 " was not replaced", f->pointer);
	else if (f->is_context)
		fprintf(stderr, "fence context %" PRIu64 " was not replaced", f->pointer);
	else
		fprintf(stderr, "pointer 0x%" PRIx64, f->pointer);
	fputc('\n', stderr);
}

void redact_say_checked(const struct redact_run *r)
{
	FILE *f = cli_out();
	struct xtr_json j;

	if (r->o->json) {
		begin_json(&j, f, r);
		xtr_json_kv_str(&j, "checked", r->o->check);
		xtr_json_kv_u64(&j, "looked_for", r->tried);
		xtr_json_kv_u64(&j, "found", r->found);
		xtr_json_end_object(&j);
		xtr_json_newline(&j);
		return;
	}
	if (r->found > FOUND_SHOWN)
		fprintf(stderr, "xtr: and %s more\n", cli_count(r->found - FOUND_SHOWN));
	fprintf(f, "%s: of %s private texts and pointers of %s%s ", r->o->check,
		cli_count(r->tried), r->file[0].path, r->n > 1 ? " and the others" : "");
	if (r->found)
		fprintf(f, "some are there, in %s places\n", cli_count(r->found));
	else
		fputs("none is there\n", f);
}
