/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of a shared library or program, with their places in the file. The file is only read,
 * never mapped or loaded, and may be anybody's: damaged ones give an error or fewer functions.
 */
#ifndef XTR_RECORDER_ELFSYMS_H
#define XTR_RECORDER_ELFSYMS_H

#include <stddef.h>
#include <stdint.h>

#define XTR_ELF_NAME_MAX 200 /* bytes of a function's name; longer ones are left out */

struct xtr_elf;

struct xtr_elf_func {
	char *name;      /* without a version */
	uint64_t offset; /* of its first instruction, bytes from the start of the file */
};

/* Functions that match a pattern, by name, and how many more were left out, by reason. */
struct xtr_elf_funcs {
	struct xtr_elf_func *v;
	size_t n;
	uint32_t undefined; /* imported from another library */
	uint32_t indirect; /* IFUNC: the symbol is a resolver, which runs when the library is loaded
			    */
	uint32_t no_code;  /* without size, or not in the code of the file */
};

/*
 * Read the file behind fd (a regular file; it stays the caller's). 0; -ENOEXEC: no ELF library or
 * program, or a damaged one; -EXDEV: of another machine than this one; or -errno.
 */
int xtr_elf_open(struct xtr_elf **e, int fd);
void xtr_elf_free(struct xtr_elf *e);
/* DT_SONAME, or NULL if it has none or one that is not of letters, digits and "._+-". */
const char *xtr_elf_soname(const struct xtr_elf *e);

/*
 * The functions that match the glob: exported ones, else those of the full symbol table if the file
 * has one. Names are made of letters, digits and "_.$"; one address may have several. 0, -ENOMEM,
 * or -ENOEXEC where the tables are damaged.
 */
int xtr_elf_match(const struct xtr_elf *e, const char *glob, struct xtr_elf_funcs *out);
void xtr_elf_funcs_free(struct xtr_elf_funcs *f);

#endif /* XTR_RECORDER_ELFSYMS_H */
