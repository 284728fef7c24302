/* SPDX-License-Identifier: BSD-2-Clause */
/* What tells the taker of hangs: uevents, the log, the recorder. */
#include "hang_taker.h"

#include "base/buf.h"
#include "bundle/gather.h"
#include "hang/take.h"
#include "cli/ui/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MESSAGE 16384u /* bytes; the kernel's are at most 8 KiB and a head */

/* --- what says so ----------------------------------------------------------------------------- */

/* Each dump has a name of its own as long as the machine runs. True: it is new. */
static bool is_new_dump(struct hang_taking *t, const char *name)
{
	for (size_t i = 0; i < t->n_dumps; i++)
		if (!strcmp(t->dumps[i], name))
			return false;
	if (!xtr_grow_array(&t->dumps, &t->dumps_cap, t->n_dumps + 1, sizeof(*t->dumps)))
		snprintf(t->dumps[t->n_dumps++], sizeof(*t->dumps), "%s", name);
	return true;
}

static void on_uevent(struct hang_taking *t, const char *msg, size_t n)
{
	struct xtr_hang_sign s;

	if (!xtr_hang_of_uevent(msg, n, &s))
		return;
	if (s.left == XTR_HANG_COREDUMP) {
		if (!is_new_dump(t, s.name))
			return;
		xtr_hang_device_of(t->o->root, s.name, s.device);
	}
	hang_sign(t, &s, cli_now(), 1);
}

/* A dump that is there although nobody told of it: from before, or uevents were lost. */
static int found_dump(void *ctx, const char *path)
{
	struct hang_taking *t = ctx;
	struct xtr_hang_sign s = { .kind = "devcoredump",
				   .left = XTR_HANG_COREDUMP,
				   .always = true };
	const char *slash = strrchr(path, '/');

	snprintf(s.name, sizeof(s.name), "%s", slash ? slash + 1 : path);
	if (hang_logged(t, s.name) || !is_new_dump(t, s.name))
		return 0;
	xtr_hang_device_of(t->o->root, s.name, s.device);
	snprintf(s.text, sizeof(s.text), "%s was there", path);
	hang_sign(t, &s, cli_now(), 1);
	return 0;
}

void hang_look_for_dumps(struct hang_taking *t)
{
	(void)gather_glob(t->o->root, "/sys/class/devcoredump/devcd*", found_dump, t);
}

static void on_fired(struct hang_taking *t, const struct hang_message *m)
{
	struct xtr_hang_sign s = { .kind = m->text };
	char job[64] = "", value[32] = "";

	if (m->ctx || m->seqno)
		snprintf(job, sizeof(job), "job %" PRIu64 ":%" PRIu64, m->ctx, m->seqno);
	if (m->value)
		snprintf(value, sizeof(value), " value %" PRIu64, m->value);
	snprintf(s.text, sizeof(s.text), "%.128s %s%s thread %" PRIu32 " (%" PRIu64 " times)",
		 m->more, job, value, m->tid, m->times);
	hang_sign(t, &s, m->at, m->times ? m->times : 1);
}

static void put_trace(struct hang *h, const struct hang_message *m)
{
	int err = m->error ? m->error : xtr_hang_put_trace(h->folder, m->text);

	h->knows_trace = true;
	if (err)
		snprintf(h->no_trace, sizeof(h->no_trace), "it could not be %s: %s",
			 m->error ? "written" : "kept", strerror(-err));
}

/* A file that ended before a hang is not its trace: another one is asked for. */
static void on_flown(const struct hang_taking *t, const struct hang_message *m)
{
	for (size_t i = 0; i < t->n; i++) {
		struct hang *h = t->hangs[i];

		if (!hang_is_open(h) || h->knows_trace)
			continue;
		if (m->to >= h->at || m->at >= h->at)
			put_trace(h, m);
		else
			hang_want_trace(t, h->kind);
	}
}

static void end_of_recorder(struct hang_taking *t)
{
	t->ending = true;
	for (size_t i = 0; i < t->n; i++) {
		struct hang *h = t->hangs[i];

		if (!hang_is_open(h) || h->knows_trace)
			continue;
		h->knows_trace = true;
		snprintf(h->no_trace, sizeof(h->no_trace),
			 "the recorder ended before it had written one");
	}
}

/* --- descriptors ------------------------------------------------------------------------------ */

/* Messages of others than the kernel say nothing: anybody may send some (lib/kobject_uevent.c). */
static bool is_kernels(const struct sockaddr_nl *from, socklen_t n)
{
	return n < sizeof(*from) || from->nl_family != AF_NETLINK || !from->nl_pid;
}

static void read_uevents(struct hang_taking *t)
{
	char msg[MESSAGE];
	struct sockaddr_nl from = { 0 };
	socklen_t len;
	ssize_t n;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(t->o->uevents, msg, sizeof(msg), MSG_DONTWAIT,
			     (struct sockaddr *)&from, &len);
		if (n > 0 && is_kernels(&from, len))
			on_uevent(t, msg, (size_t)n);
		else if (n < 0 && errno == ENOBUFS)
			hang_look_for_dumps(t);
		else if (!n || (n < 0 && errno != EINTR))
			return;
	}
}

/* EPIPE: some were overwritten before they were read. */
static void read_log(struct hang_taking *t)
{
	char record[MESSAGE];
	struct xtr_hang_sign s;
	ssize_t n;

	for (;;) {
		n = read(t->o->log, record, sizeof(record));
		if (n > 0 && xtr_hang_of_log(record, (size_t)n, &s))
			hang_sign(t, &s, cli_now(), 1);
		else if (!n || (n < 0 && errno != EINTR && errno != EPIPE))
			return;
	}
}

static void read_recorder(struct hang_taking *t)
{
	struct hang_message m;
	ssize_t n;

	for (;;) {
		n = recv(t->o->recorder, &m, sizeof(m), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(m))
			break;
		m.text[sizeof(m.text) - 1] = m.more[sizeof(m.more) - 1] = 0;
		if (m.what == HANG_FIRED)
			on_fired(t, &m);
		else if (m.what == HANG_FLOWN)
			on_flown(t, &m);
	}
	if (!n || (n < 0 && errno != EAGAIN))
		end_of_recorder(t);
}

/* The recorder's end last: what was said before it counts. */
void hang_listen(struct hang_taking *t)
{
	if (t->o->uevents >= 0)
		read_uevents(t);
	if (t->o->log >= 0)
		read_log(t);
	read_recorder(t);
}
