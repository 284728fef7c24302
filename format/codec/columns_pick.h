/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out how a column gets shortest: the encoder offers the differences to each prediction, and
 * the best one so far is kept.
 */
#ifndef XTR_COLUMNS_PICK_H
#define XTR_COLUMNS_PICK_H

#include "base/buf.h"
#include "columns_priv.h"

#include <stdbool.h>

/* A way to write a column. */
struct col_way {
	enum col_coding coding;
	enum col_prediction prediction;
	bool zigzag;
	uint8_t k;    /* COL_BITS */
	uint32_t key; /* COL_KEYED, as it is written */
};

struct col_pick {
	uint64_t *best, *trial; /* numbers, XTR_RECORDS_MAX each */
	uint8_t *varints, *lz;
	void *state; /* LZ4's */
	uint32_t n;
	size_t cost; /* bytes that the best one takes when it is compressed, about */
	struct col_way way;
};

/* Memory for picking; col_pick_free also after a failure. 0 or -ENOMEM. */
int col_pick_init(struct col_pick *p);
void col_pick_free(struct col_pick *p);

/* A new column of n numbers. */
void col_pick_start(struct col_pick *p, uint32_t n);
/*
 * A prediction: p->trial holds the differences of n values of so many bits, as unsigned numbers
 * below 2^bits. extra: bytes that this way takes besides the numbers.
 */
void col_pick_offer(struct col_pick *p, enum col_prediction prediction, uint32_t key,
		    unsigned int bits, size_t extra);
/* What these bytes take when they are compressed, about. */
size_t col_pick_bytes_cost(struct col_pick *p, const struct xtr_buf *bytes);
/* Nothing can be better than what there is. */
bool col_pick_is_done(const struct col_pick *p);

bool col_is_constant(const uint64_t *z, uint32_t n);
/* Write the best way and its numbers. */
void col_pick_write(const struct col_pick *p, struct xtr_buf *out);

#endif /* XTR_COLUMNS_PICK_H */
