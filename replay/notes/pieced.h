/* SPDX-License-Identifier: BSD-2-Clause */
/* Which times a section that is a piece of a recording has whole, for people and for programs. */
#ifndef XTR_PIECED_H
#define XTR_PIECED_H

#include "base/json.h"

#include "format/read/reader.h"

#include <stdio.h>

/* A line; nothing for a section that is no piece, or does not say. */
void xtr_pieced_text(FILE *f, const struct xtr_section *s);
/* The key "piece", an object; likewise. 0 in it: from the recording's beginning, to its end. */
void xtr_pieced_json(struct xtr_json *j, const struct xtr_section *s);

#endif /* XTR_PIECED_H */
