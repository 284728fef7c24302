// SPDX-License-Identifier: BSD-2-Clause
#include "output.h"
#include "caps.h"
#include "util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int error;
	bool rotated; /* only with pieces */
	const char *text;
} hints[] = {
	{ -EEXIST, false, "use --force to replace it, or -o for another name" },
	{ -ELOOP, false,
	  "a recording is not written through a symbolic link: name the file itself" },
	{ -EACCES, true, "pieces are made as the owner of their directory" },
};

static int fail(struct xtr_record_err *err, int code, const char *name, bool rotated)
{
	err->code = code;
	snprintf(err->what, sizeof(err->what), "'%.180s': %s", name, strerror(-code));
	for (size_t i = 0; i < ARRAY_LEN(hints); i++)
		if (hints[i].error == code && (rotated || !hints[i].rotated))
			snprintf(err->hint, sizeof(err->hint), "%s", hints[i].text);
	return code;
}

/* A user whom the program's file gives capabilities writes where he may without them. */
static int create_file(struct xtr_sink *s, const struct xtr_record_opts *opts)
{
	unsigned int flags = opts->force ? XTR_IO_FORCE : 0;
	uint64_t caps;
	int rc, err;

	if (geteuid() == 0)
		return xtr_io_create(opts->output, flags, &s->io);
	rc = xtr_caps_suspend(&caps);
	if (rc)
		return rc;
	rc = xtr_io_create(opts->output, flags, &s->io);
	err = xtr_caps_resume(caps);
	return rc ? rc : err;
}

/* The first piece, as the one who makes the later ones. */
static int create_piece(struct xtr_sink *s)
{
	struct xtr_piece first = { .number = 1, .of = s->rotate->piece.of, .began = xtr_now() };
	struct xtr_dir_user user;
	int rc = xtr_dir_user_enter(&user, s->rotate->dir);

	if (!rc)
		rc = xtr_rotate_create(s->rotate, &s->io);
	xtr_dir_user_leave(&user);
	if (rc)
		return rc;
	xtr_rotate_begin(s->rotate, &first, 0);
	return xtr_piece_write(&first, s->meta);
}

/* A flight recorder makes its files later: see whether it can, and leave nothing. */
static int try_piece(struct xtr_sink *s)
{
	const struct xtr_piece none = { .of = s->rotate->piece.of, .began = xtr_now() };
	struct xtr_dir_user user;
	int rc = xtr_dir_user_enter(&user, s->rotate->dir);
	struct xtr_io *io;

	if (!rc)
		rc = xtr_rotate_create(s->rotate, &io);
	if (!rc) {
		rc = xtr_io_close(io);
		xtr_rotate_undo(s->rotate);
	}
	xtr_dir_user_leave(&user);
	if (!rc)
		xtr_rotate_begin(s->rotate, &none, 0);
	return rc;
}

/* What is written goes to memory first. */
static int open_flight(struct xtr_sink *s, struct xtr_writer_opts *how)
{
	s->io = &s->flight->io;
	how->table_every = how->meta_every = UINT64_MAX;
	return try_piece(s);
}

void xtr_output_how(const struct xtr_sink *s, struct xtr_writer_opts *how)
{
	xtr_writer_opts_init(how);
	if (s->compact)
		how->filter = XTR_FILTER_COLUMNS;
}

int xtr_output_open(struct xtr_sink *s, uint64_t file_id, const struct xtr_record_opts *opts,
		    struct xtr_record_err *err)
{
	struct xtr_writer_opts how;
	int rc = xtr_rotate_open(s->rotate, opts, err);

	s->compact = opts->compact;
	xtr_output_how(s, &how);
	how.file_id = file_id;
	if (rc)
		return rc;
	if (s->flight)
		rc = open_flight(s, &how);
	else
		rc = s->rotate->on ? create_piece(s) : create_file(s, opts);
	if (!rc)
		rc = xtr_writer_open(&s->writer, s->io, s->meta, s->tables, s->loss, &how);
	return rc ? fail(err, rc, xtr_output_name(s, opts), s->rotate->on) : 0;
}

const char *xtr_output_name(const struct xtr_sink *s, const struct xtr_record_opts *opts)
{
	return s->rotate->on ? s->rotate->path : opts->output;
}

const char *xtr_output_reason(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EDQUOT:
		return "no space left";
	case -EPIPE:
		return "output closed";
	case -EFBIG:
		return "file size limit";
	case -EEXIST:
		return "the next piece is there already";
	default:
		return "write error";
	}
}
