/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heaviest stacks for a terminal: they and what leads to them, indented. A frame that hands all
 * its weight to one that is called has no numbers of its own.
 */
#include "flame_view.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDENT_MAX 60u /* columns */

struct heavy {
	uint32_t node;
	uint64_t self;
};

static int by_self(const void *pa, const void *pb)
{
	const struct heavy *a = pa, *b = pb;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

/* The stacks that have weight, heaviest first; NULL: no memory. */
static struct heavy *list(const struct xtr_flame *f, size_t *n)
{
	struct heavy *h = calloc(xtr_flame_n_nodes(f), sizeof(*h));

	*n = 0;
	for (uint32_t i = 0; h && i < xtr_flame_n_nodes(f); i++)
		if (xtr_flame_node(f, i)->self)
			h[(*n)++] = (struct heavy){ i, xtr_flame_node(f, i)->self };
	if (h && *n)
		qsort(h, *n, sizeof(*h), by_self);
	return h;
}

/* Mark a node and those above it. */
static void mark(const struct xtr_flame *f, bool *shown, uint32_t node)
{
	for (; node != XTR_FLAME_NONE && !shown[node]; node = xtr_flame_node(f, node)->parent)
		shown[node] = true;
}

static void put_node(FILE *f, const struct xtr_flame_tree *t, uint32_t node, unsigned int indent)
{
	const struct xtr_flame_node *n = xtr_flame_node(t->flame, node);
	const struct xtr_flame_frame *fr = xtr_flame_frame_of(t->flame, node);
	uint64_t all = xtr_flame_node(t->flame, XTR_FLAME_ROOT)->total;
	bool chain = n->depth > 1 && xtr_flame_node(t->flame, n->parent)->total == n->total;
	char share[XTR_TEXT_NUMBER] = "", amount[XTR_FLAME_AMOUNT] = "",
	     self[XTR_FLAME_AMOUNT] = "";

	if (!chain) {
		xtr_text_percent(share, n->total, all);
		xtr_flame_amount(amount, t, n->total);
	}
	if (n->self)
		xtr_flame_amount(self, t, n->self);
	fprintf(f, "%8s %14s %14s  %*s%s%s%s%s\n", share, amount, self, (int)indent, "", fr->name,
		*fr->module ? " [" : "", fr->module, *fr->module ? "]" : "");
}

/* Calls that do not branch are not indented: deep stacks stay in sight. */
static void put_tree(FILE *f, const struct xtr_flame_tree *t, const bool *shown)
{
	unsigned int indent[XTR_FLAME_DEPTH_MAX] = { 0 };

	for (uint32_t i = xtr_flame_after(t->flame, XTR_FLAME_ROOT); i != XTR_FLAME_NONE;
	     i = xtr_flame_after(t->flame, i)) {
		const struct xtr_flame_node *n = xtr_flame_node(t->flame, i);
		const struct xtr_flame_node *p = xtr_flame_node(t->flame, n->parent);
		unsigned int above = p->depth ? indent[p->depth] : 0;

		if (!shown[i])
			continue;
		indent[n->depth] = above + (n->total != p->total && p->depth ? 2 : 0);
		if (indent[n->depth] > INDENT_MAX)
			indent[n->depth] = INDENT_MAX;
		put_node(f, t, i, indent[n->depth]);
	}
}

static void put_rest(FILE *f, const struct xtr_flame_tree *t, const struct heavy *h, size_t n,
		     size_t top)
{
	char share[XTR_TEXT_NUMBER], amount[XTR_FLAME_AMOUNT], count[XTR_TEXT_NUMBER];
	uint64_t rest = 0;

	for (size_t i = top; i < n; i++)
		rest += h[i].self;
	if (top >= n)
		return;
	fprintf(f, "%8s %14s %14s  (%s more %s)\n",
		xtr_text_percent(share, rest, xtr_flame_node(t->flame, XTR_FLAME_ROOT)->total),
		xtr_flame_amount(amount, t, rest), "", xtr_text_count(count, n - top),
		n - top == 1 ? "stack" : "stacks");
}

int xtr_flame_text(FILE *f, const struct xtr_flame_tree *t, uint32_t top)
{
	size_t n;
	struct heavy *h = list(t->flame, &n);
	bool *shown = calloc(xtr_flame_n_nodes(t->flame), sizeof(*shown));

	if (h && shown && n) {
		for (size_t i = 0; i < n && i < top; i++)
			mark(t->flame, shown, h[i].node);
		fprintf(f, "%8s %14s %14s  %s\n", "share", "with called", "self", "stack");
		put_tree(f, t, shown);
		put_rest(f, t, h, n, top);
	}
	free(h);
	free(shown);
	return h && shown ? 0 : -ENOMEM;
}
