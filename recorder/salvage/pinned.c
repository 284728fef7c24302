/* SPDX-License-Identifier: BSD-2-Clause */
#include "pinned.h"
#include "recorder/attach/attach.h"
#include "recorder/drain/open_pieces.h"
#include "recorder/host/util.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "xtr.skel.h"

static const char *const names[] = { "ctl", "counts", "cpus", "totals", "ops" };

static int fd_of(const struct xtr_bpf *b, size_t i)
{
	const struct bpf_map *const maps[ARRAY_LEN(names)] = {
		b->skel->maps.xtr_ctl,    b->skel->maps.xtr_counts, b->skel->maps.xtr_cpus,
		b->skel->maps.xtr_totals, b->skel->maps.xtr_ops,
	};

	return bpf_map__fd(maps[i]);
}

static void prog_name(char name[24], uint32_t slot)
{
	snprintf(name, 24, "prog_%u", slot);
}

static void ring_name(char name[24], uint32_t cpu)
{
	snprintf(name, 24, "ring_%u", cpu);
}

/* One by one: out of the map of all of them, rings can be opened with CAP_SYS_ADMIN only. */
static int put_rings(const struct xtr_pin *pin, const struct xtr_bpf *b)
{
	char name[24];
	int err = 0;

	for (uint32_t i = 0; i < b->n_cpus && !err; i++) {
		ring_name(name, i);
		err = xtr_pin_put(pin, name, b->rings[i].fd);
	}
	return err;
}

/* The kernel's count of what it skipped lives with the program. */
static int put_programs(const struct xtr_pin *pin, const struct xtr_bpf *b)
{
	char name[24];
	int err = 0, fd;

	for (uint32_t slot = 0; slot < XTR_SLOT_GENERIC && !err; slot++) {
		fd = xtr_bpf_counted_prog(b, slot);
		prog_name(name, slot);
		if (fd >= 0)
			err = xtr_pin_put(pin, name, fd);
	}
	return err;
}

/* All or nothing. */
static int put_all(struct xtr_pin *pin, const struct xtr_bpf *b, const struct xtr_persistent *k)
{
	int err = k->fd < 0 ? -ENOMEM : put_programs(pin, b);

	if (!err)
		err = put_rings(pin, b);
	for (size_t i = 0; i < ARRAY_LEN(names) && !err; i++)
		err = xtr_pin_put(pin, names[i], fd_of(b, i));
	if (!err)
		err = xtr_pin_put(pin, XTR_PINNED_KEEP, k->fd);
	if (err)
		xtr_pin_remove(pin, XTR_PINNED_KEEP);
	return err;
}

/* From the root, as whoever looks for it is elsewhere; cut if it is too long. */
static void set_output(struct xtr_persistent_head *h, const char *path)
{
	char *dir = path[0] == '/' || strcmp(path, "-") == 0 ? NULL : getcwd(NULL, 0);

	snprintf(h->output, sizeof(h->output), "%s%s%s", dir ? dir : "", dir ? "/" : "", path);
	free(dir);
}

/* done: nothing has been recorded so far. */
static void describe(struct xtr_persistent *k, struct xtr_bpf *b, const struct xtr_selection *sel,
		     const struct xtr_pinned_about *about)
{
	struct xtr_persistent_head *h = k->head;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	h->n_dynamic = sel->n_dynamic;
	h->n_total_sets = b->n_total_sets;
	h->ring_bytes = b->ring_bytes;
	h->ctl_bytes = b->ctl.size;
	h->pid = (uint64_t)getpid();
	h->began = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
	h->hashed = about->key != NULL;
	if (about->key)
		h->key = *about->key;
	h->done = 1;
	set_output(h, about->output);
	xtr_open_begin(k,
		       &(struct xtr_open_piece){ .file_id = about->file_id,
						 .says.number = about->in_pieces },
		       XTR_OPEN_ONE);
	for (size_t i = 0; i < sel->n_generics; i++)
		k->generics[i] = sel->generics[i]->cfg;
	for (size_t i = 0; i < sel->n_probes; i++) {
		k->probes[2 * i] = sel->probes[i]->entry.cfg;
		k->probes[2 * i + 1] = sel->probes[i]->ret.cfg;
	}
	b->misses_before = h->misses;
}

int xtr_pinned_new(struct xtr_pin *pin, struct xtr_persistent *k, struct xtr_bpf *b,
		   const struct xtr_selection *sel, const struct xtr_pinned_about *about,
		   const char **why)
{
	const struct xtr_persistent_size size = { .n_cpus = b->n_cpus,
						  .n_slots = b->n_slots,
						  .n_generics = (uint32_t)sel->n_generics,
						  .n_probes = (uint32_t)sel->n_probes,
						  .n_bufs = about->n_bufs,
						  .page_bytes = about->page_bytes,
						  .in_pieces = about->in_pieces };
	int pinned = b->skel ? xtr_pin_new(pin, about->file_id) : -ENOTSUP;
	int err = xtr_persistent_new(k, &size, !pinned);

	if (err)
		return err;
	describe(k, b, sel, about);
	if (!pinned)
		pinned = put_all(pin, b, k);
	*why = !pinned             ? NULL
	       : pinned == -ENODEV ? "no BPF file system is mounted at " XTR_PIN_ROOT
	       : !b->skel          ? "no BPF here, in which memory could be pinned"
				   : strerrordesc_np(-pinned);
	return 0;
}

/* --- what was left ---------------------------------------------------------------------------- */

static int check_map(int fd, uint32_t type, uint64_t entries, uint64_t value)
{
	struct bpf_map_info info = { 0 };
	uint32_t n = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &n))
		return -errno;
	return info.type == type && info.max_entries == entries && info.value_size == value
		       ? 0
		       : -EBADMSG;
}

/* An array of structures, read-only. */
static int get_array(const struct xtr_pin *pin, const char *name, uint64_t entries, uint64_t value,
		     void **at)
{
	int fd = xtr_pin_get(pin, name), err;
	void *p;

	if (fd < 0)
		return fd;
	err = check_map(fd, BPF_MAP_TYPE_ARRAY, entries, value);
	if (!err) {
		p = mmap(NULL, entries * value, PROT_READ, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			err = -errno;
		else
			*at = p;
	}
	close(fd);
	return err;
}

/* A copy: what the trace ring has lost is added to it. */
static int get_counts(struct xtr_bpf *b, const struct xtr_pin *pin)
{
	size_t n = (size_t)b->n_cpus * b->n_slots, bytes = n * sizeof(*b->counts);
	void *mapped = NULL;
	int err = get_array(pin, "counts", n, sizeof(*b->counts), &mapped);

	if (err || !mapped || !n)
		return err ? err : -EBADMSG;
	b->counts = calloc(n, sizeof(*b->counts));
	if (b->counts)
		memcpy(b->counts, mapped, bytes);
	munmap(mapped, bytes);
	return b->counts ? 0 : -ENOMEM;
}

static int get_ring(struct xtr_ringbuf *r, int fd, uint64_t bytes)
{
	int err = check_map(fd, BPF_MAP_TYPE_RINGBUF, bytes, 0);

	if (!err)
		err = xtr_ringbuf_map(r, fd, bytes);
	if (err)
		close(fd);
	return err;
}

static int get_rings(struct xtr_bpf *b, const struct xtr_pin *pin, const struct xtr_persistent *k)
{
	int fd = xtr_pin_get(pin, "ctl"), err;
	char name[24];

	err = fd < 0 ? fd : get_ring(&b->ctl, fd, k->head->ctl_bytes);
	for (uint32_t i = 0; i < b->n_cpus && !err; i++) {
		ring_name(name, i);
		fd = xtr_pin_get(pin, name);
		err = fd < 0 ? fd : get_ring(&b->rings[i], fd, b->ring_bytes);
	}
	return err;
}

int xtr_pinned_get(struct xtr_bpf *b, const struct xtr_pin *pin, const struct xtr_persistent *k)
{
	const struct xtr_persistent_size *size = &k->head->size;
	int err;

	*b = (struct xtr_bpf){ .n_cpus = size->n_cpus,
			       .n_slots = size->n_slots,
			       .n_total_sets = k->head->n_total_sets,
			       .ring_bytes = k->head->ring_bytes };
	b->rings = calloc(b->n_cpus, sizeof(*b->rings));
	b->not_run = calloc(b->n_slots, sizeof(*b->not_run));
	if (!b->rings || !b->not_run || xtr_missed_open(&b->missed, b->n_slots))
		return -ENOMEM;
	err = get_rings(b, pin, k);
	if (!err)
		err = get_counts(b, pin);
	if (!err)
		err = get_array(pin, "cpus", b->n_cpus, sizeof(*b->cpus), (void **)&b->cpus);
	if (!err)
		err = get_array(pin, "totals", b->n_total_sets, sizeof(*b->totals),
				(void **)&b->totals);
	return err;
}

static void free_ring(struct xtr_ringbuf *r)
{
	if (!r->size)
		return;
	xtr_ringbuf_unmap(r);
	close(r->fd);
}

void xtr_pinned_free(struct xtr_bpf *b)
{
	for (uint32_t i = 0; b->rings && i < b->n_cpus; i++)
		free_ring(&b->rings[i]);
	free_ring(&b->ctl);
	free(b->counts);
	if (b->cpus)
		munmap(b->cpus, b->n_cpus * sizeof(*b->cpus));
	if (b->totals)
		munmap(b->totals, b->n_total_sets * sizeof(*b->totals));
	free(b->rings);
	free(b->not_run);
	xtr_missed_close(&b->missed);
	*b = (struct xtr_bpf){ 0 };
}

void xtr_pinned_misses(struct xtr_bpf *b, const struct xtr_pin *pin, const struct xtr_persistent *k)
{
	uint64_t missed, taken;
	char name[24];
	int fd;

	for (uint32_t slot = XTR_SLOT_GENERIC; slot < b->n_slots; slot++)
		b->not_run[slot] = xtr_bpf_not_run(b, slot);
	for (uint32_t slot = 0; slot < XTR_SLOT_GENERIC; slot++) {
		prog_name(name, slot);
		fd = xtr_pin_get(pin, name);
		if (fd < 0)
			continue;
		missed = xtr_bpf_prog_misses(fd) - k->head->misses[slot];
		taken = xtr_bpf_rescued(b, slot);
		b->not_run[slot] = missed > taken ? missed - taken : 0;
		close(fd);
	}
}

int xtr_pinned_ops(const struct xtr_pin *pin, int (*fn)(void *ctx, const struct xtr_ctl_ops *def),
		   void *ctx)
{
	int fd = xtr_pin_get(pin, "ops"), err;
	struct xtr_ctl_ops def = { .h.type = XTR_CTL_OPS, .h.size = sizeof(def) };
	__u64 key, *prev = NULL;

	if (fd < 0)
		return fd;
	err = check_map(fd, BPF_MAP_TYPE_HASH, 1024, sizeof(def.id));
	while (!err && !bpf_map_get_next_key(fd, prev, &key)) {
		prev = &def.ops;
		def.ops = key;
		if (!bpf_map_lookup_elem(fd, &key, &def.id))
			err = fn(ctx, &def);
	}
	close(fd);
	return err;
}
