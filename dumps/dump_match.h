/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of lines that a driver prints, written like its format:
 *
 *	%u %d   a decimal number; %d may be negative, and is then not known
 *	%x      hexadecimal digits, with or without 0x; a '_' or a blank may stand between two
 *halves %t      seconds and a fraction: "12.345678901" %T      "12 s 345 us" %w      letters up to
 *the next blank, or to what the pattern goes on with %s      any text up to what the pattern goes
 *on with, or to the line's end
 *
 * Anything else is itself. A pattern that begins with a letter is found anywhere in the line, one
 * that begins with % only at its beginning.
 */
#ifndef XTR_DUMPS_MATCH_H
#define XTR_DUMPS_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DUMP_VALUES 8u

struct dump_value {
	bool known; /* false: a negative number, or one of more than 64 bits */
	const char *text;
	size_t n;
	uint64_t number;
};

/*
 * Find the pattern in n bytes; *at: where it begins. v gets what its directives stand for, at most
 * DUMP_VALUES. Returns how many, -1: it is not there.
 */
int dump_match(const char *pattern, const char *line, size_t n, struct dump_value *v,
	       const char **at);

#endif /* XTR_DUMPS_MATCH_H */
