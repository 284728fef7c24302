/* SPDX-License-Identifier: BSD-2-Clause */
/* What went wrong, where the fault struck, and how to have it once more. */
#include "server.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
	SHOWN = 100, /* failures told of */
};

static void tell_strike(const struct strike *k)
{
	printf("  %s", inject_call_name(k->nr));
	if (k->fd >= 0)
		printf(" of %d", k->fd);
	printf(": %s, at", inject_error_name(k->err));
	for (int i = 0; i < k->n_frames; i++) {
		Dl_info d;

		if (dladdr(k->frames[i], &d) && d.dli_fbase)
			printf(" %s+0x%lx",
			       strrchr(d.dli_fname, '/') ? strrchr(d.dli_fname, '/') + 1
							 : d.dli_fname,
			       (unsigned long)((char *)k->frames[i] - (char *)d.dli_fbase));
	}
	printf("\n");
}

/* The same of the same place, by another fault. */
static bool told_before(const char *why)
{
	static uint64_t told[SHOWN];
	static size_t n;
	const struct strike *k = &inject->strikes[0];
	uint64_t h = inject_hash((uint64_t)k->nr, why, strlen(why));

	h = inject_hash(h, k->frames,
			sizeof(k->frames[0]) * (size_t)(k->n_frames < 6 ? k->n_frames : 6));
	for (size_t i = 0; i < n; i++)
		if (told[i] == h)
			return true;
	if (n == SHOWN)
		return true;
	told[n++] = h;
	return false;
}

void inject_tell(const struct scenario *s, const struct outcome *o, const char *why, bool all)
{
	if (!all && told_before(why))
		return;
	printf("FAIL %s: %s: -1 %s: %s %d\n", s->name, why, inject_plan_text(&inject->plan),
	       WIFSIGNALED(o->status) ? "signal" : "status",
	       WIFSIGNALED(o->status) ? WTERMSIG(o->status) : WEXITSTATUS(o->status));
	if (inject->live > s->live)
		printf("  %ld blocks left, %ld without faults\n", (long)inject->live,
		       (long)s->live);
	for (int i = 0; i < inject->n_strikes && i < 2; i++)
		tell_strike(&inject->strikes[i]);
	printf("  stderr: %.2000s\n", o->err);
}
