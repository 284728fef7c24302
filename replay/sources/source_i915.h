/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of Intel GPUs whose driver is i915, from its own events and the signals of its fences
 * (docs/i915.md).
 */
#ifndef XTR_SOURCE_I915_H
#define XTR_SOURCE_I915_H

#include "replay/model/job_source.h"

extern const struct xtr_job_source xtr_source_i915;

#endif /* XTR_SOURCE_I915_H */
