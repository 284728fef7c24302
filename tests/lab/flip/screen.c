/* SPDX-License-Identifier: BSD-2-Clause */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* include/uapi/drm/drm.h, drm_mode.h: not among a compiler's own headers. */
struct mode {
	uint32_t clock; /* kHz */
	uint16_t hdisplay, hsync_start, hsync_end, htotal, hskew;
	uint16_t vdisplay, vsync_start, vsync_end, vtotal, vscan;
	uint32_t vrefresh, flags, type;
	char name[32];
};

struct resources {
	uint64_t fbs, crtcs, connectors, encoders;
	uint32_t n_fbs, n_crtcs, n_connectors, n_encoders;
	uint32_t min_width, max_width, min_height, max_height;
};

struct connector {
	uint64_t encoders, modes, props, values;
	uint32_t n_modes, n_props, n_encoders;
	uint32_t encoder, id, type, type_id, connection, mm_width, mm_height, subpixel, pad;
};

struct crtc {
	uint64_t connectors;
	uint32_t n_connectors, id, fb, x, y, gamma, mode_valid;
	struct mode mode;
};

struct dumb {
	uint32_t height, width, bpp, flags, handle, pitch;
	uint64_t size;
};

struct fb {
	uint32_t id, width, height, pitch, bpp, depth, handle;
};

struct flip {
	uint32_t crtc, fb, flags, reserved;
	uint64_t user;
};

struct event {
	uint32_t type, length;
	uint64_t user;
	uint32_t sec, usec, sequence, crtc;
};

#define RESOURCES  _IOWR('d', 0xa0, struct resources)
#define SET_CRTC   _IOWR('d', 0xa2, struct crtc)
#define CONNECTOR  _IOWR('d', 0xa7, struct connector)
#define ADD_FB     _IOWR('d', 0xae, struct fb)
#define PAGE_FLIP  _IOWR('d', 0xb0, struct flip)
#define CREATE     _IOWR('d', 0xb2, struct dumb)
#define CONNECTED  1
#define WITH_EVENT 1

enum {
	LIST = 16,
	CARDS = 8
};

void screen_die(const char *what)
{
	fprintf(stderr, "xtr-flip: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void ask(int fd, unsigned long request, void *arg, const char *what)
{
	if (ioctl(fd, request, arg))
		screen_die(what);
}

/* The first mode of the first connected output: its preferred one. 0: there is none. */
static uint32_t find_output(int fd, uint32_t *crtc, struct mode *mode)
{
	uint32_t fbs[LIST], crtcs[LIST], connectors[LIST], encoders[LIST];
	struct resources r = { .fbs = (uintptr_t)fbs,
			       .crtcs = (uintptr_t)crtcs,
			       .connectors = (uintptr_t)connectors,
			       .encoders = (uintptr_t)encoders,
			       .n_fbs = LIST,
			       .n_crtcs = LIST,
			       .n_connectors = LIST,
			       .n_encoders = LIST };

	if (ioctl(fd, RESOURCES, &r))
		return 0;
	for (uint32_t i = 0; i < r.n_connectors && i < LIST && r.n_crtcs; i++) {
		struct connector c = { .id = connectors[i] };
		struct mode *modes;

		ask(fd, CONNECTOR, &c, "GETCONNECTOR");
		if (c.connection != CONNECTED || !c.n_modes)
			continue;
		modes = calloc(c.n_modes, sizeof(*modes));
		if (!modes)
			screen_die("modes");
		c = (struct connector){ .id = connectors[i],
					.modes = (uintptr_t)modes,
					.n_modes = c.n_modes };
		ask(fd, CONNECTOR, &c, "GETCONNECTOR");
		*mode = modes[0];
		*crtc = crtcs[0];
		free(modes);
		return connectors[i];
	}
	return 0;
}

static uint32_t open_output(struct screen *s, const char *path, struct mode *mode)
{
	char name[32];
	uint32_t connector;

	for (int i = 0; i < (path ? 1 : CARDS); i++) {
		snprintf(name, sizeof(name), "/dev/dri/card%d", i);
		s->fd = open(path ?: name, O_RDWR | O_CLOEXEC);
		if (s->fd < 0)
			continue;
		connector = find_output(s->fd, &s->crtc, mode);
		if (connector)
			return connector;
		close(s->fd);
	}
	errno = ENODEV;
	screen_die("no connected output");
}

static uint32_t new_fb(int fd, const struct mode *mode)
{
	struct dumb d = { .width = mode->hdisplay, .height = mode->vdisplay, .bpp = 32 };
	struct fb f = { .width = mode->hdisplay, .height = mode->vdisplay, .bpp = 32, .depth = 24 };

	ask(fd, CREATE, &d, "CREATE_DUMB");
	f.handle = d.handle;
	f.pitch = d.pitch;
	ask(fd, ADD_FB, &f, "ADDFB");
	return f.id;
}

void screen_open(struct screen *s, const char *path)
{
	struct mode mode;
	uint32_t connector = open_output(s, path, &mode);

	s->fb[0] = new_fb(s->fd, &mode);
	s->fb[1] = new_fb(s->fd, &mode);
	s->flips = 0;
	s->width = mode.hdisplay;
	s->height = mode.vdisplay;
	s->refresh_ns = mode.clock ? mode.htotal * 1000000ull * mode.vtotal / mode.clock : 0;
	ask(s->fd, SET_CRTC,
	    &(struct crtc){ .connectors = (uintptr_t)&connector,
			    .n_connectors = 1,
			    .id = s->crtc,
			    .fb = s->fb[0],
			    .mode_valid = 1,
			    .mode = mode },
	    "SETCRTC");
}

void screen_flip(struct screen *s)
{
	struct flip flip = { .crtc = s->crtc, .fb = s->fb[++s->flips % 2], .flags = WITH_EVENT };

	ask(s->fd, PAGE_FLIP, &flip, "PAGE_FLIP");
}

struct screen_event screen_event(struct screen *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct event e;

	if (poll(&p, 1, 10000) != 1) {
		errno = ETIMEDOUT;
		screen_die("an event");
	}
	if (read(s->fd, &e, sizeof(e)) != (ssize_t)sizeof(e))
		screen_die("read");
	return (struct screen_event){ e.sequence, e.crtc, e.sec * 1000000ull + e.usec };
}
