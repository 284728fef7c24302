/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers from their creation to their first bind, told apart by process and NPU address. */
#include "ivpu_alloc_impl.h"
#include "replay/event/process.h"

#include <stdlib.h>

uint64_t alloc_value(const struct xtr_call *c, const char *field)
{
	uint64_t v;

	return xtr_call_value(c, field, &v) ? v : ALLOC_NOT_KNOWN;
}

int alloc_created(struct allocs *a, const struct xtr_call *c, uint64_t size, uint64_t ns)
{
	uint64_t addr = alloc_value(c, "vpu_addr"), handle = alloc_value(c, "handle");
	uint32_t i;

	if (!addr || addr == ALLOC_NOT_KNOWN || ns == ALLOC_NOT_KNOWN || (c->ret_known && c->ret))
		return 0;
	if (a->n_created == ALLOC_CREATED_MAX) {
		xtr_keymap_free(&a->by_addr);
		a->n_created = 0;
	}
	i = a->n_created++;
	a->created[i] = (struct alloc_buffer){ .at = c->begin_ns,
					       .size = size,
					       .vpu_addr = addr,
					       .create_ns = ns,
					       .handle = (uint32_t)handle,
					       .process = xtr_process(c->pid, c->nth) };
	return xtr_keymap_put(&a->by_addr, a->created[i].process, addr, i);
}

static uint64_t both(const struct alloc_buffer *b)
{
	return b->create_ns + b->bind_ns;
}

/* Into the list: in the place of a faster one if it is full. */
static void keep(struct allocs *a, const struct alloc_buffer *b)
{
	uint32_t i, least = 0;

	if (a->n_buffers < ALLOC_BUFFERS_MAX) {
		a->buffer[a->n_buffers++] = *b;
		return;
	}
	for (i = 1; i < ALLOC_BUFFERS_MAX; i++)
		if (both(&a->buffer[i]) < both(&a->buffer[least]))
			least = i;
	if (both(b) > both(&a->buffer[least]))
		a->buffer[least] = *b;
}

/* A buffer has whole pages, however many bytes were asked for. */
static bool same_pages(const struct allocs *a, uint32_t i, uint64_t size)
{
	uint64_t asked = a->created[i].size;

	return asked == ALLOC_NOT_KNOWN ||
	       asked / ALLOC_NPU_PAGE + !!(asked % ALLOC_NPU_PAGE) ==
		       size / ALLOC_NPU_PAGE + !!(size % ALLOC_NPU_PAGE);
}

void alloc_bound(struct allocs *a, const struct xtr_call *c, uint64_t addr, uint64_t ns,
		 uint64_t *size)
{
	uint64_t process = xtr_process(c->pid, c->nth);
	uint32_t i = xtr_keymap_get(&a->by_addr, process, addr);

	if (i == XTR_KEYMAP_NONE || (*size != ALLOC_NOT_KNOWN && !same_pages(a, i, *size)))
		return;
	a->created[i].bind_ns = ns;
	a->created[i].bind_at = c->begin_ns;
	if (*size == ALLOC_NOT_KNOWN)
		*size = a->created[i].size;
	keep(a, &a->created[i]);
	xtr_keymap_del(&a->by_addr, process, addr);
}

static int slowest_first(const void *pa, const void *pb)
{
	uint64_t a = both(pa), b = both(pb);

	return (a < b) - (a > b);
}

void alloc_sort_buffers(struct allocs *a)
{
	qsort(a->buffer, a->n_buffers, sizeof(*a->buffer), slowest_first);
}
