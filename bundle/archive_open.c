/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening by libarchive, with one format and one filter: whatever the bytes are, no other decoder
 * gets them, and no program is started (libarchive would run zstd(1) where it lacks the library).
 */
#include "archive_feed.h"
#include "open.h"

#include <archive.h>
#include <archive_entry.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MEMBER_NAME 200u /* bytes of a member's name with its folder */

struct opening {
	struct archive *a;
	struct archive_feed feed;
	uint64_t unpacked; /* bytes of members that were looked at */
	char folder[MEMBER_NAME + 1];
	size_t members;
	struct xtr_io *trace;
	struct xtr_bundle_err *err;
	const struct xtr_bundle_see *see; /* NULL: nobody asks */
};

static int __attribute__((format(printf, 2, 3))) refuse(struct opening *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(o->err->what, sizeof(o->err->what), fmt, ap);
	va_end(ap);
	for (char *s = o->err->what; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
	o->err->not_ours = true;
	return -EBADMSG;
}

/* libarchive has said no: what it says of damage names no file. */
static int broken(struct opening *o)
{
	const char *why = archive_error_string(o->a);

	if (o->feed.io_err)
		return o->feed.io_err;
	if (archive_errno(o->a) == ENOMEM)
		return -ENOMEM;
	if (!o->members)
		return refuse(o, "it is compressed with zstd, but holds no bundle (%s)",
			      why ? why : "no tar");
	return refuse(o, "the bundle is damaged or cut short (%s)", why ? why : "no reason given");
}

/* --- members ---------------------------------------------------------------------------------- */

/* FOLDER/NAME, the same folder for all; *name: behind it, empty for the folder itself. */
static int check_name(struct opening *o, struct archive_entry *e, const char **name)
{
	const char *path = archive_entry_pathname(e), *slash;
	size_t n;

	if (!path || !*path || strlen(path) > MEMBER_NAME)
		return refuse(o, "a member of the bundle has no usable name");
	slash = strchr(path, '/');
	n = slash ? (size_t)(slash - path) : strlen(path);
	if (!slash || !n || strchr(slash + 1, '/') || !strncmp(path, ".", n) ||
	    !strncmp(path, "..", n > 2 ? n : 2))
		return refuse(o, "member '%s' is not in the bundle's folder", path);
	if (!o->folder[0])
		memcpy(o->folder, path, n);
	if (strlen(o->folder) != n || strncmp(o->folder, path, n) != 0)
		return refuse(o, "member '%s' is not in the bundle's folder, '%s'", path,
			      o->folder);
	*name = slash + 1;
	return 0;
}

static int check_kind(struct opening *o, struct archive_entry *e, const char *name)
{
	bool folder = archive_entry_filetype(e) == AE_IFDIR;

	if (archive_entry_hardlink(e) || archive_entry_symlink(e) ||
	    (!folder && archive_entry_filetype(e) != AE_IFREG) || folder != !*name)
		return refuse(o, "member '%s' is not a regular file", archive_entry_pathname(e));
	if (!folder && (!archive_entry_size_is_set(e) || archive_entry_size(e) < 0))
		return refuse(o, "member '%s' has no size", archive_entry_pathname(e));
	return 0;
}

static uint64_t limit(const struct opening *o, uint64_t more)
{
	return o->feed.size > (UINT64_MAX - more) / XTR_BUNDLE_GROWTH
		       ? UINT64_MAX
		       : o->feed.size * XTR_BUNDLE_GROWTH + more;
}

static int check_size(struct opening *o, uint64_t size, bool is_trace)
{
	const uint64_t all = limit(o, XTR_BUNDLE_ALL_MORE);

	if (is_trace && size > limit(o, XTR_BUNDLE_TRACE_MORE))
		return refuse(
			o,
			"the trace in the bundle claims %llu bytes, more than %u times the bundle",
			(unsigned long long)size, XTR_BUNDLE_GROWTH);
	if (size > all || o->unpacked > all - size)
		return refuse(o, "the bundle claims more than %llu bytes in all",
			      (unsigned long long)all);
	o->unpacked += size;
	return 0;
}

/* No holes: a sparse member could claim more than it has. */
static int copy(struct opening *o, uint64_t size, struct xtr_io *to)
{
	uint64_t done = 0;
	const void *p;
	la_int64_t at;
	size_t n;
	int err = 0, ret;

	while (!err && (ret = archive_read_data_block(o->a, &p, &n, &at)) != ARCHIVE_EOF) {
		if (ret != ARCHIVE_OK)
			return broken(o);
		if (at < 0 || (uint64_t)at != done || n > size - done)
			return refuse(o, "the trace in the bundle has holes");
		err = to->ops->append(to, p, n);
		done += n;
	}
	if (!err && done != size)
		return refuse(o, "the trace in the bundle is cut short");
	return err;
}

static int take_trace(struct opening *o, uint64_t size)
{
	if (o->trace)
		return refuse(o, "the bundle holds more than one trace");
	return xtr_io_temp(&o->trace) ?: copy(o, size, o->trace);
}

/* Its bytes to who asks; those behind a hole are not what they seem. */
static int show(struct opening *o, const char *name, uint64_t size)
{
	const struct xtr_bundle_see *see = o->see;
	uint64_t done = 0;
	const void *p;
	la_int64_t at;
	size_t n;
	int err = 0, ret;

	if (!see || !see->begin(see->ctx, name, size))
		return 0;
	while (!err && (ret = archive_read_data_block(o->a, &p, &n, &at)) != ARCHIVE_EOF) {
		if (ret != ARCHIVE_OK)
			return broken(o);
		if (at < 0 || (uint64_t)at != done || n > size - done)
			break;
		err = see->data(see->ctx, p, n);
		done += n;
	}
	return err ? err : see->end(see->ctx);
}

/* Read to its end, as a damaged one shows there; libarchive skips what is not asked for. */
static int member(struct opening *o, struct archive_entry *e)
{
	const char *name = "";
	uint64_t size;
	bool is_trace;
	int err = check_name(o, e, &name);

	if (!err && o->members++ == XTR_BUNDLE_MEMBERS_MAX)
		err = refuse(o, "the bundle has more than %u members", XTR_BUNDLE_MEMBERS_MAX);
	if (!err)
		err = check_kind(o, e, name);
	if (err || !*name)
		return err;
	size = (uint64_t)archive_entry_size(e);
	is_trace = !strcmp(name, XTR_BUNDLE_TRACE);
	err = check_size(o, size, is_trace);
	if (err)
		return err;
	return is_trace ? take_trace(o, size) : show(o, name, size);
}

static int all_members(struct opening *o)
{
	struct archive_entry *e;
	int err = 0, ret;

	while (!err) {
		ret = archive_read_next_header(o->a, &e);
		if (ret == ARCHIVE_EOF)
			break;
		/* A warning is of what is not used here: times, owners, letters of a name. */
		err = ret == ARCHIVE_OK || ret == ARCHIVE_WARN ? member(o, e) : broken(o);
	}
	if (!err && !o->trace)
		err = refuse(o,
			     o->members ? "the bundle holds no %s"
					: "it is compressed with zstd, but holds no bundle (no %s)",
			     XTR_BUNDLE_TRACE);
	return err;
}

/* --- the whole -------------------------------------------------------------------------------- */

static int begin(struct opening *o, struct xtr_io *in)
{
	int err = archive_feed_init(&o->feed, in);

	o->a = err ? NULL : archive_read_new();
	if (!o->a)
		return err ? err : -ENOMEM;
	if (archive_read_append_filter(o->a, ARCHIVE_FILTER_ZSTD) != ARCHIVE_OK)
		return -ENOSYS;
	if (archive_read_support_format_tar(o->a) != ARCHIVE_OK)
		return -ENOMEM;
	return archive_feed_open(&o->feed, o->a) == ARCHIVE_OK ? 0 : broken(o);
}

int xtr_bundle_open(struct xtr_io *in, const struct xtr_bundle_see *see, struct xtr_io **trace,
		    struct xtr_bundle_err *err)
{
	struct opening o = { .err = err, .see = see };
	int ret;

	*err = (struct xtr_bundle_err){ 0 };
	ret = begin(&o, in) ?: all_members(&o);
	archive_read_free(o.a);
	archive_feed_free(&o.feed);
	if (ret)
		xtr_io_close(o.trace);
	else
		*trace = o.trace;
	return ret;
}
