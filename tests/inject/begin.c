/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads and processes: their system calls cannot be done from a signal handler, so the functions
 * fail instead.
 */
#include "inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int err = inject_call(CALL_THREAD, __builtin_return_address(0));

	if (err)
		return err;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	return real(thread, attr, run, arg);
}

pid_t fork(void)
{
	static pid_t (*real)(void);
	int err = inject_call(CALL_FORK, __builtin_return_address(0));

	if (err) {
		errno = err;
		return -1;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fork");
	return real();
}
