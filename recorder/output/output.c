/* SPDX-License-Identifier: BSD-2-Clause */
#include "output.h"
#include "format/codec/codecs.h"
#include "format/xtr_format.h"
#include "recorder/groups/sample.h"
#include "recorder/host/caps.h"
#include "recorder/host/machine_facts.h"
#include "recorder/host/util.h"
#include "recorder/recorder.h"

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

/* What was made here, and no device or pipe that was there. */
static void note_made(struct xtr_sink *s, const char *path)
{
	if (strcmp(path, "-") == 0 || stat(path, &s->made) || !S_ISREG(s->made.st_mode))
		s->made.st_ino = 0;
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* What cannot be looked at is not known to be gone. */
bool xtr_output_gone(const struct xtr_sink *s, const struct xtr_record_opts *opts)
{
	struct stat now;

	if (!s->made.st_ino || s->rotate->on)
		return false;
	return stat(opts->output, &now) ? errno == ENOENT : !same(&now, &s->made);
}

void xtr_output_undo(struct xtr_sink *s, const struct xtr_record_opts *opts)
{
	const char *path = xtr_output_name(s, opts);
	struct xtr_dir_user user;
	struct stat now;
	uint64_t caps;

	if (!s->made.st_ino || stat(path, &now) || !same(&now, &s->made))
		return;
	s->made.st_ino = 0;
	if (s->rotate->on) {
		if (!xtr_dir_user_enter(&user, s->rotate->dir, &s->rotate->owner))
			unlink(path);
		xtr_dir_user_leave(&user);
	} else if (geteuid() == 0) {
		unlink(path);
	} else if (!xtr_caps_suspend(&caps)) {
		unlink(path);
		xtr_caps_resume(caps);
	}
}

/* A user whom the program's file gives capabilities writes where he may without them. */
static int create_file(struct xtr_sink *s, const struct xtr_record_opts *opts)
{
	unsigned int flags = opts->force ? XTR_IO_FORCE : 0;
	uint64_t caps;
	int ret, err;

	if (geteuid() == 0) {
		ret = xtr_io_create(opts->output, flags, &s->io);
		/* Where it cannot be given away, it is root's. */
		if (!ret && opts->owner && strcmp(opts->output, "-"))
			(void)xtr_io_give(s->io, opts->owner, opts->owner_group);
		return ret;
	}
	ret = xtr_caps_suspend(&caps);
	if (ret)
		return ret;
	ret = xtr_io_create(opts->output, flags, &s->io);
	err = xtr_caps_resume(caps);
	return ret ? ret : err;
}

/* The first piece, as the one who makes the later ones. */
static int create_piece(struct xtr_sink *s)
{
	struct xtr_piece first = { .number = 1, .of = s->rotate->piece.of, .began = xtr_now() };
	struct xtr_dir_user user;
	int err = xtr_dir_user_enter(&user, s->rotate->dir, &s->rotate->owner)
			  ?: xtr_rotate_create(s->rotate, &s->io);

	xtr_dir_user_leave(&user);
	if (err)
		return err;
	xtr_rotate_begin(s->rotate, &first);
	xtr_rotate_ended(s->rotate, 0);
	return xtr_piece_write(&first, s->meta);
}

/* A flight recorder makes its files later: see whether it can, and leave nothing. */
static int try_piece(struct xtr_sink *s)
{
	const struct xtr_piece none = { .of = s->rotate->piece.of, .began = xtr_now() };
	struct xtr_dir_user user;
	int ret = xtr_dir_user_enter(&user, s->rotate->dir, &s->rotate->owner), err;
	struct xtr_io *io;

	if (!ret)
		ret = xtr_rotate_create(s->rotate, &io);
	if (!ret) {
		ret = xtr_io_close(io);
		err = xtr_rotate_undo(s->rotate);
		ret = ret ? ret : err;
	}
	xtr_dir_user_leave(&user);
	if (ret)
		return ret;
	xtr_rotate_begin(s->rotate, &none);
	xtr_rotate_ended(s->rotate, 0);
	return 0;
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
	how->filter = s->compact ? XTR_FILTER_COLUMNS : XTR_FILTER_WORDS;
	if (XTR_ZSTD_KNOWN)
		how->codec = XTR_CODEC_ZSTD;
}

int xtr_output_open(struct xtr_sink *s, uint64_t file_id, const struct xtr_record_opts *opts,
		    struct xtr_record_err *err)
{
	struct xtr_writer_opts how;
	int ret = xtr_rotate_open(s->rotate, opts, err);

	s->compact = opts->compact;
	xtr_output_how(s, &how);
	how.file_id = file_id;
	if (ret)
		return ret;
	if (s->flight)
		ret = open_flight(s, &how);
	else
		ret = s->rotate->on ? create_piece(s) : create_file(s, opts);
	if (s->io && !s->flight)
		note_made(s, xtr_output_name(s, opts));
	if (!ret)
		ret = xtr_writer_open(&s->writer, s->io, s->meta, s->tables, s->loss, &how);
	return ret ? fail(err, ret, xtr_output_name(s, opts), s->rotate->on) : 0;
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

/* --- describe --------------------------------------------------------------------------------- */

static int set_options(struct xtr_meta *meta, const struct xtr_record_opts *o,
		       const struct xtr_selection *sel, const struct xtr_bpf *bpf)
{
	int err = xtr_meta_set_writer(meta, "xtr", XTR_VERSION) ?:
		  xtr_meta_set_config_u64(meta, "ring-bytes", bpf->ring_bytes) ?:
		  xtr_meta_set_config_u64(meta, "rings", bpf->n_cpus) ?:
		  xtr_meta_set_config_str(meta, "pointers", o->keep_pointers ? "kept" : "hashed");

	if (!err && o->compact)
		err = xtr_meta_set_config_u64(meta, "compact", 1);
	if (!err && o->stacks)
		err = xtr_meta_set_config_u64(meta, "stacks", 1);
	if (!err && o->idle_hz)
		err = xtr_meta_set_config_u64(meta, "idle-stacks", o->idle_hz);
	if (!err && sel->n_init_ops)
		err = xtr_meta_set_config_u64(meta, "fence-init-ops", sel->n_init_ops);
	if (!err && o->n_pids)
		err = xtr_meta_set_config_u64(meta, "pid", o->pids[0]);
	if (!err && o->argv)
		err = xtr_meta_set_config_str(meta, "command", o->argv[0]);
	for (size_t i = 0; i < o->n_labels && !err; i++)
		err = xtr_meta_set_label(meta, o->labels[i]);
	return err;
}

static int add_builtin(struct xtr_meta *meta, const struct xtr_hook_result *res, bool stacks)
{
	const struct xtr_event_desc *d =
		stacks ? xtr_builtin_event_stack(res->type) : xtr_builtin_event(res->type);
	struct xtr_event_desc ev;

	if (!d || res->info.state != XTR_PROVIDER_ATTACHED)
		return 0;
	ev = *d;
	ev.provider = res->info.id;
	return xtr_meta_add_event(meta, &ev);
}

static int add_budget(struct xtr_meta *meta, const struct xtr_selection *sel, struct xtr_bpf *bpf)
{
	const char *name = xtr_builtin_event(XTR_EV_BUDGET)->name;

	if (!sel->budget)
		return 0;
	if (!xtr_bpf_result(bpf, XTR_EV_BUDGET, name, "recorder", name, XTR_PROVIDER_ATTACHED,
			    NULL))
		return -ENOMEM;
	return xtr_meta_set_config_u64(meta, "budget", sel->budget);
}

/* The totals of sampled events are the recorder's own. */
static int add_totals(struct xtr_meta *meta, const struct xtr_selection *sel, struct xtr_bpf *bpf)
{
	const char *name = xtr_builtin_event(XTR_EV_TOTAL)->name;

	if (!xtr_sampling(sel))
		return 0;
	if (!xtr_bpf_result(bpf, XTR_EV_TOTAL, name, "recorder", name, XTR_PROVIDER_ATTACHED, NULL))
		return -ENOMEM;
	return xtr_sample_describe(sel, meta);
}

static int add_results(struct xtr_meta *meta, struct xtr_bpf *bpf, bool stacks)
{
	int err = 0;

	for (size_t i = 0; !err && i < bpf->n_results; i++) {
		struct xtr_hook_result *res = &bpf->results[i];

		res->info.why = res->why[0] ? res->why : NULL;
		err = xtr_meta_add_provider(meta, &res->info) ?: add_builtin(meta, res, stacks);
	}
	return err;
}

static int add_dynamic(struct xtr_meta *meta, const struct xtr_selection *sel)
{
	int err = 0;

	for (size_t i = 0; !err && i < sel->n_generics; i++) {
		if (sel->generics[i]->desc.provider)
			err = xtr_meta_add_event(meta, &sel->generics[i]->desc);
	}
	for (size_t i = 0; !err && i < sel->n_dynamic - sel->n_generics; i++) {
		if (sel->probe_events[i]->provider)
			err = xtr_meta_add_event(meta, sel->probe_events[i]);
	}
	return err;
}

int xtr_describe(struct xtr_meta *meta, const struct xtr_record_opts *o,
		 const struct xtr_selection *sel, struct xtr_bpf *bpf)
{
	return xtr_facts_collect(meta) ?: set_options(meta, o, sel, bpf) ?:
	       add_totals(meta, sel, bpf) ?:
	       add_budget(meta, sel, bpf) ?:
	       add_results(meta, bpf, o->stacks) ?:
	       add_dynamic(meta, sel);
}
