/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * malloc and its relatives for the whole process, libraries included: each counts and may fail.
 * The memory is the C library's, or the sanitizer's.
 */
#include "inject.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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
static uintptr_t linker_begin, linker_end;

/* The dynamic linker's own blocks stay: those of threads, which the C library keeps for later ones.
 */
#define OF_LINKER() \
	((uintptr_t)__builtin_return_address(0) - linker_begin < linker_end - linker_begin)

static int find_linker(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uintptr_t base = getauxval(AT_BASE), end;

	(void)size;
	(void)ctx;
	for (int i = 0; info->dlpi_addr == base && i < info->dlpi_phnum; i++) {
		end = base + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		linker_begin = base;
		linker_end = end > linker_end ? end : linker_end;
	}
	return 0;
}

void inject_find_linker(void)
{
	dl_iterate_phdr(find_linker, NULL);
}

EARLY static void *made(void *p, bool of_linker)
{
	if (p && !of_linker)
		__atomic_add_fetch(&inject_live, 1, __ATOMIC_RELAXED);
	return p;
}

/* Inlined: a strike's stack has inject_struck, inject_alloc, malloc and then CALLER. */
EARLY static inline __attribute__((always_inline)) bool fails(const void *from)
{
	if (!inject_armed() || !inject_alloc(from))
		return false;
	errno = ENOMEM;
	return true;
}

EARLY void *malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : made(REAL(malloc)(n), OF_LINKER());
}

EARLY void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : made(REAL(calloc)(n, size), OF_LINKER());
}

EARLY void free(void *p)
{
	if (p && !OF_LINKER())
		__atomic_sub_fetch(&inject_live, 1, __ATOMIC_RELAXED);
	REAL(free)(p);
}

EARLY void *realloc(void *p, size_t n)
{
	void *q;

	if (p && !n) {
		free(p);
		return NULL;
	}
	if (fails(__builtin_return_address(0)))
		return NULL;
	q = REAL(realloc)(p, n);
	return p ? q : made(q, false);
}

EARLY void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, all);
}

EARLY void *memalign(size_t align, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL
						  : made(REAL(memalign)(align, n), OF_LINKER());
}

EARLY void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

EARLY int posix_memalign(void **p, size_t align, size_t n)
{
	void *q = memalign(align, n);

	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

#ifdef __SANITIZE_ADDRESS__
/* The sanitizer's own would not come here. */
char *strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = malloc(len + 1);

	if (copy) {
		memcpy(copy, s, len);
		copy[len] = '\0';
	}
	return copy;
}

char *strdup(const char *s)
{
	return strndup(s, strlen(s));
}
#endif
