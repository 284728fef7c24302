/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwrapping by libarchive. It gets one filter or one format, that of the first bytes: whatever
 * follows, no other decoder sees it, and no program is started.
 */
#include "archive_feed.h"
#include "open.h"
#include "unwrap.h"

#include <archive.h>
#include <archive_entry.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAR_MAGIC_AT 257u /* POSIX ustar */

struct unwrapping {
	struct xtr_unwrap *u;
	struct archive *a;
	struct archive_feed feed;
	struct xtr_io *out;
	uint64_t done; /* bytes that came out */
};

/* --- libarchive ------------------------------------------------------------------------------- */

static const int filter[] = {
	[WRAPPING_GZIP] = ARCHIVE_FILTER_GZIP,
	[WRAPPING_XZ] = ARCHIVE_FILTER_XZ,
	[WRAPPING_ZSTD] = ARCHIVE_FILTER_ZSTD,
	[WRAPPING_BZIP2] = ARCHIVE_FILTER_BZIP2,
};

static void close_archive(struct unwrapping *w)
{
	archive_read_free(w->a);
	w->a = NULL;
	archive_feed_free(&w->feed);
}

static enum wrapping_kind kind_of(const struct xtr_unwrap *u)
{
	return ((const struct wrapping *)u->how)->kind;
}

/* Keep a text, as far as there is room, without what a terminal might take for something else. */
static void say(struct xtr_unwrap *u, const char *text)
{
	snprintf(u->what, sizeof(u->what), "%s", text);
	for (char *s = u->what; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}

/* libarchive has said no. */
static int broken(struct unwrapping *w)
{
	const char *why = archive_error_string(w->a);

	if (w->feed.io_err)
		return w->feed.io_err;
	if (archive_errno(w->a) == ENOMEM)
		return -ENOMEM;
	say(w->u, why ? why : "no reason given");
	return -EBADMSG;
}

/*
 * One filter, named: asked to find out, libarchive would take off layer below layer, each of which
 * may be any number of times as large as the one above. One that it only has as a program is as
 * good as none. "raw" takes anything but nothing, which is what "empty" is for.
 */
static int choose_formats(struct archive *a, enum wrapping_kind kind)
{
	int err;

	if (kind == WRAPPING_ZIP)
		return archive_read_support_format_zip(a) == ARCHIVE_FATAL ? -ENOMEM : 0;
	err = archive_read_append_filter(a, filter[kind]);
	if (err != ARCHIVE_OK)
		return err == ARCHIVE_WARN ? -ENOSYS : -ENOMEM;
	if (archive_read_support_format_raw(a) != ARCHIVE_OK ||
	    archive_read_support_format_empty(a) != ARCHIVE_OK)
		return -ENOMEM;
	return 0;
}

static int open_archive(struct unwrapping *w, struct xtr_io *in)
{
	int err = archive_feed_init(&w->feed, in);

	w->a = err ? NULL : archive_read_new();
	if (!w->a)
		return err ? err : -ENOMEM;
	err = choose_formats(w->a, kind_of(w->u));
	if (err)
		return err;
	/* To "empty", what cannot be unpacked is nothing, too. */
	if (archive_feed_open(&w->feed, w->a) != ARCHIVE_OK || archive_errno(w->a))
		return broken(w);
	return 0;
}

/* 1: there is one; 0: there is none any more; -errno. Warnings are of names, which are not used. */
static int next_member(struct unwrapping *w, struct archive_entry **e)
{
	int err = archive_read_next_header(w->a, e);

	if (err == ARCHIVE_EOF)
		return 0;
	return err == ARCHIVE_OK || err == ARCHIVE_WARN ? 1 : broken(w);
}

/* --- the bytes -------------------------------------------------------------------------------- */

/* What came out before it broke is worth reading. */
static int cut_short(struct unwrapping *w)
{
	int err = broken(w);

	if (err != -EBADMSG || !w->done)
		return err;
	w->u->cut = true;
	return 0;
}

static int copy(struct unwrapping *w)
{
	struct xtr_unwrap *u = w->u;
	const void *p;
	la_int64_t at;
	size_t n;
	int err = 0, ret;

	while (!err && (ret = archive_read_data_block(w->a, &p, &n, &at)) != ARCHIVE_EOF) {
		if (ret != ARCHIVE_OK && ret != ARCHIVE_WARN)
			return cut_short(w);
		if (n > u->limit - w->done)
			return -EFBIG;
		err = w->out->ops->append(w->out, p, n);
		w->done += n;
		if (u->progress)
			u->progress(u->ctx, w->feed.at, w->feed.size);
	}
	return err;
}

static int copy_to_temporary(struct unwrapping *w)
{
	return xtr_io_temp(&w->out) ?: copy(w);
}

static int whole(struct unwrapping *w, struct xtr_io *in)
{
	struct archive_entry *e;
	int err = open_archive(w, in), there = err ? 0 : next_member(w, &e);

	if (err || there < 0)
		return err ? err : there;
	/* Of nothing, nothing came out. */
	return there ? copy_to_temporary(w) : xtr_io_temp(&w->out);
}

/* --- members of an archive -------------------------------------------------------------------- */

struct members {
	size_t n, n_readable;      /* plain files; of these, such as can be read */
	size_t only, the_readable; /* the number of one of each, among all members */
	char *names, *readable;    /* "a, b, c" */
};

static int list(char **names, const char *name)
{
	char *old = *names;
	int n;

	if (old && strlen(old) > sizeof(((struct xtr_unwrap *)0)->what))
		return 0; /* no more is shown */
	n = asprintf(names, "%s%s%.200s", old ? old : "", old ? ", " : "", name);
	if (n < 0)
		*names = old;
	else
		free(old);
	return n < 0 ? -ENOMEM : 0;
}

/* The first bytes of the member at hand: how many. */
static size_t read_head(struct unwrapping *w, uint8_t *head)
{
	size_t n = 0;
	la_ssize_t got;

	while (n < XTR_UNWRAP_HEAD &&
	       (got = archive_read_data(w->a, head + n, XTR_UNWRAP_HEAD - n)) > 0)
		n += (size_t)got;
	return n;
}

static int look_at(struct unwrapping *w, struct archive_entry *e, size_t number, struct members *m,
		   uint8_t *head)
{
	const char *name = archive_entry_pathname(e);
	size_t n;
	int err;

	if (archive_entry_filetype(e) != AE_IFREG)
		return 0;
	err = list(&m->names, name ? name : "?");
	m->n++;
	m->only = number;
	n = read_head(w, head);
	if (err || !n || !w->u->readable(w->u->ctx, head, n))
		return err;
	m->n_readable++;
	m->the_readable = number;
	return list(&m->readable, name ? name : "?");
}

static int look_at_all(struct unwrapping *w, struct xtr_io *in, struct members *m)
{
	uint8_t *head = malloc(XTR_UNWRAP_HEAD);
	struct archive_entry *e;
	int err = head ? open_archive(w, in) : -ENOMEM, there;

	for (size_t i = 0; !err; i++) {
		there = next_member(w, &e);
		if (there <= 0) {
			err = there;
			break;
		}
		if (i >= XTR_BUNDLE_MEMBERS_MAX)
			err = -E2BIG;
		else
			err = look_at(w, e, i, m, head);
	}
	free(head);
	close_archive(w);
	return err;
}

/* The number of the member that is meant. */
static int choose(struct unwrapping *w, const struct members *m, size_t *number)
{
	*number = m->n == 1 ? m->only : m->the_readable;
	if (m->n == 1 || m->n_readable == 1)
		return 0;
	say(w->u, m->n_readable ? m->readable : m->n ? m->names : "it is empty");
	return m->n_readable ? -ENOTUNIQ : -ENOENT;
}

static int one_member(struct unwrapping *w, struct xtr_io *in, size_t number)
{
	struct archive_entry *e = NULL;
	int err = open_archive(w, in), there = 1;

	for (size_t i = 0; !err && i <= number && there == 1; i++)
		there = next_member(w, &e);
	if (err || there < 1)
		return err ? err : there ? there : -EBADMSG;
	if (archive_entry_is_encrypted(e)) {
		say(w->u, "it is encrypted");
		return -EBADMSG;
	}
	return copy_to_temporary(w);
}

static int member(struct unwrapping *w, struct xtr_io *in)
{
	struct members m = { 0 };
	size_t number = 0;
	int err = look_at_all(w, in, &m) ?: choose(w, &m, &number) ?: one_member(w, in, number);

	free(m.names);
	free(m.readable);
	return err;
}

/* --- the whole -------------------------------------------------------------------------------- */

int xtr_unwrap(struct xtr_io *in, struct xtr_unwrap *u, struct xtr_io **out)
{
	struct unwrapping w = { .u = u };
	int err;

	u->cut = false;
	u->what[0] = '\0';
	err = kind_of(u) == WRAPPING_ZIP ? member(&w, in) : whole(&w, in);
	close_archive(&w);
	if (err)
		xtr_io_close(w.out);
	else
		*out = w.out;
	return err;
}

bool xtr_unwrap_is_tar(struct xtr_io *in)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	struct xtr_unwrap u = { .how = xtr_wrapping_of(zstd, sizeof(zstd)) };
	struct unwrapping w = { .u = &u };
	struct archive_entry *e;
	uint8_t block[512];
	size_t n = 0;
	la_ssize_t got;
	bool is = false;

	if (!open_archive(&w, in) && next_member(&w, &e) == 1) {
		while (n < sizeof(block) &&
		       (got = archive_read_data(w.a, block + n, sizeof(block) - n)) > 0)
			n += (size_t)got;
		is = n == sizeof(block) && !memcmp(block + TAR_MAGIC_AT, "ustar", 5);
	}
	close_archive(&w);
	return is;
}
