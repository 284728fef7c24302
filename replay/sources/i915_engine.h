/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engines of Intel GPUs as the events of i915 name them: the DRM primary index (the N of cardN), a
 * class by the numbers of the driver's own user-space interface, and an instance.
 */
#ifndef XTR_I915_ENGINE_H
#define XTR_I915_ENGINE_H

#include "format/meta/meta.h"

#define I915_ENGINE_NAME 24u /* bytes that hold any of the names below */

/* "rcs0"; of a class that has no name its number: "class7.0". Returns buf. */
const char *i915_engine_name(char buf[I915_ENGINE_NAME], uint32_t class, uint32_t instance);
/*
 * Class and instance of an engine by its number in the driver, which is what kernels before 4.18
 * tell of it (`ring`); 254 and the number itself where they had no such engine, or where the number
 * does not tell: those without contexts (before 4.10) called engines by several orders.
 */
void i915_engine_by_number(uint32_t number, bool contexts, uint32_t *class, uint32_t *instance);
/* The name of META's i915 device that has the node "cardN", or "cardN" itself, in buf. */
const char *i915_device_name(const struct xtr_meta *meta, uint32_t dev, char buf[I915_ENGINE_NAME]);
/*
 * Id of the engine's ring in the job model: the same in every part of a file. Engines past what a
 * machine can have share one, for which `known` is false.
 */
uint32_t i915_ring_id(uint32_t dev, uint32_t class, uint32_t instance, bool *known);

#endif /* XTR_I915_ENGINE_H */
