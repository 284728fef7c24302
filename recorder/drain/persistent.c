/* SPDX-License-Identifier: BSD-2-Clause */
#include "persistent.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNIT      4096u /* bytes of one value of the map */
#define BYTES_MAX (4ull << 30)

/* Where the parts stand. */
struct layout {
	uint64_t spoilt, unwritten, lost[2], begun[2], generics, probes, pages, bufs, buf_bytes,
		all;
};

static uint64_t round_up(uint64_t n)
{
	return (n + UNIT - 1) / UNIT * UNIT;
}

size_t xtr_persistent_n_lost(const struct xtr_persistent_size *s)
{
	return ((size_t)s->n_cpus * XTR_LOST_CAUSES + 1) * s->n_slots;
}

/* No part can overflow: all counts are 32 bits wide. */
static struct layout lay_out(const struct xtr_persistent_size *s)
{
	uint64_t counters = (uint64_t)s->n_cpus * s->n_slots * sizeof(uint64_t);
	uint64_t lost = s->in_pieces * xtr_persistent_n_lost(s) * sizeof(uint64_t);
	uint64_t begun = (uint64_t)s->in_pieces * s->n_cpus * sizeof(struct xtr_gap_begun);
	struct layout l;

	l.spoilt = round_up(sizeof(struct xtr_persistent_head));
	l.unwritten = l.spoilt + counters;
	l.lost[0] = l.unwritten + counters;
	l.lost[1] = l.lost[0] + lost;
	l.begun[0] = l.lost[1] + lost;
	l.begun[1] = l.begun[0] + begun;
	l.generics = l.begun[1] + begun;
	l.probes = l.generics + (uint64_t)s->n_generics * sizeof(struct xtr_generic_cfg);
	l.pages = round_up(l.probes + 2ull * s->n_probes * sizeof(struct xtr_probe_cfg));
	l.bufs = l.pages;
	if (s->page_bytes)
		l.bufs += round_up((uint64_t)s->n_cpus * xtr_page_slot_bytes(s->page_bytes));
	l.buf_bytes = round_up(sizeof(struct xtr_ring_batch));
	l.all = l.bufs + l.buf_bytes * s->n_bufs;
	return l;
}

static bool sane(const struct xtr_persistent_size *s)
{
	return s->n_cpus && s->n_cpus <= 1u << 16 && s->n_slots <= 1u << 16 &&
	       s->n_generics <= XTR_DYNAMIC_MAX && s->n_probes <= XTR_DYNAMIC_MAX &&
	       s->n_bufs <= 1u << 18 && s->page_bytes <= XTR_RING_PAGE_MAX && s->in_pieces <= 1;
}

size_t xtr_persistent_bytes(const struct xtr_persistent_size *size)
{
	struct layout l;

	if (!sane(size))
		return 0;
	l = lay_out(size);
	return l.all <= BYTES_MAX ? (size_t)l.all : 0;
}

/* Memory of the process is there at once: it shall not grow for as long as there is a worse moment.
 */
static int map_area(struct xtr_persistent *k, int flags)
{
	void *p;

	if (k->fd < 0)
		flags |= MAP_POPULATE;
	p = mmap(NULL, k->bytes, PROT_READ | PROT_WRITE, flags, k->fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	k->head = p;
	return 0;
}

static void set_parts(struct xtr_persistent *k)
{
	struct layout l = lay_out(&k->head->size);
	uint8_t *at = (uint8_t *)k->head;

	k->spoilt = (uint64_t *)(void *)(at + l.spoilt);
	k->unwritten = (uint64_t *)(void *)(at + l.unwritten);
	for (int i = 0; i < 2 && k->head->size.in_pieces; i++) {
		k->lost[i] = (uint64_t *)(void *)(at + l.lost[i]);
		k->begun[i] = (struct xtr_gap_begun *)(void *)(at + l.begun[i]);
	}
	k->generics = (struct xtr_generic_cfg *)(void *)(at + l.generics);
	k->probes = (struct xtr_probe_cfg *)(void *)(at + l.probes);
	k->pages = k->head->size.page_bytes ? at + l.pages : NULL;
	k->bufs = at + l.bufs;
}

int xtr_persistent_new(struct xtr_persistent *k, const struct xtr_persistent_size *size,
		       bool pinnable)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int err;

	*k = (struct xtr_persistent){ .fd = -1, .bytes = xtr_persistent_bytes(size) };
	if (!k->bytes)
		return -E2BIG;
	if (pinnable)
		k->fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "xtr_persistent", sizeof(uint32_t), UNIT,
				       (uint32_t)(k->bytes / UNIT), &opts);
	if (k->fd < 0)
		k->fd = -1;
	err = map_area(k, k->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
	if (err) {
		xtr_persistent_close(k);
		return err;
	}
	k->head->size = *size;
	k->head->magic = XTR_PERSISTENT_MAGIC;
	set_parts(k);
	return 0;
}

int xtr_persistent_open(struct xtr_persistent *k, int fd)
{
	struct bpf_map_info info = { 0 };
	uint32_t n = sizeof(info);
	int err = 0;

	*k = (struct xtr_persistent){ .fd = fd };
	if (bpf_obj_get_info_by_fd(fd, &info, &n))
		err = -errno;
	else if (info.type != BPF_MAP_TYPE_ARRAY || info.value_size != UNIT)
		err = -EBADMSG;
	k->bytes = (size_t)info.max_entries * UNIT;
	if (!err)
		err = map_area(k, MAP_SHARED);
	if (!err && (k->head->magic != XTR_PERSISTENT_MAGIC ||
		     xtr_persistent_bytes(&k->head->size) != k->bytes))
		err = -EBADMSG;
	if (err)
		xtr_persistent_close(k);
	else
		set_parts(k);
	return err;
}

void xtr_persistent_close(struct xtr_persistent *k)
{
	if (k->head)
		munmap(k->head, k->bytes);
	if (k->fd >= 0 && k->bytes)
		close(k->fd);
	*k = (struct xtr_persistent){ .fd = -1 };
}

struct xtr_page_slot *xtr_persistent_slot(const struct xtr_persistent *k, uint32_t cpu)
{
	size_t each = xtr_page_slot_bytes(k->head->size.page_bytes);

	return (struct xtr_page_slot *)(void *)(k->pages + each * cpu);
}

struct xtr_ring_batch *xtr_persistent_buf(const struct xtr_persistent *k, uint32_t i)
{
	return (struct xtr_ring_batch *)(void *)(k->bufs +
						 round_up(sizeof(struct xtr_ring_batch)) * i);
}

/* The note is whole before it is armed; what it says is done any number of times with one result.
 */
void xtr_persistent_count(struct xtr_persistent *k, bool unwritten, size_t place, uint32_t i,
			  uint32_t end)
{
	uint64_t *counter = unwritten ? &k->unwritten[place] : &k->spoilt[place];
	struct xtr_persistent_redo *redo = &k->head->redo;

	redo->counter = (uint64_t)(counter - k->spoilt);
	redo->value = *counter + 1;
	redo->buf = i;
	redo->counted = end;
	__atomic_store_n(&redo->armed, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(counter, redo->value, __ATOMIC_SEQ_CST);
	__atomic_store_n(&xtr_persistent_buf(k, i)->counted, end, __ATOMIC_SEQ_CST);
	__atomic_store_n(&redo->armed, 0, __ATOMIC_SEQ_CST);
}
