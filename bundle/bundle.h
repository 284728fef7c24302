/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes into a bundle (docs/bundle.md), member by member. A table (source.c) says of each
 * source what it is and whether it is private; here they are gathered, described and written.
 * Nothing here asks anybody: who calls decides what of the private ones goes in.
 */
#ifndef XTR_BUNDLE_H
#define XTR_BUNDLE_H

#include "open.h"
#include "scrub.h"
#include "write.h"

#include "base/buf.h"
#include "format/io.h"

#include <stdbool.h>
#include <stdio.h>

#define XTR_BUNDLE_SCHEMA "xtr.bundle/1"
#define XTR_BUNDLE_DUMP_MAX                                                  \
	(512ull << 20) /* bytes of a dump; a longer one is left out, not cut \
			*/

struct xtr_bundle_source {
	const char *name;  /* as --include and --exclude have it: "kmsg" */
	const char *what;  /* "the kernel's log around the recording" */
	const char *holds; /* what may be private in it; NULL: nothing is */
	bool machine;      /* of this machine, as it is now; else of the trace */
	bool slow;         /* gathered only where it is asked for, as it takes minutes */
};

/* In the order of a bundle; NULL past the last. */
const struct xtr_bundle_source *xtr_bundle_source(size_t i);
/* By name, or NULL. */
const struct xtr_bundle_source *xtr_bundle_source_named(const char *name);

struct xtr_bundle_item {
	const struct xtr_bundle_source *source;
	char name[96];     /* of the member; of what is absent may be empty */
	char from[160];    /* a path of this machine, or a command */
	struct xtr_io *io; /* NULL: it is absent, or not wanted */
	uint64_t size;     /* bytes */
	bool raw;          /* byte for byte as it was read */
	bool there;        /* it is absent, but the machine has it */
	char why[160];     /* it is not in the bundle, or not all of it */
	char digest[XTR_BUNDLE_DIGEST];
};

struct xtr_bundle {
	struct xtr_bundle_item *v;
	size_t n, cap;
	const struct xtr_scrub *scrub; /* for texts of this machine; NULL: as they are */
	const char *root;              /* before each path of this machine, "" for its own */
};

void xtr_bundle_free(struct xtr_bundle *b);

/* Add a text as a member; those of a machine's source are scrubbed. 0 or -ENOMEM. */
int xtr_bundle_add_text(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
			const char *from, const struct xtr_buf *text);
/* Add a file, which is taken over also on failure. 0 or -ENOMEM. */
int xtr_bundle_add_file(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
			const char *from, struct xtr_io *io, uint64_t size);
/* Note that something is not there, and why. 0 or -ENOMEM. */
int xtr_bundle_absent(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
		      const char *from, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same of something that is there, but cannot be read: -errno. 0 or -ENOMEM. */
int xtr_bundle_unread(struct xtr_bundle *b, const struct xtr_bundle_source *s, const char *name,
		      const char *from, int err);
/* An item was not wanted: its content goes. */
void xtr_bundle_drop(struct xtr_bundle_item *item, const char *why);

/* --- what this machine tells --------------------------------------------------------------------
 */

#define XTR_BUNDLE_DRIVERS_MAX 64u

struct xtr_bundle_machine {
	char drivers[XTR_BUNDLE_DRIVERS_MAX][64]; /* modules that are asked about */
	size_t n_drivers;
	uint64_t from, to; /* of the recording, ns on CLOCK_MONOTONIC */
	const char *other; /* why the trace is not of this machine and boot, or NULL: it is */
	bool (*wanted)(void *ctx, const struct xtr_bundle_source *s);
	void *ctx;
};

struct xtr_reader;

/* What of a trace is asked about on this machine: drivers and span. */
void xtr_bundle_of_trace(struct xtr_bundle_machine *m, const struct xtr_reader *r,
			 const char *root);
void xtr_bundle_add_driver(struct xtr_bundle_machine *m, const char *name);
/* Gather all sources of the machine that are wanted. 0 or -ENOMEM: what cannot be read is absent.
 */
int xtr_bundle_gather(struct xtr_bundle *b, struct xtr_bundle_machine *m);

/* --- the bundle itself -------------------------------------------------------------------------
 */

struct xtr_bundle_head {
	const char *folder; /* of all members */
	int64_t mtime;      /* seconds since 1970 */
	bool redacted;
	bool hang;        /* taken when a device hung, with all that is private, for this machine */
	uint64_t checked; /* texts and pointers that were looked for, where it is redacted */
};

/* Make digests, README, manifest and list of digests, and write all. 0, -ENOSYS, or -errno. */
int xtr_bundle_write(struct xtr_bundle *b, const struct xtr_bundle_head *h, struct xtr_io *io);

#endif /* XTR_BUNDLE_H */
