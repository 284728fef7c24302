/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a tracepoint's print format tells about its fields: which are printed as text or as
 * pointers, and the names of numbers (__print_symbolic, __print_flags). Nothing is printed with it.
 */
#ifndef XTR_PRINTFMT_H
#define XTR_PRINTFMT_H

#include "schema.h"

#include <stdbool.h>
#include <stdint.h>

/* The conversion that prints REC->field itself: 's', 'p', 'x', 'd', ...; 0 if none does. */
char xtr_printfmt_conv(const char *print_fmt, const char *field);

struct xtr_printfmt_names {
	enum xtr_names_kind kind; /* XTR_NAMES_NONE: the field has none */
	struct xtr_value_name *v; /* sorted by value, each value once */
	uint32_t n;
};

/* Names of the values of REC->field. Values that are not constants are left out. 0 or -ENOMEM. */
int xtr_printfmt_names(const char *print_fmt, const char *field, struct xtr_printfmt_names *names);
void xtr_printfmt_names_free(struct xtr_printfmt_names *names);

/* Value of a C constant expression: integers, casts, ~ - + << >> & ^ |, parentheses. */
bool xtr_constant(const char *s, size_t n, uint64_t *v);

#endif /* XTR_PRINTFMT_H */
