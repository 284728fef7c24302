/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes are found by (parent, frame), frames by a hash of their names; of names with one hash the
 * first is (hash, 0), the next (hash, 1). A node's index is above its parent's.
 */
#include "flame.h"
#include "base/buf.h"
#include "base/checked.h"
#include "base/map.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct frame {
	struct xtr_flame_frame f;
	char *text; /* name, NUL, module, NUL */
};

struct xtr_flame {
	struct xtr_flame_node *node;
	struct frame *frame;
	size_t n_nodes, cap_nodes, n_frames, cap_frames;
	struct xtr_map nodes, frames;
	uint32_t others; /* the node of what there is no room for; NONE: there was room */
};

const char *xtr_flame_kind_name(unsigned int kind)
{
	static const char *const name[] = {
#define NAME(id, text, help) [XTR_FLAME_##id] = text,
		XTR_FLAME_KINDS(NAME)
#undef NAME
	};

	return kind < XTR_FLAME_KIND_COUNT ? name[kind] : "";
}

const char *xtr_flame_kind_help(unsigned int kind)
{
	static const char *const help_of[] = {
#define HELP(id, text, help) [XTR_FLAME_##id] = help,
		XTR_FLAME_KINDS(HELP)
#undef HELP
	};

	return kind < XTR_FLAME_KIND_COUNT ? help_of[kind] : "";
}

/* --- frames ----------------------------------------------------------------------------------- */

#define TEXT_MAX (XTR_FLAME_NAME_MAX + XTR_FLAME_MODULE_MAX)

/* Name and module in safe form, one behind the other; returns their bytes with both NULs. */
static size_t put_text(char text[TEXT_MAX], const char *name, size_t n_name, const char *module,
		       size_t n_module)
{
	size_t n;

	if (!n_name) {
		name = "[unnamed]";
		n_name = strlen(name);
	}
	xtr_text_name(text, XTR_FLAME_NAME_MAX, name, n_name);
	n = strlen(text) + 1;
	xtr_text_name(text + n, XTR_FLAME_MODULE_MAX, module, n_module);
	return n + strlen(text + n) + 1;
}

/* A new frame under this key. */
static int64_t new_frame(struct xtr_flame *f, const char *text, size_t n, enum xtr_flame_kind kind,
			 uint64_t hash, uint64_t nth)
{
	struct frame *fr;
	char *copy;

	if (xtr_grow_array(&f->frame, &f->cap_frames, f->n_frames + 1, sizeof(*fr)))
		return -ENOMEM;
	copy = malloc(n);
	if (!copy)
		return -ENOMEM;
	if (xtr_map_put(&f->frames, hash, nth, (uint32_t)f->n_frames)) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, text, n);
	fr = &f->frame[f->n_frames];
	fr->text = copy;
	fr->f = (struct xtr_flame_frame){ .name = copy,
					  .module = copy + strlen(copy) + 1,
					  .kind = kind };
	return (int64_t)f->n_frames++;
}

static bool same(const struct frame *fr, const char *text, size_t n, enum xtr_flame_kind kind)
{
	size_t have = strlen(fr->f.name) + strlen(fr->f.module) + 2;

	return fr->f.kind == kind && have == n && !memcmp(fr->text, text, n);
}

int64_t xtr_flame_frame(struct xtr_flame *f, const char *name, size_t n_name, const char *module,
			size_t n_module, enum xtr_flame_kind kind)
{
	static const char full[] = "[too many names]";
	char text[TEXT_MAX];
	size_t n = put_text(text, name, n_name, module, n_module);
	uint64_t hash = xtr_hash_bytes(text, n) ^ kind, nth;
	uint32_t i;

	for (nth = 0; (i = xtr_map_index(&f->frames, hash, nth)) != XTR_MAP_NONE; nth++)
		if (same(&f->frame[i], text, n, kind))
			return i;
	if (f->n_frames == XTR_FLAME_FRAMES_MAX - 1) /* the last one is for all others */
		n = put_text(text, full, sizeof(full) - 1, "", 0);
	else if (f->n_frames >= XTR_FLAME_FRAMES_MAX)
		return XTR_FLAME_FRAMES_MAX - 1;
	return new_frame(f, text, n,
			 f->n_frames == XTR_FLAME_FRAMES_MAX - 1 ? XTR_FLAME_MARK : kind, hash,
			 nth);
}

int64_t xtr_flame_mark(struct xtr_flame *f, const char *name)
{
	return xtr_flame_frame(f, name, strlen(name), "", 0, XTR_FLAME_MARK);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static int64_t new_node(struct xtr_flame *f, uint32_t parent, uint32_t frame)
{
	uint32_t i = (uint32_t)f->n_nodes;

	if (xtr_grow_array(&f->node, &f->cap_nodes, f->n_nodes + 1, sizeof(*f->node)))
		return -ENOMEM;
	if (parent != XTR_FLAME_NONE && xtr_map_put(&f->nodes, parent, frame, i))
		return -ENOMEM;
	f->node[i] = (struct xtr_flame_node){
		.parent = parent,
		.frame = frame,
		.depth = parent == XTR_FLAME_NONE ? 0 : f->node[parent].depth + 1,
		.child = XTR_FLAME_NONE,
		.next = XTR_FLAME_NONE,
	};
	f->n_nodes++;
	return i;
}

static int64_t others(struct xtr_flame *f)
{
	int64_t i;

	if (f->others != XTR_FLAME_NONE)
		return f->others;
	i = xtr_flame_mark(f, "[too many stacks]");
	if (i >= 0)
		i = new_node(f, XTR_FLAME_ROOT, (uint32_t)i);
	if (i >= 0)
		f->others = (uint32_t)i;
	return i;
}

int64_t xtr_flame_child(struct xtr_flame *f, uint32_t parent, uint32_t frame)
{
	uint32_t i = xtr_map_index(&f->nodes, parent, frame);

	if (i != XTR_MAP_NONE)
		return i;
	if (parent == f->others || f->node[parent].depth + 1 >= XTR_FLAME_DEPTH_MAX)
		return parent;
	return f->n_nodes >= XTR_FLAME_NODES_MAX - 1 ? others(f) : new_node(f, parent, frame);
}

void xtr_flame_add(struct xtr_flame *f, uint32_t node, uint64_t weight)
{
	f->node[node].self = xtr_sat_add(f->node[node].self, weight);
	f->node[node].n++;
}

int xtr_flame_new(struct xtr_flame **out)
{
	struct xtr_flame *f = calloc(1, sizeof(*f));
	int64_t i;

	if (!f)
		return -ENOMEM;
	f->others = XTR_FLAME_NONE;
	i = xtr_flame_mark(f, "all");
	if (i >= 0)
		i = new_node(f, XTR_FLAME_NONE, (uint32_t)i);
	if (i < 0) {
		xtr_flame_free(f);
		return (int)i;
	}
	*out = f;
	return 0;
}

void xtr_flame_free(struct xtr_flame *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_frames; i++)
		free(f->frame[i].text);
	xtr_map_free(&f->nodes);
	xtr_map_free(&f->frames);
	free(f->node);
	free(f->frame);
	free(f);
}

/* --- at the end ------------------------------------------------------------------------------- */

/* Lighter ones first, so that linking each one in front leaves the heaviest there. */
static int by_weight(const void *pa, const void *pb, void *ctx)
{
	const struct xtr_flame *f = ctx;
	uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;
	const struct xtr_flame_node *a = &f->node[x], *b = &f->node[y];
	int d;

	if (a->total != b->total)
		return a->total < b->total ? -1 : 1;
	d = strcmp(f->frame[b->frame].f.name, f->frame[a->frame].f.name);
	if (!d)
		d = strcmp(f->frame[b->frame].f.module, f->frame[a->frame].f.module);
	return d ? d : (x < y) - (x > y);
}

int xtr_flame_finish(struct xtr_flame *f)
{
	uint32_t *order = calloc(f->n_nodes, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		order[i] = i;
		f->node[i].total = f->node[i].self;
		f->node[i].child = f->node[i].next = XTR_FLAME_NONE;
	}
	for (uint32_t i = (uint32_t)f->n_nodes - 1; i; i--) {
		struct xtr_flame_node *p = &f->node[f->node[i].parent];

		p->total = xtr_sat_add(p->total, f->node[i].total);
	}
	qsort_r(order, f->n_nodes, sizeof(*order), by_weight, f);
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		struct xtr_flame_node *n = &f->node[order[i]];

		if (n->parent == XTR_FLAME_NONE)
			continue;
		n->next = f->node[n->parent].child;
		f->node[n->parent].child = order[i];
	}
	free(order);
	return 0;
}

size_t xtr_flame_n_nodes(const struct xtr_flame *f)
{
	return f->n_nodes;
}

const struct xtr_flame_node *xtr_flame_node(const struct xtr_flame *f, uint32_t i)
{
	return &f->node[i];
}

size_t xtr_flame_n_frames(const struct xtr_flame *f)
{
	return f->n_frames;
}

const struct xtr_flame_frame *xtr_flame_frame_at(const struct xtr_flame *f, uint32_t i)
{
	return &f->frame[i].f;
}

const struct xtr_flame_frame *xtr_flame_frame_of(const struct xtr_flame *f, uint32_t node)
{
	return &f->frame[f->node[node].frame].f;
}

uint32_t xtr_flame_after(const struct xtr_flame *f, uint32_t node)
{
	const struct xtr_flame_node *n = &f->node[node];

	if (n->child != XTR_FLAME_NONE)
		return n->child;
	while (n->next == XTR_FLAME_NONE && n->parent != XTR_FLAME_NONE)
		n = &f->node[n->parent];
	return n->next;
}
