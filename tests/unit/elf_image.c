/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf_image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IMAGE_MAX (64u << 10)
#define SECTIONS  7

struct builder {
	uint8_t *b;
	size_t n;
	Elf64_Shdr sh[SECTIONS];
};

static void add_section(struct builder *b, int i, uint32_t type, const void *data, size_t n,
			size_t entry, uint32_t link)
{
	b->n = (b->n + 7) & ~(size_t)7;
	memcpy(b->b + b->n, data, n);
	b->sh[i] = (Elf64_Shdr){ .sh_type = type,
				 .sh_offset = b->n,
				 .sh_size = n,
				 .sh_entsize = entry,
				 .sh_link = link,
				 .sh_addralign = 8 };
	b->n += n;
}

static size_t add_text(char *texts, size_t *n, const char *text)
{
	size_t at = *n;

	memcpy(texts + at, text, strlen(text) + 1);
	*n += strlen(text) + 1;
	return at;
}

static void add_symbols(struct builder *b, int at, uint32_t type,
			const struct elf_image_symbol *list, const char *soname)
{
	char texts[8192] = "";
	Elf64_Sym syms[128] = { { 0 } };
	Elf64_Dyn dyn[2] = { { .d_tag = DT_SONAME }, { .d_tag = DT_NULL } };
	size_t n_texts = 1, n = 1;

	for (; list->name; list++, n++) {
		syms[n].st_name = (uint32_t)add_text(texts, &n_texts, list->name);
		syms[n].st_info = ELF64_ST_INFO(STB_GLOBAL, list->type);
		syms[n].st_shndx = (uint16_t)list->section;
		syms[n].st_value = list->value;
		syms[n].st_size = list->size;
	}
	if (soname)
		dyn[0].d_un.d_val = add_text(texts, &n_texts, soname);
	add_section(b, at, type, syms, n * sizeof(syms[0]), sizeof(syms[0]), (uint32_t)at + 1);
	add_section(b, at + 1, SHT_STRTAB, texts, n_texts, 0, 0);
	if (type == SHT_DYNSYM)
		add_section(b, at + 2, SHT_DYNAMIC, soname ? dyn : &dyn[1],
			    (soname ? 2 : 1) * sizeof(dyn[0]), sizeof(dyn[0]), (uint32_t)at + 1);
}

uint8_t *elf_image(const char *soname, const struct elf_image_symbol *exported,
		   const struct elf_image_symbol *local, size_t *n)
{
	struct builder b = { .b = calloc(1, IMAGE_MAX), .n = ELF_IMAGE_OFFSET + ELF_IMAGE_BYTES };
	Elf64_Ehdr eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 2,
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = SECTIONS };
	const Elf64_Phdr ph[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = ELF_IMAGE_OFFSET },
		{ .p_type = PT_LOAD,
		  .p_flags = PF_R | PF_X,
		  .p_offset = ELF_IMAGE_OFFSET,
		  .p_vaddr = ELF_IMAGE_CODE,
		  .p_filesz = ELF_IMAGE_BYTES,
		  .p_memsz = ELF_IMAGE_BYTES },
	};

#if defined(__x86_64__)
	eh.e_machine = EM_X86_64;
#elif defined(__aarch64__)
	eh.e_machine = EM_AARCH64;
#endif
	b.sh[1] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				.sh_offset = ELF_IMAGE_OFFSET,
				.sh_size = ELF_IMAGE_BYTES };
	add_symbols(&b, 2, SHT_DYNSYM, exported, soname);
	if (local)
		add_symbols(&b, 5, SHT_SYMTAB, local, NULL);
	b.n = (b.n + 7) & ~(size_t)7;
	eh.e_shoff = b.n;
	memcpy(b.b + b.n, b.sh, sizeof(b.sh));
	b.n += sizeof(b.sh);
	memcpy(b.b, &eh, sizeof(eh));
	memcpy(b.b + sizeof(eh), ph, sizeof(ph));
	*n = b.n;
	return b.b;
}

int elf_image_file(const uint8_t *bytes, size_t n)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	return fd;
}
