/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modules that the stacks of a trace are in, of programs: files, each with its build id; and
 * names for their frames, put into copies of the trace's tables.
 */
#ifndef XTR_SYMBOLS_MODULES_H
#define XTR_SYMBOLS_MODULES_H

#include "format/read/reader.h"

#include <stddef.h>
#include <stdint.h>

struct xtr_modules;

struct xtr_module {
	const char *path;     /* as the trace has it */
	const char *build_id; /* hexadecimal digits; "": not known, or none as spec 6.4 has it */
	uint64_t frames;      /* different places in it that stacks have, summed over sections */
	uint64_t named;       /* of these, what the trace names */
	uint64_t found;       /* of these, what xtr_modules_name has named */
};

/* All modules of all sections, by path and build id. The reader must outlive m. 0 or -ENOMEM. */
int xtr_modules_read(struct xtr_modules **m, const struct xtr_reader *r);
void xtr_modules_free(struct xtr_modules *m);
size_t xtr_modules_n(const struct xtr_modules *m);
const struct xtr_module *xtr_modules_at(const struct xtr_modules *m, size_t i);
/*
 * Name the frames of the i-th module that have no name, from an ELF file with its build id. 0, or
 * -errno of xtr_debug_names_open, or -ENOMEM, -EFBIG: what was named before is.
 */
int xtr_modules_name(struct xtr_modules *m, size_t i, const char *file);
/* The tables of a section of the file with the names found so far, for xtr_retable. */
struct xtr_tables *xtr_modules_tables(struct xtr_modules *m, size_t section);

#endif /* XTR_SYMBOLS_MODULES_H */
