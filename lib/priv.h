/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the public library share. */
#ifndef XTR_LIB_PRIV_H
#define XTR_LIB_PRIV_H

#include "xtr.h"

#include "format/read/reader.h"

struct xtr_file {
	struct xtr_reader *reader;
};

/* The section of this number, NULL past the last. */
const struct xtr_section *xtr_file_section(const struct xtr_file *file, size_t section);
/* *to says what *from does; ret, a negative errno, where that says nothing. Returns the code. */
int xtr_error_fill(struct xtr_error *to, const struct xtr_err *from, int ret);
/* A text of the file into buf, fit for a terminal. NULL: s is; then buf is empty. */
char *xtr_shown(char *buf, size_t size, const char *s);

#endif /* XTR_LIB_PRIV_H */
