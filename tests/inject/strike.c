/* SPDX-License-Identifier: BSD-2-Clause */
/* Which allocation and which call fail, by the plan, and where in the program that was. */
#include "server.h"

#include <errno.h>
#include <execinfo.h>
#include <unistd.h>

uint64_t inject_site(void)
{
	void *frames[FRAMES];
	int n = backtrace(frames, FRAMES);

	return inject_hash(0xcbf29ce484222325u, frames, (size_t)n * sizeof(frames[0]));
}

void inject_struck(int nr, int fd, int err)
{
	int i = __atomic_fetch_add(&inject->n_strikes, 1, __ATOMIC_RELAXED);
	struct strike *s;

	if (i == 0) {
		inject->since_allocs = inject->allocs;
		inject->since_calls = inject->calls;
	}
	inject->stderr_struck |= fd == STDERR_FILENO;
	if (i >= 2)
		return;
	s = &inject->strikes[i];
	s->nr = nr;
	s->fd = fd;
	s->err = err;
	s->n_frames = backtrace(s->frames, FRAMES);
}

bool inject_alloc(void)
{
	const struct plan *p = &inject->plan;
	uint32_t n = __atomic_add_fetch(&inject->allocs, 1, __ATOMIC_RELAXED);
	bool fails;

	if (inject->look && n < ALLOCS_MAX)
		inject->alloc_place[n].site = inject_site();
	fails = p->alloc_at && (n == p->alloc_at || (p->sticky && n > p->alloc_at));
	fails |= p->then_alloc && inject->n_strikes && n == inject->since_allocs + p->then_alloc;
	if (fails)
		inject_struck(-1, -1, ENOMEM);
	return fails;
}
