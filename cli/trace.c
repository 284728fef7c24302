/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening traces, and saying what is wrong with them or missing in them. */
#include "cli.h"

#include "format/reader.h"

#include <errno.h>
#include <inttypes.h>
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

static void problem_error(const char *path, enum xtr_problem_code code, uint32_t seq,
			  uint64_t offset)
{
	const char *help = xtr_problem_help(code);

	if (of_whole_file(code))
		cli_error("'%s': %s", path, help);
	else if (without_chunk(code))
		cli_error("'%s': at 0x%" PRIx64 ": %s", path, offset, help);
	else
		cli_error("'%s': chunk %" PRIu32 " at 0x%" PRIx64 ": %s", path, seq, offset, help);
}

void cli_trace_error(const char *path, const struct xtr_err *err)
{
	if (err->problem != XTR_P_NONE)
		problem_error(path, err->problem, err->seq, err->offset);
	else
		cli_error("'%s': %s", path, strerror(err->code < 0 ? -err->code : EIO));
}

static void open_hint(const struct xtr_err *err)
{
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
	open_hint(&err);
	*status = XTR_EXIT_FAILURE;
	return NULL;
}

/* The losses of a section by cause; returns how many events that makes. */
static uint64_t report_lost(const char *path, const struct xtr_section *s)
{
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const struct xtr_loss *loss = xtr_section_loss(s);
	uint64_t by_cause[XTR_LOSS_CAUSE_COUNT] = { 0 }, known = 0;
	const struct xtr_loss_entry *e;

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
		cli_error("'%s': %s events lost: %s (%s)", path, cli_count(by_cause[c]),
			  xtr_loss_cause_help(c), xtr_loss_cause_name(c));
		if (__builtin_add_overflow(known, by_cause[c], &known))
			known = UINT64_MAX;
	}
	if (sum->lost > known)
		cli_error("'%s': %s events lost, cause not in the file", path,
			  cli_count(sum->lost - known));
	if (sum->missing)
		cli_error("'%s': %s recorded events are in damaged or missing chunks", path,
			  cli_count(sum->missing));
	return sum->lost | known | sum->missing;
}

int cli_report_loss(const char *path, const struct xtr_reader *r)
{
	const size_t n = xtr_reader_n_problems(r);
	const struct xtr_problem *p;
	uint64_t lost = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		lost |= report_lost(path, xtr_reader_section(r, i));
	for (size_t i = 0; i < n && i < PROBLEMS_SHOWN; i++) {
		p = xtr_reader_problem(r, i);
		problem_error(path, p->code, p->seq, p->offset);
	}
	if (n > PROBLEMS_SHOWN)
		cli_error("'%s': %zu more problems: 'xtr check' shows all", path,
			  n - PROBLEMS_SHOWN);
	return lost || n ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}
