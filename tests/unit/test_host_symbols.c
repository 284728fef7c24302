/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of addresses in this very process. */
#include "recorder/host/symbols.h"
#include "recorder/host/proc_task.h"
#include "symbols/debug_files.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct xtr_symbols *symbols;

static void open_symbols(void)
{
	symbols = xtr_symbols_new();
	cr_assert(symbols);
}

static void close_symbols(void)
{
	xtr_symbols_free(symbols);
}

TestSuite(host_symbols, .init = open_symbols, .fini = close_symbols);

static struct xtr_program myself(void)
{
	struct xtr_program p = { .pid = (uint32_t)getpid(), .start = 1, .exec = 1 };
	char text[XTR_PROC_STAT_MAX];

	cr_assert(xtr_proc_stat("/proc/self/stat", text));
	cr_assert(xtr_image_of_stat(text, &p.image));
	return p;
}

static uint64_t mine(void)
{
	return (uint64_t)(uintptr_t)&open_symbols;
}

Test(host_symbols, a_function_of_this_program)
{
	struct xtr_program p = myself();
	struct xtr_symbol s;

	xtr_symbols_find(symbols, &p, mine() + 1, &s);
	cr_expect(strstr(s.module, "/unit/"), "%s", s.module);
#ifdef HAVE_LIBDW
	cr_expect_str_eq(s.name, "open_symbols");
	cr_expect_eq(s.offset, 1);
	cr_expect(xtr_is_build_id(s.build_id), "%s", s.build_id);
#endif
}

/* A stack that was taken while the kernel still put the program into its place. */
Test(host_symbols, a_program_whose_image_was_half_there)
{
	struct xtr_program p = myself(), half = p;
	struct xtr_symbol s;

	half.image.start_brk = 0;
	xtr_symbols_find(symbols, &half, mine(), &s);
	cr_expect_str_eq(s.module, "", "it is another program");
	xtr_symbols_find(symbols, &p, mine(), &s);
	cr_expect(strstr(s.module, "/unit/"), "%s", s.module);
	xtr_symbols_find(symbols, &half, mine(), &s);
	cr_expect_str_eq(s.module, "", "what was known is of another program");
}

/* Linkers map object files: libdwfl asks where the sections of such a file lie. */
Test(host_symbols, an_object_file_that_is_mapped)
{
	char self[512] = "", path[600];
	struct xtr_program p = myself();
	struct xtr_symbol s;
	char *at;
	int fd;

	cr_assert(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	at = strstr(self, "/unit/");
	cr_assert(at);
	*at = 0;
	snprintf(path, sizeof(path), "%s/tests/unit/test_host_symbols.o", self);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert(fd >= 0, "%s", path);
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	cr_assert(at != MAP_FAILED);
	xtr_symbols_find(symbols, &p, (uint64_t)(uintptr_t)at + 64, &s);
	cr_expect(strstr(s.module, "test_host_symbols.o"), "%s", s.module);
	munmap(at, 4096);
	close(fd);
}
