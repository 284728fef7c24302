/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the picture that are the same in every one (flame_svg_parts.c). */
#ifndef XTR_FLAME_SVG_H
#define XTR_FLAME_SVG_H

#include "flame.h"

#define FLAME_SVG_WIDTH  1200u /* pixels */
#define FLAME_SVG_MARGIN 10u
#define FLAME_SVG_ROW    17u /* height of a frame */

extern const char *const flame_svg_colours[XTR_FLAME_KIND_COUNT];
extern const char flame_svg_style[]; /* without the colours */
/*
 * Zoom by click, search by a regular expression, both by keys, too. It reads names from attributes
 * and writes them as text, never as markup.
 */
extern const char flame_svg_script[];

#endif /* XTR_FLAME_SVG_H */
