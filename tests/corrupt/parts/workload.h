/* SPDX-License-Identifier: BSD-2-Clause */
/* What recorders do with a writer: batches, tables, losses, clocks, a sync now and then. */
#ifndef TEST_WORKLOAD_H
#define TEST_WORKLOAD_H

#include "format/io.h"
#include "format/write/writer.h"

#include <stdbool.h>

struct workload {
	const char *name;
	enum xtr_codec codec;
	enum xtr_filter filter;
	uint32_t streams, batches;
	uint32_t least, most;  /* records of a batch */
	uint32_t sync_every;   /* batches; 0: at the end alone */
	uint32_t loss_every;   /* batches; 0: nothing is lost */
	uint32_t names;        /* new strings and tasks for each batch */
	uint32_t attach_every; /* batches; 0: no attached files */
	uint64_t again;        /* bytes after which META and tables are repeated; 0: seldom */
	bool disorder;         /* records of a batch are not in order of time */
	bool raw;              /* each second batch is written raw */
};

extern const struct workload workloads[];
extern const size_t n_workloads;

/* Write a whole section; the same seed gives the same bytes. Ends the program if that fails. */
void workload_run(const struct workload *w, uint64_t seed, struct xtr_io *io);

#endif /* TEST_WORKLOAD_H */
