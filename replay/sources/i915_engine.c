/* SPDX-License-Identifier: BSD-2-Clause */
#include "i915_engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* enum drm_i915_gem_engine_class of include/uapi/drm/i915_drm.h; not xe's order. */
static const char *const classes[] = { "rcs", "bcs", "vcs", "vecs", "ccs" };
#define CLASSES (sizeof(classes) / sizeof(classes[0]))

#define CLASS_NONE 65535u /* I915_ENGINE_CLASS_INVALID: not for users, as the GSC engine */

#define CLASS_NUMBER 254u /* the driver's number is all that is known */

/* Below the ids that the model gives itself, far above those of a recorder. */
#define RING_BASE  0xa0000000u
#define RING_OTHER (RING_BASE | 0xfffffffu)

const char *i915_engine_name(char buf[I915_ENGINE_NAME], uint32_t class, uint32_t instance)
{
	if (class < CLASSES)
		snprintf(buf, I915_ENGINE_NAME, "%s%" PRIu32, classes[class], instance);
	else if (class == CLASS_NUMBER)
		snprintf(buf, I915_ENGINE_NAME, "ring%" PRIu32, instance);
	else
		snprintf(buf, I915_ENGINE_NAME, "class%" PRIu32 ".%" PRIu32, class, instance);
	return buf;
}

/* enum intel_engine_id of intel_ringbuffer.h, Linux 4.9 to 4.17. */
void i915_engine_by_number(uint32_t number, bool contexts, uint32_t *class, uint32_t *instance)
{
	static const struct {
		uint8_t class, instance;
	} engines[] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 2, 1 }, { 3, 0 } };
	bool known = number < sizeof(engines) / sizeof(engines[0]) && (contexts || !number);

	*class = known ? engines[number].class : CLASS_NUMBER;
	*instance = known ? engines[number].instance : number;
}

const char *i915_device_name(const struct xtr_meta *meta, uint32_t dev, char buf[I915_ENGINE_NAME])
{
	snprintf(buf, I915_ENGINE_NAME, "card%" PRIu32, dev);
	for (size_t i = 0; i < xtr_meta_n_devices(meta); i++) {
		const struct xtr_device *d = xtr_meta_device(meta, i);

		for (size_t k = 0; d->driver && !strcmp(d->driver, "i915") && k < d->n_nodes; k++)
			if (!strcmp(d->nodes[k], buf))
				return d->name;
	}
	return buf;
}

uint32_t i915_ring_id(uint32_t dev, uint32_t class, uint32_t instance, bool *known)
{
	uint32_t c = class == CLASS_NONE ? 255 : class;

	*known = dev < 255 && c < 256 && (c < 255 || class == CLASS_NONE) && instance < 4096;
	return *known ? RING_BASE | dev << 20 | c << 12 | instance : RING_OTHER;
}
