/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening traces, and saying what is wrong with them or missing in them. */
#include "cli.h"
#include "trace.h"

#include "format/reader.h"
#include "replay/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PROBLEMS_SHOWN = 5
};

/* Problems of the whole file, for which neither a chunk nor a place says anything. */
static bool of_whole_file(enum xtr_problem_code code)
{
	return code == XTR_P_NOT_XTR || code == XTR_P_TOO_SHORT;
}

/* Problems at a place where there is no (readable) chunk whose number could be told. */
static bool without_chunk(enum xtr_problem_code code)
{
	return code == XTR_P_MAJOR || code == XTR_P_INCOMPAT || code == XTR_P_HEADER_CRC ||
	       code == XTR_P_LOST_SYNC || code == XTR_P_NO_META || code == XTR_P_NO_END;
}

/* What stands before the explanation: "chunk 17 at 0x4a20: ", "at 0x0: " or nothing. */
static const char *place(char *s, size_t size, const struct xtr_problem *p)
{
	if (of_whole_file(p->code))
		snprintf(s, size, "%s", "");
	else if (without_chunk(p->code))
		snprintf(s, size, "at 0x%" PRIx64 ": ", p->offset);
	else
		snprintf(s, size, "chunk %" PRIu32 " at 0x%" PRIx64 ": ", p->seq, p->offset);
	return s;
}

static void problem_error(const char *path, const struct xtr_problem *p)
{
	char s[64];

	cli_error("'%s': %s%s", path, place(s, sizeof(s), p), xtr_problem_help(p->code));
}

void cli_put_problem(FILE *f, const struct xtr_problem *p)
{
	char s[64];

	fprintf(f, "%s%s", place(s, sizeof(s), p), xtr_problem_help(p->code));
}

void cli_json_problems(struct xtr_json *j, const struct xtr_problem *p, size_t n)
{
	xtr_json_kv_array(j, "problems");
	for (size_t i = 0; i < n; i++) {
		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "code", xtr_problem_name(p[i].code));
		xtr_json_kv_u64(j, "offset", p[i].offset);
		xtr_json_key(j, "chunk");
		if (of_whole_file(p[i].code) || without_chunk(p[i].code))
			xtr_json_null(j);
		else
			xtr_json_u64(j, p[i].seq);
		xtr_json_end_object(j);
	}
	xtr_json_end_array(j);
}

void cli_trace_error(const char *path, const struct xtr_err *err)
{
	if (err->problem != XTR_P_NONE)
		problem_error(path, &(struct xtr_problem){ .code = err->problem,
							   .seq = err->seq,
							   .offset = err->offset });
	else
		cli_error("'%s': %s", path, cli_strerror(err->code < 0 ? -err->code : EIO));
}

void cli_hint_spool(const char *path)
{
	const char *dir = getenv("TMPDIR");

	if (!strcmp(path, "-"))
		cli_hint("standard input is kept in a temporary file in %s ($TMPDIR)",
			 dir && *dir ? dir : "/tmp");
}

static void open_hint(const char *path, const struct xtr_err *err)
{
	if (err->problem == XTR_P_TOO_SHORT && !strcmp(path, "-")) {
		cli_hint("does the command before the pipe write to it? (-o -)");
		return;
	}
	if (err->problem == XTR_P_NONE) {
		cli_hint_spool(path);
		return;
	}
	switch (err->problem) {
	case XTR_P_NOT_XTR:
	case XTR_P_TOO_SHORT:
		cli_hint("is it the file that 'xtr record -o' wrote?");
		break;
	case XTR_P_MAJOR:
	case XTR_P_INCOMPAT:
	case XTR_P_UNKNOWN_CRITICAL:
		cli_hint("a newer xtr can read it; this is %s", XTR_VERSION);
		break;
	default:
		break;
	}
}

struct xtr_reader *cli_open_trace(const char *path, int *status)
{
	struct xtr_reader *r = NULL;
	struct xtr_err err = { 0 };
	int ret;

	if (!strcmp(path, "-") && isatty(STDIN_FILENO)) {
		cli_error("standard input is a terminal, not a trace");
		*status = XTR_EXIT_USAGE;
		return NULL;
	}
	ret = xtr_reader_open_path(&r, path, &err);
	if (ret == 0)
		return r;
	if (!err.code)
		err.code = ret;
	cli_trace_error(path, &err);
	open_hint(path, &err);
	*status = XTR_EXIT_FAILURE;
	return NULL;
}

bool cli_end_is_missing(const struct xtr_reader *r)
{
	uint64_t unsure = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r) && !unsure; i++)
		xtr_meta_config_u64(xtr_section_meta(xtr_reader_section(r, i)), "recovered-unsure",
				    &unsure);
	return unsure;
}

/* The losses of a section by cause; returns how many events that makes. */
static uint64_t report_lost(const char *path, const struct xtr_section *s)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const struct xtr_loss *loss = xtr_section_loss(s);
	uint64_t by_cause[XTR_LOSS_CAUSE_COUNT] = { 0 }, known = 0;
	const struct xtr_loss_entry *e;
	uint64_t unsure[XTR_LOSS_CAUSE_COUNT] = { 0 };

	xtr_meta_config_u64(xtr_section_meta(s), "import-lost-unsure", &unsure[XTR_LOSS_SOURCE]);
	xtr_meta_config_u64(xtr_section_meta(s), "recovered-unsure", &unsure[XTR_LOSS_DAMAGED]);
	for (size_t i = 0; i < xtr_loss_n_entries(loss); i++) {
		e = xtr_loss_entry_at(loss, i);
		if (e->cause == 0 || e->cause >= XTR_LOSS_CAUSE_COUNT)
			continue;
		if (__builtin_add_overflow(by_cause[e->cause], e->total, &by_cause[e->cause]))
			by_cause[e->cause] = UINT64_MAX;
	}
	for (enum xtr_loss_cause c = 1; c < XTR_LOSS_CAUSE_COUNT; c++) {
		if (!by_cause[c])
			continue;
		cli_error("'%s': %s%s lost: %s (%s)", path, unsure[c] ? "at least " : "",
			  cli_events(by_cause[c]), xtr_loss_cause_help(c), xtr_loss_cause_name(c));
		if (__builtin_add_overflow(known, by_cause[c], &known))
			known = UINT64_MAX;
	}
	if (sum->lost > known)
		cli_error("'%s': %s lost, cause not in the file", path,
			  cli_events(sum->lost - known));
	if (sum->missing)
		cli_error("'%s': %s of those recorded in damaged or missing chunks", path,
			  cli_events(sum->missing));
	if (unsure[XTR_LOSS_DAMAGED])
		cli_error("'%s': recovered from a recording of which the end is missing", path);
	return sum->lost | known | sum->missing | unsure[XTR_LOSS_DAMAGED];
}

void cli_report_problems(const char *path, const struct xtr_reader *r, size_t most)
{
	const size_t n = xtr_reader_n_problems(r);

	for (size_t i = 0; i < n && i < most; i++)
		problem_error(path, xtr_reader_problem(r, i));
	if (n > most)
		cli_error("'%s': %s more problems: 'xtr check' shows all", path,
			  cli_count(n - most));
}

int cli_report_loss(const char *path, const struct xtr_reader *r)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		lost |= report_lost(path, xtr_reader_section(r, i));
	cli_report_problems(path, r, PROBLEMS_SHOWN);
	return lost || xtr_reader_n_problems(r) ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}
