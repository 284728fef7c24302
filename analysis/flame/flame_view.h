/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Trees of stacks as text, for flamegraph.pl, for speedscope and as a picture. Nothing of a name
 * can leave the place that it has there. Write errors are f's.
 */
#ifndef XTR_FLAME_VIEW_H
#define XTR_FLAME_VIEW_H

#include "flame.h"

#include <stdio.h>

struct xtr_flame_tree {
	const struct xtr_flame *flame; /* finished */
	const char *name;              /* "execution" */
	const char *title;             /* a line of what the weights are */
	const char *unit;              /* "ns", "jobs", "samples" */
	const char *speedscope;        /* the same in its words: "nanoseconds", "none" */
};

/*
 * A line for each stack that has weight, "outermost;...;innermost WEIGHT"; where there are several
 * trees the first frame is the name and unit of its tree.
 */
void xtr_flame_folded(FILE *f, const struct xtr_flame_tree *tree, size_t n);

/* One document of speedscope's file format, with a profile for each tree. */
void xtr_flame_speedscope(FILE *f, const char *name, const struct xtr_flame_tree *tree, size_t n);

/*
 * A picture, one tree below the other, that needs nothing but itself. Frames narrower than a tenth
 * of a pixel are left out, and counted. 0 or -ENOMEM.
 */
int xtr_flame_svg(FILE *f, const char *name, const struct xtr_flame_tree *tree, size_t n);

/* For people: the `top` heaviest stacks as a tree. 0 or -ENOMEM. */
int xtr_flame_text(FILE *f, const struct xtr_flame_tree *tree, uint32_t top);

/* "12.3 ms", "1,234 jobs". */
#define XTR_FLAME_AMOUNT 64u
char *xtr_flame_amount(char buf[XTR_FLAME_AMOUNT], const struct xtr_flame_tree *tree, uint64_t w);

#endif /* XTR_FLAME_VIEW_H */
