/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef XTR_UTF8_H
#define XTR_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Length in bytes (1 to 4) of the well-formed character at s, of which n bytes may be read; 0 if
 * there is none.
 */
size_t xtr_utf8_len(const char *s, size_t n);

/* How many of the first characters are ASCII that needs no escape: no control character, no
 * backslash, and not `but`. */
size_t xtr_utf8_plain(const char *s, size_t n, char but);

/*
 * The character at s, of that length, is not shown but obeyed: a control character (Unicode's Cc:
 * U+0000 to U+001F, U+007F to U+009F), or one that breaks or turns around the line it stands in
 * (U+2028 to U+202E, U+2066 to U+2069).
 */
bool xtr_utf8_is_control(const char *s, size_t len);

#endif /* XTR_UTF8_H */
