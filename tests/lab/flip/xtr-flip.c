/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows two buffers in turn on the first connected output of a DRM device by page flips with
 * events, then asks for a vblank event, and prints what it got: one line "flip SEQUENCE USEC CRTC"
 * for each event, one "vblank ..." for that of the request or "no-vblank ERRNO", and "mode
 * REFRESH_NS WIDTHxHEIGHT" first. usage: xtr-flip [FLIPS [/dev/dri/cardN]]
 */
#include "screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

/* As in <drm/drm.h>. */
struct wait {
	uint32_t type, sequence;
	uint64_t signal, more;
};

#define WAIT                _IOWR('d', 0x3a, struct wait)
#define RELATIVE_WITH_EVENT (1u | 0x04000000u)

static void take_event(struct screen *s, const char *what)
{
	struct screen_event e = screen_event(s);

	printf("%s %u %llu %u\n", what, e.sequence, (unsigned long long)e.usec, e.crtc);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 60;
	struct wait wait = { .type = RELATIVE_WITH_EVENT, .sequence = 2 };
	struct screen s;

	screen_open(&s, argc > 2 ? argv[2] : NULL);
	printf("mode %llu %ux%u\n", (unsigned long long)s.refresh_ns, s.width, s.height);
	for (long i = 0; i < n; i++) {
		screen_flip(&s);
		take_event(&s, "flip");
	}
	if (ioctl(s.fd, WAIT, &wait))
		printf("no-vblank %d\n", errno);
	else
		take_event(&s, "vblank");
	return 0;
}
