/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of user processes, by elfutils while the process lives. Built without elfutils, only
 * modules and offsets are known (from /proc/PID/maps), which is enough to resolve them later.
 */
#ifndef XTR_RECORDER_SYMBOLS_H
#define XTR_RECORDER_SYMBOLS_H

#include "bpfdefs.h"

#include <stdbool.h>
#include <stdint.h>

/* --- program ---------------------------------------------------------------------------------- */

/*
 * A program that a process executes. The number of a process says too little: it is given again
 * once the process has ended, and a process may execute one program after the other.
 */
struct xtr_program {
	uint32_t pid;
	uint64_t start, exec; /* as in struct xtr_ctl_stack */
	struct xtr_image image;
};

bool xtr_program_same(const struct xtr_program *a, const struct xtr_program *b);

/* What /proc/PID/stat says in `text` of where the program lies (proc_pid_stat(5)); false: it does
 * not, as it is cut off, or as this process may not look at that one. */
bool xtr_image_of_stat(const char *text, struct xtr_image *image);

/*
 * Does the process that now has this number execute this program? To be asked after its mappings
 * were read: those of a file that was opened before the process went on to another program are
 * still the old one's. True as well for a process of the same number that was forked from the same
 * program and executed no other: it has the same mappings.
 */
bool xtr_program_runs(const struct xtr_program *p);

/* --- symbols ---------------------------------------------------------------------------------- */

struct xtr_symbols;

#define XTR_BUILD_ID_MAX 64u /* bytes of a build id; linkers make 8, 16 or 20 */

struct xtr_symbol {
	char name[512];   /* "" if unknown */
	char module[512]; /* path of the mapped file; "" if unknown */
	/* The module's, in hexadecimal digits; "": it has none, or xtr is built without elfutils.
	 */
	char build_id[2 * XTR_BUILD_ID_MAX + 1];
	uint64_t offset; /* bytes from the symbol, else from the module's start, else the address */
};

struct xtr_symbols *xtr_symbols_new(void);
void xtr_symbols_free(struct xtr_symbols *s);
/*
 * What is known of addr in a program of a process; always fills *out. Of a program whose mappings
 * were not read before its process ended or executed another one, nothing is known.
 */
void xtr_symbols_find(struct xtr_symbols *s, const struct xtr_program *program, uint64_t addr,
		      struct xtr_symbol *out);

#endif /* XTR_RECORDER_SYMBOLS_H */
