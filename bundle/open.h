/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace in a bundle (docs/bundle.md). A bundle comes from a stranger: nothing of it gets a name
 * on this machine, the trace alone is copied, to an unlinked file, and nothing is kept of the rest.
 */
#ifndef XTR_BUNDLE_OPEN_H
#define XTR_BUNDLE_OPEN_H

#include "format/io.h"

#include <stdbool.h>

#define XTR_BUNDLE_TRACE       "trace.xtr" /* the member that is the trace */
#define XTR_BUNDLE_ENDING      ".tar.zst"  /* of a bundle's name */
#define XTR_BUNDLE_MEMBERS_MAX 1024u       /* of a bundle that is opened */
/* What a bundle may become when it is decompressed: so many times its size, and so much more. */
#define XTR_BUNDLE_GROWTH     256u
#define XTR_BUNDLE_TRACE_MORE (64ull << 20) /* bytes, of the trace */
#define XTR_BUNDLE_ALL_MORE   (4ull << 30)  /* bytes, of all members */

struct xtr_bundle_err {
	bool not_ours;  /* the bytes are at fault, not this machine */
	char what[192]; /* a line of what is wrong, printable; empty: what the -errno says */
};

/* Does it begin like a bundle (a frame of zstd, RFC 8878)? No trace does. */
bool xtr_bundle_is(struct xtr_io *io);
/*
 * Look through all of a bundle and give its one trace, for reading; in stays the caller's. 0;
 * -EBADMSG: it is damaged, cut short, no bundle, or more than the limits; -ENOSYS: this xtr is
 * built without libarchive; or another -errno (-ENOSPC: the temporary file). err is filled.
 */
int xtr_bundle_open_trace(struct xtr_io *in, struct xtr_io **trace, struct xtr_bundle_err *err);

/*
 * What is done with the members that are no trace, while a bundle is looked through. Their names
 * and bytes are a stranger's.
 */
struct xtr_bundle_see {
	/* One of size bytes comes; false: its bytes are not wanted. */
	bool (*begin)(void *ctx, const char *name, uint64_t size);
	/* Some of its bytes, and its end: 0, or -errno, which ends the opening. */
	int (*data)(void *ctx, const void *p, size_t n);
	int (*end)(void *ctx);
	void *ctx;
};

/* The same as xtr_bundle_open_trace, with a look at the others. see may be NULL. */
int xtr_bundle_open(struct xtr_io *in, const struct xtr_bundle_see *see, struct xtr_io **trace,
		    struct xtr_bundle_err *err);

#endif /* XTR_BUNDLE_OPEN_H */
