/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What says that a device hung, where no event of the recorder does: messages of the kernel's
 * uevents (lib/kobject_uevent.c) and records of its log (/dev/kmsg). Two tables say which.
 */
#ifndef XTR_HANG_SIGN_H
#define XTR_HANG_SIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the driver has left of the device, to be read at once. */
enum xtr_hang_left {
	XTR_HANG_NOTHING,
	XTR_HANG_COREDUMP,    /* /sys/class/devcoredump/NAME/data */
	XTR_HANG_ERROR_STATE, /* /sys/class/drm/NAME/error of i915 */
};

struct xtr_hang_sign {
	const char *kind; /* as docs/hang.md names it: "devcoredump" */
	char device[64];  /* that hung: "0000:03:00.0"; "": not known */
	char name[64];    /* "devcd1", "card0", never a path; "": none */
	char text[256];   /* the line of the log, or what the uevent says; printable ASCII */
	enum xtr_hang_left left;
	bool always; /* it is a hang of its own, however closely it follows another one */
};

/* A message of n bytes as the kernel sends it. False: it says nothing of a hang. */
bool xtr_hang_of_uevent(const char *msg, size_t n, struct xtr_hang_sign *s);
/* A record of n bytes as /dev/kmsg gives it, with its lines of SUBSYSTEM and DEVICE. The same. */
bool xtr_hang_of_log(const char *record, size_t n, struct xtr_hang_sign *s);
/* What both of them end with: the text is printable ASCII, and a name or device that could lead to
 * another file is none. */
void xtr_hang_sign_clean(struct xtr_hang_sign *s);
/* The first PCI address in a text, as "0000:03:00.0"; "" where there is none. */
void xtr_hang_pci(const char *text, size_t n, char device[64]);

#endif /* XTR_HANG_SIGN_H */
