/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * All BPF programs of xtr in one object, as they share maps. Every program is optional: the
 * recorder loads those whose hook the kernel has.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "format/builtin_events.h"
#include "xtr_ctl.h"
#include "xtr_core.h"

#include "xtr_emit.bpf.h"
#include "stack.bpf.h"
#include "follow.bpf.h"
#include "drm_sched.bpf.h"
#include "dma_fence.bpf.h"
#include "generic.bpf.h"
#include "died.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
