/* SPDX-License-Identifier: BSD-2-Clause */
/* Folded stacks, as flamegraph.pl and its kin read them; and speedscope's file format. */
#include "flame_view.h"
#include "base/json.h"
#include "base/line.h"
#include "base/text.h"

#include <string.h>

char *xtr_flame_amount(char buf[XTR_FLAME_AMOUNT], const struct xtr_flame_tree *tree, uint64_t w)
{
	char number[XTR_TEXT_NUMBER];

	if (!strcmp(tree->unit, "ns"))
		snprintf(buf, XTR_FLAME_AMOUNT, "%s", xtr_text_ns(number, w));
	else
		snprintf(buf, XTR_FLAME_AMOUNT, "%s %.20s", xtr_text_count(number, w), tree->unit);
	return buf;
}

/* A frame ends at ';', which no name may have: names are safe but for that. */
static void put_name(struct xtr_line *l, const char *s, bool first)
{
	const char *end;

	if (first && *s == '#') { /* a comment, for some readers */
		xtr_line_str(l, "\\x23");
		s++;
	}
	while ((end = strchr(s, ';'))) {
		xtr_line_put(l, s, (size_t)(end - s));
		xtr_line_str(l, "\\x3b");
		s = end + 1;
	}
	xtr_line_str(l, s);
}

/* The nodes from below the root to this one; returns how many. */
static uint32_t path_of(const struct xtr_flame *f, uint32_t node,
			uint32_t path[XTR_FLAME_DEPTH_MAX])
{
	uint32_t depth = xtr_flame_node(f, node)->depth, i;

	for (i = depth; i; i--) {
		path[i - 1] = node;
		node = xtr_flame_node(f, node)->parent;
	}
	return depth;
}

static void put_stack(struct xtr_line *l, const struct xtr_flame_tree *t, uint32_t node, bool named)
{
	const struct xtr_flame_node *n = xtr_flame_node(t->flame, node);
	uint32_t path[XTR_FLAME_DEPTH_MAX], depth = path_of(t->flame, node, path), i;

	if (named) {
		put_name(l, t->name, true);
		xtr_line_str(l, " (");
		put_name(l, t->unit, false);
		xtr_line_char(l, ')');
	}
	for (i = 0; i < depth; i++) {
		if (i || named)
			xtr_line_char(l, ';');
		put_name(l, xtr_flame_frame_of(t->flame, path[i])->name, !i && !named);
	}
	xtr_line_char(l, ' ');
	xtr_line_number(l, n->self);
	xtr_line_char(l, '\n');
}

void xtr_flame_folded(FILE *f, const struct xtr_flame_tree *tree, size_t n)
{
	struct xtr_line l;

	xtr_line_begin(&l, f);
	for (size_t i = 0; i < n; i++)
		for (uint32_t node = XTR_FLAME_ROOT; node != XTR_FLAME_NONE;
		     node = xtr_flame_after(tree[i].flame, node))
			if (xtr_flame_node(tree[i].flame, node)->self)
				put_stack(&l, &tree[i], node, n > 1);
	xtr_line_flush(&l);
}

/* --- speedscope ------------------------------------------------------------------------------- */

static void put_frames(struct xtr_json *j, const struct xtr_flame *f)
{
	for (uint32_t i = 0; i < xtr_flame_n_frames(f); i++) {
		const struct xtr_flame_frame *fr = xtr_flame_frame_at(f, i);

		xtr_json_begin_object(j);
		xtr_json_kv_str(j, "name", fr->name);
		if (*fr->module)
			xtr_json_kv_str(j, "file", fr->module);
		xtr_json_end_object(j);
	}
}

static void put_samples(struct xtr_json *j, const struct xtr_flame *f, uint64_t first)
{
	uint32_t path[XTR_FLAME_DEPTH_MAX], depth;

	xtr_json_kv_array(j, "samples");
	for (uint32_t node = XTR_FLAME_ROOT; node != XTR_FLAME_NONE;
	     node = xtr_flame_after(f, node)) {
		if (!xtr_flame_node(f, node)->self)
			continue;
		depth = path_of(f, node, path);
		xtr_json_begin_array(j);
		for (uint32_t i = 0; i < depth; i++)
			xtr_json_u64(j, first + xtr_flame_node(f, path[i])->frame);
		xtr_json_end_array(j);
	}
	xtr_json_end_array(j);
	xtr_json_kv_array(j, "weights");
	for (uint32_t node = XTR_FLAME_ROOT; node != XTR_FLAME_NONE;
	     node = xtr_flame_after(f, node))
		if (xtr_flame_node(f, node)->self)
			xtr_json_u64(j, xtr_flame_node(f, node)->self);
	xtr_json_end_array(j);
}

static void put_profile(struct xtr_json *j, const struct xtr_flame_tree *t, uint64_t first)
{
	char name[64];

	snprintf(name, sizeof(name), "%.30s (%.20s)", t->name, t->unit);
	xtr_json_begin_object(j);
	xtr_json_kv_str(j, "type", "sampled");
	xtr_json_kv_str(j, "name", name);
	xtr_json_kv_str(j, "unit", t->speedscope);
	xtr_json_kv_u64(j, "startValue", 0);
	xtr_json_kv_u64(j, "endValue", xtr_flame_node(t->flame, XTR_FLAME_ROOT)->total);
	put_samples(j, t->flame, first);
	xtr_json_end_object(j);
}

void xtr_flame_speedscope(FILE *f, const char *name, const struct xtr_flame_tree *tree, size_t n)
{
	struct xtr_json j;
	uint64_t first = 0;

	xtr_json_init(&j, f, false);
	xtr_json_begin_object(&j);
	xtr_json_kv_str(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
	xtr_json_kv_str(&j, "name", name);
	xtr_json_kv_str(&j, "exporter", "xtr " XTR_VERSION);
	xtr_json_kv_u64(&j, "activeProfileIndex", 0);
	xtr_json_kv_object(&j, "shared");
	xtr_json_kv_array(&j, "frames");
	for (size_t i = 0; i < n; i++)
		put_frames(&j, tree[i].flame);
	xtr_json_end_array(&j);
	xtr_json_end_object(&j);
	xtr_json_kv_array(&j, "profiles");
	for (size_t i = 0; i < n; i++) {
		put_profile(&j, &tree[i], first);
		first += xtr_flame_n_frames(tree[i].flame);
	}
	xtr_json_end_array(&j);
	xtr_json_end_object(&j);
	xtr_json_newline(&j);
}
