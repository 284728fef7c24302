/* SPDX-License-Identifier: BSD-2-Clause */
/* A chunk in memory, read as the only one of a file. */
#ifndef XTR_RECORDER_LONE_CHUNK_H
#define XTR_RECORDER_LONE_CHUNK_H

#include "format/read/chunk.h"

#include <stddef.h>
#include <stdint.h>

struct xtr_lone_chunk {
	uint8_t *bytes; /* of the file */
	struct xtr_reader *reader;
	const struct xtr_section *section;
	const struct xtr_chunk *chunk;
};

/* 0; -EBADMSG: it is none; or -errno. Ends with xtr_lone_chunk_close, whatever is returned. */
int xtr_lone_chunk_open(struct xtr_lone_chunk *l, const struct xtr_chunk *c, const uint8_t *stored);
void xtr_lone_chunk_close(struct xtr_lone_chunk *l);

#endif /* XTR_RECORDER_LONE_CHUNK_H */
