/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring_text.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

char *xtr_ring_text(const struct xtr_model_ring *ring, const char *none, char *buf, size_t cap)
{
	char device[48] = "", name[64] = "";

	if (ring) {
		xtr_text_name(device, sizeof(device), ring->device_name, strlen(ring->device_name));
		xtr_text_name(name, sizeof(name), ring->name, strlen(ring->name));
	}
	snprintf(buf, cap, "%s%s%s", device, *device ? "/" : "", *name ? name : none);
	return buf;
}
