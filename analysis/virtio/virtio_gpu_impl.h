/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the analysis of the driver virtio_gpu (docs/virtio_gpu.md). */
#ifndef XTR_VIRTIO_GPU_IMPL_H
#define XTR_VIRTIO_GPU_IMPL_H

#include "analysis/core/analysis.h"
#include "analysis/core/label.h"
#include "analysis/core/hist.h"
#include "analysis/core/bounded_rows.h"
#include "replay/event/event_bind.h"

#define VGPU_ROWS_MAX   512u /* of commands, by device and type; of responses */
#define VGPU_QUEUES_MAX 64u  /* by device and virtqueue */

/* A command that has waited for so long at the end of the trace got no response. */
#define VGPU_UNANSWERED_NS 1000000000ull

/* Responses from here on are errors. Virtual I/O Device (VIRTIO) 1.2, 5.7.6.7. */
#define VGPU_RESP_ERR 0x1200u

struct vgpu_command {
	int32_t dev;
	uint32_t type;
	uint64_t queued, answered, errors, unanswered, open;
	uint64_t unpaired; /* nothing tells which response is theirs */
	uint64_t first_unanswered_ns;
	struct xtr_hist time;
};

struct vgpu_response {
	int32_t dev;
	uint32_t type;
	uint64_t n, first_ns;
	uint32_t first_command; /* type of the command that got the first; 0: not known */
};

struct vgpu_queue {
	int32_t dev;
	uint32_t vq;
	uint64_t queued, answered;
	uint64_t min_free, last_free; /* descriptors; UINT64_MAX: not known */
};

struct virtio_gpu {
	const struct xtr_analysis_opts *o;
	struct xtr_bind bind[2]; /* queue, response */
	struct xtr_event_counts counts;
	bool by_seqno; /* both events have it */
	bool any;
	uint64_t gaps;
	struct vgpu_command *command;
	struct vgpu_response *response;
	uint32_t n_commands, n_responses;
	struct vgpu_queue queue[VGPU_QUEUES_MAX];
	uint32_t n_queues;
	struct xtr_pending pending;
	uint64_t unasked, left_out;
};

/* What the specification calls a type of command or response, NULL if it is not in the table. */
const char *vgpu_type_name(uint32_t type);
int vgpu_text(const void *self, const struct xtr_view *v);
void vgpu_json(const void *self, struct xtr_json *j);
extern const struct xtr_section_table *const vgpu_tables[];

#endif /* XTR_VIRTIO_GPU_IMPL_H */
