/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bundle of a hang: the trace and what it shows, the machine, and what was taken. It is for
 * this machine: nothing is redacted, and nobody is asked; only its owner may read it.
 */
#include "hang_taker.h"
#include "bundle_make.h"
#include "cli/ui/outfile.h"

#include "bundle/open.h"
#include "format/read/reader.h"
#include "hang/pack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct making {
	const struct hang_taking *t;
	const struct hang *h;
	struct xtr_bundle b;
	struct xtr_bundle_machine machine;
	struct xtr_reader *reader; /* NULL: there is no trace that can be read */
};

/* What it shows is worth having, and no reason to have no bundle. */
static int views(struct making *m, struct xtr_io *io)
{
	static const struct bundle_opts all = { 0 };
	struct xtr_err why = { 0 };
	size_t before = m->b.n;
	int err;

	if (!io)
		return 0;
	err = xtr_reader_open(&m->reader, io, &why);
	if (!err)
		err = bundle_views(&m->b, &all, m->reader);
	if (!err || err == -ENOMEM)
		return err;
	while (m->b.n > before)
		xtr_io_close(m->b.v[--m->b.n].io);
	return xtr_bundle_absent(&m->b, xtr_bundle_source_named("stats"), "stats.txt", "",
				 "the trace cannot be read: %s", strerror(-err));
}

/*
 * These were taken when it hung: as they are now they are not asked for. Programs that ask the
 * driver of a device that hung may hang, too, and would run with more rights than whoever calls
 * them.
 */
static const char *const taken[] = { "kmsg", "devcoredump", "error", "nvidia-smi",
				     "nvidia-bug-report" };

static bool is_taken(const struct xtr_bundle_source *s)
{
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(s->name, taken[i]))
			return true;
	return false;
}

static bool wanted(void *ctx, const struct xtr_bundle_source *s)
{
	(void)ctx;
	return !is_taken(s);
}

static void forget_unwanted(struct xtr_bundle *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].io || !is_taken(b->v[i].source))
			b->v[n++] = b->v[i];
	b->n = n;
}

static int gather(struct making *m)
{
	int err;

	m->b.root = m->t->o->root;
	m->machine.wanted = wanted;
	if (m->reader)
		xtr_bundle_of_trace(&m->machine, m->reader, m->b.root);
	m->machine.other = xtr_hang_other_boot(m->h->folder, m->b.root);
	err = xtr_bundle_gather(&m->b, &m->machine);
	if (!err)
		forget_unwanted(&m->b);
	return err ?: xtr_hang_pack(&m->b, m->h->folder);
}

static int write_once(struct making *m)
{
	const struct xtr_bundle_head head = { .folder = m->h->name,
					      .mtime = (int64_t)time(NULL),
					      .hang = true };
	struct xtr_io *io = NULL;
	uid_t uid;
	gid_t gid;
	int err, ret;

	if (unlinkat(m->h->folder, XTR_HANG_WHOLE, 0) && errno != ENOENT)
		return -errno;
	err = xtr_io_create_new(m->h->folder, XTR_HANG_WHOLE, &io);
	if (err)
		return err;
	if (cli_owner(&uid, &gid))
		(void)xtr_io_give(io, uid, gid);
	err = xtr_bundle_write(&m->b, &head, io) ?: io->ops->sync(io);
	ret = xtr_io_close(io);
	return err ? err : ret;
}

/* Older bundles make room for this one. */
static int write_all(struct making *m)
{
	int err;

	do
		err = write_once(m);
	while (err == -ENOSPC && !xtr_hang_room_drop(&m->t->room));
	return err ?: xtr_hang_finish(m->t->dir, m->h->folder, m->h->name);
}

int hang_make(const struct hang_taking *t, const struct hang *h)
{
	struct making m = { .t = t, .h = h };
	struct xtr_io *trace = NULL;
	int err = xtr_hang_pack_trace(&m.b, h->folder,
				      h->no_trace[0] ? h->no_trace : "none was written", &trace);

	err = err ?: views(&m, trace) ?: gather(&m) ?: write_all(&m);
	if (m.reader)
		xtr_reader_close(m.reader);
	xtr_bundle_free(&m.b);
	if (!err)
		return XTR_EXIT_OK;
	cli_error("'%s/%s" XTR_BUNDLE_ENDING "': %s", t->o->dir, h->name, cli_strerror(err));
	cli_hint("what was taken stays in %s/%s" XTR_HANG_PART
		 ", and is made a bundle of when xtr starts again",
		 t->o->dir, h->name);
	return XTR_EXIT_FAILURE;
}
