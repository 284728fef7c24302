/* SPDX-License-Identifier: BSD-2-Clause */
#include "oom.h"

#include <cbor.h>
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <lz4hc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static atomic_uint calls, fail_at, failed;
static atomic_bool sticks;

static bool fails(void)
{
	unsigned int at = atomic_load(&fail_at), n;

	if (!at)
		return false;
	n = atomic_fetch_add(&calls, 1) + 1;
	if (n != at && !(sticks && n > at))
		return false;
	atomic_fetch_add(&failed, 1);
	errno = ENOMEM;
	return true;
}

void oom_at(unsigned int n, bool sticky)
{
	calls = 0;
	failed = 0;
	sticks = sticky;
	fail_at = n;
}

unsigned int oom_end(void)
{
	fail_at = 0;
	return failed;
}

unsigned int oom_each(int (*f)(void *), void *arg, unsigned int spare)
{
	unsigned int tried = 0, spared = 0;

	for (int sticky = 0; sticky < 2; sticky++) {
		for (unsigned int n = 1;; n++) {
			unsigned int hit;
			int ret;

			oom_at(n, sticky);
			ret = f(arg);
			hit = oom_end();
			spared += hit && !ret;
			cr_assert(ret == 0 || (hit && ret == -ENOMEM), "allocation %u: %d", n, ret);
			if (!hit)
				break;
			tried++;
		}
	}
	cr_assert(le(u32, spared, spare), "allocations that the code can do without");
	return tried;
}

/* The linker puts __wrap_NAME in the place of NAME, and NAME in that of __real_NAME (ld, --wrap).
 */
#define WRAP(ret, name, params, args, none)                   \
	ret __real_##name params;                             \
	ret __wrap_##name params;                             \
	ret __wrap_##name params                              \
	{                                                     \
		return fails() ? (none) : __real_##name args; \
	}

WRAP(void *, malloc, (size_t n), (n), NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAP(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size), NULL)
WRAP(char *, strdup, (const char *s), (s), NULL)
WRAP(char *, strndup, (const char *s, size_t n), (s, n), NULL)
WRAP(cbor_item_t *, cbor_load, (cbor_data data, size_t n, struct cbor_load_result *r), (data, n, r),
     NULL)
WRAP(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *arg),
     (t, a, f, arg), EAGAIN)

/* These allocate by themselves, and say so in these ways. */
WRAP(int, LZ4_compress_HC, (const char *in, char *out, int n, int cap, int level),
     (in, out, n, cap, level), 0)
WRAP(int, LZ4_compress_HC_extStateHC,
     (void *state, const char *in, char *out, int n, int cap, int level),
     (state, in, out, n, cap, level), 0)
#ifdef HAVE_ZSTD
WRAP(ZSTD_CCtx *, ZSTD_createCCtx, (void), (), NULL)
WRAP(ZSTD_DCtx *, ZSTD_createDCtx, (void), (), NULL)
#endif

int __wrap_asprintf(char **s, const char *format, ...);
int __wrap___asprintf_chk(char **s, int flag, const char *format, ...);

int __wrap_asprintf(char **s, const char *format, ...)
{
	va_list args;
	int n;

	if (fails())
		return -1;
	va_start(args, format);
	n = vasprintf(s, format, args);
	va_end(args);
	return n;
}

/* What -D_FORTIFY_SOURCE makes of it. */
int __wrap___asprintf_chk(char **s, int flag, const char *format, ...)
{
	va_list args;
	int n;

	(void)flag;
	if (fails())
		return -1;
	va_start(args, format);
	n = vasprintf(s, format, args);
	va_end(args);
	return n;
}
