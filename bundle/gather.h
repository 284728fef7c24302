/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of gathering: reading small files below a root, and the gatherers of each source. */
#ifndef XTR_BUNDLE_GATHER_H
#define XTR_BUNDLE_GATHER_H

#include "bundle.h"

#define GATHER_LINE 512u         /* bytes of a line of sysfs */
#define GATHER_FILE (256u << 10) /* bytes of a small file */

/* A descriptor of ROOT/PATH, or -errno. It never waits. */
int gather_open(const char *root, const char *path);
/* First line of ROOT/PATH without its end, only what is printable; false: it cannot be read. */
bool gather_line(const char *root, const char *path, char *line, size_t n);
/* At most max bytes of ROOT/PATH, added to b. 0, -EFBIG, or -errno. */
int gather_file(const char *root, const char *path, size_t max, struct xtr_buf *b);
/* Last part of where a link leads; false: it is none. */
bool gather_link(const char *root, const char *path, char *name, size_t n);
/* Paths that match, sorted, without the root: calls f for each. 0 or what f returned. */
int gather_glob(const char *root, const char *pattern, int (*f)(void *ctx, const char *path),
		void *ctx);

struct gather {
	struct xtr_bundle *b;
	struct xtr_bundle_machine *m;
	const struct xtr_bundle_source *s; /* that is asked now */
};

/* Each adds the items of its source. 0 or -ENOMEM. */
int gather_machine(struct gather *g);
int gather_devices(struct gather *g);
int gather_modules(struct gather *g);
int gather_firmware(struct gather *g);
int gather_cmdline(struct gather *g);
int gather_kmsg(struct gather *g);
int gather_xid(struct gather *g);
int gather_devcoredump(struct gather *g);
int gather_error(struct gather *g);
int gather_nvidia_smi(struct gather *g);
int gather_nvidia_report(struct gather *g);

/* Drivers of the display devices and NPUs of this machine are asked about, too. 0 or -ENOMEM. */
int gather_drivers(struct gather *g);

#endif /* XTR_BUNDLE_GATHER_H */
