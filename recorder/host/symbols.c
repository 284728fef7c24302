/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols.h"
#include "proc_task.h"
#include "util.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>

#define CACHED    16               /* programs of processes */
#define LOWEST    65536            /* nothing is mapped below: an address that is none */
#define AGAIN_NS  (50 * NS_PER_MS) /* before mappings are read anew, the first time: it doubles, */
#define AGAIN_MAX NS_PER_S         /* up to this */

struct process {
	struct xtr_program program; /* pid 0: none */
	Dwfl *dwfl;
	uint64_t read_at, used_at, again; /* ns */
};

struct xtr_symbols {
	struct process cache[CACHED];
};

/*
 * Linkers and compilers map object files that are not linked: their sections lie nowhere in memory.
 * libdwfl calls this without asking whether it is there.
 */
static int section_nowhere(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr start,
			   const char *section, GElf_Word i, const GElf_Shdr *shdr,
			   Dwarf_Addr *addr)
{
	(void)mod, (void)user, (void)name, (void)start, (void)section, (void)i, (void)shdr;
	*addr = (Dwarf_Addr)-1;
	return DWARF_CB_OK;
}

/* Debug files are looked for on this machine only: the callback that asks servers is not used. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_linux_proc_find_elf,
	.find_debuginfo = dwfl_build_id_find_debuginfo,
	.section_address = section_nowhere,
};

struct xtr_symbols *xtr_symbols_new(void)
{
	return calloc(1, sizeof(struct xtr_symbols));
}

void xtr_symbols_free(struct xtr_symbols *s)
{
	for (size_t i = 0; s && i < CACHED; i++) {
		if (s->cache[i].dwfl)
			dwfl_end(s->cache[i].dwfl);
	}
	free(s);
}

/*
 * Read the process' mappings; a process that is gone, or that executes another program by now,
 * keeps what was known.
 */
static void read_maps(struct process *p)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	p->read_at = xtr_now();
	if (!dwfl)
		return;
	if (dwfl_linux_proc_report(dwfl, (pid_t)p->program.pid) != 0 ||
	    dwfl_report_end(dwfl, NULL, NULL) != 0 || !xtr_program_runs(&p->program)) {
		dwfl_end(dwfl);
		return;
	}
	if (p->dwfl)
		dwfl_end(p->dwfl);
	p->dwfl = dwfl;
}

/* A stack of before, taken while the kernel still put the program there, had another image. */
static void look_anew(struct process *p, const struct xtr_program *program)
{
	p->program = *program;
	p->again = AGAIN_NS;
	dwfl_end(p->dwfl);
	p->dwfl = NULL;
	read_maps(p);
}

/* A program that has just begun maps one library after the other. */
static void read_again(struct process *p)
{
	if (xtr_now() - p->read_at <= p->again)
		return;
	p->again = p->again < AGAIN_MAX / 2 ? p->again * 2 : AGAIN_MAX;
	read_maps(p);
}

static struct process *process(struct xtr_symbols *s, const struct xtr_program *program)
{
	struct process *p, *oldest = &s->cache[0];

	for (size_t i = 0; i < CACHED; i++) {
		p = &s->cache[i];
		if (p->program.pid && xtr_program_same(&p->program, program)) {
			p->used_at = xtr_now();
			if (memcmp(&p->program.image, &program->image, sizeof(program->image)))
				look_anew(p, program);
			return p;
		}
		if (p->used_at < oldest->used_at)
			oldest = p;
	}
	if (oldest->dwfl)
		dwfl_end(oldest->dwfl);
	*oldest = (struct process){ .program = *program, .used_at = xtr_now(), .again = AGAIN_NS };
	read_maps(oldest);
	return oldest;
}

static void find_build_id(Dwfl_Module *m, struct xtr_symbol *out)
{
	const unsigned char *bits = NULL;
	GElf_Addr at;
	int n = dwfl_module_build_id(m, &bits, &at);

	for (int i = 0; i < n && n <= (int)XTR_BUILD_ID_MAX; i++)
		snprintf(out->build_id + (size_t)2 * (size_t)i, 3, "%02x", bits[i]);
}

void xtr_symbols_find(struct xtr_symbols *s, const struct xtr_program *program, uint64_t addr,
		      struct xtr_symbol *out)
{
	struct process *p = process(s, program);
	Dwfl_Module *m = p->dwfl ? dwfl_addrmodule(p->dwfl, addr) : NULL;
	const char *module, *name;
	Dwarf_Addr start;
	GElf_Off offset;
	GElf_Sym sym;

	*out = (struct xtr_symbol){ .offset = addr };
	if (!m && addr >= LOWEST) {
		read_again(p);
		m = p->dwfl ? dwfl_addrmodule(p->dwfl, addr) : NULL;
	}
	if (!m)
		return;
	module = dwfl_module_info(m, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	snprintf(out->module, sizeof(out->module), "%s", module ? module : "");
	out->offset = addr - start;
	name = dwfl_module_addrinfo(m, addr, &offset, &sym, NULL, NULL, NULL);
	find_build_id(m, out); /* known once the file was opened for names */
	if (!name)
		return;
	snprintf(out->name, sizeof(out->name), "%s", name);
	out->offset = offset;
}

#else

struct xtr_symbols {
	char unused;
};

struct xtr_symbols *xtr_symbols_new(void)
{
	return calloc(1, sizeof(struct xtr_symbols));
}

void xtr_symbols_free(struct xtr_symbols *s)
{
	free(s);
}

void xtr_symbols_find(struct xtr_symbols *s, const struct xtr_program *program, uint64_t addr,
		      struct xtr_symbol *out)
{
	unsigned long long from, to, file_at;
	char path[64], line[1024];
	FILE *f;

	(void)s;
	*out = (struct xtr_symbol){ .offset = addr };
	snprintf(path, sizeof(path), "/proc/%u/maps", program->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		out->module[0] = 0;
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %511[^\n]", &from, &to, &file_at,
			   out->module) < 3 ||
		    addr < from || addr >= to)
			continue;
		out->offset = addr - from + file_at;
		break;
	}
	if (f)
		fclose(f);
	if (!xtr_program_runs(program))
		*out = (struct xtr_symbol){ .offset = addr };
}

#endif /* HAVE_LIBDW */

/* --- program ---------------------------------------------------------------------------------- */

bool xtr_program_same(const struct xtr_program *a, const struct xtr_program *b)
{
	return a->pid == b->pid && a->start == b->start && a->exec == b->exec;
}

/* Fields of /proc/PID/stat, numbered as in its manual page, in rising order. */
static const struct {
	unsigned int field;
	size_t offset;
} fields[] = {
	{ 26, offsetof(struct xtr_image, start_code) },
	{ 27, offsetof(struct xtr_image, end_code) },
	{ 28, offsetof(struct xtr_image, start_stack) },
	{ 45, offsetof(struct xtr_image, start_data) },
	{ 46, offsetof(struct xtr_image, end_data) },
	{ 47, offsetof(struct xtr_image, start_brk) },
};

bool xtr_image_of_stat(const char *text, struct xtr_image *image)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		uint64_t value;

		if (!xtr_proc_field(text, fields[i].field, &value))
			return false;
		memcpy((char *)image + fields[i].offset, &value, sizeof(value));
	}
	return image->start_stack;
}

bool xtr_program_runs(const struct xtr_program *p)
{
	char path[64], text[XTR_PROC_STAT_MAX];
	struct xtr_image now;

	snprintf(path, sizeof(path), "/proc/%u/stat", p->pid);
	return xtr_proc_stat(path, text) && xtr_image_of_stat(text, &now) &&
	       !memcmp(&now, &p->image, sizeof(now));
}
