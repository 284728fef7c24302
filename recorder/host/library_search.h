/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of shared libraries by name: where the dynamic loader would look, and what running
 * processes have mapped, also in containers. Nothing is loaded into this process.
 */
#ifndef XTR_RECORDER_LIBRARY_H
#define XTR_RECORDER_LIBRARY_H

#include "elfsyms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define XTR_LIBRARY_WHY_MAX 180

struct xtr_library_file {
	char *path; /* as it was found, for people */
	char *name; /* its soname, else its file name: letters, digits and "._+-" */
	size_t id;  /* the same for the same file, of all libraries found together */
	int fd;     /* open: what is attached to is what was read */
	struct xtr_elf *elf;
};

struct xtr_library {
	const char *name; /* in: "libx.so.1", "libx.so" (any version), a path (has a '/'), or a
			     program that runs; borrowed */
	struct xtr_library_file *files; /* each file once, by device and inode */
	size_t n_files;
	char why[XTR_LIBRARY_WHY_MAX]; /* no files: where was looked, or what is wrong with it */
};

/* Where to look; all NULL: the machine's own places, no list. */
struct xtr_library_places {
	const char *ld_library_path;
	const char *cache;       /* "/etc/ld.so.cache" */
	const char *const *dirs; /* ends with NULL */
	const char *proc;        /* "/proc" */
};

/* Find the files of n libraries. pids: whose mappings to look at, 0: all. places NULL: the
 * machine's own, with LD_LIBRARY_PATH of this process. 0 or -ENOMEM. */
int xtr_libraries_find(struct xtr_library *libs, size_t n, const uint32_t *pids, size_t n_pids,
		       const struct xtr_library_places *places);
void xtr_libraries_free(struct xtr_library *libs, size_t n);

/* Is `name` what `wanted` asks for: the same, or with a version where wanted ends with ".so". */
bool xtr_library_named(const char *name, const char *wanted);

#endif /* XTR_RECORDER_LIBRARY_H */
