/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What META says of GPU and NPU devices: what each is, and which driver and firmware it has. From
 * /sys/class/drm and /sys/class/accel, and from /proc/driver/nvidia, which has devices without a
 * DRM driver, too.
 */
#ifndef XTR_RECORDER_DEVICE_FACTS_H
#define XTR_RECORDER_DEVICE_FACTS_H

#include "format/meta/meta.h"

/*
 * root: what to put before "/sys" and "/proc", "" as a rule. 0 or -errno. What cannot be read is
 * left out.
 */
int xtr_device_facts(struct xtr_meta *meta, const char *root);

/* Number of devices, with or without a driver of interest. */
size_t xtr_facts_n_devices(void);

#endif /* XTR_RECORDER_DEVICE_FACTS_H */
