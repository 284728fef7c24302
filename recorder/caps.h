/* SPDX-License-Identifier: BSD-2-Clause */
/* Capabilities of this process: asking for them, and giving them up. */
#ifndef XTR_RECORDER_CAPS_H
#define XTR_RECORDER_CAPS_H

#include <stdbool.h>
#include <stdint.h>

/* cap: CAP_* of <linux/capability.h>. */
bool xtr_cap_have(int cap);
/* Keep only the capabilities of the mask (1 << CAP_*), of this thread and those it starts, for
 * good. 0 or -errno. */
int xtr_caps_keep(uint64_t mask);

#endif /* XTR_RECORDER_CAPS_H */
