/* SPDX-License-Identifier: BSD-2-Clause */
/* The headers that bpf/ shares, with the types that they need. */
#ifndef XTR_RECORDER_BPFDEFS_H
#define XTR_RECORDER_BPFDEFS_H

#include <linux/types.h>

#include "format/builtin_events.h"
#include "bpf/xtr_ctl.h"

#endif /* XTR_RECORDER_BPFDEFS_H */
