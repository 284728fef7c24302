/* SPDX-License-Identifier: BSD-2-Clause */
/* A line that shows how far a long command is, for people only. */
#include "cli.h"

#include <time.h>
#include <unistd.h>

#define DELAY_NS 500000000u /* what is done sooner shows nothing */
#define EVERY_NS 100000000u

static uint64_t started, shown; /* ns on CLOCK_MONOTONIC; 0: not */

uint64_t cli_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void cli_progress(const char *what, uint64_t done, uint64_t all)
{
	const uint64_t t = cli_now();
	unsigned int percent;

	if (cli_captured())
		return;
	if (!started)
		started = t;
	if (t - started < DELAY_NS || (shown && t - shown < EVERY_NS))
		return;
	if (cli_quiet || !isatty(STDERR_FILENO))
		return;
	percent =
		all ? (unsigned int)((unsigned __int128)(done < all ? done : all) * 100 / all) : 0;
	fprintf(stderr, "\r%s %u%%\033[K", what, percent);
	fflush(stderr);
	shown = t;
}

void cli_progress_done(void)
{
	if (cli_captured())
		return;
	if (shown) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
	}
	started = 0;
	shown = 0;
}
