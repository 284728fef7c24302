/* SPDX-License-Identifier: BSD-2-Clause */
/* Text from files on terminals: names in a trace come from strangers. */
#ifndef XTR_CLI_TEXT_H
#define XTR_CLI_TEXT_H

#include <stdint.h>
#include <stdio.h>

/*
 * Print s with control characters, backslashes and what is not UTF-8 as \xNN, then spaces up to
 * width characters. NULL prints "-".
 */
void cli_put(FILE *f, const char *s, int width);
/* How many characters cli_put prints of s. */
int cli_width(const char *s);
/* A time in UTC: "2026-11-21 05:30:23.123456789 UTC". */
void cli_put_utc(FILE *f, uint64_t realtime_ns);

#endif /* XTR_CLI_TEXT_H */
