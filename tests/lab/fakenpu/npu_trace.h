/* SPDX-License-Identifier: GPL-2.0-only */
/* Emits the trace points that the played driver has, and counts them. */
#ifndef NPU_TRACE_H
#define NPU_TRACE_H

#include <linux/atomic.h>

#include "npu.h"

enum npu_event {
	NPU_EVENT_JOB,
	NPU_EVENT_JSM,
	NPU_EVENT_PM,
	NPU_MESSAGE_RX, /* taken from the firmware, of any kind */
	NPU_MESSAGE_TX,
	NPU_EVENTS
};

extern atomic64_t npu_emitted[NPU_EVENTS];

#ifdef NPU_NEW
#include "npu_events.h"

static inline void npu_trace_job(const char *event, const struct ivpu_job *job)
{
	atomic64_inc(&npu_emitted[NPU_EVENT_JOB]);
	trace_job(event, job->file_priv->ctx.id, 0, job->job_id);
}

static inline void npu_trace_jsm(const char *event, const struct vpu_jsm_msg *msg)
{
	atomic64_inc(&npu_emitted[NPU_EVENT_JSM]);
	trace_jsm(event, msg);
}

static inline void npu_trace_pm(const char *event)
{
	atomic64_inc(&npu_emitted[NPU_EVENT_PM]);
	trace_pm(event);
}
#else
static inline void npu_trace_job(const char *event, const struct ivpu_job *job)
{
}

static inline void npu_trace_jsm(const char *event, const struct vpu_jsm_msg *msg)
{
}

static inline void npu_trace_pm(const char *event)
{
}
#endif

#endif
