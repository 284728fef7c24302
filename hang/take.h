/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking what a device that hung leaves, and what the machine says of it, into the folder of the
 * hang (case.h). Each thing is a spool file; what cannot be taken is one, too, that says why.
 * Reading may wait for a driver for ever: this is for a process that can be ended.
 */
#ifndef XTR_HANG_TAKE_H
#define XTR_HANG_TAKE_H

#include "room.h"
#include "sign.h"

struct xtr_hang_taking {
	const char *root;   /* before each path of this machine, "" for its own */
	int folder;         /* of the hang */
	const char *device; /* "0000:03:00.0"; "": all are asked */
	struct xtr_hang_room *room;
};

/* The dump that a sign is about, byte for byte. 0 or -errno: not even that could be written down.
 */
int xtr_hang_take_dump(const struct xtr_hang_taking *t, enum xtr_hang_left left, const char *name);
/* The whole log, then what debugfs and sysfs say of the device. The same. */
int xtr_hang_take_state(const struct xtr_hang_taking *t);

/* The device of a devcoredump: "0000:03:00.0"; "" if that is not known. */
void xtr_hang_device_of(const char *root, const char *name, char device[64]);
/* The id of this boot; "": not known. */
void xtr_hang_boot(const char *root, char boot[64]);

#endif /* XTR_HANG_TAKE_H */
