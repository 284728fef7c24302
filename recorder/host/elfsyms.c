/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By libelf with ELF_C_READ: a file that is truncated while it is mapped would end the recorder
 * with SIGBUS. Every section is bounded before libelf allocates for it.
 */
#include "elfsyms.h"
#include "util.h"

#include <errno.h>
#include <fnmatch.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SECTION_MAX (512u << 20) /* bytes */
#define SEGMENTS    256

#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#elif defined(__riscv)
#define NATIVE_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define NATIVE_MACHINE EM_PPC64
#elif defined(__s390x__)
#define NATIVE_MACHINE EM_S390
#else
#define NATIVE_MACHINE EM_NONE
#endif

struct segment { /* of code */
	uint64_t vaddr, offset, bytes;
};

struct xtr_elf {
	Elf *elf;
	uint64_t file_bytes;
	struct segment code[SEGMENTS];
	size_t n_code;
	Elf_Scn *dynsym, *symtab;
	char soname[XTR_ELF_NAME_MAX + 1];
	bool dynamic; /* its dynamic section was read */
};

static bool is_name(const char *s, const char *more)
{
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++) {
		if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
		      (s[i] >= '0' && s[i] <= '9') || strchr(more, s[i])))
			return false;
	}
	return n > 0 && n <= XTR_ELF_NAME_MAX;
}

/* Data of a section of the file, at most SECTION_MAX bytes; NULL if it has none. */
static Elf_Data *data_of(const struct xtr_elf *e, Elf_Scn *scn, GElf_Shdr *shdr)
{
	if (!scn || !gelf_getshdr(scn, shdr) || shdr->sh_type == SHT_NOBITS ||
	    shdr->sh_flags & SHF_COMPRESSED || shdr->sh_size > SECTION_MAX ||
	    shdr->sh_offset > e->file_bytes || shdr->sh_size > e->file_bytes - shdr->sh_offset)
		return NULL;
	return elf_getdata(scn, NULL);
}

static bool string_table_ok(const struct xtr_elf *e, size_t link)
{
	Elf_Scn *scn = elf_getscn(e->elf, link);
	GElf_Shdr shdr;

	return scn && data_of(e, scn, &shdr) && shdr.sh_type == SHT_STRTAB;
}

/* The segments of code in the file. 0 if there is none. */
static size_t read_segments(struct xtr_elf *e)
{
	GElf_Phdr ph;
	size_t n = 0;

	if (elf_getphdrnum(e->elf, &n))
		return 0;
	for (size_t i = 0; i < n && e->n_code < SEGMENTS; i++) {
		if (!gelf_getphdr(e->elf, (int)i, &ph))
			break;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || ph.p_offset > e->file_bytes ||
		    ph.p_filesz > e->file_bytes - ph.p_offset ||
		    ph.p_vaddr > UINT64_MAX - ph.p_filesz)
			continue;
		e->code[e->n_code++] = (struct segment){ ph.p_vaddr, ph.p_offset, ph.p_filesz };
	}
	return e->n_code;
}

/* Address to file offset. False if it is in no segment of code. */
static bool to_offset(const struct xtr_elf *e, uint64_t addr, uint64_t *offset)
{
	for (size_t i = 0; i < e->n_code; i++) {
		const struct segment *s = &e->code[i];

		if (addr < s->vaddr || addr - s->vaddr >= s->bytes)
			continue;
		*offset = addr - s->vaddr + s->offset;
		return true;
	}
	return false;
}

static void read_dynamic(struct xtr_elf *e, Elf_Scn *scn)
{
	const char *text;
	GElf_Shdr shdr;
	Elf_Data *data = data_of(e, scn, &shdr);
	GElf_Dyn dyn;

	if (!data || !string_table_ok(e, shdr.sh_link))
		return;
	e->dynamic = true;
	for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag != DT_SONAME)
			continue;
		text = elf_strptr(e->elf, shdr.sh_link, dyn.d_un.d_val);
		if (text && is_name(text, "._+-") && strlen(text) < sizeof(e->soname))
			strcpy(e->soname, text);
	}
}

static void read_sections(struct xtr_elf *e)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(e->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_DYNSYM && !e->dynsym)
			e->dynsym = scn;
		else if (shdr.sh_type == SHT_SYMTAB && !e->symtab)
			e->symtab = scn;
		else if (shdr.sh_type == SHT_DYNAMIC && !e->dynamic)
			read_dynamic(e, scn);
	}
}

static int check_header(const struct xtr_elf *e)
{
	GElf_Ehdr eh;

	if (elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &eh) ||
	    (eh.e_type != ET_DYN && eh.e_type != ET_EXEC))
		return -ENOEXEC;
	if (eh.e_machine != NATIVE_MACHINE || gelf_getclass(e->elf) != ELFCLASS64)
		return -EXDEV;
	return 0;
}

int xtr_elf_open(struct xtr_elf **out, int fd)
{
	struct xtr_elf *e = calloc(1, sizeof(*e));
	struct stat st;
	int err = -ENOEXEC;

	if (!e)
		return -ENOMEM;
	elf_version(EV_CURRENT);
	if (fstat(fd, &st)) {
		err = -errno;
	} else if (S_ISREG(st.st_mode)) {
		e->file_bytes = (uint64_t)st.st_size;
		e->elf = elf_begin(fd, ELF_C_READ, NULL);
	}
	if (e->elf)
		err = check_header(e);
	if (!err && !read_segments(e))
		err = -ENOEXEC;
	if (err) {
		xtr_elf_free(e);
		return err;
	}
	read_sections(e);
	*out = e;
	return 0;
}

void xtr_elf_free(struct xtr_elf *e)
{
	if (!e)
		return;
	elf_end(e->elf);
	free(e);
}

const char *xtr_elf_soname(const struct xtr_elf *e)
{
	return e->soname[0] ? e->soname : NULL;
}

static int add(struct xtr_elf_funcs *f, const char *name, size_t len, uint64_t offset)
{
	struct xtr_elf_func *more = f->v;

	if ((f->n & (f->n - 1)) == 0) /* room for the next power of two */
		more = reallocarray(f->v, f->n ? f->n * 2 : 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->v = more;
	more[f->n].name = strndup(name, len);
	more[f->n].offset = offset;
	if (!more[f->n].name)
		return -ENOMEM;
	f->n++;
	return 0;
}

static int take_symbol(const struct xtr_elf *e, const GElf_Sym *sym, const char *name,
		       const char *glob, struct xtr_elf_funcs *out)
{
	char plain[XTR_ELF_NAME_MAX + 1];
	int type = GELF_ST_TYPE(sym->st_info);
	size_t len = strcspn(name, "@");
	uint64_t offset;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || len > XTR_ELF_NAME_MAX)
		return 0;
	memcpy(plain, name, len);
	plain[len] = 0;
	if (!is_name(plain, "_.$") || fnmatch(glob, plain, 0))
		return 0;
	if (sym->st_shndx == SHN_UNDEF)
		out->undefined++;
	else if (type == STT_GNU_IFUNC)
		out->indirect++;
	else if (!sym->st_size || !to_offset(e, sym->st_value, &offset))
		out->no_code++;
	else
		return add(out, plain, len, offset);
	return 0;
}

static int match_table(const struct xtr_elf *e, Elf_Scn *scn, const char *glob,
		       struct xtr_elf_funcs *out)
{
	GElf_Shdr shdr;
	Elf_Data *data;
	const char *name;
	GElf_Sym sym;
	int err = 0;

	if (!scn)
		return 0;
	data = data_of(e, scn, &shdr);
	if (!data || !string_table_ok(e, shdr.sh_link))
		return -ENOEXEC;
	for (int i = 0; !err && gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(e->elf, shdr.sh_link, sym.st_name);
		if (name)
			err = take_symbol(e, &sym, name, glob, out);
	}
	return err;
}

static int by_name(const void *a, const void *b)
{
	const struct xtr_elf_func *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* A name may stand in a table more than once: local functions, versions of one function. */
static void sort(struct xtr_elf_funcs *f)
{
	size_t n = 0;

	if (!f->n)
		return;
	qsort(f->v, f->n, sizeof(*f->v), by_name);
	for (size_t i = 0; i < f->n; i++) {
		if (n && by_name(&f->v[n - 1], &f->v[i]) == 0)
			free(f->v[i].name);
		else
			f->v[n++] = f->v[i];
	}
	f->n = n;
}

int xtr_elf_match(const struct xtr_elf *e, const char *glob, struct xtr_elf_funcs *out)
{
	int err;

	*out = (struct xtr_elf_funcs){ 0 };
	err = match_table(e, e->dynsym, glob, out);
	if (!err && !out->n && e->symtab) {
		uint32_t undefined = out->undefined;

		/* The same imports and resolvers stand in both. */
		*out = (struct xtr_elf_funcs){ 0 };
		err = match_table(e, e->symtab, glob, out);
		if (undefined > out->undefined)
			out->undefined = undefined;
	}
	if (err) {
		xtr_elf_funcs_free(out);
		return err;
	}
	sort(out);
	return 0;
}

void xtr_elf_funcs_free(struct xtr_elf_funcs *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].name);
	free(f->v);
	*f = (struct xtr_elf_funcs){ 0 };
}
