/* SPDX-License-Identifier: BSD-2-Clause */
/* What META says of the machine: kernel, CPUs, GPU and NPU devices with drivers and versions. */
#ifndef XTR_RECORDER_FACTS_H
#define XTR_RECORDER_FACTS_H

#include "format/meta/meta.h"

/* 0 or -errno. What cannot be read is left out. */
int xtr_facts_collect(struct xtr_meta *meta);

/* Number of GPU and NPU devices (/sys/class/drm, /sys/class/accel), with or without a driver of
 * interest. */
size_t xtr_facts_n_devices(void);

#endif /* XTR_RECORDER_FACTS_H */
