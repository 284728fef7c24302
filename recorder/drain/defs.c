/* SPDX-License-Identifier: BSD-2-Clause */
#include "defs.h"
#include "recorder/host/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPS_MAX 4096 /* more than the BPF map holds */

static int intern(struct xtr_defs *d, const char *text, size_t max, uint32_t *id)
{
	return xtr_tables_intern(d->tables, text, strnlen(text, max), id);
}

static int take_task(struct xtr_defs *d, const uint8_t *rec)
{
	struct xtr_ctl_task def;
	struct xtr_task task;
	bool ring;
	int err;

	memcpy(&def, rec, sizeof(def));
	ring = def.flags & XTR_CTL_TASK_RING;
	task = (struct xtr_task){
		.tid = def.h.tid,
		.pid = def.tgid,
		.since = def.h.ts,
		.flags = def.flags & ~XTR_CTL_TASK_RING,
		.start = xtr_starts_of(&d->starts, def.tgid, def.start, ring),
	};
	task.cgroup = xtr_cgroups_of(&d->cgroups, d->tables, &def);
	err = intern(d, def.comm, sizeof(def.comm), &task.comm);
	return err ? err : xtr_tables_add_task(d->tables, &task);
}

static int take_cgroup(struct xtr_defs *d, const uint8_t *rec)
{
	struct xtr_ctl_cgroup def;

	memcpy(&def, rec, sizeof(def));
	return xtr_cgroups_take(&d->cgroups, &def);
}

static int take_ring(struct xtr_defs *d, const uint8_t *rec)
{
	struct xtr_ctl_ring def;
	struct xtr_ring ring;

	memcpy(&def, rec, sizeof(def));
	ring = (struct xtr_ring){
		.id = def.id,
		.since = def.h.ts,
		.sched = d->key ? xtr_siphash(d->key, def.sched) : def.sched,
		.limit = def.limit,
	};
	return intern(d, def.name, sizeof(def.name), &ring.name) ?:
	       intern(d, def.dev, sizeof(def.dev), &ring.device) ?:
	       xtr_tables_add_ring(d->tables, &ring);
}

/* Operations are known by their symbol; an address between symbols is not one. */
static int take_ops(struct xtr_defs *d, const uint8_t *rec)
{
	const char *symbol, *module;
	struct xtr_ctl_ops def;
	uint64_t offset;
	uint32_t *more;

	memcpy(&def, rec, sizeof(def));
	if (def.id >= OPS_MAX)
		return -EBADMSG;
	if (def.id >= d->n_ops) {
		more = reallocarray(d->ops, def.id + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		memset(more + d->n_ops, 0, (def.id + 1 - d->n_ops) * sizeof(*more));
		d->ops = more;
		d->n_ops = def.id + 1;
	}
	if (!d->kallsyms || !xtr_kallsyms_find(d->kallsyms, def.ops, &symbol, &module, &offset) ||
	    offset)
		return 0;
	return intern(d, symbol, strlen(symbol), &d->ops[def.id]);
}

/* A text that is not known has no id. */
static int intern_known(struct xtr_defs *d, const char *text, uint32_t *id)
{
	return text[0] ? intern(d, text, strlen(text), id) : 0;
}

static int put_frame(struct xtr_defs *d, const struct xtr_symbol *s, uint32_t *id)
{
	struct xtr_frame f = { .offset = s->offset };

	return intern(d, s->module, strlen(s->module), &f.module)
		       ?: intern_known(d, s->name, &f.symbol)
		       ?: intern_known(d, s->build_id, &f.build_id)
		       ?: xtr_tables_intern_frame(d->tables, &f, id);
}

/* An address that has no symbol is not put into the file: it would tell where the kernel lies. */
static int kernel_frame(struct xtr_defs *d, uint64_t addr, uint32_t *id)
{
	const char *symbol = "", *module = "";
	struct xtr_symbol sym = { 0 };

	if ((!d->kallsyms ||
	     !xtr_kallsyms_find(d->kallsyms, addr, &symbol, &module, &sym.offset)) &&
	    !d->key)
		sym.offset = addr;
	snprintf(sym.name, sizeof(sym.name), "%s", symbol);
	snprintf(sym.module, sizeof(sym.module), "%s", module[0] ? module : "kernel");
	return put_frame(d, &sym, id);
}

static int user_frame(struct xtr_defs *d, const struct xtr_program *program, uint64_t addr,
		      uint32_t *id)
{
	struct xtr_symbol sym = { .offset = addr };

	if (d->symbols)
		xtr_symbols_find(d->symbols, program, addr, &sym);
	return put_frame(d, &sym, id);
}

/* bytes: of the addresses, negative if the stack could not be taken. */
static uint32_t n_frames(int32_t bytes)
{
	uint32_t n = bytes > 0 ? (uint32_t)bytes / 8 : 0;

	return n < XTR_STACK_DEPTH ? n : XTR_STACK_DEPTH;
}

/* User frames first: their process may end while kernel symbols are looked up. */
static int take_stack(struct xtr_defs *d, const uint8_t *rec)
{
	uint32_t frames[2 * XTR_STACK_DEPTH], n_kernel, n_user;
	struct xtr_program program;
	struct xtr_ctl_stack def;
	int err = 0;

	memcpy(&def, rec, sizeof(def));
	program = (struct xtr_program){
		.pid = def.tgid, .start = def.start, .exec = def.exec, .image = def.image
	};
	n_kernel = n_frames(def.n_kernel);
	n_user = n_frames(def.n_user);
	for (uint32_t n = 0; !err && n < n_user; n++)
		err = user_frame(d, &program, def.user[n], &frames[n_kernel + n]);
	for (uint32_t n = 0; !err && n < n_kernel; n++)
		err = kernel_frame(d, def.kernel[n], &frames[n]);
	return err ? err : xtr_tables_add_stack(d->tables, def.id, frames, n_kernel + n_user);
}

static const struct {
	int (*take)(struct xtr_defs *d, const uint8_t *rec);
	size_t size;
} kinds[] = {
	[XTR_CTL_TASK] = { take_task, sizeof(struct xtr_ctl_task) },
	[XTR_CTL_RING] = { take_ring, sizeof(struct xtr_ctl_ring) },
	[XTR_CTL_OPS] = { take_ops, sizeof(struct xtr_ctl_ops) },
	[XTR_CTL_STACK] = { take_stack, sizeof(struct xtr_ctl_stack) },
	[XTR_CTL_CGROUP] = { take_cgroup, sizeof(struct xtr_ctl_cgroup) },
};

int xtr_defs_take(struct xtr_defs *d, const uint8_t *rec, uint32_t size)
{
	struct xtr_rec h;

	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, rec, sizeof(h));
	if (h.type >= ARRAY_LEN(kinds) || !kinds[h.type].take || size < kinds[h.type].size)
		return -EBADMSG;
	return kinds[h.type].take(d, rec);
}

uint32_t xtr_defs_ops(const struct xtr_defs *d, uint32_t id)
{
	return id < d->n_ops ? d->ops[id] : 0;
}

void xtr_defs_free(struct xtr_defs *d)
{
	free(d->ops);
	xtr_starts_free(&d->starts);
	xtr_cgroups_free(&d->cgroups);
	xtr_kallsyms_free(d->kallsyms);
	xtr_symbols_free(d->symbols);
	*d = (struct xtr_defs){ 0 };
}
