/* SPDX-License-Identifier: BSD-2-Clause */
/* How the rows of the tables of group_events.h are written. */
#ifndef XTR_RECORDER_GROUP_EVENT_ROWS_H
#define XTR_RECORDER_GROUP_EVENT_ROWS_H

#include "group_events.h"

#define EV(event)               \
	{                       \
		.name = (event) \
	}
/* One that a kernel with the driver may lack, and why. */
#define OF(event, reason)                           \
	{                                           \
		.name = (event), .absent = (reason) \
	}
/* One of another driver than the group's. */
#define BY(driver, event)                           \
	{                                           \
		.name = (event), .module = (driver) \
	}
/* Whatever else there is. */
#define REST(pattern)                           \
	{                                       \
		.name = (pattern), .rest = true \
	}

#endif /* XTR_RECORDER_GROUP_EVENT_ROWS_H */
