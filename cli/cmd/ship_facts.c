/* SPDX-License-Identifier: BSD-2-Clause */
/* What a piece says of itself, and its ID. */
#include "ship_spool.h"
#include "trace.h"

#include "format/meta/piece.h"
#include "format/read/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK (1u << 20) /* bytes */

#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

/*
 * FNV-1a of all bytes, 64 bits. A CRC would not do: the chunks hold CRCs of themselves, which makes
 * that of the whole file blind to them.
 */
static int digest(int fd, uint64_t *hash)
{
	uint8_t *buf = malloc(BLOCK);
	int err = buf ? 0 : -ENOMEM;
	off_t at = 0;

	*hash = FNV_START;
	while (!err) {
		ssize_t n = pread(fd, buf, BLOCK, at);

		if (!n)
			break;
		for (ssize_t i = 0; i < n; i++)
			*hash = (*hash ^ buf[i]) * FNV_PRIME;
		if (n > 0)
			at += n;
		else if (errno != EINTR)
			err = -errno;
	}
	free(buf);
	return err;
}

static uint64_t began(const struct xtr_section *s)
{
	return xtr_section_n_clocks(s) ? xtr_section_clock(s, 0)->realtime : 0;
}

/* It may still be there: pins go with the boot. */
static bool is_pinned(const struct xtr_meta *m)
{
	const char *after = xtr_meta_config_str(m, "after-kill");

	return after && !strcmp(after, "xtr recover --killed") && cli_same_boot(m);
}

static void of_section(struct ship_facts *f, const struct xtr_reader *r)
{
	const struct xtr_section *s = xtr_reader_section(r, 0);
	const struct xtr_section_summary *sum = xtr_section_summary(s);
	const struct xtr_meta *m = xtr_section_meta(s);
	const char *host = xtr_meta_system(m)->hostname;
	struct xtr_piece piece;

	f->file_id = xtr_section_file_id(s);
	f->events = sum->events;
	f->lost = sum->lost;
	f->realtime = began(s);
	f->whole = sum->closed && xtr_reader_n_sections(r) == 1 && !xtr_reader_n_problems(r);
	f->empty = !xtr_section_n_chunks(s);
	f->flight = xtr_meta_config_str(m, "flight");
	f->pinned = is_pinned(m);
	snprintf(f->host, sizeof(f->host), "%s", host ? host : "");
	if (xtr_piece_read(&piece, m)) {
		f->of = piece.of;
		f->number = piece.number;
	}
}

static int read_it(int fd, bool with_id, struct ship_facts *f)
{
	struct xtr_reader *r = NULL;
	struct xtr_io *io = NULL;
	struct xtr_err what;
	uint64_t hash = 0;
	struct stat st;
	int err = fstat(fd, &st) ? -errno : xtr_io_read_fd(fd, &io);

	if (!err)
		err = xtr_reader_open(&r, io, &what);
	if (err)
		return err;
	f->bytes = (uint64_t)st.st_size;
	if (xtr_reader_n_sections(r))
		of_section(f, r);
	xtr_reader_close(r);
	if (with_id)
		err = digest(fd, &hash);
	snprintf(f->id, sizeof(f->id), "%016" PRIx64 "-%016" PRIx64, f->file_id, hash);
	return err;
}

int ship_facts(int dir, const char *name, bool with_id, struct ship_facts *f)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), err;

	*f = (struct ship_facts){ 0 };
	if (fd < 0)
		return -errno;
	err = read_it(fd, with_id, f);
	close(fd);
	return err;
}
