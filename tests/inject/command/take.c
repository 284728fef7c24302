/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usage: take FOLDER FILE
 *
 * What a piece is shipped by: a copy of FILE in FOLDER. Only of calls that calls.c lets pass.
 */
#include "bare.h"

#include <fcntl.h>
#include <linux/openat2.h>

enum {
	BLOCK = 1 << 20,
};

static long open_at(long folder, const char *path, unsigned long long flags)
{
	struct open_how how;

	how.flags = flags;
	how.mode = flags & O_CREAT ? 0600 : 0;
	how.resolve = 0;
	return call(SYS_openat2, folder, (long)path, (long)&how, sizeof(how));
}

static const char *base_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

/* The kernel puts the number of arguments, then the arguments on the stack. */
__attribute__((noreturn, used)) static void begin(const long *stack)
{
	char *const *argv = (char *const *)(stack + 1);
	long in, folder, out, n;

	if (stack[0] != 3)
		leave(2);
	in = open_at(AT_FDCWD, argv[2], O_RDONLY);
	folder = open_at(AT_FDCWD, argv[1], O_RDONLY | O_DIRECTORY);
	out = in < 0 || folder < 0
		      ? -1
		      : open_at(folder, base_name(argv[2]), O_WRONLY | O_CREAT | O_TRUNC);
	if (out < 0)
		leave(1);
	do
		n = call(SYS_sendfile, out, in, 0, BLOCK);
	while (n > 0);
	leave(n < 0);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n	mov %rsp, %rdi\n	and $-16, %rsp\n	call begin\n");
#else
__asm__(".globl _start\n_start:\n	mov x0, sp\n	bl begin\n");
#endif
