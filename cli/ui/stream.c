/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* 0: try again. */
static int wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

static ssize_t write_all(void *cookie, const char *p, size_t n)
{
	struct stream *s = cookie;
	size_t done = 0;

	while (done < n && !s->err) {
		ssize_t r = write(s->fd, p + done, n - done);

		if (r > 0)
			done += (size_t)r;
		else if (!r)
			s->err = EIO;
		else if (errno == EAGAIN)
			s->err = wait_writable(s->fd);
		else if (errno != EINTR)
			s->err = errno;
	}
	errno = s->err;
	return s->err ? 0 : (ssize_t)n; /* fopencookie(3): 0 is an error */
}

FILE *stream_open(struct stream *s, int fd)
{
	*s = (struct stream){ .fd = fd };
	return fopencookie(s, "w", (cookie_io_functions_t){ .write = write_all });
}

int stream_error(const struct stream *s, FILE *f)
{
	if (!fflush(f) && !ferror(f))
		return 0;
	return s->err ? s->err : EIO;
}
