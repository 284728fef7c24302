/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands before the C library's allocator, for the program and every library that it is linked
 * with, and counts what is held: bytes that could be used, not those that were asked for.
 */
#include "weigh.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void __libc_free(void *p);

static atomic_llong held, peak;
static long long held_at_begin;
static uint64_t cpu_at_begin;

static void grew(void *p)
{
	long long now, most;

	if (!p)
		return;
	now = atomic_fetch_add(&held, (long long)malloc_usable_size(p)) +
	      (long long)malloc_usable_size(p);
	most = atomic_load(&peak);
	while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
		;
}

static void shrank(void *p)
{
	if (p)
		atomic_fetch_sub(&held, (long long)malloc_usable_size(p));
}

void *malloc(size_t n)
{
	void *p = __libc_malloc(n);

	grew(p);
	return p;
}

void *calloc(size_t n, size_t size)
{
	void *p = __libc_calloc(n, size);

	grew(p);
	return p;
}

/* While a block moves both are there: the C library may copy. */
void *realloc(void *old, size_t n)
{
	long long before = old ? (long long)malloc_usable_size(old) : 0;
	void *p = __libc_realloc(old, n);

	if (!p && n)
		return NULL;
	grew(p);
	atomic_fetch_sub(&held, before);
	return p;
}

void *memalign(size_t align, size_t n)
{
	void *p = __libc_memalign(align, n);

	grew(p);
	return p;
}

void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
	void *p = memalign(align, n);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void free(void *p)
{
	shrank(p);
	__libc_free(p);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void weigh_begin(void)
{
	held_at_begin = atomic_load(&held);
	atomic_store(&peak, held_at_begin);
	cpu_at_begin = cpu_ns();
}

struct weight weigh_end(void)
{
	return (struct weight){ (size_t)(atomic_load(&peak) - held_at_begin),
				cpu_ns() - cpu_at_begin };
}
