/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bundle from a trace: redact it, look through what came out, say what it shows, ask the machine,
 * ask the user, write, and open what was written.
 */
#include "bundle_make.h"
#include "bundle_members.h"
#include "bundle_report.h"
#include "cli/ui/outfile.h"
#include "cli/ui/text.h"
#include "trace.h"

#include "replay/redact/redact.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FOUND_SHOWN 5u
#define COPY_BYTES  ((size_t)256 << 10)

struct making {
	const struct bundle_opts *o;
	const char *path;
	struct xtr_reader *reader; /* of the trace as it was given */
	struct xtr_io *trace;      /* as it goes into the bundle, until it is a member */
	struct xtr_reader *packed; /* of that */
	struct xtr_bundle b;
	struct xtr_scrub *scrub;
	struct xtr_bundle_machine machine;
	struct bundle_report report; /* of --for; tracker NULL: none */
	struct outfile out;
	char folder[128];
	uint64_t checked, found;
};

/* --- options -----------------------------------------------------------------------------------
 */

static int check_names(const struct cli_command *cmd, const char *option, const char *list)
{
	char name[32];

	for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',') {
		size_t n = strcspn(p, ",");

		snprintf(name, sizeof(name), "%.*s", (int)n, p);
		if (n >= sizeof(name) || !xtr_bundle_source_named(name) || !strcmp(name, "trace"))
			return cli_usage_error(cmd, "--%s: no such part: '%.*s'", option, (int)n,
					       p);
	}
	return XTR_EXIT_OK;
}

int bundle_check_opts(const struct cli_command *cmd, const struct bundle_opts *o)
{
	int status = XTR_EXIT_OK;

	if (o->tracker && !xtr_tracker_named(o->tracker))
		return cli_usage_error(cmd, "--for: no such tracker: '%s'", o->tracker);
	for (size_t i = 0; i < o->include.n && !status; i++)
		status = check_names(cmd, "include", o->include.v[i]);
	for (size_t i = 0; i < o->exclude.n && !status; i++)
		status = check_names(cmd, "exclude", o->exclude.v[i]);
	return status;
}

/* --- the trace ---------------------------------------------------------------------------------
 */

static void on_progress(void *ctx, uint64_t done, uint64_t all)
{
	cli_progress(ctx, done, all);
}

static int as_it_is(struct making *m)
{
	const uint64_t size = xtr_reader_size(m->reader);
	uint8_t *buf = malloc(COPY_BYTES);
	int err = buf ? 0 : -ENOMEM;

	for (uint64_t at = 0; at < size && !err;) {
		size_t n = size - at < COPY_BYTES ? (size_t)(size - at) : COPY_BYTES;

		err = xtr_reader_bytes(m->reader, at, buf, n)
			      ?: m->trace->ops->append(m->trace, buf, n);
		at += n;
	}
	free(buf);
	return err;
}

static int new_redact(struct making *m, struct xtr_redact **x, const char *what)
{
	const struct xtr_redact_opts ro = {
		.sz = sizeof(ro),
		.key = m->o->key,
		.file_id = m->o->key,
		.progress = on_progress,
		.ctx = (void *)(uintptr_t)what,
	};

	return xtr_redact_new(x, m->reader, &ro);
}

static int redacted(struct making *m)
{
	struct xtr_redact *x = NULL;
	struct xtr_redact_result res;
	int err = new_redact(m, &x, "redacting");

	for (size_t i = 0; i < xtr_reader_n_sections(m->reader) && !err; i++)
		err = xtr_redact_section(x, i, m->trace, &res);
	m->scrub = err ? NULL : xtr_scrub_new();
	if (!err)
		err = m->scrub ? bundle_names(m->scrub, x) : -ENOMEM;
	xtr_redact_free(x);
	return err;
}

static void on_found(void *ctx, const struct xtr_redact_found *f)
{
	struct making *m = ctx;

	/* It stays where it is the kernel's. */
	if (f->text && xtr_redact_is_common(f->text, f->n))
		return;
	if (m->found++ >= FOUND_SHOWN)
		return;
	fprintf(stderr, "xtr: '%s': redacted, %s at 0x%" PRIx64 ": ", m->path, f->where, f->offset);
	if (f->text)
		cli_put(stderr, f->text, 0);
	else
		fputs(f->is_id ? "a thread id" : "a pointer", stderr);
	fputc('\n', stderr);
}

/* Is anything of the original in it? As `xtr redact --check`. */
static int search(struct making *m)
{
	struct xtr_redact *x = NULL;
	int err = new_redact(m, &x, "checking") ?: xtr_redact_collect(x) ?:
		  xtr_redact_search(x, m->packed, NULL, 0, on_found, m, &m->checked);

	xtr_redact_free(x);
	return err;
}

static int open_packed(struct making *m)
{
	struct xtr_err why = { 0 };
	struct xtr_io *again;

	return xtr_io_again(m->trace, &again) ?: xtr_reader_open(&m->packed, again, &why);
}

static int add_trace(struct making *m)
{
	uint64_t size = 0;
	int err = m->trace->ops->size(m->trace, &size);
	struct xtr_io *io = m->trace;

	if (err)
		return err;
	m->trace = NULL;
	return xtr_bundle_add_file(&m->b, xtr_bundle_source_named("trace"), XTR_BUNDLE_TRACE, "",
				   io, size);
}

/* 0, or the exit status after a line of what is wrong. */
static int make_trace(struct making *m)
{
	int err = xtr_io_temp(&m->trace) ?: (m->o->no_redact ? as_it_is(m) : redacted(m)) ?:
		  open_packed(m);

	if (!err && !m->o->no_redact)
		err = search(m);
	cli_progress_done();
	if (!err)
		err = add_trace(m);
	if (err == -ENOSPC) {
		cli_error("'%s': %s for the trace in a temporary file", m->path, cli_strerror(err));
		cli_hint("$TMPDIR says where such files are");
		return XTR_EXIT_FAILURE;
	}
	if (err)
		return cli_failed(m->path, err);
	if (!m->found)
		return XTR_EXIT_OK;
	cli_error(
		"'%s': of %s private texts and pointers some are still in the redacted trace, in %s places: no bundle is written",
		m->path, cli_count(m->checked), cli_count(m->found));
	cli_hint("'xtr redact', then 'xtr redact --check' show where");
	return XTR_EXIT_THRESHOLD;
}

/* --- the rest ----------------------------------------------------------------------------------
 */

static bool wanted(void *ctx, const struct xtr_bundle_source *s)
{
	const struct bundle_opts *o = ((const struct making *)ctx)->o;

	return !bundle_lists(&o->exclude, s->name) &&
	       (!s->slow || bundle_lists(&o->include, s->name));
}

static int gather(struct making *m)
{
	int err = bundle_views(&m->b, m->o, m->packed);
	bool is_bundle;

	if (err)
		return err;
	m->b.root = "";
	m->b.scrub = m->scrub;
	m->machine.wanted = wanted;
	m->machine.ctx = m;
	xtr_bundle_of_trace(&m->machine, m->reader, m->b.root);
	err = bundle_members(&m->b, m->path, m->o, &is_bundle);
	if (is_bundle) /* the machine is as it was then */
		m->machine.other = NULL;
	else if (!err)
		err = xtr_bundle_gather(&m->b, &m->machine);
	if (!err)
		bundle_ask(&m->b, m->o);
	return err;
}

/* After the file's name: it is what somebody sees who unpacks it. */
static void name_folder(struct making *m)
{
	const char *base = strrchr(m->out.path, '/');
	size_t n;

	base = base ? base + 1 : m->out.path;
	n = strlen(base);
	if (n > strlen(XTR_BUNDLE_ENDING) &&
	    !strcmp(base + n - strlen(XTR_BUNDLE_ENDING), XTR_BUNDLE_ENDING))
		n -= strlen(XTR_BUNDLE_ENDING);
	if (n >= sizeof(m->folder))
		n = sizeof(m->folder) - 1;
	for (size_t i = 0; i < n; i++)
		m->folder[i] =
			base[i] > ' ' && base[i] <= '~' && !strchr("\\\"'`$*?;&|<>()", base[i])
				? base[i]
				: '_';
	if (!n || m->folder[0] == '.' || m->folder[0] == '-')
		strcpy(m->folder, "bundle");
}

/* When it was recorded, as far as the trace in it tells: s since 1970, or 0. */
static int64_t recorded_at(const struct making *m)
{
	for (size_t i = 0; i < xtr_reader_n_sections(m->packed); i++) {
		const struct xtr_section *s = xtr_reader_section(m->packed, i);
		const struct xtr_clock_snapshot *c =
			xtr_section_n_clocks(s) ? xtr_section_clock(s, 0) : NULL;

		if (c && c->realtime)
			return (int64_t)(c->realtime / 1000000000u);
	}
	return 0;
}

/* --- writing -----------------------------------------------------------------------------------
 */

static int same(struct xtr_io *a, struct xtr_io *b)
{
	char one[XTR_BUNDLE_DIGEST] = "", two[XTR_BUNDLE_DIGEST] = "";
	uint64_t n, k;

	return a->ops->size(a, &n) ?: b->ops->size(b, &k) ?: xtr_bundle_digest(a, n, one) ?:
	       xtr_bundle_digest(b, k, two) ?:
	       (n != k || strcmp(one, two) != 0 ? -EIO : 0);
}

/* The maintainer's first step, here already: the trace comes out of it as it went in. */
static int read_back(struct making *m)
{
	struct xtr_bundle_err why;
	struct xtr_io *io = NULL, *trace = NULL;
	int err;

	if (!m->out.temporary)
		return 0;
	err = (fflush(m->out.f) ? -EIO : xtr_io_read_fd(m->out.stream.fd, &io)) ?:
	      xtr_bundle_open_trace(io, &trace, &why) ?:
	      same(trace, m->b.v[0].io);
	xtr_io_close(trace);
	xtr_io_close(io);
	return err;
}

static struct xtr_bundle_head head_of(const struct making *m)
{
	return (struct xtr_bundle_head){
		.folder = m->folder,
		.mtime = recorded_at(m),
		.redacted = !m->o->no_redact,
		.checked = m->checked,
	};
}

static const char *base_name(const struct making *m)
{
	const char *slash = strrchr(m->out.path, '/');

	return slash ? slash + 1 : m->out.path;
}

/* What --for asks for. 0 or -errno. */
static int make_report(struct making *m)
{
	const struct xtr_bundle_head h = head_of(m);

	if (!m->report.tracker)
		return 0;
	return bundle_fit(&m->report, &m->b, &h, m->packed)
		       ?: bundle_report_make(&m->report, &m->b, m->packed, base_name(m));
}

static int write_out(struct making *m)
{
	const struct xtr_bundle_head h = head_of(m);
	struct outfile_io io;
	int err;

	outfile_io_init(&io, &m->out);
	err = xtr_bundle_write(&m->b, &h, &io.io) ?: read_back(m);
	if (!err)
		return outfile_commit(&m->out);
	if (!outfile_broken(&m->out)) {
		cli_error("'%s': %s", m->out.path, cli_strerror(err));
		if (err == -EBADMSG || err == -EIO)
			cli_hint("what was written does not read back as it was");
	}
	return XTR_EXIT_FAILURE;
}

static void say(const struct making *m)
{
	size_t in = 0;

	for (size_t i = 0; i < m->b.n; i++)
		in += m->b.v[i].io != NULL;
	if (cli_quiet)
		return;
	if (m->machine.other)
		fprintf(stderr, "of this machine nothing is in it: %s\n", m->machine.other);
	for (size_t i = 0; i < m->b.n; i++)
		if (m->b.v[i].there)
			fprintf(stderr, "not in it: %s (%s)\n",
				m->b.v[i].name[0] ? m->b.v[i].name : m->b.v[i].source->name,
				m->b.v[i].why);
	fprintf(stderr, "%s: %s, %zu files\n", strcmp(m->out.path, "-") ? m->out.path : "bundle",
		m->o->no_redact ? "NOT redacted" : "redacted and checked", in + 3);
}

static int make(struct making *m)
{
	int status = make_trace(m), err;

	if (status != XTR_EXIT_OK)
		return status;
	err = gather(m) ?: make_report(m);
	if (err)
		return cli_failed(m->path, err);
	status = write_out(m);
	if (status != XTR_EXIT_OK)
		return status;
	say(m);
	return m->report.tracker ? bundle_report_tell(&m->report, base_name(m), m->o->force)
				 : XTR_EXIT_OK;
}

static void free_all(struct making *m)
{
	xtr_reader_close(m->packed);
	xtr_reader_close(m->reader);
	xtr_io_close(m->trace);
	xtr_bundle_free(&m->b);
	xtr_scrub_free(m->scrub);
	bundle_report_free(&m->report);
	outfile_free(&m->out);
}

/* What is damaged goes in only as it is. */
static int verify(struct making *m)
{
	int err;

	if (!m->o->no_redact)
		return cli_verify_whole(m->path, m->reader,
					"what cannot be read cannot be redacted", "bundled");
	err = cli_verify(m->reader, "verifying");
	return err ? cli_failed(m->path, err) : XTR_EXIT_OK;
}

/* Of --for: "run.amd.md" beside run.tar.zst; what is there is told before anything is made. */
static int name_report(struct making *m)
{
	const char *path = m->out.path;
	size_t n = strlen(path);

	m->report.tracker = m->o->tracker ? xtr_tracker_named(m->o->tracker) : NULL;
	if (!m->report.tracker || !strcmp(path, "-"))
		return XTR_EXIT_OK;
	if (n > strlen(XTR_BUNDLE_ENDING) &&
	    !strcmp(path + n - strlen(XTR_BUNDLE_ENDING), XTR_BUNDLE_ENDING))
		n -= strlen(XTR_BUNDLE_ENDING);
	if (asprintf(&m->report.path, "%.*s.%s.md", (int)n, path, m->report.tracker->name) < 0)
		m->report.path = NULL;
	if (asprintf(&m->report.picture_path, "%.*s.%s.svg", (int)n, path,
		     m->report.tracker->name) < 0)
		m->report.picture_path = NULL;
	if (!m->report.path || !m->report.picture_path)
		return cli_failed(m->path, ENOMEM);
	return outfile_check(m->report.path, m->o->force)
		       ?: outfile_check(m->report.picture_path, m->o->force);
}

static int open_and_make(struct making *m)
{
	int lost, status = XTR_EXIT_OK;

	m->reader = cli_open_trace(m->path, &status);
	if (m->reader)
		status = verify(m);
	if (status != XTR_EXIT_OK)
		return status;
	lost = cli_report_loss(m->path, m->reader);
	status = outfile_open_for(&m->out, m->o->output, m->path, XTR_BUNDLE_ENDING, m->o->force);
	if (status != XTR_EXIT_OK)
		return status;
	name_folder(m);
	status = name_report(m) ?: make(m);
	if (status != XTR_EXIT_OK)
		outfile_abandon(&m->out);
	return status == XTR_EXIT_OK ? lost : status;
}

int bundle_make(const struct bundle_opts *o, const char *path)
{
	struct making *m;
	int status;

	status = xtr_bundle_can_write();
	if (status == -ENOMEM)
		return cli_failed(o->output, ENOMEM);
	if (status) {
		cli_error("this xtr was built without libarchive: it makes no bundles");
		cli_hint(
			"install libarchive-dev and build it again; 'xtr redact' makes a trace to attach");
		return XTR_EXIT_FAILURE;
	}
	m = calloc(1, sizeof(*m));
	if (!m)
		return cli_failed(path, ENOMEM);
	m->o = o;
	m->path = path;
	status = open_and_make(m);
	free_all(m);
	free(m);
	return status;
}
