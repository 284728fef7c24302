/* SPDX-License-Identifier: BSD-2-Clause */
#include "server.h"

#include <fcntl.h>
#include <sys/personality.h>
#include <unistd.h>

enum {
	SEEN_MAX = 1 << 18, /* places */
};

bool inject_every;

static struct {
	uint64_t site[SEEN_MAX];
	size_t n;
	int fd;     /* of the file that scenarios share; 0: none */
	off_t read; /* so far */
} seen;

/* A place that was not seen before. */
static bool is_new(uint64_t site)
{
	size_t i = site % SEEN_MAX;

	if (seen.n == SEEN_MAX / 2)
		return true;
	while (seen.site[i] && seen.site[i] != site)
		i = (i + 1) % SEEN_MAX;
	if (seen.site[i])
		return false;
	seen.site[i] = site;
	seen.n++;
	return true;
}

/* What was added since the last time, by scenarios that run at the same time, too. */
static void catch_up(void)
{
	uint64_t sites[512];
	ssize_t n;

	while ((n = pread(seen.fd, sites, sizeof(sites), seen.read)) > 0) {
		for (size_t i = 0; i < (size_t)n / sizeof(sites[0]); i++)
			is_new(sites[i]);
		seen.read += n;
	}
}

bool inject_new_place(uint64_t site)
{
	bool first;

	if (seen.fd)
		catch_up();
	first = is_new(site);
	if (first && seen.fd && write(seen.fd, &site, sizeof(site)) != sizeof(site))
		seen.fd = 0;
	return first;
}

/* The same places have the same addresses in all processes: without random ones. */
int inject_open_seen(const char *path, char **argv)
{
	int how = personality(0xffffffff);

	if (how >= 0 && !(how & ADDR_NO_RANDOMIZE) &&
	    personality((unsigned long)how | ADDR_NO_RANDOMIZE) >= 0)
		execv("/proc/self/exe", argv);
	if (!inject_every)
		seen.fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	return seen.fd < 0 ? -1 : 0;
}
