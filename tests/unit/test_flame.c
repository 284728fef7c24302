/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree of stacks, and what is written of it, against trees made by hand. */
#include "oom.h"
#include "analysis/flame/flame.h"
#include "analysis/flame/flame_view.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct xtr_flame *f;
static struct xtr_flame_tree tree;

static void setup(void)
{
	cr_assert(eq(int, xtr_flame_new(&f), 0));
	tree = (struct xtr_flame_tree){ .flame = f,
					.name = "execution",
					.title = "time",
					.unit = "ns",
					.speedscope = "nanoseconds" };
}

static void teardown(void)
{
	xtr_flame_free(f);
}

TestSuite(flame, .init = setup, .fini = teardown);

/* Frames from outermost on, NULL-terminated. */
static void add(uint64_t weight, const char *const *names)
{
	int64_t node = XTR_FLAME_ROOT, frame;

	for (; *names; names++) {
		frame = xtr_flame_frame(f, *names, strlen(*names), "", 0, XTR_FLAME_USER);
		cr_assert(ge(i64, frame, 0));
		node = xtr_flame_child(f, (uint32_t)node, (uint32_t)frame);
		cr_assert(ge(i64, node, 0));
	}
	xtr_flame_add(f, (uint32_t)node, weight);
}

#define ADD(weight, ...) add(weight, (const char *const[]){ __VA_ARGS__, NULL })

/* What put says of the tree; freed by the caller. */
static char *written(void (*put)(FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	cr_assert(eq(int, xtr_flame_finish(f), 0));
	put(out);
	cr_assert(eq(int, fclose(out), 0));
	return text;
}

static void as_folded(FILE *out)
{
	xtr_flame_folded(out, &tree, 1);
}

static void as_text(FILE *out)
{
	cr_assert(eq(int, xtr_flame_text(out, &tree, 2), 0));
}

static void as_svg(FILE *out)
{
	cr_assert(eq(int, xtr_flame_svg(out, "a<b", &tree, 1), 0));
}

static void as_speedscope(FILE *out)
{
	xtr_flame_speedscope(out, "a\"b", &tree, 1);
}

static void is(char *text, const char *want)
{
	cr_expect(eq(str, text, (char *)want));
	free(text);
}

Test(flame, weights_add_up_to_the_root)
{
	const struct xtr_flame_node *root, *main_node;

	ADD(10, "main", "draw");
	ADD(5, "main", "draw", "ioctl");
	ADD(7, "main");
	ADD(1, "other");
	cr_assert(eq(int, xtr_flame_finish(f), 0));
	root = xtr_flame_node(f, XTR_FLAME_ROOT);
	cr_expect(eq(u64, root->total, 23));
	cr_expect(eq(u64, root->self, 0));
	main_node = xtr_flame_node(f, root->child);
	cr_expect(eq(str, (char *)xtr_flame_frame_of(f, root->child)->name, "main"));
	cr_expect(eq(u64, main_node->total, 22));
	cr_expect(eq(u64, main_node->self, 7));
	cr_expect(eq(u64, main_node->n, 1));
	cr_expect(eq(str, (char *)xtr_flame_frame_of(f, main_node->next)->name, "other"));
	cr_expect(eq(sz, xtr_flame_n_nodes(f), 5));
}

Test(flame, folded_has_a_line_for_each_stack_heaviest_first)
{
	ADD(10, "main", "draw");
	ADD(0, "never");
	ADD(5, "main", "draw", "ioctl");
	ADD(40, "idle");
	is(written(as_folded), "idle 40\nmain;draw 10\nmain;draw;ioctl 5\n");
}

Test(flame, folded_names_its_trees_where_there_are_two)
{
	struct xtr_flame_tree two[2];
	char *text = NULL;
	size_t n;
	FILE *out;

	ADD(3, "main");
	cr_assert(eq(int, xtr_flame_finish(f), 0));
	two[0] = two[1] = tree;
	two[1].name = two[1].unit = "samples";
	out = open_memstream(&text, &n);
	xtr_flame_folded(out, two, 2);
	fclose(out);
	is(text, "execution (ns);main 3\nsamples (samples);main 3\n");
}

/* A name that could end a frame, a line or a comment does not. */
Test(flame, hostile_names_stay_in_their_frame)
{
	ADD(3, "a;b", "c\n1", "\x1b[31m", "\xff", "back\\slash", "e 12");
	ADD(2, "#x");
	is(written(as_folded), "a\\x3bb;c\\x0a1;\\x1b[31m;\\xff;back\\x5cslash;e 12 3\n\\x23x 2\n");
}

Test(flame, an_empty_name_is_named)
{
	ADD(3, "");
	is(written(as_folded), "[unnamed] 3\n");
}

Test(flame, names_that_differ_in_the_module_are_two)
{
	int64_t a = xtr_flame_frame(f, "x", 1, "m", 1, XTR_FLAME_DRIVER);
	int64_t b = xtr_flame_frame(f, "x", 1, "n", 1, XTR_FLAME_DRIVER);

	cr_expect(ne(i64, a, b));
	cr_expect(eq(i64, xtr_flame_frame(f, "x", 1, "m", 1, XTR_FLAME_DRIVER), a));
	cr_expect(ne(i64, xtr_flame_frame(f, "xm", 2, "", 0, XTR_FLAME_DRIVER), a));
}

Test(flame, a_long_name_is_cut)
{
	char name[2000];
	int64_t i;

	memset(name, 'x', sizeof(name));
	i = xtr_flame_frame(f, name, sizeof(name), name, sizeof(name), XTR_FLAME_USER);
	cr_assert(ge(i64, i, 0));
	cr_expect(eq(sz, strlen(xtr_flame_frame_at(f, (uint32_t)i)->name), XTR_FLAME_NAME_MAX - 1));
	cr_expect(eq(sz, strlen(xtr_flame_frame_at(f, (uint32_t)i)->module),
		     XTR_FLAME_MODULE_MAX - 1));
}

/* Nodes: what there is no room for has a place, and its weight is in the sum. */
Test(flame, too_many_stacks_keep_their_weight)
{
	const uint32_t n = XTR_FLAME_NODES_MAX + 1000;
	const struct xtr_flame_node *root;
	int64_t frame = xtr_flame_mark(f, "x"), top, node;
	uint32_t k;
	bool told = false;

	/* Chains of 200 below as many different frames as are needed. */
	for (uint32_t i = 0; i < n / 200; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%u", i);
		top = xtr_flame_child(f, XTR_FLAME_ROOT, (uint32_t)xtr_flame_mark(f, name));
		cr_assert(ge(i64, top, 0));
		for (k = 0, node = top; k < 200; k++)
			node = xtr_flame_child(f, (uint32_t)node, (uint32_t)frame);
		xtr_flame_add(f, (uint32_t)node, 3);
	}
	cr_assert(eq(int, xtr_flame_finish(f), 0));
	root = xtr_flame_node(f, XTR_FLAME_ROOT);
	cr_expect(eq(u64, root->total, 3ull * (n / 200)));
	cr_expect(eq(sz, xtr_flame_n_nodes(f), XTR_FLAME_NODES_MAX));
	for (uint32_t i = root->child; i != XTR_FLAME_NONE; i = xtr_flame_node(f, i)->next)
		told |= !strcmp(xtr_flame_frame_of(f, i)->name, "[too many stacks]") &&
			xtr_flame_node(f, i)->total;
	cr_expect(eq(int, told, 1));
}

Test(flame, too_many_names_share_one)
{
	int64_t frame = 0;

	for (uint32_t i = 0; i < XTR_FLAME_FRAMES_MAX + 10; i++) {
		char name[32];

		snprintf(name, sizeof(name), "f%u", i);
		frame = xtr_flame_mark(f, name);
		cr_assert(ge(i64, frame, 0));
	}
	cr_expect(eq(sz, xtr_flame_n_frames(f), XTR_FLAME_FRAMES_MAX));
	cr_expect(
		eq(str, (char *)xtr_flame_frame_at(f, (uint32_t)frame)->name, "[too many names]"));
	cr_expect(eq(str, (char *)xtr_flame_frame_at(f, 5)->name, "f4"));
}

Test(flame, depth_is_limited)
{
	int64_t frame = xtr_flame_mark(f, "again"), node = XTR_FLAME_ROOT;

	for (uint32_t i = 0; i < 10 * XTR_FLAME_DEPTH_MAX; i++)
		node = xtr_flame_child(f, (uint32_t)node, (uint32_t)frame);
	xtr_flame_add(f, (uint32_t)node, 9);
	cr_assert(eq(int, xtr_flame_finish(f), 0));
	cr_expect(eq(u32, xtr_flame_node(f, (uint32_t)node)->depth, XTR_FLAME_DEPTH_MAX - 1));
	cr_expect(eq(u64, xtr_flame_node(f, XTR_FLAME_ROOT)->total, 9));
}

/* A chain has numbers once; what is not among the heaviest two is summed up. */
Test(flame, text_for_people)
{
	ADD(6000000, "main", "draw", "ioctl");
	ADD(3000000, "main", "copy");
	ADD(1000000, "main");
	is(written(as_text), "   share    with called           self  stack\n"
			     " 100.0 %        10.0 ms        1.00 ms  main\n"
			     "  60.0 %        6.00 ms                   draw\n"
			     "                               6.00 ms    ioctl\n"
			     "  30.0 %        3.00 ms        3.00 ms    copy\n"
			     "  10.0 %        1.00 ms                 (1 more stack)\n");
}

static bool has(const char *text, const char *part)
{
	return strstr(text, part);
}

Test(flame, a_picture_escapes_names)
{
	char *text;

	ADD(90, "<script>alert('1')</script>", "a\"b&c", "]]>", "\xef\xbf\xbe", "\xe2\x80\xae");
	ADD(10, "plain");
	text = written(as_svg);
	cr_expect(eq(int, has(text, "data-n=\"&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;\""),
		     1));
	cr_expect(eq(int, has(text, "a&quot;b&amp;c"), 1));
	cr_expect(eq(int, has(text, "data-n=\"]]&gt;\""), 1));
	cr_expect(eq(int, has(text, "data-n=\"?\""), 1));
	cr_expect(eq(int, (!has(text, "\xe2\x80\xae") && !has(text, "\xef\xbf\xbe")), 1));
	cr_expect(eq(int, has(text, ">a&lt;b</text>"), 1));
	cr_expect(eq(int, has(text, "<title>plain: 10 ns, 10.0 %</title>"), 1));
	/* Nine tenths of 1,180 pixels, from the margin on. */
	cr_expect(eq(int,
		     (has(text, "x=\"10.00\" y=\"94.00\" width=\"1062.00\"") ||
		      has(text, "width=\"1062.00\"")),
		     1));
	cr_expect(eq(int, has(text, "x=\"1072.00\""), 1));
	free(text);
}

Test(flame, a_picture_leaves_out_what_cannot_be_seen)
{
	char *text;

	ADD(1000000, "seen");
	ADD(1, "not seen");
	text = written(as_svg);
	cr_expect(eq(int, has(text, "1 frames narrower than 0.1 pixels are left out"), 1));
	cr_expect(eq(int, (!has(text, "not seen")), 1));
	free(text);
}

Test(flame, a_picture_of_nothing)
{
	char *text = written(as_svg);

	cr_expect(eq(int, has(text, "all 0 ns"), 1));
	cr_expect(eq(int, has(text, "</svg>"), 1));
	free(text);
}

Test(flame, speedscope_document)
{
	char *text;

	ADD(7, "main", "draw");
	ADD(2, "main");
	text = written(as_speedscope);
	cr_expect(eq(int, has(text, "\"name\":\"a\\\"b\""), 1));
	cr_expect(eq(int,
		     has(text,
			 "\"frames\":[{\"name\":\"all\"},{\"name\":\"main\"},{\"name\":\"draw\"}]"),
		     1));
	cr_expect(
		eq(int, has(text, "\"endValue\":9,\"samples\":[[1],[1,2]],\"weights\":[2,7]"), 1));
	free(text);
}

Test(flame, kinds_of_modules)
{
	static const struct {
		const char *module;
		enum xtr_flame_kind kind;
	} t[] = {
		{ "", XTR_FLAME_UNKNOWN },
		{ "kernel", XTR_FLAME_KERNEL },
		{ "[kernel.kallsyms]", XTR_FLAME_KERNEL },
		{ "/usr/lib/debug/boot/vmlinux", XTR_FLAME_KERNEL },
		{ "amdgpu", XTR_FLAME_DRIVER },
		{ "[gpu_sched]", XTR_FLAME_DRIVER },
		{ "/lib/modules/6.1/xe.ko.xz", XTR_FLAME_DRIVER },
		{ "/usr/lib/libdrm.so.2", XTR_FLAME_LIBRARY },
		{ "libc.so.6", XTR_FLAME_LIBRARY },
		{ "/opt/x.so", XTR_FLAME_LIBRARY },
		{ "/opt/x.so (deleted)", XTR_FLAME_LIBRARY },
		{ "[vdso]", XTR_FLAME_LIBRARY },
		{ "/usr/bin/game", XTR_FLAME_USER },
		{ "/opt/my.software/game", XTR_FLAME_USER },
		{ "//anon", XTR_FLAME_UNKNOWN },
		{ "[heap]", XTR_FLAME_UNKNOWN },
		{ ".so", XTR_FLAME_LIBRARY },
		{ "/", XTR_FLAME_USER },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		cr_expect(eq(int, xtr_flame_kind_of(t[i].module, strlen(t[i].module)), t[i].kind),
			  "%s", t[i].module);
	for (size_t i = 0; i < XTR_FLAME_KIND_COUNT; i++)
		cr_expect(eq(int,
			     (*xtr_flame_kind_name((unsigned int)i) &&
			      *xtr_flame_kind_help((unsigned int)i)),
			     1));
	cr_expect(eq(str, (char *)xtr_flame_kind_name(99), ""));
}
