/* SPDX-License-Identifier: BSD-2-Clause */
#include "kept_file.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MAGIC    0x3174706b72747801ull
#define PAGE     4096u
#define SLACK    ((uint64_t)4 << 20) /* bytes that the log may need beside the ring */
#define CPUS_MAX (1u << 16)
#define PATH_LEN 64

/* The first is a service's own (RuntimeDirectory of xtr-flight), which logind leaves alone. */
static const char *const dirs[] = { "/run/xtr", "/dev/shm" };

const char *xtr_kept_dir(uint32_t dir)
{
	return dir && dir <= ARRAY_LEN(dirs) ? dirs[dir - 1] : NULL;
}

static void path_of(char path[PATH_LEN], uint32_t dir, uint64_t id)
{
	snprintf(path, PATH_LEN, "%s/xtr-%016" PRIx64, xtr_kept_dir(dir), id);
}

static uint64_t round_up(uint64_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

static uint64_t head_bytes(uint32_t n_cpus)
{
	return round_up(sizeof(struct xtr_kept_head) +
			(uint64_t)n_cpus * sizeof(struct xtr_kept_cpu));
}

static uint64_t log_at(const struct xtr_kept_file *k)
{
	return xtr_kept_ring_at(k) + round_up(k->head->ring_bytes);
}

uint64_t xtr_kept_ring_at(const struct xtr_kept_file *k)
{
	return k->head_bytes;
}

/* In a directory of somebody else's, names are not safe unless it is everybody's and sticky. */
static int check_dir(const char *dir, uint64_t need)
{
	struct statfs fs;
	struct stat st;

	if (stat(dir, &st) || statfs(dir, &fs))
		return -errno;
	if ((unsigned long)fs.f_type != TMPFS_MAGIC ||
	    (st.st_uid != geteuid() && !(st.st_mode & S_ISVTX)))
		return -ENODEV;
	return (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize < need ? -ENOSPC : 0;
}

static int check_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_FSIZE, &lim))
		return -errno;
	return lim.rlim_cur == RLIM_INFINITY ? 0 : -EFBIG;
}

static int map_head(struct xtr_kept_file *k, int prot)
{
	void *p = mmap(NULL, (size_t)k->head_bytes, prot, MAP_SHARED, k->fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	k->head = p;
	return 0;
}

int xtr_kept_new(struct xtr_kept_file *k, uint32_t dir, uint64_t id, size_t ring_bytes,
		 uint32_t n_cpus)
{
	char path[PATH_LEN];
	int err;

	*k = (struct xtr_kept_file){ .fd = -1, .head_bytes = head_bytes(n_cpus) };
	if (!xtr_kept_dir(dir) || !n_cpus || n_cpus > CPUS_MAX)
		return -EINVAL;
	path_of(path, dir, id);
	err = check_dir(xtr_kept_dir(dir), k->head_bytes + round_up(ring_bytes) + SLACK);
	if (!err)
		err = check_limit();
	if (err)
		return err;
	k->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (k->fd < 0)
		return -errno;
	if (fchmod(k->fd, 0600) ||
	    ftruncate(k->fd, (off_t)(k->head_bytes + round_up(ring_bytes))) ||
	    fallocate(k->fd, 0, 0, (off_t)k->head_bytes))
		err = -errno;
	if (!err)
		err = map_head(k, PROT_READ | PROT_WRITE);
	if (err) {
		xtr_kept_close(k);
		unlink(path);
		return err;
	}
	k->head->ring_bytes = ring_bytes;
	k->head->n_cpus = n_cpus;
	k->head->magic = MAGIC;
	return 0;
}

/* Who else could write to it may change it while it is read. */
static int check_file(int fd, uint64_t *bytes)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*bytes = (uint64_t)st.st_size;
	if (!S_ISREG(st.st_mode))
		return -EBADMSG;
	return st.st_uid == geteuid() && !(st.st_mode & 077) ? 0 : -EACCES;
}

static bool fits(const struct xtr_kept_file *k, uint64_t bytes)
{
	const struct xtr_kept_head *h = k->head;

	return h->magic == MAGIC && h->which < 2 && h->ring_bytes <= bytes &&
	       head_bytes(h->n_cpus) <= bytes - h->ring_bytes;
}

int xtr_kept_open(struct xtr_kept_file *k, uint32_t dir, uint64_t id)
{
	char path[PATH_LEN];
	uint64_t bytes = 0;
	int err;

	*k = (struct xtr_kept_file){ .fd = -1, .head_bytes = sizeof(struct xtr_kept_head) };
	if (!xtr_kept_dir(dir))
		return -EBADMSG;
	path_of(path, dir, id);
	k->fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (k->fd < 0)
		return -errno;
	err = check_file(k->fd, &bytes);
	if (!err && bytes < k->head_bytes)
		err = -EBADMSG;
	if (!err)
		err = map_head(k, PROT_READ);
	if (!err && !fits(k, bytes))
		err = -EBADMSG;
	if (!err) {
		const uint64_t all = head_bytes(k->head->n_cpus);

		munmap(k->head, (size_t)k->head_bytes);
		k->head = NULL;
		k->head_bytes = all;
		err = map_head(k, PROT_READ);
	}
	if (err)
		xtr_kept_close(k);
	return err;
}

void xtr_kept_close(struct xtr_kept_file *k)
{
	if (k->head)
		munmap(k->head, (size_t)k->head_bytes);
	if (k->fd >= 0)
		close(k->fd);
	*k = (struct xtr_kept_file){ .fd = -1 };
}

int xtr_kept_remove(uint64_t id)
{
	char path[PATH_LEN];
	struct stat st;
	int err = 0;

	for (uint32_t dir = 1; xtr_kept_dir(dir); dir++) {
		path_of(path, dir, id);
		if (lstat(path, &st) || !S_ISREG(st.st_mode))
			continue;
		if (unlink(path) && errno != ENOENT)
			err = -errno;
	}
	return err;
}

/* --- state ------------------------------------------------------------------------------------ */

const struct xtr_kept_state *xtr_kept_state(const struct xtr_kept_file *k)
{
	return &k->head->state[k->head->which];
}

/* What the state that holds says of its CPU goes to its place first: that changes nothing. */
void xtr_kept_publish(struct xtr_kept_file *k, const struct xtr_kept_state *next)
{
	struct xtr_kept_head *h = k->head;
	const struct xtr_kept_state *was = &h->state[h->which];

	h->cpus[was->cpu] = was->of;
	h->state[!h->which] = *next;
	__atomic_store_n(&h->which, !h->which, __ATOMIC_SEQ_CST);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

struct xtr_kept_cpu xtr_kept_cpu(const struct xtr_kept_file *k, uint32_t cpu)
{
	const struct xtr_kept_state *s = xtr_kept_state(k);
	const struct xtr_kept_cpu *c = s->cpu == cpu ? &s->of : &k->head->cpus[cpu];

	if (c->piece == s->piece)
		return *c;
	return (struct xtr_kept_cpu){ .piece = s->piece };
}

/* --- log -------------------------------------------------------------------------------------- */

static bool write_all(int fd, const uint8_t *p, size_t n, uint64_t at)
{
	while (n) {
		ssize_t done = pwrite(fd, p, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return true;
}

void xtr_kept_log(struct xtr_kept_file *k, const void *chunk, size_t n, bool meta)
{
	struct xtr_kept_state next = *xtr_kept_state(k);

	if (meta && k->head->meta_bytes)
		return;
	if (!write_all(k->fd, chunk, n, log_at(k) + next.log_to)) {
		k->head->names_lost = 1;
		return;
	}
	next.log_to += n;
	if (meta)
		next.log_from = k->head->meta_bytes = next.log_to;
	xtr_kept_publish(k, &next);
}

void xtr_kept_log_cut(struct xtr_kept_file *k, uint64_t before)
{
	uint64_t first = round_up(log_at(k) + k->head->meta_bytes);
	uint64_t end = (log_at(k) + before) / PAGE * PAGE;

	if (end > first)
		(void)!fallocate(k->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
				 (off_t)(end - first));
}

int xtr_kept_log_read(const struct xtr_kept_file *k, uint64_t at, void *buf, size_t n)
{
	ssize_t done = pread(k->fd, buf, n, (off_t)(log_at(k) + at));

	if (done < 0)
		return -errno;
	return (size_t)done == n ? 0 : -EBADMSG;
}

uint32_t xtr_kept_put_clock(struct xtr_kept_file *k, const struct xtr_chunk *c,
			    const uint8_t *stored)
{
	uint32_t which = xtr_kept_state(k)->clock == 1 ? 2 : 1;

	if (c->stored_len > XTR_KEPT_CLOCK)
		return 0;
	k->head->clock[which - 1].c = *c;
	memcpy(k->head->clock[which - 1].data, stored, c->stored_len);
	return which;
}
