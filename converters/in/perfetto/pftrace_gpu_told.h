/* SPDX-License-Identifier: BSD-2-Clause */
/* A job of xtr's export, as it is read. */
#ifndef XTR_PFTRACE_GPU_TOLD_H
#define XTR_PFTRACE_GPU_TOLD_H

#include "pftrace_gpu.h"

#define TOLD_DEPS 16u

struct told_fence {
	uint64_t ctx, seqno;
};

/* Texts are the packet's, or interned. */
struct told_job {
	uint64_t ctx, seqno, queue, run, done, duration, exec_min, exec_max;
	uint32_t gpu, pid, n_deps, n_wide;
	int64_t error;
	struct pft_field ring, why, kind, quality, flags, comm, at;
	bool has_exec, has_error, from_run;
	struct told_fence dep[TOLD_DEPS], wide[TOLD_DEPS];
};

/* What went before this job in the file, made empty where it was of another one. */
struct gpu_told *gpu_told_of(struct pft_gpu *g, uint64_t ctx, uint64_t seqno);
bool gpu_told_number(const void *s, size_t n, uint64_t *v);
bool gpu_told_fence(const void *s, size_t n, uint64_t *ctx, uint64_t *seqno); /* "17:4" */
/* Extra data, or a note of that name; other names are left alone. */
void gpu_told_extra(struct told_job *j, const struct pft_field *name,
		    const struct pft_field *value);
void gpu_told_description(struct told_job *j, const struct pft_field *text);
void gpu_told_ring(struct told_job *j, struct pft_field name);
/* All of the job is known, whose packet is at ts. 0 or -errno. */
int gpu_told_hold(struct pftrace *p, struct pft_gpu *g, struct told_job *j, uint64_t ts);

#endif /* XTR_PFTRACE_GPU_TOLD_H */
