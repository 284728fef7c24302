/* SPDX-License-Identifier: BSD-2-Clause */
/* A small shared library for tests of readers of ELF files: headers and symbols, no real code. */
#ifndef XTR_TESTS_ELF_IMAGE_H
#define XTR_TESTS_ELF_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define ELF_IMAGE_CODE   0x10000 /* address of the code */
#define ELF_IMAGE_OFFSET 0x200   /* of the code in the file */
#define ELF_IMAGE_BYTES  0x100   /* of code */

struct elf_image_symbol {
	const char *name; /* NULL ends a list */
	uint64_t value, size;
	int type;    /* STT_FUNC, ... */
	int section; /* 0: SHN_UNDEF */
};

/*
 * *n bytes, to be freed. exported: .dynsym; local: .symtab, or NULL: stripped. soname may be NULL.
 * Its sections are: 1 .text, 2 .dynsym, 3 .dynstr, 4 .dynamic, 5 .symtab, 6 .strtab.
 */
uint8_t *elf_image(const char *soname, const struct elf_image_symbol *exported,
		   const struct elf_image_symbol *local, size_t *n);
/* A descriptor of a file with these bytes. */
int elf_image_file(const uint8_t *bytes, size_t n);

#endif /* XTR_TESTS_ELF_IMAGE_H */
