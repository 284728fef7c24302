/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call stacks with weights out of other tools' text, to stand beside a trace's: folded stacks
 * ("main;draw;ioctl 12", as iaprof and stackcollapse-*.pl write them), and what `perf script`
 * prints of samples with stacks. docs/flame.md says what is taken of a line.
 */
#ifndef XTR_SAMPLES_H
#define XTR_SAMPLES_H

#include "format/io.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTR_SAMPLES_FRAMES_MAX 240u /* of one stack; of more, the innermost are left out */

struct xtr_samples_frame { /* texts are not terminated, and may hold any bytes */
	const char *name, *module;
	size_t n_name, n_module; /* n_module 0: not known */
	bool thread;             /* no code: the thread's name that perf script tells */
};

struct xtr_samples_opts {
	size_t sz; /* sizeof(struct xtr_samples_opts) */
	/* A stack, outermost frame first; gone afterwards. Not 0: stop. */
	int (*stack)(void *ctx, const struct xtr_samples_frame *frame, size_t n, uint64_t weight);
	void *ctx;
};

struct xtr_samples_result {
	const char *format;  /* "folded", "perf script"; NULL: there was nothing */
	uint64_t stacks;     /* handed out */
	uint64_t weight;     /* their sum; stops at UINT64_MAX */
	uint64_t cut;        /* stacks of which frames were left out */
	uint64_t other;      /* lines that are none of this, left out */
	uint64_t other_line; /* number of the first of them, 0: none */
};

/*
 * All of io, which stays the caller's. The format is told by the first line that is no comment. 0,
 * -errno, or what stack returned.
 */
int xtr_samples_read(struct xtr_io *io, const struct xtr_samples_opts *o,
		     struct xtr_samples_result *r);

#endif /* XTR_SAMPLES_H */
