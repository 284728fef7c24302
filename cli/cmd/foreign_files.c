/* SPDX-License-Identifier: BSD-2-Clause */
#include "foreign_files.h"
#include "cli/ui/cli.h"

#include "bundle/open.h"
#include "bundle/unwrap.h"
#include "converters/in/known_files.h"
#include "converters/in/text/systrace.h"
#include "format/xtr_format.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYERS_MAX 4 /* "trace.html.gz" in a zip has 3 */

const char *foreign_source(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(path, "-") ? NULL : slash ? slash + 1 : path;
}

static bool is_xtr(const uint8_t *head, size_t n)
{
	return n >= strlen(XTR_MAGIC) && !memcmp(head, XTR_MAGIC, strlen(XTR_MAGIC));
}

static void unpacking(void *ctx, uint64_t done, uint64_t all)
{
	(void)ctx;
	cli_progress("unpacking", done, all);
}

static void importing(void *ctx, uint64_t done, uint64_t all)
{
	(void)ctx;
	cli_progress("importing", done, all);
}

/* --- what it is wrapped in -------------------------------------------------------------------- */

struct wrapper {
	bool (*is)(const uint8_t *head, size_t n);
	/* 0, or the exit status after a line. */
	int (*unwrap)(struct foreign *f, const uint8_t *head, size_t n, struct xtr_io *in,
		      struct xtr_io **out);
};

static const struct wrapper *wrapper_of(const uint8_t *head, size_t n);

/* Of a member of an archive, or a script of a page. */
static bool is_readable(void *ctx, const uint8_t *head, size_t n)
{
	(void)ctx;
	return is_xtr(head, n) || wrapper_of(head, n) || xtr_import_detect(head, n);
}

static bool is_text(void *ctx, const uint8_t *head, size_t n)
{
	(void)ctx;
	return xtr_import_detect(head, n);
}

static int no_room(const struct foreign *f, int err)
{
	const char *dir = getenv("TMPDIR");

	cli_failed(f->path, err);
	cli_hint("it is unpacked to a temporary file in %s ($TMPDIR)", dir && *dir ? dir : "/tmp");
	return XTR_EXIT_FAILURE;
}

static int too_large(const struct foreign *f)
{
	cli_error("'%s': it becomes more than %s, %u times its size, when it is unpacked", f->path,
		  cli_bytes(f->limit), XTR_UNWRAP_GROWTH);
	cli_hint("if you trust it, unpack it by hand");
	return XTR_EXIT_FAILURE;
}

static int not_unwrapped(const struct foreign *f, int err, const struct xtr_unwrap *u)
{
	switch (err) {
	case -ENOSYS:
		cli_error("'%s' is compressed with %s, and this xtr is built without libarchive",
			  f->path, u->how->name);
		break;
	case -EBADMSG:
		cli_error("'%s': compressed with %s, but damaged or cut short (%s)", f->path,
			  u->how->name, u->what);
		break;
	case -ENOENT:
		cli_error("'%s': none of its files is a trace that xtr reads: %s", f->path,
			  u->what);
		break;
	case -ENOTUNIQ:
		cli_error("'%s' holds several traces: %s", f->path, u->what);
		cli_hint("unpack the one that is meant with '%s'", u->how->tool);
		return XTR_EXIT_FAILURE;
	case -E2BIG:
		cli_error("'%s' holds more than %s files", f->path,
			  cli_count(XTR_BUNDLE_MEMBERS_MAX));
		break;
	case -EFBIG:
		return too_large(f);
	default:
		return no_room(f, err);
	}
	cli_hint("'%s' unpacks it", u->how->tool);
	return XTR_EXIT_FAILURE;
}

static bool is_wrapped(const uint8_t *head, size_t n)
{
	return xtr_wrapping_of(head, n);
}

static int unwrap(struct foreign *f, const uint8_t *head, size_t n, struct xtr_io *in,
		  struct xtr_io **out)
{
	struct xtr_unwrap u = {
		.how = xtr_wrapping_of(head, n),
		.limit = f->limit,
		.readable = is_readable,
		.progress = unpacking,
	};
	int err = xtr_unwrap(in, &u, out);

	cli_progress_done();
	if (err)
		return not_unwrapped(f, err, &u);
	if (u.cut)
		snprintf(f->damage, sizeof(f->damage), "%s data damaged or cut short (%.100s)",
			 u.how->name, u.what);
	return XTR_EXIT_OK;
}

static int unwrap_html(struct foreign *f, const uint8_t *head, size_t n, struct xtr_io *in,
		       struct xtr_io **out)
{
	int err = xtr_io_temp(out);

	(void)head;
	(void)n;
	if (!err)
		err = xtr_html_trace(in, *out, is_text, NULL);
	if (!err)
		return XTR_EXIT_OK;
	if (err != -ENODATA)
		return no_room(f, err);
	cli_error("'%s': a page of HTML, without a trace in it that xtr reads", f->path);
	cli_hint("systrace's pages have one in a script of class trace-data");
	return XTR_EXIT_FAILURE;
}

static int unwrap_atrace(struct foreign *f, const uint8_t *head, size_t n, struct xtr_io *in,
			 struct xtr_io **out)
{
	int err = xtr_io_temp(out);
	bool cut = false;

	(void)head;
	(void)n;
	if (!err)
		err = xtr_atrace_inflate(in, *out, f->limit, &cut);
	if (cut)
		snprintf(f->damage, sizeof(f->damage), "atrace's zlib data damaged or cut short");
	switch (err) {
	case 0:
		return XTR_EXIT_OK;
	case -EFBIG:
		return too_large(f);
	case -EBADMSG:
		cli_error("'%s': what follows TRACE: is damaged", f->path);
		break;
	case -ENOSYS:
		cli_error("'%s' is compressed (atrace -z), and this xtr is built without zlib",
			  f->path);
		break;
	default:
		return no_room(f, err);
	}
	cli_hint("'atrace' without -z writes text");
	return XTR_EXIT_FAILURE;
}

static const struct wrapper wrappers[] = {
	{ is_wrapped, unwrap },
	{ xtr_html_detect, unwrap_html },
	{ xtr_atrace_detect, unwrap_atrace },
};

static const struct wrapper *wrapper_of(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		if (wrappers[i].is(head, n))
			return &wrappers[i];
	return NULL;
}

/* --- layer by layer --------------------------------------------------------------------------- */

static int read_head(struct xtr_io *io, uint8_t *head, size_t *n)
{
	uint64_t size = 0;
	int err = io->ops->size(io, &size);

	*n = size < XTR_IMPORT_HEAD ? (size_t)size : XTR_IMPORT_HEAD;
	return err ? err : io->ops->read_at(io, 0, head, *n);
}

static bool is_bundle(struct xtr_io *io)
{
	return xtr_bundle_is(io) && xtr_unwrap_is_tar(io);
}

/* *io is without its outermost layer, or closed. */
static int one_layer(struct foreign *f, const struct wrapper *w, const uint8_t *head, size_t n,
		     struct xtr_io **io)
{
	struct xtr_io *out = NULL;
	int status = w->unwrap(f, head, n, *io, &out);

	xtr_io_close(*io);
	*io = out;
	if (status != XTR_EXIT_OK) {
		xtr_io_close(out);
		*io = NULL;
	}
	return status;
}

static int give_up(struct foreign *f, int err, struct xtr_io **io)
{
	xtr_io_close(*io);
	*io = NULL;
	if (err == -ELOOP)
		cli_error("'%s': compressed more than %d times", f->path, LAYERS_MAX);
	else
		cli_failed(f->path, err);
	return XTR_EXIT_FAILURE;
}

/* With its first bytes, at the end. */
static int all_layers(struct foreign *f, struct xtr_io **io, uint8_t *head, size_t *n)
{
	const struct wrapper *w;
	int err, status;

	for (int i = 0;; i++) {
		err = read_head(*io, head, n);
		if (err)
			return give_up(f, err, io);
		w = wrapper_of(head, *n);
		if (!w || is_bundle(*io))
			return XTR_EXIT_OK;
		if (i == LAYERS_MAX)
			return give_up(f, -ELOOP, io);
		status = one_layer(f, w, head, *n, io);
		if (status != XTR_EXIT_OK)
			return status;
	}
}

static int begin(struct foreign *f, const char *path, struct xtr_io **io, uint8_t **head)
{
	uint64_t size = 0;
	int err = (*io)->ops->size(*io, &size);

	*f = (struct foreign){ .path = path, .limit = xtr_unwrap_limit(size) };
	*head = malloc(XTR_IMPORT_HEAD);
	return err ? err : *head ? 0 : -ENOMEM;
}

int foreign_unwrap(struct foreign *f, const char *path, struct xtr_io **io)
{
	uint8_t *head = NULL;
	size_t n;
	int err = begin(f, path, io, &head);
	int status = err ? give_up(f, err, io) : all_layers(f, io, head, &n);

	free(head);
	return status;
}

/* --- other tools' traces ---------------------------------------------------------------------- */

int foreign_import_failed(const char *path, int err, const struct xtr_import_result *res)
{
	cli_error("'%s': %s", path, res->text[0] ? res->text : cli_strerror(err));
	if (err == -ENODATA)
		cli_hint("was tracing on, and were events enabled?");
	return XTR_EXIT_FAILURE;
}

/* *io becomes the import of itself, or is closed. */
static int import(const struct foreign *f, struct xtr_io **io)
{
	const struct xtr_import_opts opts = {
		.sz = sizeof(opts),
		.source = foreign_source(f->path),
		.damage = f->damage[0] ? f->damage : NULL,
		.progress = importing,
	};
	struct xtr_import_result res = { 0 };
	struct xtr_io *out = NULL;
	int err = xtr_io_temp(&out), status = XTR_EXIT_OK;

	if (!err)
		err = xtr_import_run(*io, out, &opts, &res);
	cli_progress_done();
	if (err)
		status = foreign_import_failed(f->path, err, &res);
	xtr_io_close(*io);
	*io = out;
	if (err) {
		xtr_io_close(out);
		*io = NULL;
	}
	return status;
}

static bool say_known(const char *path, const struct xtr_known *k)
{
	if (!k)
		return false;
	cli_error("'%s': %s", path, k->what);
	cli_hint("%s", k->help);
	return true;
}

bool foreign_is_known(const char *path, struct xtr_io *io)
{
	uint8_t *head = malloc(XTR_IMPORT_HEAD);
	bool known = false;
	size_t n;

	if (head && !read_head(io, head, &n))
		known = say_known(path, xtr_known_file(head, n, path));
	free(head);
	return known;
}

static int look(struct foreign *f, struct xtr_io **io, uint8_t *head)
{
	size_t n;
	int status = all_layers(f, io, head, &n);

	if (status != XTR_EXIT_OK)
		return status;
	if (is_xtr(head, n) || wrapper_of(head, n)) {
		if (f->damage[0])
			cli_warn("'%s': %s", f->path, f->damage);
		return XTR_EXIT_OK;
	}
	if (xtr_import_detect(head, n))
		return import(f, io);
	if (!say_known(f->path, xtr_known_file(head, n, f->path)))
		return XTR_EXIT_OK;
	xtr_io_close(*io);
	*io = NULL;
	return XTR_EXIT_FAILURE;
}

int foreign_open(const char *path, struct xtr_io **io)
{
	struct foreign f;
	uint8_t *head = NULL;
	int err = begin(&f, path, io, &head);
	int status = err ? give_up(&f, err, io) : look(&f, io, head);

	free(head);
	return status;
}

bool foreign_is_directory(const char *path, int err)
{
	const struct xtr_known *k;
	char inside[PATH_MAX];
	const char *name;

	if (err != -EISDIR)
		return false;
	for (size_t i = 0; (name = xtr_known_dir_file(i, &k)); i++) {
		if ((size_t)snprintf(inside, sizeof(inside), "%s/%s", path, name) >= sizeof(inside))
			continue;
		if (!access(inside, F_OK))
			return say_known(path, k);
	}
	return false;
}
