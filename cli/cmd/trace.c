/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening traces, and saying what is wrong with them or missing in them. */
#include "cli/ui/cli.h"
#include "bundle_dumps.h"
#include "foreign_files.h"
#include "trace.h"

#include "base/checked.h"
#include "format/read/reader.h"
#include "format/xtr_format.h"
#include "replay/notes/notes.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PROBLEMS_SHOWN = 5,
	PROBLEM_TEXT = 128 /* bytes: any of err.h, and where it is */
};

static void problem_error(const char *path, const struct xtr_problem *p)
{
	char s[PROBLEM_TEXT];

	cli_error("'%s': %s", path, xtr_problem_text(s, sizeof(s), p));
}

void cli_put_problem(FILE *f, const struct xtr_problem *p)
{
	char s[PROBLEM_TEXT];

	fputs(xtr_problem_text(s, sizeof(s), p), f);
}

static void json_problem(struct xtr_json *j, const struct xtr_problem *p)
{
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "code", xtr_problem_name(p->code));
	xtr_json_kv_u64(j, "offset", p->offset);
	xtr_json_kv_u64_if(j, "chunk", xtr_problem_has_chunk(p->code), p->seq);
	xtr_json_end_object(j);
}

void cli_json_problems(struct xtr_json *j, const struct xtr_problem *p, size_t n)
{
	xtr_json_kv_array(j, "problems");
	for (size_t i = 0; i < n; i++)
		json_problem(j, &p[i]);
	xtr_json_end_array(j);
}

void cli_json_reader_problems(struct xtr_json *j, const struct xtr_reader *r)
{
	xtr_json_kv_array(j, "problems");
	for (size_t i = 0; i < xtr_reader_n_problems(r); i++)
		json_problem(j, xtr_reader_problem(r, i));
	xtr_json_end_array(j);
}

static void verifying(void *ctx, uint64_t done, uint64_t all)
{
	cli_progress(ctx, done, all);
}

int cli_verify(struct xtr_reader *r, const char *what)
{
	int err = xtr_reader_verify(r, verifying, (void *)(uintptr_t)what);

	cli_progress_done();
	return err;
}

int cli_verify_whole(const char *path, struct xtr_reader *r, const char *why, const char *done)
{
	int err = cli_verify(r, "verifying");

	if (err)
		return cli_failed(path, err);
	if (!xtr_reader_n_problems(r))
		return XTR_EXIT_OK;
	cli_report_problems(path, r, PROBLEMS_SHOWN);
	cli_error("'%s' is damaged or not closed: %s", path, why);
	cli_hint("xtr recover %s writes what is good of it as a whole trace, which can be %s", path,
		 done);
	return XTR_EXIT_FAILURE;
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

static const char *temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

void cli_hint_spool(const char *path)
{
	if (!strcmp(path, "-"))
		cli_hint("standard input is kept in a temporary file in %s ($TMPDIR)", temp_dir());
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
		cli_hint(
			"is it the file that 'xtr record -o' wrote? 'xtr import --help' lists what "
			"else can be read");
		break;
	case XTR_P_INCOMPAT:
		if (err->features == XTR_INCOMPAT_ZSTD) {
			cli_hint("it is compressed with zstd, and this xtr is built without "
				 "libzstd");
			break;
		}
		__attribute__((fallthrough));
	case XTR_P_MAJOR:
	case XTR_P_UNKNOWN_CRITICAL:
		cli_hint("a newer xtr can read it; this is %s", XTR_VERSION);
		break;
	default:
		break;
	}
}

/* Of a bundle the trace, in its place. 0, or -errno and *io is closed. */
static int trace_of_bundle(struct xtr_io **io, struct cli_open_err *why)
{
	struct xtr_io *bundle = *io;
	int err = bundle_dumps_open(bundle, io, &why->bundle);

	xtr_io_close(bundle);
	why->in_bundle = err != 0;
	return err;
}

/* io is the reader's, or closed. */
static int try_io(struct xtr_io *io, const struct xtr_part *part, struct xtr_reader **r,
		  struct cli_open_err *why)
{
	int err = 0;

	*why = (struct cli_open_err){ 0 };
	bundle_dumps_forget();
	if (xtr_bundle_is(io))
		err = trace_of_bundle(&io, why);
	if (!err)
		err = xtr_reader_open_part(r, io, part, &why->trace);
	if (err && !why->trace.code)
		why->trace.code = err;
	return err;
}

int cli_try_part(const char *path, const struct xtr_part *part, struct xtr_reader **r,
		 struct cli_open_err *why)
{
	struct xtr_io *io;
	int err = xtr_io_open_read(path, &io);

	*why = (struct cli_open_err){ .trace.code = err };
	return err ? err : try_io(io, part, r, why);
}

static void bundle_error(const char *path, int err, const struct xtr_bundle_err *why)
{
	if (err == -ENOSYS) {
		cli_error("'%s' is a bundle, and this xtr is built without libarchive", path);
		cli_hint("'tar --zstd -xf' unpacks it; the trace in it is " XTR_BUNDLE_TRACE);
	} else if (why->not_ours) {
		cli_error("'%s': %s", path, why->what);
		cli_hint("'tar --zstd -tvf' lists what can be read; ask for the file again");
	} else {
		cli_error("'%s': unpacking the trace: %s", path, cli_strerror(err));
		cli_hint("it is unpacked to a temporary file in %s ($TMPDIR)", temp_dir());
	}
}

/* What a command reads of path: an .xtr file or a bundle, or what may be a damaged one. */
static int open_io(const char *path, struct xtr_io **io)
{
	int err = xtr_io_open_read(path, io);

	if (!err)
		return foreign_open(path, io);
	if (foreign_is_directory(path, err))
		return XTR_EXIT_FAILURE;
	cli_failed(path, err);
	cli_hint_spool(path);
	return XTR_EXIT_FAILURE;
}

struct xtr_reader *cli_open_part(const char *path, const struct xtr_part *part, int *status)
{
	struct xtr_reader *r = NULL;
	struct cli_open_err why;
	struct xtr_io *io = NULL;
	int err;

	if (!strcmp(path, "-") && isatty(STDIN_FILENO)) {
		cli_error("standard input is a terminal, not a trace");
		*status = XTR_EXIT_USAGE;
		return NULL;
	}
	*status = open_io(path, &io);
	if (*status != XTR_EXIT_OK)
		return NULL;
	err = try_io(io, part, &r, &why);
	if (err == 0)
		return r;
	if (why.in_bundle) {
		bundle_error(path, err, &why.bundle);
	} else {
		cli_trace_error(path, &why.trace);
		open_hint(path, &why.trace);
	}
	*status = XTR_EXIT_FAILURE;
	return NULL;
}

struct xtr_reader *cli_open_trace(const char *path, int *status)
{
	return cli_open_part(path, NULL, status);
}

bool cli_end_is_missing(const struct xtr_reader *r)
{
	uint64_t unsure = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r) && !unsure; i++)
		xtr_meta_config_u64(xtr_section_meta(xtr_reader_section(r, i)), "recovered-unsure",
				    &unsure);
	return unsure;
}

uint64_t cli_import_damage(const struct xtr_reader *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r); i++)
		n = xtr_sat_add(
			n, xtr_import_damage_of(xtr_section_meta(xtr_reader_section(r, i)), NULL));
	return n;
}

/* What of an imported trace could not be read: how many places. */
static uint64_t report_unread(const char *path, const struct xtr_section *s)
{
	const char *first;
	const uint64_t n = xtr_import_damage_of(xtr_section_meta(s), &first);

	if (n)
		cli_error("'%s': %s place%s of the trace that was imported could not be read%s%s",
			  path, cli_count(n), n == 1 ? "" : "s",
			  !first  ? ""
			  : n > 1 ? ", the first: "
				  : ": ",
			  first ? first : "");
	return n;
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
		by_cause[e->cause] = xtr_sat_add(by_cause[e->cause], e->total);
	}
	for (enum xtr_loss_cause c = 1; c < XTR_LOSS_CAUSE_COUNT; c++) {
		if (!by_cause[c])
			continue;
		cli_error("'%s': %s%s lost: %s (%s)", path, unsure[c] ? "at least " : "",
			  cli_events(by_cause[c]), xtr_loss_cause_help(c), xtr_loss_cause_name(c));
		known = xtr_sat_add(known, by_cause[c]);
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
		cli_error("'%s': %s more problem%s: 'xtr check' shows all", path,
			  cli_count(n - most), n - most == 1 ? "" : "s");
}

int cli_report_loss(const char *path, const struct xtr_reader *r)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < xtr_reader_n_sections(r); i++) {
		lost |= report_unread(path, xtr_reader_section(r, i));
		lost |= report_lost(path, xtr_reader_section(r, i));
	}
	cli_report_problems(path, r, PROBLEMS_SHOWN);
	return lost || xtr_reader_n_problems(r) ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}

bool cli_same_boot(const struct xtr_meta *m)
{
	uint8_t id[16] = { 0 };
	char text[64];
	size_t n = 0;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f)
		return false;
	if (fgets(text, sizeof(text), f))
		for (const char *p = text; *p && n < 32; p++) {
			const char *digits = "0123456789abcdef", *d = strchr(digits, *p);

			if (d) {
				id[n / 2] = (uint8_t)(id[n / 2] << 4 | (uint8_t)(d - digits));
				n++;
			}
		}
	fclose(f);
	return n == 32 && !memcmp(id, xtr_meta_boot_id(m), 16) &&
	       !strcmp(xtr_meta_clock(m), "monotonic");
}
