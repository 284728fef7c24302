// SPDX-License-Identifier: BSD-2-Clause
#include "doctor_left.h"
#include "recorder/salvage/pin.h"
#include "recorder/salvage/salvage.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Where pins go: in the directory, or where that is to be made. */
static int may_pin(void)
{
	int err = xtr_access(XTR_PIN_DIR, W_OK | X_OK);

	return err == -ENOENT ? xtr_access(XTR_PIN_ROOT, W_OK | X_OK) : err;
}

void xtr_check_bpffs(struct xtr_check *c)
{
	struct statfs fs;
	bool there = statfs(XTR_PIN_ROOT, &fs) == 0 && (unsigned long)fs.f_type == BPF_FS_MAGIC;
	bool ok = there && may_pin() == 0;

	c->state = ok ? XTR_CHECK_OK : XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail), "%s%s",
		 ok      ? XTR_PIN_ROOT
		 : there ? XTR_PIN_ROOT " cannot be written"
			 : "none at " XTR_PIN_ROOT,
		 ok ? "" : ": what a killed recorder has not written is lost");
	c->remedy = there ? "run as root" : "mount -t bpf bpf " XTR_PIN_ROOT;
}

void xtr_check_left(struct xtr_check *c)
{
	uint64_t events = 0, bytes = 0;
	struct xtr_leftover *v;
	size_t n, dead = 0;

	if (xtr_leftovers(&v, &n)) {
		snprintf(c->detail, sizeof(c->detail), "what they left cannot be looked at");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (v[i].alive)
			continue;
		dead++;
		events += v[i].events;
		bytes += v[i].bytes;
	}
	free(v);
	snprintf(c->detail, sizeof(c->detail), "none has left anything");
	if (!dead)
		return;
	c->state = XTR_CHECK_WARN;
	snprintf(c->detail, sizeof(c->detail),
		 "%zu left %" PRIu64 " events in %" PRIu64 " KiB of kernel memory", dead, events,
		 bytes >> 10);
	c->remedy = "'xtr recover --rings' shows how to collect or drop it";
}
