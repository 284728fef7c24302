/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hang in ten lines: what a trace tells of it, and what a bundle's dumps and log do. Each line
 * says how its fact is known, and where it comes from; what is not known says so.
 */
#ifndef XTR_HANG_HEAD_H
#define XTR_HANG_HEAD_H

#include "dumps/dump.h"
#include "hang_section.h"

#define HANG_LINES_MAX 12u
#define HANG_SPEAKS    128u /* bytes of words on a file */

struct xtr_hang_line {
	const char *label; /* "guilty" */
	char text[240];    /* printable */
	const char *known; /* exact, inferred, not-known; of what a driver says: told */
	char from[128];    /* "trace", "kmsg.txt:7"; "": nothing tells it */
};

/* What is compared of two hangs; "" or 0: not known. */
struct xtr_hang_key {
	char ring[64];     /* without the number of a queue */
	char kind[16];     /* of the guilty job */
	char fault[32];    /* class of the address: none, null-page, below-4GiB, ... */
	char message[160]; /* of the driver, without its numbers */
	char stack[480];   /* innermost frames of the program's own */
};

struct xtr_hang_head { /* all zero: there is no hang */
	struct xtr_hang_line line[HANG_LINES_MAX];
	unsigned int n;
	struct xtr_hang_key key;
	uint64_t hangs; /* of the trace */
};

/*
 * Of a section (NULL: none was analysed) and of what was found beside the trace (NULL: nothing):
 * its first hang, or what the driver says where the trace has none. False: neither tells of a hang.
 */
bool xtr_hang_head_of(struct xtr_hang_head *head, const struct hang_section *s,
		      const struct xtr_dumps *d);
/* The lines, folded; and as an array, the present key's value. */
void xtr_hang_head_text(const struct xtr_hang_head *head, FILE *f);
void xtr_hang_head_json(const struct xtr_hang_head *head, struct xtr_json *j);
/* Of which hang a file speaks, in words; its text is below cap bytes. s may be NULL. */
void xtr_hang_speaks(const struct hang_section *s, const struct xtr_dump *d, char *text,
		     size_t cap);
/* What was found in each file, as an array, the present key's value; speaks: of each file. */
void xtr_hang_dumps_json(const struct xtr_dumps *d, const char (*speaks)[HANG_SPEAKS],
			 struct xtr_json *j);

#endif /* XTR_HANG_HEAD_H */
