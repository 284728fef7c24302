/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What takes long, or may wait for a driver for ever, in processes of its own: a few at a time, the
 * others wait. One that takes too long is killed; what it has written counts. Who is in the kernel
 * and cannot be killed is not waited for.
 */
#include "hang_taker.h"
#include "cli/ui/cli.h"

#include "base/buf.h"
#include "base/checked.h"
#include "hang/take.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGAIN_NS 1000000000u /* a process could not be started: it is tried again */

/* At a time. A dump goes after minutes, so many are read at once. */
static const size_t at_once[HANG_WORKS] = { [HANG_DUMP] = 8, [HANG_STATE] = 4, [HANG_MAKE] = 2 };

static uint64_t limit(const struct hang_opts *o, enum hang_work work)
{
	const uint64_t all[HANG_WORKS] = {
		[HANG_DUMP] = o->dump_limit,
		[HANG_STATE] = o->state_limit,
		[HANG_MAKE] = o->make_limit,
	};

	return all[work];
}

int hang_job(struct hang_taking *t, enum hang_work work, struct hang *h, enum xtr_hang_left left,
	     const char *name)
{
	struct hang_job *j;

	if (xtr_grow_array(&t->jobs, &t->jobs_cap, t->n_jobs + 1, sizeof(*t->jobs)))
		return -ENOMEM;
	j = &t->jobs[t->n_jobs++];
	*j = (struct hang_job){ .work = work, .h = h, .left = left };
	snprintf(j->name, sizeof(j->name), "%s", name);
	h->n_jobs += work != HANG_MAKE;
	return 0;
}

static int take(const struct hang_taking *t, const struct hang_job *j)
{
	struct xtr_hang_room room = t->room;
	const struct xtr_hang_taking taking = {
		.root = t->o->root, .folder = j->h->folder, .device = j->h->device, .room = &room
	};
	int err = j->work == HANG_DUMP ? xtr_hang_take_dump(&taking, j->left, j->name)
				       : xtr_hang_take_state(&taking);

	return err ? cli_failed(j->h->name, err) : XTR_EXIT_OK;
}

/* In the new process. It ends with the one that takes hangs. */
static void run(const struct hang_taking *t, const struct hang_job *j, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(XTR_EXIT_FAILURE);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	cli_quiet = true;
	_exit(cli_finish(j->work == HANG_MAKE ? hang_make(t, j->h) : take(t, j)));
}

static void remove_job(struct hang_taking *t, size_t i)
{
	t->n_jobs--;
	memmove(t->jobs + i, t->jobs + i + 1, (t->n_jobs - i) * sizeof(*t->jobs));
}

/* Its h is told of it once it is not in the list any more. */
static void end(struct hang_taking *t, size_t i, int status)
{
	const struct hang_job j = t->jobs[i];

	t->running[j.work]--;
	remove_job(t, i);
	hang_job_ended(t, &j, status);
}

void hang_jobs_start(struct hang_taking *t)
{
	const pid_t self = getpid();

	for (size_t i = 0; i < t->n_jobs; i++) {
		struct hang_job *j = &t->jobs[i];

		if (j->pid || t->running[j->work] >= at_once[j->work])
			continue;
		fflush(NULL);
		j->pid = fork();
		if (!j->pid)
			run(t, j, self);
		if (j->pid < 0) {
			j->pid = 0;
			return; /* when one has ended there may be room */
		}
		j->deadline = xtr_sat_add(cli_now(), limit(t->o, j->work));
		t->running[j->work]++;
	}
}

static void reap_one(struct hang_taking *t, pid_t pid, int status)
{
	for (size_t i = 0; i < t->n_jobs; i++) {
		if (t->jobs[i].pid != pid)
			continue;
		end(t, i, status);
		return;
	}
}

void hang_jobs_reap(struct hang_taking *t)
{
	const uint64_t now = cli_now();
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		reap_one(t, pid, status);
	for (size_t i = 0; i < t->n_jobs; i++) {
		if (!t->jobs[i].pid || now < t->jobs[i].deadline)
			continue;
		kill(t->jobs[i].pid, SIGKILL);
		end(t, i, -1);
		i = (size_t)-1; /* others may be in its place */
	}
}

uint64_t hang_jobs_due(const struct hang_taking *t)
{
	uint64_t due = UINT64_MAX, one;

	for (size_t i = 0; i < t->n_jobs; i++) {
		const struct hang_job *j = &t->jobs[i];

		if (!j->pid && t->running[j->work] >= at_once[j->work])
			continue;
		one = j->pid ? j->deadline : cli_now() + AGAIN_NS;
		due = one < due ? one : due;
	}
	return due;
}
