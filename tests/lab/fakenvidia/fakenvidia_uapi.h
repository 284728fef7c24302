/* SPDX-License-Identifier: GPL-2.0-only */
/* What nvidia-load and the stand-in agree on. Codes of ioctls are the real driver's. */
#ifndef FAKENVIDIA_UAPI_H
#define FAKENVIDIA_UAPI_H

#include <linux/types.h>

/* The head of each ioctl's structure. Where the real driver has handles, the stand-in has orders.
 */
struct fakenvidia_args {
	__u32 error;   /* the ioctl fails with this errno; 0: it does not */
	__u32 us;      /* how long it takes */
	__u32 command; /* of RM_CONTROL, at byte 8 */
	__u32 hclass;  /* of RM_ALLOC, at byte 12 */
	__u32 xid;     /* report this meanwhile; 0: nothing */
	__u32 more[3];
};

#define FAKENVIDIA_DEVICES 2

#endif
