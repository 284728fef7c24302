/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows two buffers in turn on the first connected output of a DRM device by page flips with
 * events, then asks for a vblank event, and prints what it got: one line "flip SEQUENCE USEC CRTC"
 * for each event, one "vblank ..." for that of the request or "no-vblank ERRNO", and "mode
 * REFRESH_NS WIDTHxHEIGHT" first. usage: xtr-flip [FLIPS [/dev/dri/cardN]]
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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

struct wait {
	uint32_t type, sequence;
	uint64_t signal, more;
};

struct event {
	uint32_t type, length;
	uint64_t user;
	uint32_t sec, usec, sequence, crtc;
};

#define RESOURCES           _IOWR('d', 0xa0, struct resources)
#define SET_CRTC            _IOWR('d', 0xa2, struct crtc)
#define CONNECTOR           _IOWR('d', 0xa7, struct connector)
#define ADD_FB              _IOWR('d', 0xae, struct fb)
#define PAGE_FLIP           _IOWR('d', 0xb0, struct flip)
#define CREATE              _IOWR('d', 0xb2, struct dumb)
#define WAIT                _IOWR('d', 0x3a, struct wait)
#define CONNECTED           1
#define WITH_EVENT          1
#define RELATIVE_WITH_EVENT (1u | 0x04000000u)

enum {
	LIST = 16
};

static void die(const char *what)
{
	fprintf(stderr, "xtr-flip: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void ask(int fd, unsigned long request, void *arg, const char *what)
{
	if (ioctl(fd, request, arg))
		die(what);
}

/* The first mode of the first connected output: its preferred one. */
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

	ask(fd, RESOURCES, &r, "GETRESOURCES");
	for (uint32_t i = 0; i < r.n_connectors && i < LIST && r.n_crtcs; i++) {
		struct connector c = { .id = connectors[i] };
		struct mode *modes;

		ask(fd, CONNECTOR, &c, "GETCONNECTOR");
		if (c.connection != CONNECTED || !c.n_modes)
			continue;
		modes = calloc(c.n_modes, sizeof(*modes));
		if (!modes)
			die("modes");
		c = (struct connector){ .id = connectors[i],
					.modes = (uintptr_t)modes,
					.n_modes = c.n_modes };
		ask(fd, CONNECTOR, &c, "GETCONNECTOR");
		*mode = modes[0];
		*crtc = crtcs[0];
		free(modes);
		return connectors[i];
	}
	errno = ENODEV;
	die("no connected output");
	return 0;
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

static void take_event(int fd, const char *what)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct event e;

	if (poll(&p, 1, 10000) != 1) {
		errno = ETIMEDOUT;
		die("an event");
	}
	if (read(fd, &e, sizeof(e)) != (ssize_t)sizeof(e))
		die("read");
	printf("%s %u %llu %u\n", what, e.sequence, e.sec * 1000000ull + e.usec, e.crtc);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 60;
	int fd = open(argc > 2 ? argv[2] : "/dev/dri/card0", O_RDWR | O_CLOEXEC);
	uint32_t crtc, connector, fb[2];
	struct mode mode;
	struct wait wait = { .type = RELATIVE_WITH_EVENT, .sequence = 2 };
	long i;

	if (fd < 0)
		die("open");
	connector = find_output(fd, &crtc, &mode);
	fb[0] = new_fb(fd, &mode);
	fb[1] = new_fb(fd, &mode);
	struct crtc set = { .connectors = (uintptr_t)&connector,
			    .n_connectors = 1,
			    .id = crtc,
			    .fb = fb[0],
			    .mode_valid = 1,
			    .mode = mode };
	ask(fd, SET_CRTC, &set, "SETCRTC");
	printf("mode %llu %ux%u\n",
	       mode.clock ? mode.htotal * 1000000ull * mode.vtotal / mode.clock : 0ull,
	       mode.hdisplay, mode.vdisplay);
	for (i = 0; i < n; i++) {
		struct flip flip = { .crtc = crtc, .fb = fb[(i + 1) % 2], .flags = WITH_EVENT };

		ask(fd, PAGE_FLIP, &flip, "PAGE_FLIP");
		take_event(fd, "flip");
	}
	if (ioctl(fd, WAIT, &wait))
		printf("no-vblank %d\n", errno);
	else
		take_event(fd, "vblank");
	return 0;
}
