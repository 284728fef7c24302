/* SPDX-License-Identifier: BSD-2-Clause */
/* A connected output of a DRM device, and two buffers that are shown in turn by page flips. */
#ifndef XTR_LAB_SCREEN_H
#define XTR_LAB_SCREEN_H

#include <stdint.h>

struct screen {
	int fd;
	uint32_t crtc, fb[2];
	unsigned long flips;
	uint64_t refresh_ns; /* 0: not known */
	uint32_t width, height;
};

struct screen_event {
	uint32_t sequence, crtc;
	uint64_t usec;
};

/* path NULL: the first device that has an output. Both end the program where something fails. */
void screen_open(struct screen *s, const char *path);
/* Ask for the other buffer to be shown. */
void screen_flip(struct screen *s);
/* It is shown; or another event that was asked for. */
struct screen_event screen_event(struct screen *s);
void screen_die(const char *what) __attribute__((noreturn));

#endif
