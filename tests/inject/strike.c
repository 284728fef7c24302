/* SPDX-License-Identifier: BSD-2-Clause */
/* Which allocation and which call fail, by the plan, and where in the program that was. */
#include "server.h"

#include <errno.h>
#include <execinfo.h>
#include <unistd.h>

enum {
	DEEP = 48, /* frames looked at for the program's own */
	OWN = 3,   /* of these tell a place */
};

extern const char __executable_start, etext; /* of the linker */

/* The innermost frames of the program itself, from the one who called a library on. */
static uint64_t own_site(const void *from)
{
	void *frames[DEEP];
	int n = backtrace(frames, DEEP), i = 0, own = 0;
	uint64_t h = 0xcbf29ce484222325u;

	while (i < n && frames[i] != from)
		i++;
	for (; i < n && own < OWN; i++) {
		const char *at = frames[i];

		if (at < &__executable_start || at >= &etext)
			continue;
		h = inject_hash(h, &frames[i], sizeof(frames[i]));
		own++;
	}
	return h;
}

uint64_t inject_site(const void *from)
{
	void *frames[FRAMES];
	int n;

	if (inject->own)
		return own_site(from);
	n = backtrace(frames, FRAMES);
	for (int i = 0; i < n; i++)
		if (frames[i] == inject_outermost)
			n = i;
	return inject_hash(0xcbf29ce484222325u, frames, (size_t)n * sizeof(frames[0]));
}

bool inject_wants_site(const void *from)
{
	const struct plan *p = &inject->plan;

	if (inject->look)
		return !inject->only || inject->only == getpid();
	return p->site && (!p->from || p->from == from);
}

bool inject_planned(uint64_t site)
{
	return site == inject->plan.site &&
	       !__atomic_exchange_n(&inject->struck, true, __ATOMIC_RELAXED);
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

bool inject_alloc(const void *from)
{
	const struct plan *p = &inject->plan;
	uint32_t n = __atomic_add_fetch(&inject->allocs, 1, __ATOMIC_RELAXED);
	uint64_t site = inject_wants_site(from) ? inject_site(from) : 0;
	bool fails;

	if (inject->look && n < ALLOCS_MAX)
		inject->alloc_place[n] = (struct place){ .site = site, .from = from };
	fails = p->alloc_at && (n == p->alloc_at || (p->sticky && n > p->alloc_at));
	fails |= p->site && (inject_planned(site) || (p->sticky && !p->families && inject->struck));
	fails |= p->then_alloc && inject->n_strikes && n == inject->since_allocs + p->then_alloc;
	if (fails)
		inject_struck(CALL_ALLOC, -1, ENOMEM);
	return fails;
}
