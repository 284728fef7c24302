/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that running processes have mapped to run code of. */
#ifndef XTR_RECORDER_MAPPED_H
#define XTR_RECORDER_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_MAPPED_MAX 1024

struct xtr_mapped_file {
	char *path;    /* as the process sees it */
	char *open_as; /* what leads to the file from here: of the first process that has it mapped
			*/
	uint64_t dev, ino;
};

struct xtr_mapped {
	struct xtr_mapped_file *v; /* each device, inode and path once */
	size_t n;
	size_t n_processes; /* looked at */
};

/*
 * The files whose names (without folders) are wanted, of these processes, n_pids 0: of all. proc is
 * "/proc". Processes that end meanwhile, or may not be looked at, are left out, and so are files
 * beyond XTR_MAPPED_MAX. 0 or -ENOMEM.
 */
int xtr_mapped_read(struct xtr_mapped *m, const char *proc, const uint32_t *pids, size_t n_pids,
		    bool (*wanted)(void *ctx, const char *name), void *ctx);
void xtr_mapped_free(struct xtr_mapped *m);

#endif /* XTR_RECORDER_MAPPED_H */
