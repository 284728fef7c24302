/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of ELF files and their places, and what damaged files do: nothing. */
#include "recorder/host/elfsyms.h"

#include "elf_image.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define F(name, value)                       \
	{                                    \
		name, value, 16, STT_FUNC, 1 \
	}

static const struct elf_image_symbol exported[] = {
	F("zeMemFree", ELF_IMAGE_CODE + 0x40),
	F("zeInit", ELF_IMAGE_CODE),
	F("zeInit_v2", ELF_IMAGE_CODE),
	{ "zeImported", 0, 0, STT_FUNC, 0 },
	{ "zeChosen", ELF_IMAGE_CODE + 0x10, 16, STT_GNU_IFUNC, 1 },
	{ "zeEmpty", ELF_IMAGE_CODE + 0x20, 0, STT_FUNC, 1 },
	{ "zeData", ELF_IMAGE_CODE + 0x30, 16, STT_OBJECT, 1 },
	F("zeOutside", ELF_IMAGE_CODE + ELF_IMAGE_BYTES),
	F("zeBefore", ELF_IMAGE_CODE - 1),
	F("ze odd\nname", ELF_IMAGE_CODE + 0x50),
	F("versioned@@LIB_1.0", ELF_IMAGE_CODE + 0x60),
	{ 0 },
};

static const struct elf_image_symbol local[] = {
	F("inner_helper", ELF_IMAGE_CODE + 0x70),
	F("inner_helper", ELF_IMAGE_CODE + 0x80),
	F("inner_helper", ELF_IMAGE_CODE + 0x80),
	F("zeHidden", ELF_IMAGE_CODE + 0x90),
	{ 0 },
};

static struct xtr_elf *open_bytes(const uint8_t *bytes, size_t n, int *fd)
{
	struct xtr_elf *e = NULL;

	*fd = elf_image_file(bytes, n);
	cr_assert(zero(int, xtr_elf_open(&e, *fd)));
	return e;
}

static struct xtr_elf *open_image(const char *soname, int *fd)
{
	size_t n;
	uint8_t *bytes = elf_image(soname, exported, local, &n);
	struct xtr_elf *e = open_bytes(bytes, n, fd);

	free(bytes);
	return e;
}

Test(elfsyms, exported_functions_have_file_offsets_and_an_order)
{
	struct xtr_elf_funcs f;
	int fd;
	struct xtr_elf *e = open_image("libze_loader.so.1", &fd);

	cr_expect(eq(str, (char *)xtr_elf_soname(e), "libze_loader.so.1"));
	cr_assert(zero(int, xtr_elf_match(e, "ze*", &f)));
	cr_assert(eq(sz, f.n, 3));
	cr_expect(eq(str, f.v[0].name, "zeInit"));
	cr_expect(eq(u64, f.v[0].offset, ELF_IMAGE_OFFSET));
	cr_expect(eq(str, f.v[1].name, "zeInit_v2"));
	cr_expect(eq(u64, f.v[1].offset, ELF_IMAGE_OFFSET));
	cr_expect(eq(str, f.v[2].name, "zeMemFree"));
	cr_expect(eq(u64, f.v[2].offset, ELF_IMAGE_OFFSET + 0x40));
	cr_expect(eq(u32, f.undefined, 1));
	cr_expect(eq(u32, f.indirect, 1));
	cr_expect(eq(u32, f.no_code, 3), "without size, behind the code, before it");
	xtr_elf_funcs_free(&f);
	xtr_elf_free(e);
	close(fd);
}

Test(elfsyms, versions_are_no_part_of_names)
{
	struct xtr_elf_funcs f;
	int fd;
	struct xtr_elf *e = open_image(NULL, &fd);

	cr_expect(xtr_elf_soname(e) == NULL);
	cr_assert(zero(int, xtr_elf_match(e, "versioned", &f)));
	cr_assert(eq(sz, f.n, 1));
	cr_expect(eq(str, f.v[0].name, "versioned"));
	xtr_elf_funcs_free(&f);
	xtr_elf_free(e);
	close(fd);
}

Test(elfsyms, the_full_table_is_used_where_nothing_exported_matches)
{
	struct xtr_elf_funcs f;
	int fd;
	struct xtr_elf *e = open_image("libx.so", &fd);

	cr_assert(zero(int, xtr_elf_match(e, "inner_*", &f)));
	cr_assert(eq(sz, f.n, 2), "two places of one name, each once");
	cr_expect(eq(u64, f.v[0].offset, ELF_IMAGE_OFFSET + 0x70));
	cr_expect(eq(u64, f.v[1].offset, ELF_IMAGE_OFFSET + 0x80));
	xtr_elf_funcs_free(&f);
	cr_assert(zero(int, xtr_elf_match(e, "zeHidden", &f)));
	cr_expect(eq(sz, f.n, 1));
	xtr_elf_funcs_free(&f);
	cr_assert(zero(int, xtr_elf_match(e, "nothing*", &f)));
	cr_expect(eq(sz, f.n, 0));
	xtr_elf_free(e);
	close(fd);
}

Test(elfsyms, names_of_libraries_that_would_break_lines_are_not_taken)
{
	int fd;
	struct xtr_elf *e = open_image("lib:x\n.so", &fd);

	cr_expect(xtr_elf_soname(e) == NULL);
	xtr_elf_free(e);
	close(fd);
}

/* Open and look through; whatever it finds lies in the file. */
static void try_bytes(const uint8_t *bytes, size_t n)
{
	int fd = elf_image_file(bytes, n);
	struct xtr_elf *e = NULL;
	struct xtr_elf_funcs f;

	if (xtr_elf_open(&e, fd) == 0) {
		if (xtr_elf_match(e, "*", &f) == 0) {
			for (size_t i = 0; i < f.n; i++)
				cr_assert(f.v[i].offset < n);
			xtr_elf_funcs_free(&f);
		}
		xtr_elf_free(e);
	}
	close(fd);
}

Test(elfsyms, files_cut_off_anywhere)
{
	size_t n;
	uint8_t *bytes = elf_image("libx.so.1", exported, local, &n);

	for (size_t len = 0; len < n; len++)
		try_bytes(bytes, len);
	free(bytes);
}

Test(elfsyms, files_with_any_byte_changed)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t n;
	uint8_t *bytes = elf_image("libx.so.1", exported, local, &n), was;

	for (size_t i = 0; i < n; i++) {
		if (i >= ELF_IMAGE_OFFSET && i < ELF_IMAGE_OFFSET + ELF_IMAGE_BYTES)
			continue;
		was = bytes[i];
		for (size_t k = 0; k < sizeof(values); k++) {
			bytes[i] = values[k];
			try_bytes(bytes, n);
		}
		bytes[i] = was;
	}
	free(bytes);
}

Test(elfsyms, files_with_random_changes_of_whole_fields)
{
	static const uint64_t values[] = { 0,        1,          8,          0xffff,
					   1u << 31, UINT32_MAX, 1ull << 62, UINT64_MAX - 7 };
	size_t n;
	uint8_t *bytes = elf_image("libx.so.1", exported, local, &n), *copy = malloc(n);
	uint32_t x = 12345;

	cr_assert(copy != NULL);
	for (int round = 0; round < 4000; round++) {
		memcpy(copy, bytes, n);
		for (int k = 0; k < 3; k++) {
			x = x * 1664525 + 1013904223;
			memcpy(copy + (x >> 8) % (n - 8) / 4 * 4, &values[x % 8], 8);
		}
		try_bytes(copy, n);
	}
	free(copy);
	free(bytes);
}

Test(elfsyms, what_is_no_library_of_this_machine_is_refused)
{
	size_t n;
	uint8_t *bytes = elf_image("libx.so.1", exported, local, &n);
	struct xtr_elf *e;
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)bytes;
	int fd;

	eh->e_machine = EM_MIPS;
	fd = elf_image_file(bytes, n);
	cr_expect(eq(int, xtr_elf_open(&e, fd), -EXDEV));
	close(fd);
	fd = elf_image_file((const uint8_t *)"#!/bin/sh\n", 10);
	cr_expect(eq(int, xtr_elf_open(&e, fd), -ENOEXEC));
	close(fd);
	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	cr_expect(eq(int, xtr_elf_open(&e, fd), -ENOEXEC));
	close(fd);
	free(bytes);
}

Test(elfsyms, this_program_finds_its_own_functions)
{
	struct xtr_elf_funcs f;
	struct xtr_elf *e;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	cr_assert(zero(int, xtr_elf_open(&e, fd)));
	cr_assert(zero(int, xtr_elf_match(e, "elf_image_fil?", &f)));
	cr_assert(eq(sz, f.n, 1));
	cr_expect(eq(str, f.v[0].name, "elf_image_file"));
	xtr_elf_funcs_free(&f);
	xtr_elf_free(e);
	close(fd);
}
