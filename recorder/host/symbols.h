/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols of user processes, by elfutils while the process lives. Built without elfutils, only
 * modules and offsets are known (from /proc/PID/maps), which is enough to resolve them later.
 */
#ifndef XTR_RECORDER_SYMBOLS_H
#define XTR_RECORDER_SYMBOLS_H

#include "program.h"

struct xtr_symbols;

struct xtr_symbol {
	char name[512];   /* "" if unknown */
	char module[512]; /* path of the mapped file; "" if unknown */
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
