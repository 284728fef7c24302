/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The programs for calls of functions, in an object of their own: they are loaded only when calls
 * are recorded, and what a kernel does not know of them stops nothing else. The maps of
 * xtr_emit.bpf.h are those of the first object, which the recorder hands over.
 */
#include <stdbool.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "format/builtin_events.h"
#include "xtr_ctl.h"
#include "xtr_core.h"

#include "xtr_emit.bpf.h"
#include "stack.bpf.h"
#include "follow.bpf.h"
#include "probe.bpf.h"
#include "died.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";
