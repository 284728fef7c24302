/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds a damaged copy of a file against the whole one. What is demanded:
 *
 *  - no event is shown, by chunk or in the merge, that was not in the file, and none twice;
 *  - damage in one place costs no chunk but those that it touches;
 *  - events shown + those not to be read + those that are missing = events of the whole file,
 *    wherever END can be read, and never more than that;
 *  - the first problem lies in the header, chunk or trailer where the damage begins, before it;
 *  - xtr_recover makes a file without problems of it, which holds just the events of the chunks
 *    that are there unchanged, each once, and its sums are right: kept + missing = all, or it says
 *    that it is not sure; it must be sure where END is unchanged.
 */
#ifndef TEST_JUDGE_H
#define TEST_JUDGE_H

#include "truth.h"

/* Bytes of the whole file that stand in the damaged one. */
struct piece {
	size_t at, from, len; /* offset in the damaged file, in the whole one, bytes */
};

struct damage {
	const uint8_t *data;
	size_t n;
	struct piece piece[5];
	unsigned int n_pieces;
	size_t from, to; /* of the whole file, what was touched; nothing else may be lost... */
	bool moved;      /* ...by the reader, unless a part stands before what belongs before it */
	size_t safe;     /* what ends below this offset of the whole file must be shown even then */
	bool may_hide;   /* chunks may lie inside the place of others */
	bool merge;      /* look at the merge, too */
	bool named;      /* a problem must be told, wherever it is not padding alone */
};

/* NULL if all that is demanded holds, else what does not. */
const char *judge(struct truth *t, const struct damage *d);

#endif /* TEST_JUDGE_H */
