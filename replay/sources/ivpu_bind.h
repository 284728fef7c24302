/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside the source of Intel NPU jobs: which events of a section it is bound to, and their fields.
 */
#ifndef XTR_IVPU_BIND_H
#define XTR_IVPU_BIND_H

#include "ivpu_state.h"
#include "replay/model/job_source.h"

#define IVPU_DRIVER  "intel_vpu"
#define IVPU_ENGINES 4u

enum ivpu_role {
	ROLE_JOB,
	ROLE_INIT,
	ROLE_SIGNALED,
	ROLE_SUBMIT,
	ROLE_SUBMIT_RET,
	ROLE_DOORBELL,
	ROLE_COMPLETE,
	ROLES
};

enum ivpu_stage {
	STAGE_OTHER,
	STAGE_CREATE,
	STAGE_SUBMIT,
	STAGE_DONE
};

struct fence_fields {
	const struct xtr_field *ctx, *seqno, *owner, *error;
};

struct ivpu {
	struct ivpu_state s;
	const struct xtr_meta *meta;
	const struct xtr_tables *tables;
	const struct xtr_field *event, *ctx_id, *engine_id, *job_id; /* vpu:job; NULL: not usable */
	struct fence_fields init, sig;
	const struct xtr_event_desc *ret[2]; /* of the ioctls */
	bool jobs, fences, doorbell;         /* what there is */
	uint32_t ring[IVPU_ENGINES];
};

/* As in struct xtr_job_source; *self is set even if there was an error. */
int ivpu_open(void **self, const struct xtr_source_env *env);
void ivpu_close(void *self);
bool ivpu_takes(void *self, uint32_t role, const uint8_t *rec, uint32_t size);

/* The value of a number field, 0 if f is NULL. */
uint64_t ivpu_number(const struct xtr_field *f, const struct xtr_event *ev);
enum ivpu_stage ivpu_stage_of(const struct ivpu *v, const struct xtr_event *ev);

#endif /* XTR_IVPU_BIND_H */
