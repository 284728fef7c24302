/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and names for people. Names come from strangers: nothing of them may reach a terminal
 * raw. */
#ifndef XTR_TEXT_H
#define XTR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define XTR_TEXT_COLUMNS 100u /* of lines that are folded */
#define XTR_TEXT_NUMBER  32u  /* bytes that hold any of the numbers below */
#define XTR_TEXT_NAME    128u

struct xtr_text_unit {
	const char *name;
	uint64_t factor;
};

/*
 * v in units of u with three significant digits, rounded to the nearest, half up: "12.3 MiB". All
 * of the number if it has more in front of the point. False if that is limit or more.
 */
bool xtr_text_unit(char buf[XTR_TEXT_NUMBER], uint64_t v, const struct xtr_text_unit *u,
		   uint64_t limit);

/* All fill buf with a terminated string and return buf. */
char *xtr_text_ns(char buf[XTR_TEXT_NUMBER], uint64_t ns);       /* "12.3 ms", as above */
char *xtr_text_bytes(char buf[XTR_TEXT_NUMBER], uint64_t bytes); /* "12.3 MiB", as above */
char *xtr_text_count(char buf[XTR_TEXT_NUMBER], uint64_t n);     /* "1,234,567" */
char *xtr_text_stamp(char buf[XTR_TEXT_NUMBER], uint64_t ns);    /* "1234.567890123": s.ns */
/* The same in memory of the block around them. */
#define XTR_TEXT_BUF ((char[XTR_TEXT_NUMBER]){ 0 })
#define XTR_COUNT(n) xtr_text_count(XTR_TEXT_BUF, n)
#define XTR_BYTES(n) xtr_text_bytes(XTR_TEXT_BUF, n)
/* Where an event is: its time as above, or "#12" in a section whose events are numbered. */
char *xtr_text_place(char buf[XTR_TEXT_NUMBER], bool times, uint64_t ts);
/*
 * part / whole to the nearest tenth, "12.3 %"; "<0.1 %" and ">99.9 %" for what would else look like
 * nothing or all; "-" if whole is 0.
 */
char *xtr_text_percent(char buf[XTR_TEXT_NUMBER], uint64_t part, uint64_t whole);

/* n bytes as 2 * n hexadecimal digits, as many as fit into cap bytes with the NUL. */
char *xtr_text_hex(char *buf, size_t cap, const uint8_t *p, size_t n);

/*
 * s (n bytes) with control characters, DEL, backslashes and bytes that are not UTF-8 as \xNN. Cut
 * at a character's end if it doesn't fit into cap bytes.
 */
char *xtr_text_name(char *buf, size_t cap, const char *s, size_t n);
/* The same straight to f, whole. */
void xtr_text_put(FILE *f, const char *s, size_t n);
/*
 * Lines of n bytes to f, those of more than XTR_TEXT_COLUMNS broken at blanks: what is left of such
 * a line stands two columns further in than it began.
 */
void xtr_text_fold(FILE *f, const char *s, size_t n);
/* What people read as the name of an input: "-" is "standard input". JSON keeps the path. */
const char *xtr_text_input(const char *path);

/* What xtr_text_utf8 returns may be here; free it with free(p). All zero: empty. */
struct xtr_utf8 {
	char *p;
	size_t cap;
};

/*
 * s (*n bytes) itself if it is UTF-8 without NUL, else a copy in u in which U+FFFD stands for each
 * byte that is not; *n is its length. NULL: no memory.
 */
const char *xtr_text_utf8(struct xtr_utf8 *u, const char *s, size_t *n);

/* --- digits ----------------------------------------------------------------------------------- */

/* Numbers as decimal digits, two at a time: what is printed by the million does not go through
 * printf. */
#define XTR_DIGITS_MAX 20u /* of UINT64_MAX */

/* 1 to XTR_DIGITS_MAX. */
unsigned int xtr_digits_count(uint64_t v);
/* Write v's digits at p, without a NUL; returns the byte behind them. */
char *xtr_digits_put(char *p, uint64_t v);
/* The same of v % 10^n, with zeros in front: n digits. */
char *xtr_digits_padded(char *p, uint64_t v, unsigned int n);

/* --- utf8 ------------------------------------------------------------------------------------- */

/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
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

#endif /* XTR_TEXT_H */
