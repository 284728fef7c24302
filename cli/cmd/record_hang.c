/* SPDX-License-Identifier: BSD-2-Clause */
#include "record_hang.h"
#include "hang_taker.h"
#include "cli/ui/cli.h"
#include "cli/ui/outfile.h"

#include "bundle/write.h"
#include "recorder/host/caps.h"
#include "recorder/host/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of root: files of other users, and the log. */
#define KEPT          (1ull << CAP_DAC_OVERRIDE | 1ull << CAP_DAC_READ_SEARCH | 1ull << CAP_SYSLOG)
#define KERNEL_EVENTS 1u        /* the group of the kernel's uevents (lib/kobject_uevent.c) */
#define UEVENT_BUFFER (8 << 20) /* bytes; the kernel gives less, if it allows less */

const char *record_hang_conflict(const struct record_hang_opts *o, bool flight)
{
	if (o->on && !flight)
		return "--on-hang requires --flight";
	if (o->on && !o->dir)
		return "--on-hang requires --bundle-dir";
	if (!o->on && o->dir)
		return "--bundle-dir requires --on-hang";
	if (!o->dir && o->max != RECORD_HANG_MAX_BYTES)
		return "--bundle-max requires --bundle-dir";
	return NULL;
}

/* --- the process ------------------------------------------------------------------------------ */

/* A signal for the recorder comes to all processes of a terminal, or of a service. */
static void ignore_signals(void)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		signal(all[i], SIG_IGN);
}

/* -errno where uevents cannot be had. */
static int open_uevents(void)
{
	const struct sockaddr_nl group = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_EVENTS };
	const int size = UEVENT_BUFFER;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT), err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (!bind(fd, (const struct sockaddr *)&group, sizeof(group)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Only what comes from now on. */
static int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	lseek(fd, 0, SEEK_END);
	return fd;
}

static int run(struct hang_opts *o)
{
	const bool given = getauxval(AT_SECURE) && getuid();
	const uint64_t chown = cli_owner(&(uid_t){ 0 }, &(gid_t){ 0 }) ? 1ull << CAP_CHOWN : 0;
	int err = xtr_caps_keep(given ? 0 : KEPT | chown);

	if (err)
		return cli_failed(o->dir, err);
	o->uevents = open_uevents();
	if (o->uevents < 0)
		cli_warn(
			"--on-hang: no uevents: %s: dumps are found only if something else tells of a hang",
			strerror(-o->uevents));
	o->log = open_log();
	if (o->log < 0)
		cli_warn(
			"--on-hang: '/dev/kmsg': %s: hangs of which only the log tells are not seen",
			strerror(-o->log));
	return hang_taker(o);
}

/* What somebody else could put there would be made a bundle of. */
static bool is_ours(int dir)
{
	struct stat st;
	uid_t uid;
	gid_t gid;

	if (fstat(dir, &st) || st.st_mode & (S_IWGRP | S_IWOTH))
		return false;
	return st.st_uid == geteuid() || (cli_owner(&uid, &gid) && st.st_uid == uid);
}

static int check(const struct record_hang_opts *o)
{
	int err = xtr_bundle_can_write(), fd;
	bool ours;

	if (err == -ENOMEM)
		return cli_failed(o->dir, err);
	if (err) {
		cli_error("--on-hang: this xtr was built without libarchive");
		return XTR_EXIT_FAILURE;
	}
	if (mkdir(o->dir, 0700) && errno != EEXIST)
		return cli_failed(o->dir, errno);
	fd = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return cli_failed(o->dir, errno);
	ours = is_ours(fd);
	close(fd);
	if (ours)
		return XTR_EXIT_OK;
	cli_error("--bundle-dir '%s': somebody else may write to it", o->dir);
	cli_hint("use a directory of your own, of mode 0700, or a new one");
	return XTR_EXIT_FAILURE;
}

int record_hang_start(struct record_hang *h, const struct record_hang_opts *o, uint64_t pause,
		      uint64_t keep)
{
	struct hang_opts ho;
	int status = check(o), fds[2];

	if (status != XTR_EXIT_OK)
		return status;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return cli_failed(o->dir, errno);
	fflush(NULL);
	h->child = fork();
	if (h->child < 0) {
		h->child = 0;
		close(fds[0]);
		close(fds[1]);
		return cli_failed(o->dir, errno);
	}
	if (!h->child) {
		ignore_signals();
		close(fds[0]);
		hang_defaults(&ho);
		ho.dir = o->dir;
		ho.max = o->max;
		ho.keep = (uint32_t)keep;
		ho.pause = pause;
		ho.recorder = fds[1];
		_exit(cli_finish(run(&ho)));
	}
	close(fds[1]);
	h->fd = fds[0];
	return XTR_EXIT_OK;
}

/* --- the recorder's side ---------------------------------------------------------------------- */

static void lose(struct record_hang *h)
{
	if (!h->gone)
		cli_error("hangs are not taken any more: the process for it has ended");
	h->gone = true;
	close(h->fd);
	h->fd = -1;
}

/* The same text is kept once; of too many kinds the last one stands for the rest. */
static const char *keep_why(struct record_hang *h, const char *text)
{
	for (size_t i = 0; i < h->n_why; i++)
		if (!strcmp(h->why[i], text))
			return h->why[i];
	if (h->n_why == RECORD_HANG_WHYS || !(h->why[h->n_why] = strdup(text)))
		return "hang";
	return h->why[h->n_why++];
}

void record_hang_listen(struct record_hang *h, struct xtr_recorder *r)
{
	struct hang_message m;
	ssize_t n;

	while (h->fd >= 0) {
		n = recv(h->fd, &m, sizeof(m), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n != sizeof(m)) {
			lose(h);
			return;
		}
		m.text[sizeof(m.text) - 1] = 0;
		if (m.what == HANG_WANT)
			xtr_recorder_trigger_for(r, keep_why(h, m.text));
	}
}

/* It always listens: this does not wait long. */
static void say(struct record_hang *h, const struct hang_message *m)
{
	ssize_t n = -1;

	if (h->fd < 0)
		return;
	do
		n = send(h->fd, m, sizeof(*m), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		lose(h);
}

/* What says nothing of a hang: long jobs that ended, lost events, a person. */
static bool is_of_a_hang(enum xtr_trigger_kind kind)
{
	return kind != XTR_TRIGGER_EXEC && kind != XTR_TRIGGER_DROP && kind != XTR_TRIGGER_SIGNAL;
}

void record_hang_tell_fired(struct record_hang *h, struct xtr_recorder *r)
{
	struct xtr_fired_trigger f;

	while (h->child && xtr_recorder_fired(r, &f)) {
		struct hang_message m = { .what = HANG_FIRED,
					  .at = f.at,
					  .ctx = f.ctx,
					  .seqno = f.seqno,
					  .value = f.value,
					  .times = f.times,
					  .tid = f.tid,
					  .kind = (uint32_t)f.kind };

		snprintf(m.text, sizeof(m.text), "%s", f.what);
		snprintf(m.more, sizeof(m.more), "%s", f.event);
		if (is_of_a_hang(f.kind))
			say(h, &m);
	}
}

void record_hang_tell_file(struct record_hang *h, const struct xtr_flown_file *f)
{
	struct hang_message m = { .what = HANG_FLOWN, .error = f->error, .at = f->at, .to = f->to };

	snprintf(m.text, sizeof(m.text), "%s", f->path);
	say(h, &m);
}

int record_hang_end(struct record_hang *h)
{
	int status = 0;

	if (!h->child)
		return XTR_EXIT_OK;
	/* Other processes may have it, too: it ends for all. */
	if (h->fd >= 0) {
		shutdown(h->fd, SHUT_WR);
		while (waitpid(h->child, &status, 0) < 0 && errno == EINTR)
			;
		close(h->fd);
	} else {
		while (waitpid(h->child, &status, 0) < 0 && errno == EINTR)
			;
	}
	h->fd = -1;
	h->child = 0;
	while (h->n_why)
		free(h->why[--h->n_why]);
	if (WIFSIGNALED(status))
		cli_error("the process that takes hangs was ended by signal %d (%s)",
			  WTERMSIG(status), strsignal(WTERMSIG(status)));
	return WIFEXITED(status) ? WEXITSTATUS(status) : XTR_EXIT_FAILURE;
}

/* --- events ----------------------------------------------------------------------------------- */

/* A function of drivers/gpu/drm/scheduler/sched_main.c, which only a timeout calls. */
#define TIMED_OUT "drm_sched_job_timedout"

size_t record_hang_events(const char *const **events)
{
	static const char *const with[] = { "default", "func:gpu_sched:" TIMED_OUT };
	const bool found = xtr_kallsyms_address("/proc/kallsyms", "gpu_sched", TIMED_OUT);

	*events = with;
	return found ? sizeof(with) / sizeof(with[0]) : 0;
}
