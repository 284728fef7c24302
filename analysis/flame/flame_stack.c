/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a job's weight ends in the tree: below the frames that --by asks for, those of its stack,
 * outermost first, and a mark if it did not end. Recorded stacks are innermost first, the kernel's
 * frames before the user's (spec/events.md); those of recording itself are left out.
 */
#include "flame_feed.h"

#include "format/meta/tables.h"
#include "replay/event/process.h"
#include "replay/event/stack_glue.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const xtr_flame_root_names[XTR_FLAME_ROOT_COUNT] = {
	[XTR_FLAME_PROCESS] = "process",
	[XTR_FLAME_RING] = "ring",
	[XTR_FLAME_DEVICE] = "device",
};

void flame_place_forget(struct xtr_flame_feed *feed)
{
	memset(feed->base, 0, sizeof(feed->base));
	xtr_map_free(&feed->leaves);
	xtr_map_free(&feed->frames);
}

/* --- frames above a stack --------------------------------------------------------------------- */

/* "game (4200)", "game (4200#2)": the process by its first thread's name, if that is known. */
static int64_t process_frame(struct xtr_flame_feed *feed, const struct flame_place *p)
{
	char text[XTR_FLAME_NAME_MAX];
	char pid[XTR_TEXT_PROCESS];
	const char *comm;
	size_t n = 0;

	if (!p->process && !p->comm)
		return xtr_flame_mark(feed->flame, "[process not known]");
	comm = feed->tables
		       ? xtr_tables_string(
				 feed->tables,
				 xtr_process_comm(feed->tables, p->process, p->ts, p->comm), &n)
		       : NULL;
	if (n > 64)
		n = 64;
	if (p->process)
		snprintf(text, sizeof(text), "%.*s (%s)", comm ? (int)n : 1, comm ? comm : "?",
			 xtr_text_process(pid, p->process));
	else
		snprintf(text, sizeof(text), "%.*s", comm ? (int)n : 1, comm ? comm : "?");
	return xtr_flame_mark(feed->flame, text);
}

static int64_t device_frame(struct xtr_flame_feed *feed, const struct flame_place *p)
{
	if (p->device)
		return xtr_flame_mark(feed->flame, *p->device ? p->device : "[device not known]");
	if (!p->ring)
		return xtr_flame_mark(feed->flame, "[other fence]");
	return xtr_flame_mark(feed->flame,
			      *p->ring->device_name ? p->ring->device_name : "[device not known]");
}

/* "device/ring"; rings of one name are one frame. */
static int64_t ring_frame(struct xtr_flame_feed *feed, const struct flame_place *p)
{
	char text[XTR_FLAME_NAME_MAX];

	if (!p->ring)
		return xtr_flame_mark(feed->flame, "[other fence]");
	if (!*p->ring->device_name && !*p->ring->name)
		return xtr_flame_mark(feed->flame, "[ring not known]");
	snprintf(text, sizeof(text), "%s/%s", p->ring->device_name, p->ring->name);
	return xtr_flame_mark(feed->flame, text);
}

static int64_t (*const roots[])(struct xtr_flame_feed *, const struct flame_place *) = {
	[XTR_FLAME_PROCESS] = process_frame,
	[XTR_FLAME_RING] = ring_frame,
	[XTR_FLAME_DEVICE] = device_frame,
};

static int64_t make_base(struct xtr_flame_feed *feed, const struct flame_place *p)
{
	int64_t node = XTR_FLAME_ROOT, frame;

	for (size_t i = 0; i < feed->o.n_by && node >= 0; i++) {
		frame = roots[feed->o.by[i]](feed, p);
		node = frame < 0 ? frame
				 : xtr_flame_child(feed->flame, (uint32_t)node, (uint32_t)frame);
	}
	return node;
}

/* Nearly always that of the last job of the process and ring. */
static int64_t base_of(struct xtr_flame_feed *feed, const struct flame_place *p)
{
	uint32_t ring_id = p->ring ? p->ring->id : UINT32_MAX;
	struct flame_base *b =
		&feed->base[(xtr_process_pid(p->process) + 31 * ring_id) % FLAME_BASES];
	int64_t node;

	if (!feed->o.n_by)
		return XTR_FLAME_ROOT;
	if (p->device)
		return make_base(feed, p);
	if (b->used && b->process == p->process && b->comm == p->comm && b->ring_id == ring_id)
		return b->node;
	node = make_base(feed, p);
	if (node >= 0)
		*b = (struct flame_base){ .process = p->process,
					  .comm = p->comm,
					  .ring_id = ring_id,
					  .used = true,
					  .node = (uint32_t)node };
	return node;
}

/* --- frames of a stack ------------------------------------------------------------------------ */

static const char *string_of(const struct xtr_tables *t, uint32_t id, size_t *n)
{
	const char *s = id ? xtr_tables_string(t, id, n) : NULL;

	if (!s)
		*n = 0;
	return s ? s : "";
}

/* "drm_ioctl" of "drm"; without a symbol "libc.so.6+0x10ed6b"; "[unknown]". */
static int64_t new_frame(struct xtr_flame_feed *feed, uint32_t id)
{
	static const struct xtr_frame none;
	const struct xtr_frame *known = xtr_tables_frame(feed->tables, id);
	const struct xtr_frame *fr = known ? known : &none;
	size_t n_symbol, n_module;
	const char *symbol = string_of(feed->tables, fr->symbol, &n_symbol);
	const char *module = string_of(feed->tables, fr->module, &n_module);
	enum xtr_flame_kind kind = xtr_flame_kind_of(module, n_module);
	const char *base = n_module ? memrchr(module, '/', n_module) : NULL;
	char text[XTR_FLAME_NAME_MAX];

	if (n_symbol)
		return xtr_flame_frame(feed->flame, symbol, n_symbol, module, n_module, kind);
	if (!n_module)
		return xtr_flame_frame(feed->flame, "[unknown]", 9, "", 0, kind);
	base = base ? base + 1 : module;
	n_symbol = n_module - (size_t)(base - module);
	if (n_symbol > XTR_FLAME_NAME_MAX / 2)
		n_symbol = XTR_FLAME_NAME_MAX / 2;
	snprintf(text, sizeof(text), "%.*s+0x%llx", (int)n_symbol, base,
		 (unsigned long long)fr->offset);
	return xtr_flame_frame(feed->flame, text, strlen(text), module, n_module, kind);
}

static int64_t frame_of(struct xtr_flame_feed *feed, uint32_t id)
{
	uint32_t known = xtr_map_index(&feed->frames, id, 0);
	int64_t frame;

	if (known != XTR_MAP_NONE)
		return known;
	frame = new_frame(feed, id);
	if (frame >= 0 && xtr_map_put(&feed->frames, id, 0, (uint32_t)frame))
		return -ENOMEM;
	return frame;
}

static int64_t child_mark(struct xtr_flame_feed *feed, int64_t node, const char *name)
{
	int64_t frame = node < 0 ? node : xtr_flame_mark(feed->flame, name);

	return frame < 0 ? frame : xtr_flame_child(feed->flame, (uint32_t)node, (uint32_t)frame);
}

static int64_t make_leaf(struct xtr_flame_feed *feed, int64_t node, const uint32_t *frames,
			 size_t n)
{
	size_t glue = xtr_stack_glue(feed->tables, frames, n);
	size_t cut = n - glue > FLAME_STACK_MAX ? n - FLAME_STACK_MAX : glue;
	int64_t frame;

	while (n > cut && node >= 0) {
		frame = frame_of(feed, frames[--n]);
		node = frame < 0 ? frame
				 : xtr_flame_child(feed->flame, (uint32_t)node, (uint32_t)frame);
	}
	return cut > glue ? child_mark(feed, node, "[deeper]") : node;
}

static int64_t leaf_of(struct xtr_flame_feed *feed, int64_t base, uint32_t stack,
		       const uint32_t *frames, size_t n)
{
	uint32_t known;
	int64_t leaf;

	if (base < 0)
		return base;
	known = xtr_map_index(&feed->leaves, (uint64_t)base, stack);
	if (known != XTR_MAP_NONE)
		return known;
	leaf = make_leaf(feed, base, frames, n);
	if (leaf >= 0 && feed->leaves.n < FLAME_LEAVES_MAX &&
	    xtr_map_put(&feed->leaves, (uint64_t)base, stack, (uint32_t)leaf))
		return -ENOMEM;
	return leaf;
}

int64_t flame_place_node(struct xtr_flame_feed *feed, const struct flame_place *p, bool *stack)
{
	static const char *const ends[FLAME_ENDS] = {
		[FLAME_OPEN] = "[open]", [FLAME_LOST] = "[lost]"
	};
	int64_t node = base_of(feed, p);
	size_t n = 0;
	const uint32_t *frames =
		p->stack && feed->tables ? xtr_tables_stack(feed->tables, p->stack, &n) : NULL;

	if (p->mark)
		node = child_mark(feed, node, p->mark);
	*stack = frames && n;
	if (*stack)
		node = leaf_of(feed, node, p->stack, frames, n);
	else if (p->other && !p->mark)
		node = child_mark(feed, node, "[other fence]");
	else if (p->other)
		return node;
	else
		node = child_mark(feed, node,
				  p->stack && !frames ? "[stack not in the file]" : "[no stack]");
	return ends[p->end] ? child_mark(feed, node, ends[p->end]) : node;
}
