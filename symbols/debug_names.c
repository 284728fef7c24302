/* SPDX-License-Identifier: BSD-2-Clause */
#include "debug_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_LIBDW
#include <elfutils/libdwfl.h>

struct xtr_debug_names {
	Dwfl *dwfl;
	Dwfl_Module *module;
};

/* Debug files are looked for on this machine only: the callback that asks servers is not used. */
static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = dwfl_build_id_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

bool xtr_debug_names_can_read(void)
{
	return true;
}

/* Who made the trace gave the path: what has to be waited for, or does something when it is opened, is
 * not opened. */
static int open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static bool has_build_id(Dwfl_Module *m, const char *want)
{
	const unsigned char *bits = NULL;
	GElf_Addr at;
	char byte[3];
	int n = dwfl_module_build_id(m, &bits, &at);

	if (n <= 0 || strlen(want) != (size_t)2 * (size_t)n)
		return false;
	for (int i = 0; i < n; i++) {
		snprintf(byte, sizeof(byte), "%02x", bits[i]);
		if (memcmp(byte, want + (size_t)2 * (size_t)i, 2) != 0)
			return false;
	}
	return true;
}

static int report(struct xtr_debug_names *e, const char *path, const char *build_id)
{
	int fd = open_regular(path);

	if (fd < 0)
		return fd;
	dwfl_report_begin(e->dwfl);
	e->module = dwfl_report_elf(e->dwfl, "", path, fd, 0, false);
	if (!e->module) {
		close(fd);
		return -EINVAL;
	}
	if (dwfl_report_end(e->dwfl, NULL, NULL) != 0)
		return -EINVAL;
	return has_build_id(e->module, build_id) ? 0 : -ESTALE;
}

int xtr_debug_names_open(struct xtr_debug_names **e, const char *path, const char *build_id)
{
	int err;

	*e = calloc(1, sizeof(**e));
	if (!*e)
		return -ENOMEM;
	(*e)->dwfl = dwfl_begin(&callbacks);
	err = (*e)->dwfl ? report(*e, path, build_id) : -ENOMEM;
	if (err) {
		xtr_debug_names_close(*e);
		*e = NULL;
	}
	return err;
}

void xtr_debug_names_close(struct xtr_debug_names *e)
{
	if (e && e->dwfl)
		dwfl_end(e->dwfl);
	free(e);
}

bool xtr_debug_names_find(const struct xtr_debug_names *e, uint64_t offset, char name[XTR_DEBUG_NAME_MAX],
		  uint64_t *from)
{
	Dwarf_Addr start, end;
	const char *found;
	GElf_Off at;
	GElf_Sym sym;

	dwfl_module_info(e->module, NULL, &start, &end, NULL, NULL, NULL, NULL);
	if (offset >= end - start)
		return false;
	found = dwfl_module_addrinfo(e->module, start + offset, &at, &sym, NULL, NULL, NULL);
	if (!found || !*found)
		return false;
	snprintf(name, XTR_DEBUG_NAME_MAX, "%s", found);
	*from = at;
	return true;
}

#else

bool xtr_debug_names_can_read(void)
{
	return false;
}

int xtr_debug_names_open(struct xtr_debug_names **e, const char *path, const char *build_id)
{
	(void)path, (void)build_id;
	*e = NULL;
	return -ENOSYS;
}

void xtr_debug_names_close(struct xtr_debug_names *e)
{
	(void)e;
}

bool xtr_debug_names_find(const struct xtr_debug_names *e, uint64_t offset, char name[XTR_DEBUG_NAME_MAX],
		  uint64_t *from)
{
	(void)e, (void)offset, (void)name, (void)from;
	return false;
}

#endif /* HAVE_LIBDW */
