/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace points' code, where the played driver has trace points. */
#include "npu_call.h"

#ifdef NPU_NEW
#define CREATE_TRACE_POINTS
#include "npu_events.h"
#endif
