/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A flame graph: the width of a frame is its share of the tree's weight, callers are below what
 * they call. All that zooming and searching need is in the picture; without script it stands as it
 * is, and a frame's title says what it is.
 */
#include "flame_svg.h"
#include "flame_view.h"
#include "base/line.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD      64u                                              /* pixels above the first tree */
#define TREE_HEAD 30u                                              /* above each */
#define FOOT      50u                                              /* below all */
#define SPAN      ((FLAME_SVG_WIDTH - 2 * FLAME_SVG_MARGIN) * 100) /* hundredths of a pixel */
#define NARROW    10u                                              /* the same: left out below */
#define CHARACTER 723u /* the same: width of a character */

struct svg {
	struct xtr_line l;
	const struct xtr_flame_tree *tree; /* the present one */
	uint64_t *start;                   /* by node: weight to the left of it */
	unsigned int number;               /* of the tree */
	uint64_t base;                     /* y of the frames next to the bottom */
	uint64_t narrow;                   /* frames left out */
};

/* XML 1.0 has no control characters and no U+FFFE, U+FFFF, not even as references. */
static bool is_xml(const char *s, size_t len)
{
	if (xtr_utf8_is_control(s, len))
		return false;
	return len != 3 || memcmp(s, "\xef\xbf", 2) || (unsigned char)s[2] < 0xbe;
}

static void put_xml_char(struct xtr_line *l, const char *s, size_t len)
{
	static const char *const entity[128] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
	};
	unsigned char c = (unsigned char)*s;

	if (!len || !is_xml(s, len)) {
		xtr_line_char(l, '?');
		return;
	}
	if (c < 128 && entity[c])
		xtr_line_str(l, entity[c]);
	else
		xtr_line_put(l, s, len);
}

/* At most `max` characters. */
static void put_xml(struct xtr_line *l, const char *s, size_t max)
{
	size_t n = strlen(s), len;

	for (; n && max; max--, s += len, n -= len) {
		len = xtr_utf8_len(s, n);
		put_xml_char(l, s, len);
		len = len ? len : 1;
	}
}

static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* "12.34" of hundredths. */
static void put_pixels(struct xtr_line *l, uint64_t hundredths)
{
	xtr_line_number(l, hundredths / 100);
	xtr_line_char(l, '.');
	xtr_line_u64(l, hundredths % 100, 2);
}

static void put_attribute(struct xtr_line *l, const char *name, uint64_t hundredths)
{
	xtr_line_char(l, ' ');
	xtr_line_str(l, name);
	xtr_line_str(l, "=\"");
	put_pixels(l, hundredths);
	xtr_line_char(l, '"');
}

/* A line of text that is ours but for `s`. */
static void put_text(struct xtr_line *l, uint64_t y, const char *attributes, const char *s)
{
	xtr_line_str(l, "<text x=\"10\" y=\"");
	xtr_line_number(l, y);
	xtr_line_str(l, "\"");
	xtr_line_str(l, attributes);
	xtr_line_str(l, ">");
	put_xml(l, s, SIZE_MAX);
	xtr_line_str(l, "</text>\n");
}

/* "drm_ioctl [drm]: 12.3 ms, 45.6 %; itself 1.2 ms". */
static void put_title(struct svg *s, uint32_t node)
{
	const struct xtr_flame_node *n = xtr_flame_node(s->tree->flame, node);
	const struct xtr_flame_frame *fr = xtr_flame_frame_of(s->tree->flame, node);
	uint64_t all = xtr_flame_node(s->tree->flame, XTR_FLAME_ROOT)->total;
	char amount[XTR_FLAME_AMOUNT], share[XTR_TEXT_NUMBER];

	xtr_line_str(&s->l, "<title>");
	put_xml(&s->l, fr->name, SIZE_MAX);
	if (*fr->module) {
		xtr_line_str(&s->l, " [");
		put_xml(&s->l, fr->module, SIZE_MAX);
		xtr_line_str(&s->l, "]");
	}
	xtr_line_str(&s->l, ": ");
	xtr_line_str(&s->l, xtr_flame_amount(amount, s->tree, n->total));
	xtr_line_str(&s->l, ", ");
	put_xml(&s->l, xtr_text_percent(share, n->total, all), SIZE_MAX);
	if (n->self && n->self != n->total) {
		xtr_line_str(&s->l, "; itself ");
		xtr_line_str(&s->l, xtr_flame_amount(amount, s->tree, n->self));
	}
	xtr_line_str(&s->l, "</title>");
}

static void put_label(struct svg *s, const char *name, uint64_t width)
{
	uint64_t room = width > 600 ? (width - 600) / CHARACTER : 0;

	if (characters(name) <= room) {
		put_xml(&s->l, name, SIZE_MAX);
	} else if (room >= 3) {
		put_xml(&s->l, name, (size_t)room - 2);
		xtr_line_str(&s->l, "..");
	}
}

/* Where a weight lies, in hundredths of a pixel. */
static uint64_t place(const struct svg *s, uint64_t weight)
{
	uint64_t all = xtr_flame_node(s->tree->flame, XTR_FLAME_ROOT)->total;

	return (uint64_t)((unsigned __int128)weight * SPAN / (all ? all : 1));
}

static bool is_shown(const struct svg *s, uint32_t node)
{
	uint64_t at = s->start[node], w = xtr_flame_node(s->tree->flame, node)->total;

	return place(s, at + w) - place(s, at) >= NARROW;
}

static void put_node(struct svg *s, uint32_t node)
{
	const struct xtr_flame_node *n = xtr_flame_node(s->tree->flame, node);
	const struct xtr_flame_frame *fr = xtr_flame_frame_of(s->tree->flame, node);
	uint64_t x = place(s, s->start[node]);
	uint64_t width = place(s, s->start[node] + n->total) - x;
	uint64_t y = s->base - (uint64_t)n->depth * FLAME_SVG_ROW;

	x += 100ull * FLAME_SVG_MARGIN;
	xtr_line_str(&s->l, "<g class=\"f\" data-t=\"");
	xtr_line_number(&s->l, s->number);
	xtr_line_str(&s->l, "\" data-n=\"");
	put_xml(&s->l, fr->name, SIZE_MAX);
	xtr_line_str(&s->l, "\">");
	put_title(s, node);
	xtr_line_str(&s->l, "<rect class=\"k");
	xtr_line_number(&s->l, fr->kind);
	xtr_line_char(&s->l, '"');
	put_attribute(&s->l, "x", x);
	put_attribute(&s->l, "y", 100 * y);
	put_attribute(&s->l, "width", width);
	xtr_line_str(&s->l, " height=\"16\" rx=\"1\"/><text");
	put_attribute(&s->l, "x", x + 300);
	put_attribute(&s->l, "y", 100 * y + 1200);
	xtr_line_char(&s->l, '>');
	put_label(s, fr->name, width);
	xtr_line_str(&s->l, "</text></g>\n");
}

/* Each child is to the right of the heavier ones, all above their caller's left edge. */
static int set_starts(struct svg *s)
{
	const struct xtr_flame *f = s->tree->flame;
	uint64_t at;

	free(s->start);
	s->start = calloc(xtr_flame_n_nodes(f), sizeof(*s->start));
	if (!s->start)
		return -ENOMEM;
	for (uint32_t i = XTR_FLAME_ROOT; i != XTR_FLAME_NONE; i = xtr_flame_after(f, i)) {
		at = s->start[i];
		for (uint32_t c = xtr_flame_node(f, i)->child; c != XTR_FLAME_NONE;
		     c = xtr_flame_node(f, c)->next) {
			s->start[c] = at;
			at += xtr_flame_node(f, c)->total;
		}
	}
	return 0;
}

/* Of the frames that are shown; the root is one. */
static uint64_t rows(struct svg *s)
{
	const struct xtr_flame *f = s->tree->flame;
	uint64_t deepest = 0;

	for (uint32_t i = XTR_FLAME_ROOT; i != XTR_FLAME_NONE; i = xtr_flame_after(f, i))
		if (is_shown(s, i) && xtr_flame_node(f, i)->depth > deepest)
			deepest = xtr_flame_node(f, i)->depth;
	return deepest + 1;
}

/* Pixels that a tree takes. */
static uint64_t height(struct svg *s)
{
	return TREE_HEAD + rows(s) * FLAME_SVG_ROW;
}

static void put_tree(struct svg *s, uint64_t top)
{
	const struct xtr_flame *f = s->tree->flame;
	uint64_t all = xtr_flame_node(f, XTR_FLAME_ROOT)->total;
	char line[512], amount[XTR_FLAME_AMOUNT];

	s->base = top + height(s) - FLAME_SVG_ROW;
	snprintf(line, sizeof(line), "%s: %.300s; all %s (%llu %.20s)", s->tree->name,
		 s->tree->title, xtr_flame_amount(amount, s->tree, all), (unsigned long long)all,
		 s->tree->unit);
	put_text(&s->l, top + 20, "", line);
	for (uint32_t i = XTR_FLAME_ROOT; i != XTR_FLAME_NONE; i = xtr_flame_after(f, i)) {
		if (is_shown(s, i))
			put_node(s, i);
		else
			s->narrow++;
	}
}

static void put_head(struct svg *s, const char *name, uint64_t pixels)
{
	xtr_line_str(&s->l, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"");
	xtr_line_number(&s->l, FLAME_SVG_WIDTH);
	xtr_line_str(&s->l, "\" height=\"");
	xtr_line_number(&s->l, pixels);
	xtr_line_str(&s->l, "\" viewBox=\"0 0 ");
	xtr_line_number(&s->l, FLAME_SVG_WIDTH);
	xtr_line_char(&s->l, ' ');
	xtr_line_number(&s->l, pixels);
	xtr_line_str(&s->l, "\">\n<style>");
	xtr_line_str(&s->l, flame_svg_style);
	for (unsigned int k = 0; k < XTR_FLAME_KIND_COUNT; k++) {
		xtr_line_str(&s->l, ".k");
		xtr_line_number(&s->l, k);
		xtr_line_str(&s->l, "{fill:");
		xtr_line_str(&s->l, flame_svg_colours[k]);
		xtr_line_char(&s->l, '}');
	}
	xtr_line_str(&s->l, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	put_text(&s->l, 24, " class=\"t\"", name);
	xtr_line_str(&s->l, "<text id=\"search\" class=\"b\" x=\"10\" y=\"48\">search</text>\n"
			    "<text id=\"reset\" class=\"b\" x=\"80\" y=\"48\">show all</text>\n"
			    "<text id=\"found\" class=\"n\" x=\"170\" y=\"48\"></text>\n"
			    "<text id=\"what\" x=\"290\" y=\"48\"></text>\n");
}

static void put_foot(struct svg *s, uint64_t y)
{
	char line[128], count[XTR_TEXT_NUMBER];

	for (unsigned int k = 0; k < XTR_FLAME_KIND_COUNT; k++) {
		xtr_line_str(&s->l, "<g><title>");
		put_xml(&s->l, xtr_flame_kind_help(k), SIZE_MAX);
		xtr_line_str(&s->l, "</title><rect class=\"k");
		xtr_line_number(&s->l, k);
		xtr_line_char(&s->l, '"');
		put_attribute(&s->l, "x", 100ull * (FLAME_SVG_MARGIN + 90 * k));
		put_attribute(&s->l, "y", 100 * (y + 10));
		xtr_line_str(&s->l, " width=\"12\" height=\"12\"/><text");
		put_attribute(&s->l, "x", 100ull * (FLAME_SVG_MARGIN + 90 * k + 16));
		put_attribute(&s->l, "y", 100 * (y + 20));
		xtr_line_char(&s->l, '>');
		put_xml(&s->l, xtr_flame_kind_name(k), SIZE_MAX);
		xtr_line_str(&s->l, "</text></g>\n");
	}
	if (!s->narrow)
		return;
	snprintf(line, sizeof(line), "%s frames narrower than 0.1 pixels are left out",
		 xtr_text_count(count, s->narrow));
	put_text(&s->l, y + 40, " class=\"n\"", line);
}

static int each(struct svg *s, const struct xtr_flame_tree *tree, size_t n, uint64_t *y, bool draw)
{
	for (size_t i = 0; i < n; i++) {
		s->tree = &tree[i];
		s->number = (unsigned int)i;
		if (set_starts(s))
			return -ENOMEM;
		if (draw)
			put_tree(s, *y);
		*y += height(s);
	}
	return 0;
}

int xtr_flame_svg(FILE *f, const char *name, const struct xtr_flame_tree *tree, size_t n)
{
	struct svg s = { .start = NULL };
	uint64_t bottom = HEAD, y = HEAD;
	int err;

	xtr_line_begin(&s.l, f);
	err = each(&s, tree, n, &bottom, false);
	if (!err) {
		put_head(&s, name, bottom + FOOT);
		err = each(&s, tree, n, &y, true);
	}
	if (!err) {
		put_foot(&s, bottom);
		xtr_line_str(&s.l, "<script><![CDATA[\n");
		xtr_line_str(&s.l, flame_svg_script);
		xtr_line_str(&s.l, "]]></script>\n</svg>\n");
		xtr_line_flush(&s.l);
	}
	free(s.start);
	return err;
}
