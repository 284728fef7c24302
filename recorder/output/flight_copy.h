/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks that a flight recorder has kept, into a file. */
#ifndef XTR_RECORDER_FLIGHT_COPY_H
#define XTR_RECORDER_FLIGHT_COPY_H

#include "format/read/chunk.h"
#include "format/write/writer.h"

struct xtr_flight_copy {
	struct xtr_writer *writer;
	uint64_t from;  /* ns: events that are older are left out, but the recorder's own */
	uint64_t *aged; /* and are counted here, by CPU */
	uint32_t n_cpus;
	uint64_t first; /* ns: of the first event; UINT64_MAX: there is none yet */
};

/* Write a kept chunk, or what of it is new enough. Gaps (LOSS) are the account's to write. 0 or
 * -errno. */
int xtr_flight_copy(struct xtr_flight_copy *x, const struct xtr_chunk *c, const uint8_t *stored);

#endif /* XTR_RECORDER_FLIGHT_COPY_H */
