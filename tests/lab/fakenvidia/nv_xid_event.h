/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoint of the real driver, with its fields. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nvidia

#if !defined(NV_XID_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define NV_XID_EVENT_H

#include <linux/tracepoint.h>

/* clang-format off */
TRACE_EVENT(nvidia_dev_xid,
	TP_PROTO(const char *pci, u32 error_code, const char *msg),
	TP_ARGS(pci, error_code, msg),
	TP_STRUCT__entry(
		__string(dev, pci)
		__field(u32, error_code)
		__string(msg, msg)
	),
	TP_fast_assign(
		__assign_str(dev);
		__entry->error_code = error_code;
		__assign_str(msg);
	),
	TP_printk("Xid (PCI:%s): %u, %s", __get_str(dev), __entry->error_code, __get_str(msg))
);
/* clang-format on */

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE nv_xid_event
#include <trace/define_trace.h>
