/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding libraries: in a directory of the test's own with made-up caches and processes. */
#include "recorder/host/ldcache.h"
#include "recorder/host/library_search.h"
#include "recorder/host/mapped.h"

#include "elf_image.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct elf_image_symbol symbols[] = {
	{ "fun", ELF_IMAGE_CODE, 16, STT_FUNC, 1 },
	{ 0 },
};

static char dir[64];
static const char *const no_dirs[] = { NULL };
static struct xtr_library_places places = { .cache = "/nonexistent", .dirs = no_dirs, .proc = "." };

static void set_up(void)
{
	snprintf(dir, sizeof(dir), "/tmp/xtr-library-XXXXXX");
	cr_assert(mkdtemp(dir) != NULL);
	cr_assert(zero(int, chdir(dir)));
}

static void tear_down(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	cr_assert(zero(int, chdir("/")));
	cr_assert(zero(int, system(command)));
}

TestSuite(library, .init = set_up, .fini = tear_down);

static void put(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "w");

	cr_assert(f != NULL, "%s", path);
	cr_assert(eq(sz, fwrite(data, 1, n, f), n));
	fclose(f);
}

static void put_library(const char *path, const char *soname)
{
	size_t n;
	uint8_t *bytes = elf_image(soname, symbols, NULL, &n);

	put(path, bytes, n);
	free(bytes);
}

static struct xtr_library find(const char *name, const struct xtr_library_places *p)
{
	struct xtr_library lib = { .name = name };

	cr_assert(zero(int, xtr_libraries_find(&lib, 1, NULL, 0, p)));
	return lib;
}

Test(library, names)
{
	cr_expect(xtr_library_named("libx.so.1", "libx.so.1"));
	cr_expect(xtr_library_named("libx.so.1.2", "libx.so"));
	cr_expect(not(xtr_library_named("libx.so.1.2", "libx.so.1")));
	cr_expect(not(xtr_library_named("libx.sofa", "libx.so")));
	cr_expect(not(xtr_library_named("liby.so.1", "libx.so")));
}

Test(library, by_path)
{
	struct xtr_library lib;

	put_library("other-name", "libx.so.1");
	put_library("pro:gram", NULL);
	lib = find("./other-name", &places);
	cr_assert(eq(sz, lib.n_files, 1));
	cr_expect(eq(str, lib.files[0].name, "libx.so.1"));
	xtr_libraries_free(&lib, 1);
	lib = find("./pro:gram", &places);
	cr_assert(eq(sz, lib.n_files, 1));
	cr_expect(eq(str, lib.files[0].name, "pro_gram"));
	xtr_libraries_free(&lib, 1);
	lib = find("./nothing", &places);
	cr_assert(eq(sz, lib.n_files, 0));
	cr_expect(eq(str, lib.why, "there is no such file"));
}

Test(library, files_that_are_none_say_so)
{
	struct xtr_library lib;

	put("script", "#!/bin/sh\n", 10);
	cr_assert(zero(int, mkfifo("pipe", 0600)));
	lib = find("./script", &places);
	cr_expect(eq(str, lib.why, "./script: no library or program that can be read"));
	lib = find("./pipe", &places); /* does not wait for a writer */
	cr_expect(eq(sz, lib.n_files, 0));
	lib = find("/dev/zero", &places);
	cr_expect(eq(sz, lib.n_files, 0));
}

Test(library, in_the_path_of_the_environment)
{
	struct xtr_library_places p = places;
	struct xtr_library lib;

	mkdir("a", 0700);
	mkdir("b", 0700);
	put_library("b/libx.so.1.2.3", "libx.so.1");
	cr_assert(zero(int, symlink("libx.so.1.2.3", "b/libx.so.1")));
	cr_assert(zero(int, symlink("libx.so.1", "b/libx.so")));
	p.ld_library_path = "$ORIGIN/c:a:b";
	lib = find("libx.so.1", &p);
	cr_assert(eq(sz, lib.n_files, 1));
	cr_expect(eq(str, lib.files[0].path, "b/libx.so.1"));
	xtr_libraries_free(&lib, 1);
	lib = find("libx.so", &p);
	cr_assert(eq(sz, lib.n_files, 1), "three names of one file");
	xtr_libraries_free(&lib, 1);
	p.ld_library_path = "a";
	lib = find("libx.so", &p);
	cr_expect(eq(sz, lib.n_files, 0));
	cr_expect(strstr(lib.why, "not found in LD_LIBRARY_PATH, ") == lib.why, "%s", lib.why);
	p.ld_library_path = "";
	put_library("libx.so", "libx.so");
	cr_assert(zero(int, chdir("a")));
	lib = find("libx.so", &p);
	cr_expect(eq(sz, lib.n_files, 0), "an empty list has no element");
	p.ld_library_path = "b:";
	cr_assert(zero(int, chdir("..")));
	cr_assert(zero(int, chdir("a")));
	lib = find("libx.so", &p);
	cr_expect(eq(sz, lib.n_files, 0));
}

Test(library, a_name_without_version_takes_all_versions)
{
	static const char *const dirs[] = { "d", NULL };
	struct xtr_library_places p = places;
	struct xtr_library libs[3] = { { .name = "libx.so" },
				       { .name = "libx.so.2" },
				       { .name = "./d/libx.so.2" } };

	p.dirs = dirs;
	mkdir("d", 0700);
	put_library("d/libx.so.1", "libx.so.1");
	put_library("d/libx.so.2", "libx.so.2");
	put("d/libx.so", "INPUT(libx.so.1)\n", 17);
	cr_assert(zero(int, xtr_libraries_find(libs, 3, NULL, 0, &p)));
	cr_expect(eq(sz, libs[0].n_files, 2));
	cr_assert(eq(sz, libs[1].n_files, 1));
	cr_assert(eq(sz, libs[2].n_files, 1));
	cr_expect(eq(sz, libs[1].files[0].id, libs[2].files[0].id), "one file, two names");
	cr_expect(ne(sz, libs[0].files[0].id, libs[0].files[1].id));
	xtr_libraries_free(libs, 3);
}

/* A cache in the format of glibc: old tables before it if asked for. */
static size_t cache(char *b, bool old, const char *key, const char *value)
{
	const uint32_t n_old = 3, one = 1, strings = 48 + 24;
	uint32_t entry[6] = { 0x303, strings, strings + (uint32_t)strlen(key) + 1 };
	size_t at = 0;

	memset(b, 0, 1024);
	if (old) {
		memcpy(b, "ld.so-1.7.0", 12);
		memcpy(b + 12, &n_old, 4);
		at = (16 + 3 * 12 + 7) / 8 * 8;
	}
	memcpy(b + at, "glibc-ld.so.cache1.1", 20);
	memcpy(b + at + 20, &one, 4);
	memcpy(b + at + 48, entry, sizeof(entry));
	strcpy(b + at + entry[1], key);
	strcpy(b + at + entry[2], value);
	return at + entry[2] + strlen(value) + 1;
}

static int count(void *ctx, const char *path)
{
	size_t *n = ctx;

	*n += strlen(path);
	return 0;
}

Test(library, in_the_cache_of_the_loader)
{
	struct xtr_library_places p = places;
	struct xtr_library lib;
	char b[1024], value[128];

	put_library("libx.so.1.9", "libx.so.1");
	snprintf(value, sizeof(value), "%s/libx.so.1.9", dir);
	p.cache = "cache";
	for (int old = 0; old < 2; old++) {
		put("cache", b, cache(b, old, "libx.so.1", value));
		lib = find("libx.so.1", &p);
		cr_assert(eq(sz, lib.n_files, 1));
		xtr_libraries_free(&lib, 1);
		lib = find("libx.so", &p);
		cr_assert(eq(sz, lib.n_files, 1));
		xtr_libraries_free(&lib, 1);
		lib = find("libx.so.2", &p);
		cr_expect(eq(sz, lib.n_files, 0));
	}
}

Test(library, caches_cut_off_or_changed_anywhere)
{
	char b[1024], *copy;
	size_t n, found;

	for (int old = 0; old < 2; old++) {
		n = cache(b, old, "libx.so.1", "/usr/lib/libx.so.1");
		for (size_t len = 0; len < n; len++) {
			copy = malloc(len + !len); /* of its length: reads beyond it are seen */
			memcpy(copy, b, len);
			found = 0;
			cr_expect(eq(int, xtr_ldcache_each(copy, len, "libx.so", count, &found),
				     -EBADMSG));
			free(copy);
		}
		for (size_t i = 0; i < 8 * n; i++) {
			copy = malloc(n);
			memcpy(copy, b, n);
			copy[i / 8] ^= (char)(1 << i % 8);
			found = 0;
			xtr_ldcache_each(copy, n, "libx.so", count, &found);
			cr_expect(found <= n);
			free(copy);
		}
	}
}

Test(library, this_machines_cache_has_the_c_library)
{
	struct xtr_library lib = find("libc.so.6", NULL);

	cr_expect(ge(sz, lib.n_files, 1), "%s", lib.why);
	cr_expect(eq(str, lib.files[0].name, "libc.so.6"));
	xtr_libraries_free(&lib, 1);
}

Test(library, mapped_by_a_process_in_a_container)
{
	struct xtr_library_places p = places;
	static const char maps[] = "1000-2000 r--p 00000000 08:01 77 /opt/libx.so.1.2.3\n"
				   "2000-3000 r-xp 00001000 08:01 77 /opt/libx.so.1.2.3\n"
				   "3000-4000 r-xp 00001000 08:01 78 /opt/liby.so.1\n"
				   "4000-5000 r-xp 00001000 08:01 79 /opt/my prog\n"
				   "5000-6000 r-xp 00001000 08:01 80 /opt/libx.so.1 (deleted)\n"
				   "6000-7000 r-xp 00000000 00:00 0 [vdso]\n"
				   "garbage\n";
	struct xtr_library lib;

	cr_assert(zero(int, system("mkdir -p proc/7/root/opt proc/8/root/opt proc/self")));
	put("proc/7/maps", maps, strlen(maps));
	put("proc/8/maps", maps, strlen(maps));
	put_library("proc/7/root/opt/libx.so.1.2.3", "libx.so.1");
	put_library("proc/7/root/opt/liby.so.1", "liby.so.1");
	put_library("proc/7/root/opt/my prog", NULL);
	p.proc = "proc";
	lib = find("libx.so.1", &p);
	cr_assert(eq(sz, lib.n_files, 1));
	cr_expect(eq(str, lib.files[0].path, "/opt/libx.so.1.2.3"));
	cr_expect(eq(str, lib.files[0].name, "libx.so.1"));
	xtr_libraries_free(&lib, 1);
	lib = find("my prog", &p);
	cr_assert(eq(sz, lib.n_files, 1));
	cr_expect(eq(str, lib.files[0].name, "my_prog"));
	xtr_libraries_free(&lib, 1);
	lib = find("libz.so.1", &p);
	cr_expect(strstr(lib.why, "any of 2 processes") != NULL, "%s", lib.why);
}

Test(library, mapped_by_this_process)
{
	struct xtr_library_places p = places;
	struct xtr_library lib = { .name = "libcriterion.so" };
	uint32_t pid = (uint32_t)getpid();

	p.proc = "/proc";
	cr_assert(zero(int, xtr_libraries_find(&lib, 1, &pid, 1, &p)));
	cr_assert(eq(sz, lib.n_files, 1), "%s", lib.why);
	cr_expect(strstr(lib.files[0].name, "libcriterion.so") == lib.files[0].name);
	xtr_libraries_free(&lib, 1);
}
