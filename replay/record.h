/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in events' records (spec/events.md), decoded as far as the model needs them. */
#ifndef XTR_GPU_RECORD_H
#define XTR_GPU_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct xtr_event;

struct xtr_gpu_record {
	uint64_t ctx, seqno;
	uint64_t client_id;          /* queue */
	uint64_t dep_ctx, dep_seqno; /* wait_dep, add_dep, unschedulable */
	uint32_t type, tid, stream;
	uint32_t ring;
	uint32_t job_count; /* queue, run */
	uint32_t flags;     /* enum xtr_job_flags; 0 where the event has none */
	int32_t error;      /* fence events */
};

/*
 * 1: decoded; 0: not a scheduler or fence event; -1: shorter than its fields. What the event lacks
 * is 0.
 */
int xtr_gpu_record_get(const struct xtr_event *ev, struct xtr_gpu_record *r);

#endif /* XTR_GPU_RECORD_H */
