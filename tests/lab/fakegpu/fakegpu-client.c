/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "fakegpu-client.h"
#include "fakegpu_uapi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define FIRST 128 /* number of the first render node */
#define NODES 16

/* As in <drm/drm.h>. */
struct drm_version {
	int version_major, version_minor, version_patchlevel;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};
#define DRM_IOCTL_VERSION _IOWR('d', 0x00, struct drm_version)

void gpu_die(const char *what)
{
	fprintf(stderr, "fakegpu-client: %s: %s\n", what, strerror(errno));
	exit(1);
}

int gpu_open(unsigned int device)
{
	char path[32], name[16];

	for (int i = FIRST; i < FIRST + NODES; i++) {
		struct drm_version v = { .name = name, .name_len = sizeof(name) - 1 };
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, DRM_IOCTL_VERSION, &v) && v.name_len == strlen("fakegpu") &&
		    !memcmp(name, "fakegpu", v.name_len) && !device--)
			return fd;
		close(fd);
	}
	errno = ENODEV;
	gpu_die("no such device");
}

struct gpu_job gpu_submit(int gpu, uint32_t ring, uint64_t ns, const uint64_t *deps, uint32_t n)
{
	struct drm_fakegpu_submit s = {
		.ring = ring, .duration_ns = ns, .deps = (uintptr_t)deps, .n_deps = n
	};

	if (ioctl(gpu, DRM_IOCTL_FAKEGPU_SUBMIT, &s))
		gpu_die("submit");
	return (struct gpu_job){ s.handle, s.context, s.seqno };
}

void gpu_wait(int gpu, const struct gpu_job *j)
{
	struct drm_fakegpu_wait wait = { .handle = j->handle, .timeout_ns = 10000 * GPU_MS };

	if (ioctl(gpu, DRM_IOCTL_FAKEGPU_WAIT, &wait))
		gpu_die("wait");
}

void gpu_sleep(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / (1000 * GPU_MS)),
			      .tv_nsec = (long)(ns % (1000 * GPU_MS)) };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

void gpu_client_start(struct gpu_client *c, const char *name,
		      struct gpu_job (*serve)(const char *name, uint64_t number))
{
	uint64_t number;
	pid_t child;

	if (pipe2(c->ask, O_CLOEXEC) || pipe2(c->answer, O_CLOEXEC))
		gpu_die("pipe");
	fflush(NULL);
	child = fork();
	if (child < 0)
		gpu_die("fork");
	if (child) {
		close(c->ask[0]);
		return;
	}
	close(c->ask[1]);
	prctl(PR_SET_NAME, name);
	while (read(c->ask[0], &number, sizeof(number)) == (ssize_t)sizeof(number)) {
		struct gpu_job j = serve(name, number);

		if (write(c->answer[1], &j, sizeof(j)) != (ssize_t)sizeof(j))
			gpu_die("answer");
	}
	_exit(0);
}

void gpu_client_ask(struct gpu_client *c, uint64_t number)
{
	if (write(c->ask[1], &number, sizeof(number)) != (ssize_t)sizeof(number))
		gpu_die("ask");
}

struct gpu_job gpu_client_answer(struct gpu_client *c)
{
	struct gpu_job j;

	if (read(c->answer[0], &j, sizeof(j)) != (ssize_t)sizeof(j))
		gpu_die("no answer");
	return j;
}
