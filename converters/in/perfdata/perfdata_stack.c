/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains: addresses, innermost first, between marks that say whose they are. An address
 * becomes a place in a file: perf.data has no symbols but those of BPF programs.
 */
#include "perfdata_priv.h"

#define MARKS_FROM    ((uint64_t)-4095) /* PERF_CONTEXT_MAX */
#define MARK_DEFERRED ((uint64_t)-640)  /* a cookie follows; the user's part has its own record */
#define CHAINS_MAX    ((size_t)1 << 17) /* that are remembered */
#define KERNEL_NAME   "kernel"

/* perf_event.h, enum perf_callchain_context */
static unsigned int mode_of(uint64_t mark)
{
	switch ((int64_t)mark) {
	case -128:
		return PERF_MODE_KERNEL;
	case -512:
		return PERF_MODE_USER;
	default: /* a hypervisor, a guest */
		return 0;
	}
}

/* "[kernel.kallsyms]_text" is the kernel; "/lib/modules/.../i915.ko.xz" and "[i915]" are i915. */
static void name_kernel_file(const char *file, const char **name, size_t *len)
{
	const char *slash = strrchr(file, '/'), *dot;

	if (!strncmp(file, "[kernel", 7) || !strncmp(file, "[guest.kernel", 13)) {
		*name = KERNEL_NAME;
		*len = sizeof(KERNEL_NAME) - 1;
		return;
	}
	*name = slash ? slash + 1 : file;
	dot = strstr(*name, ".ko");
	*len = dot ? (size_t)(dot - *name) : strlen(*name);
	if (**name == '[' && *len > 2 && (*name)[*len - 1] == ']') {
		(*name)++;
		*len -= 2;
	}
}

static int frame_of(struct perfdata *d, uint32_t pid, uint64_t addr, unsigned int mode,
		    uint32_t *id)
{
	const struct perf_map *map = NULL;
	struct xtr_import_frame f = { .offset = addr };

	if (mode == PERF_MODE_KERNEL)
		map = perf_map_find(d, PERF_KERNEL_PID, addr);
	else if (mode == PERF_MODE_USER)
		map = perf_map_find(d, pid, addr);
	if (map && map->symbol) {
		f.symbol = d->maps.files[map->file];
		f.symbol_len = strlen(f.symbol);
		f.module = "bpf";
		f.module_len = 3;
		f.offset = addr - map->start;
	} else if (map && mode == PERF_MODE_KERNEL) {
		/* pgoff of the kernel is the address of a symbol of it, no place in a file. */
		name_kernel_file(d->maps.files[map->file], &f.module, &f.module_len);
		f.offset = addr - map->start;
	} else if (map) {
		f.module = d->maps.files[map->file];
		f.module_len = strlen(f.module);
		f.offset = addr - map->start + map->pgoff;
	} else if (mode == PERF_MODE_KERNEL) {
		f.module = KERNEL_NAME;
		f.module_len = sizeof(KERNEL_NAME) - 1;
		f.offset = 0; /* the address alone would tell where the kernel lay */
	}
	return xtr_import_frame(d->im, &f, id);
}

static int make_stack(struct perfdata *d, uint32_t pid, const uint8_t *p, uint64_t n,
		      unsigned int mode, uint32_t *id)
{
	uint32_t frames[XTR_IMPORT_FRAMES];
	size_t have = 0;
	uint64_t addr;
	int err = 0;

	for (uint64_t i = 0; !err && i < n && have < XTR_IMPORT_FRAMES; i++) {
		addr = perf_u64(d, p + 8 * i);
		if (addr == MARK_DEFERRED)
			break;
		if (addr >= MARKS_FROM)
			mode = mode_of(addr);
		else
			err = frame_of(d, pid, addr, mode, &frames[have++]);
	}
	return err ? err : xtr_import_stack(d->im, frames, have, id);
}

int perf_stack_id(struct perfdata *d, uint32_t pid, const uint8_t *p, uint64_t n, unsigned int mode,
		  uint32_t *id)
{
	uint64_t ages = (uint64_t)perf_map_age(d, pid) << 32 | perf_map_age(d, PERF_KERNEL_PID);
	uint64_t hash = xtr_hash_bytes(p, 8 * (size_t)n) ^ mode;
	const uint64_t *known = xtr_map_get(&d->maps.chains, hash, ages);
	int err;

	*id = 0;
	if (!n)
		return 0;
	if (known) {
		*id = (uint32_t)*known;
		return 0;
	}
	err = make_stack(d, pid, p, n, mode, id);
	if (err)
		return err;
	if (d->maps.chains.n >= CHAINS_MAX)
		xtr_map_free(&d->maps.chains);
	return xtr_map_put(&d->maps.chains, hash, ages, *id);
}
