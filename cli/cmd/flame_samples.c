/* SPDX-License-Identifier: BSD-2-Clause */
#include "flame_samples.h"
#include "cli/ui/cli.h"

#include <errno.h>
#include <string.h>

/* Folded stacks have no modules; a kernel's frame may end as stackcollapse-perf.pl marks it. */
static enum xtr_flame_kind kind_of(const struct xtr_samples_frame *f)
{
	if (f->thread)
		return XTR_FLAME_MARK;
	if (!f->n_module && f->n_name > 4 && !memcmp(f->name + f->n_name - 4, "_[k]", 4))
		return XTR_FLAME_KERNEL;
	return xtr_flame_kind_of(f->module ? f->module : "", f->n_module);
}

static int on_stack(void *ctx, const struct xtr_samples_frame *f, size_t n, uint64_t weight)
{
	struct xtr_flame *flame = ctx;
	int64_t node = XTR_FLAME_ROOT, frame;
	size_t i;

	for (i = 0; i < n && node >= 0; i++) {
		frame = xtr_flame_frame(flame, f[i].name, f[i].n_name,
					f[i].module ? f[i].module : "", f[i].n_module,
					kind_of(&f[i]));
		node = frame < 0 ? frame : xtr_flame_child(flame, (uint32_t)node, (uint32_t)frame);
	}
	if (!n) {
		frame = xtr_flame_mark(flame, "[no stack]");
		node = frame < 0 ? frame : xtr_flame_child(flame, XTR_FLAME_ROOT, (uint32_t)frame);
	}
	if (node < 0)
		return (int)node;
	xtr_flame_add(flame, (uint32_t)node, weight);
	return 0;
}

int flame_samples_into(struct xtr_io *io, struct xtr_flame *flame, struct xtr_samples_result *r)
{
	const struct xtr_samples_opts o = { .sz = sizeof(o), .stack = on_stack, .ctx = flame };

	return xtr_samples_read(io, &o, r);
}

int flame_samples(const char *path, struct xtr_flame *flame, struct xtr_samples_result *r)
{
	struct xtr_io *io;
	int err = xtr_io_open_read(path, &io);

	if (err)
		return cli_failed(path, err);
	err = flame_samples_into(io, flame, r);
	xtr_io_close(io);
	if (err)
		return cli_failed(path, err);
	if (!r->stacks) {
		cli_error("'%s': no stacks: neither folded ones nor what perf script prints", path);
		return XTR_EXIT_FAILURE;
	}
	if (r->other)
		cli_warn("'%s': %s lines are not stacks and were skipped, first line %s", path,
			 cli_count(r->other), cli_count(r->other_line));
	return r->other ? XTR_EXIT_LOSS : XTR_EXIT_OK;
}
