/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef XTR_UTF8_H
#define XTR_UTF8_H

#include <stddef.h>

/*
 * Length in bytes (1 to 4) of the well-formed character at s, of which n bytes may be read; 0 if
 * there is none.
 */
size_t xtr_utf8_len(const char *s, size_t n);

#endif /* XTR_UTF8_H */
