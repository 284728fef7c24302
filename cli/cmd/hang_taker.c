/* SPDX-License-Identifier: BSD-2-Clause */
#include "hang_taker.h"
#include "cli/ui/cli.h"

#include "base/buf.h"
#include "base/checked.h"
#include "bundle/open.h"
#include "hang/take.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND 1000000000ull

void hang_defaults(struct hang_opts *o)
{
	*o = (struct hang_opts){
		.root = "",
		.pause = 30 * SECOND,
		.grace = 10 * SECOND,
		.dump_limit = 240 * SECOND, /* it is there for 300 s (drivers/base/devcoredump.c) */
		.state_limit = 60 * SECOND,
		.trace_limit = 60 * SECOND,
		.make_limit = 1800 * SECOND,
		.recorder = -1,
		.uevents = -1,
		.log = -1,
	};
}

/* --- hangs ------------------------------------------------------------------------------------ */

/* A sign that does not say of which device it is may be of any. */
static bool same_device(const struct hang *h, const char *device)
{
	return !h->device[0] || !device[0] || !strcmp(h->device, device);
}

bool hang_is_open(const struct hang *h)
{
	return h->folder >= 0 && !h->making;
}

static struct hang *find_open(const struct hang_taking *t, const char *device)
{
	for (size_t i = 0; i < t->n; i++)
		if (hang_is_open(t->hangs[i]) && same_device(t->hangs[i], device))
			return t->hangs[i];
	return NULL;
}

/* One that is taken, and whose last sign is not long ago; the newest. */
static struct hang *find_recent(const struct hang_taking *t, const char *device, uint64_t now)
{
	for (size_t i = t->n; i > 0; i--) {
		struct hang *h = t->hangs[i - 1];

		if (!hang_is_open(h) && same_device(h, device) &&
		    now < xtr_sat_add(h->last, t->o->pause))
			return h;
	}
	return NULL;
}

void hang_want_trace(const struct hang_taking *t, const char *why)
{
	struct hang_message m = { .what = HANG_WANT };

	snprintf(m.text, sizeof(m.text), "%s", why);
	if (send(t->o->recorder, &m, sizeof(m), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return; /* it ends: its last file is what there will be, or nothing */
}

static struct hang *add_hang(struct hang_taking *t)
{
	struct hang *h = NULL;

	if (!xtr_grow_array(&t->hangs, &t->cap, t->n + 1, sizeof(struct hang *)))
		h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->folder = -1;
	h->at = h->last = cli_now();
	t->hangs[t->n++] = h;
	return h;
}

/* Where there is no room for even that, older bundles go. */
static int begin_folder(const struct hang_taking *t, struct hang *h)
{
	int fd;

	do
		fd = xtr_hang_begin(t->dir, t->boot, h->name);
	while (fd == -ENOSPC && !xtr_hang_room_drop(&t->room));
	h->folder = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

static struct hang *new_hang(struct hang_taking *t, const struct xtr_hang_sign *s, uint64_t at)
{
	struct hang *h = add_hang(t);
	int err = h ? begin_folder(t, h) : -ENOMEM;

	if (err) {
		cli_error("a hang cannot be taken ('%s' of %s): '%s': %s", s->kind,
			  s->device[0] ? s->device : "a device", t->o->dir, cli_strerror(err));
		t->failed = true;
		if (h)
			free(t->hangs[--t->n]);
		return NULL;
	}
	h->at = at;
	snprintf(h->kind, sizeof(h->kind), "%s", s->kind);
	snprintf(h->device, sizeof(h->device), "%s", s->device);
	if (hang_job(t, HANG_STATE, h, XTR_HANG_NOTHING, ""))
		hang_note_text(h, "not-taken", "log and state: out of memory");
	hang_want_trace(t, s->kind);
	return h;
}

/* How often such a sign came for this hang; the text of later ones is that of the first. */
static uint64_t count(struct hang *h, const struct xtr_hang_sign *s, uint64_t times)
{
	size_t i = 0;

	while (i < h->n_seen &&
	       (strcmp(h->seen[i].kind, s->kind) != 0 || strcmp(h->seen[i].device, s->device) != 0))
		i++;
	if (i == h->n_seen && i == HANG_SEEN_MAX)
		i--;
	else if (i == h->n_seen) {
		snprintf(h->seen[i].kind, sizeof(h->seen[i].kind), "%s", s->kind);
		snprintf(h->seen[i].device, sizeof(h->seen[i].device), "%s", s->device);
		h->n_seen++;
	}
	return h->seen[i].times += times;
}

/* A storm of one kind of sign is written down at the first, second, fourth, ... of them. */
static bool is_told(uint64_t all, uint64_t times)
{
	return all == times || 64 - __builtin_clzll(all) != 64 - __builtin_clzll(all - times);
}

static void take_dump(struct hang_taking *t, struct hang *h, const struct xtr_hang_sign *s)
{
	h->has_dump = true;
	if (hang_job(t, HANG_DUMP, h, s->left, s->name))
		hang_note_text(h, "not-taken", "a dump: out of memory");
}

/*
 * Which hang a sign is of (docs/hang.md, Rules): one that is being taken; one that was, not long
 * ago, if the sign alone does not make a hang; else a new one. at: ns.
 */
void hang_sign(struct hang_taking *t, const struct xtr_hang_sign *s, uint64_t at, uint64_t times)
{
	struct hang *h = find_open(t, s->device), *old = NULL;
	const char *became = "same";

	if (!h && !s->always)
		old = find_recent(t, s->device, cli_now());
	if (!h && !old) {
		h = new_hang(t, s, at);
		became = h ? "new" : "lost";
	}
	if (old) {
		old->last = cli_now();
		if (is_told(count(old, s, times), times))
			hang_log(t, "again", old, s);
		return;
	}
	if (!h) {
		hang_log(t, became, NULL, s);
		return;
	}
	h->last = cli_now();
	if (!h->device[0])
		snprintf(h->device, sizeof(h->device), "%s", s->device);
	if (is_told(count(h, s, times), times) || s->left != XTR_HANG_NOTHING) {
		hang_note(h, s, at);
		hang_log(t, became, h, s);
	}
	if (s->left != XTR_HANG_NOTHING)
		take_dump(t, h, s);
}

/* --- one round -------------------------------------------------------------------------------- */

static void made(struct hang_taking *t, struct hang *h)
{
	char name[XTR_HANG_NAME + sizeof(XTR_BUNDLE_ENDING)];
	struct xtr_hang_sign s = { .kind = h->kind };

	snprintf(s.device, sizeof(s.device), "%s", h->device);
	snprintf(s.text, sizeof(s.text), "%.40s%.200s", t->boot, h->dumps);
	hang_log(t, "made", h, &s);
	fprintf(stderr, "xtr: '%s/%s" XTR_BUNDLE_ENDING "': a hang%s%s: %s\n", t->o->dir, h->name,
		h->device[0] ? " of " : "", h->device, h->kind);
	snprintf(name, sizeof(name), "%s" XTR_BUNDLE_ENDING, h->name);
	(void)xtr_hang_room_trim(&t->room, name);
}

static void not_made(struct hang_taking *t, const struct hang *h, int status)
{
	struct xtr_hang_sign s = { .kind = h->kind };

	snprintf(s.text, sizeof(s.text), "what was taken stays in %s" XTR_HANG_PART, h->name);
	hang_log(t, "kept", h, &s);
	t->failed = true;
	if (status < 0 || WIFSIGNALED(status))
		cli_error("the bundle of '%s' is not made: %s; what was taken is kept", h->name,
			  status < 0 ? "it took too long" : strsignal(WTERMSIG(status)));
}

static void note_dump(struct hang *h, const char *name)
{
	const size_t n = strlen(h->dumps);

	snprintf(h->dumps + n, sizeof(h->dumps) - n, " %s;", name);
}

void hang_job_ended(struct hang_taking *t, const struct hang_job *j, int status)
{
	struct hang *h = j->h;

	if (j->work == HANG_MAKE) {
		if (status)
			not_made(t, h, status);
		else
			made(t, h);
		close(h->folder);
		h->folder = -1;
		return;
	}
	h->n_jobs--;
	if (j->work == HANG_DUMP)
		note_dump(h, j->name);
	if (!status)
		return;
	hang_note_text(h, "cut",
		       status < 0 ? "reading took too long and was ended: what was read is here"
				  : "the process that read was ended: what it read is here");
}

/* All is taken, and nothing more is waited for. */
static bool is_whole(const struct hang_taking *t, const struct hang *h, uint64_t now)
{
	return !h->n_jobs && h->knows_trace &&
	       (h->has_dump || t->ending || now >= xtr_sat_add(h->at, t->o->grace));
}

static void wait_no_longer(const struct hang_taking *t, struct hang *h, uint64_t now)
{
	if (h->knows_trace || now < xtr_sat_add(h->at, t->o->trace_limit))
		return;
	h->knows_trace = true;
	snprintf(h->no_trace, sizeof(h->no_trace), "the recorder wrote none in time");
}

static void look_at_hangs(struct hang_taking *t)
{
	const uint64_t now = cli_now();
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct hang *h = t->hangs[i];

		if (hang_is_open(h))
			wait_no_longer(t, h, now);
		if (hang_is_open(h) && is_whole(t, h, now))
			h->making = !hang_job(t, HANG_MAKE, h, XTR_HANG_NOTHING, "");
		if (h->folder < 0 && (t->ending || now >= xtr_sat_add(h->last, t->o->pause)))
			free(h);
		else
			t->hangs[n++] = h;
	}
	t->n = n;
}

static int wait_ms(const struct hang_taking *t)
{
	const uint64_t now = cli_now();
	uint64_t due = hang_jobs_due(t), one;

	for (size_t i = 0; i < t->n; i++) {
		const struct hang *h = t->hangs[i];

		if (h->making || (hang_is_open(h) && h->n_jobs && h->knows_trace))
			continue;
		one = !hang_is_open(h) ? xtr_sat_add(h->last, t->o->pause)
		      : h->knows_trace ? xtr_sat_add(h->at, t->o->grace)
				       : xtr_sat_add(h->at, t->o->trace_limit);
		due = one < due ? one : due;
	}
	if (due == UINT64_MAX)
		return -1;
	if (due <= now)
		return 0;
	return due - now > 3600 * SECOND ? 3600 * 1000 : (int)((due - now) / 1000000 + 1);
}

static void round_of(struct hang_taking *t)
{
	struct pollfd fds[] = {
		{ .fd = t->ending ? -1 : t->o->recorder, .events = POLLIN },
		{ .fd = t->ending ? -1 : t->o->uevents, .events = POLLIN },
		{ .fd = t->ending ? -1 : t->o->log, .events = POLLIN },
		{ .fd = t->signals, .events = POLLIN },
	};
	struct signalfd_siginfo info;

	hang_jobs_start(t);
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), wait_ms(t)) < 0 && errno != EINTR)
		t->failed = true;
	while (read(t->signals, &info, sizeof(info)) == sizeof(info))
		;
	if (!t->ending)
		hang_listen(t);
	hang_jobs_reap(t);
	look_at_hangs(t);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* It was killed after the bundle had got its name. */
static bool is_made(const struct hang_taking *t, const char *name)
{
	char path[XTR_HANG_NAME + sizeof(XTR_BUNDLE_ENDING)];

	snprintf(path, sizeof(path), "%s" XTR_BUNDLE_ENDING, name);
	return !faccessat(t->dir, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* What a recorder that was killed has left: its bundle is made of what there is. */
static int take_over(void *ctx, const char *name)
{
	struct hang_taking *t = ctx;
	int fd = xtr_hang_open(t->dir, name);
	struct hang *h = NULL;

	if (fd >= 0 && is_made(t, name))
		(void)xtr_hang_remove(t->dir, name);
	else if (fd >= 0)
		h = add_hang(t);
	if (!h) {
		if (fd >= 0)
			close(fd);
		return 0; /* somebody else is at work on it */
	}
	snprintf(h->name, sizeof(h->name), "%s", name);
	snprintf(h->kind, sizeof(h->kind), "left by a recorder that was ended");
	h->folder = fd;
	h->knows_trace = h->making = true;
	snprintf(h->no_trace, sizeof(h->no_trace),
		 "the recorder was ended before it had written one: see 'xtr recover --killed'");
	hang_note_text(h, "recovered",
		       "the recorder was ended while it took this: what it had is here");
	return hang_job(t, HANG_MAKE, h, XTR_HANG_NOTHING, "");
}

static int open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Each hang that is being taken has a descriptor. */
static void allow_many_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur >= l.rlim_max)
		return;
	l.rlim_cur = l.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &l);
}

static int begin(struct hang_taking *t)
{
	allow_many_files();
	t->dir = open(t->o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0)
		return -errno;
	t->room.dir = t->dir;
	t->signals = open_signals();
	if (t->signals < 0)
		return t->signals;
	xtr_hang_boot(t->o->root, t->boot);
	if (t->o->log >= 0)
		(void)fcntl(t->o->log, F_SETFL, fcntl(t->o->log, F_GETFL) | O_NONBLOCK);
	return xtr_hang_each(t->dir, take_over, t);
}

int hang_taker(const struct hang_opts *o)
{
	struct hang_taking t = {
		.o = o, .dir = -1, .signals = -1, .room = { .max = o->max, .keep = o->keep }
	};
	int err = begin(&t);

	if (!err)
		hang_look_for_dumps(&t);
	while (!err && (!t.ending || t.n))
		round_of(&t);
	for (size_t i = 0; i < t.n; i++)
		free(t.hangs[i]);
	free(t.hangs);
	free(t.jobs);
	free(t.dumps);
	if (t.signals >= 0)
		close(t.signals);
	if (t.dir >= 0)
		close(t.dir);
	return err ? cli_failed(o->dir, err) : t.failed ? XTR_EXIT_FAILURE : XTR_EXIT_OK;
}
