/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of user space in a stack, and the frames of it that are of programs. */
#ifndef XTR_USER_DRIVER_H
#define XTR_USER_DRIVER_H

#include "format/meta/tables.h"

#include <stdbool.h>

#define USER_DRIVER_MAX 64u
#define USER_FRAME_MAX  128u

struct xtr_user_driver {
	char name[USER_DRIVER_MAX];    /* of the library, "libvulkan_radeon.so"; "" not known */
	char version[USER_DRIVER_MAX]; /* that its name tells; "" not known */
};

/* Of the stack with this id (0: none). The innermost library that is a known driver. */
void xtr_user_driver_of(const struct xtr_tables *t, uint32_t stack, struct xtr_user_driver *d);

/*
 * Frame i of a stack, innermost first, without those of recording itself: "symbol", or
 * "library+0x12". False: there is no such frame. own: it is of a program or library, but not of
 * the C library or libdrm, through which every submission goes.
 */
bool xtr_user_frame(const struct xtr_tables *t, uint32_t stack, size_t i, char text[USER_FRAME_MAX],
		    bool *own);

#endif /* XTR_USER_DRIVER_H */
