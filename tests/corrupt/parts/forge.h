/* SPDX-License-Identifier: BSD-2-Clause */
/* Files whose payloads hold what looks like chunks. */
#ifndef TEST_FORGE_H
#define TEST_FORGE_H

#include "truth.h"

enum forged {
	FORGED_OTHER_CHUNKS, /* an attached file: chunks of another trace */
	FORGED_OTHER_EVENTS, /* the same in the bytes of events */
	FORGED_OWN_COPY,     /* events that hold earlier chunks of the same file, as they are */
	FORGED_OWN_EARLIER,  /* chunks with the same file_id and earlier numbers, of other events */
	/* Where the chunk that holds them has lost its header these are taken for what they look
	 * like; only its payload is damaged. */
	FORGED_OWN_LATER,  /* chunks with the same file_id and later numbers */
	FORGED_OTHER_FILE, /* a whole trace as an attached file */
	FORGED_KINDS
};

/* A whole file with real chunks before and behind; malloc'ed. */
uint8_t *forge(const struct truth *other, enum forged kind, size_t *n);
const char *forged_name(enum forged kind);

#endif /* TEST_FORGE_H */
