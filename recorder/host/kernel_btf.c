/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module's types continue those of vmlinux: type ids count on from its last one, string offsets
 * from the end of its strings (Documentation/bpf/btf.rst, split BTF). So types behind types and
 * strings behind strings, under a new header, are one whole BTF.
 */
#include "kernel_btf.h"
#include "util.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define VMLINUX   "/sys/kernel/btf/vmlinux"
#define SCHED     "/sys/kernel/btf/gpu_sched"
#define BTF_BYTES (256u << 20) /* more is no BTF */

struct blob {
	char *data;
	struct btf_header h;
};

/* [off, off + len) behind the header lies within n bytes. */
static bool within(const struct btf_header *h, uint32_t off, uint32_t len, size_t n)
{
	return (uint64_t)h->hdr_len + off + len <= n;
}

static int read_btf(const char *path, struct blob *b)
{
	size_t n;
	int err = xtr_read_file(path, BTF_BYTES, &b->data, &n);

	if (err)
		return err;
	if (n < sizeof(b->h))
		return -EINVAL;
	memcpy(&b->h, b->data, sizeof(b->h));
	if (b->h.magic != BTF_MAGIC || b->h.hdr_len < sizeof(b->h) ||
	    !within(&b->h, b->h.type_off, b->h.type_len, n) ||
	    !within(&b->h, b->h.str_off, b->h.str_len, n))
		return -EINVAL;
	return 0;
}

static int put(int fd, const void *data, size_t n)
{
	const char *p = data;
	ssize_t done;

	for (; n; p += done, n -= (size_t)done) {
		done = write(fd, p, n);
		if (done <= 0)
			return done ? -errno : -EIO;
	}
	return 0;
}

static int put_part(int fd, const struct blob *b, uint32_t off, uint32_t len)
{
	return put(fd, b->data + b->h.hdr_len + off, len);
}

static int join(int fd, const struct blob *base, const struct blob *module)
{
	struct btf_header h = base->h;

	h.hdr_len = sizeof(h);
	h.type_off = 0;
	if (__builtin_add_overflow(base->h.type_len, module->h.type_len, &h.type_len) ||
	    __builtin_add_overflow(base->h.str_len, module->h.str_len, &h.str_len))
		return -EOVERFLOW;
	h.str_off = h.type_len;
	return put(fd, &h, sizeof(h)) ?: put_part(fd, base, base->h.type_off, base->h.type_len) ?:
	       put_part(fd, module, module->h.type_off, module->h.type_len) ?:
	       put_part(fd, base, base->h.str_off, base->h.str_len) ?:
	       put_part(fd, module, module->h.str_off, module->h.str_len);
}

static int open_joined(struct xtr_kernel_btf *b)
{
	struct blob base = { 0 }, module = { 0 };
	int err = read_btf(VMLINUX, &base) ?: read_btf(SCHED, &module);

	if (!err) {
		b->fd = memfd_create("xtr-btf", MFD_CLOEXEC);
		err = b->fd < 0 ? -errno : join(b->fd, &base, &module);
	}
	free(base.data);
	free(module.data);
	snprintf(b->path, sizeof(b->path), "/proc/self/fd/%d", b->fd);
	return err;
}

int xtr_kernel_btf_open(struct xtr_kernel_btf *b)
{
	int err;

	*b = (struct xtr_kernel_btf){ .fd = -1, .path = VMLINUX };
	if (access(SCHED, F_OK) != 0)
		return 0;
	err = open_joined(b);
	if (err)
		xtr_kernel_btf_close(b);
	return err;
}

void xtr_kernel_btf_close(struct xtr_kernel_btf *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
}
