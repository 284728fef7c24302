/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * malloc and its relatives for the whole process, libraries included: each counts and may fail.
 * The memory is the C library's, or the sanitizer's.
 */
#include "inject.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define REAL(name) __interceptor_##name
#else
#define REAL(name) __libc_##name
#endif

void *REAL(malloc)(size_t n);
void *REAL(calloc)(size_t n, size_t size);
void *REAL(realloc)(void *p, size_t n);
void *REAL(memalign)(size_t align, size_t n);
void REAL(free)(void *p);

int64_t inject_live;
struct range inject_linker;

/* The dynamic linker's own blocks stay: those of threads, which the C library keeps for later ones.
 */
#define OF_LINKER()                                                     \
	((uintptr_t)__builtin_return_address(0) - inject_linker.begin < \
	 inject_linker.end - inject_linker.begin)

static void *made(void *p, bool of_linker)
{
	if (p && !of_linker)
		__atomic_add_fetch(&inject_live, 1, __ATOMIC_RELAXED);
	return p;
}

static bool fails(void)
{
	if (!inject || !inject->armed || !inject_alloc())
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return fails() ? NULL : made(REAL(malloc)(n), OF_LINKER());
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : made(REAL(calloc)(n, size), OF_LINKER());
}

void free(void *p)
{
	if (p && !OF_LINKER())
		__atomic_sub_fetch(&inject_live, 1, __ATOMIC_RELAXED);
	REAL(free)(p);
}

void *realloc(void *p, size_t n)
{
	void *q;

	if (p && !n) {
		free(p);
		return NULL;
	}
	if (fails())
		return NULL;
	q = REAL(realloc)(p, n);
	return p ? q : made(q, false);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

void *memalign(size_t align, size_t n)
{
	return fails() ? NULL : made(REAL(memalign)(align, n), OF_LINKER());
}

void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	void *q = memalign(align, n);

	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}
