/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as stacks of another tool: what is told of the weight is what was handed out and what
 * the tree of stacks sums up to, and the folded text of the tree reads back as the same weight.
 */
#include "fuzz.h"

#include "analysis/flame/flame_view.h"
#include "cli/cmd/flame_play.h"
#include "base/checked.h"

#include <string.h>

struct sum {
	uint64_t stacks, weight;
};

static int on_stack(void *ctx, const struct xtr_samples_frame *f, size_t n, uint64_t weight)
{
	struct sum *s = ctx;

	FUZZ_CHECK(n <= XTR_SAMPLES_FRAMES_MAX + 1);
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(!memchr(f[i].name, '\n', f[i].n_name));
		FUZZ_CHECK(!f[i].n_module || f[i].module);
	}
	s->stacks++;
	s->weight = xtr_sat_add(s->weight, weight);
	return 0;
}

static void read_all(const char *data, size_t size, struct sum *s, struct xtr_samples_result *r)
{
	const struct xtr_samples_opts o = { .sz = sizeof(o), .stack = on_stack, .ctx = s };
	struct xtr_io *io;

	*s = (struct sum){ 0 };
	FUZZ_CHECK(!xtr_io_mem_view(data, size, &io));
	FUZZ_CHECK(!xtr_samples_read(io, &o, r));
	xtr_io_close(io);
	FUZZ_CHECK(s->stacks == r->stacks && s->weight == r->weight);
	FUZZ_CHECK(!r->stacks || r->format);
	FUZZ_CHECK(!r->other == !r->other_line);
}

/* Each stack that weighs something is one line of each tree, and is taken again. */
static void read_back(const struct xtr_flame *f, const char *text, size_t n)
{
	struct xtr_samples_result r;
	struct sum s;

	read_all(text, n, &s, &r);
	if (!r.other) /* a line of very long names is too long */
		FUZZ_CHECK(s.weight == 2 * xtr_flame_node(f, XTR_FLAME_ROOT)->total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xtr_flame_tree two[2] = {
		{ .name = "a", .title = "b", .unit = "samples", .speedscope = "none" }
	};
	struct xtr_samples_result r;
	struct xtr_flame *f;
	struct xtr_io *io;
	struct sum s;
	char *text = NULL;
	size_t n = 0;
	FILE *out;

	read_all((const char *)data, size, &s, &r);
	FUZZ_CHECK(!xtr_flame_new(&f));
	FUZZ_CHECK(!xtr_io_mem_view(data, size, &io));
	FUZZ_CHECK(!flame_samples_into(io, f, &r));
	xtr_io_close(io);
	FUZZ_CHECK(!xtr_flame_finish(f));
	FUZZ_CHECK(xtr_flame_node(f, XTR_FLAME_ROOT)->total == r.weight);
	two[0].flame = f;
	two[1] = two[0];
	out = open_memstream(&text, &n);
	FUZZ_CHECK(out);
	xtr_flame_folded(out, two, 2);
	FUZZ_CHECK(!fflush(out));
	if (r.weight < UINT64_MAX / 2)
		read_back(f, text, n);
	xtr_flame_speedscope(out, "x", two, 2);
	FUZZ_CHECK(!xtr_flame_svg(out, "x", two, 2));
	FUZZ_CHECK(!xtr_flame_text(out, two, 5));
	fclose(out);
	free(text);
	xtr_flame_free(f);
	return 0;
}
