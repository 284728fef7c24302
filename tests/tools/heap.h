/* SPDX-License-Identifier: BSD-2-Clause */
/* What will happen in synth's simulation, the earliest first. */
#ifndef TESTS_TOOLS_HEAP_H
#define TESTS_TOOLS_HEAP_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

struct happening {
	uint64_t ts, seqno;  /* ns; of the job */
	uint32_t ring, kind; /* 0: a job arrives; else the event type */
};

struct heap {
	struct happening *of;
	size_t n, cap;
};

/* 0 or -ENOMEM. */
static inline int heap_push(struct heap *p, struct happening h)
{
	struct happening *of = p->of;
	size_t i = p->n;

	if (p->n == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 64;
		of = realloc(p->of, p->cap * sizeof(*of));
		if (!of)
			return -ENOMEM;
		p->of = of;
	}
	p->n++;
	for (; i && h.ts < of[(i - 1) / 2].ts; i = (i - 1) / 2)
		of[i] = of[(i - 1) / 2];
	of[i] = h;
	return 0;
}

/* There must be one. */
static inline struct happening heap_pop(struct heap *p)
{
	struct happening top = p->of[0], h = p->of[--p->n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < p->n) {
		if (child + 1 < p->n && p->of[child + 1].ts < p->of[child].ts)
			child++;
		if (h.ts <= p->of[child].ts)
			break;
		p->of[i] = p->of[child];
		i = child;
	}
	p->of[i] = h;
	return top;
}

#endif /* TESTS_TOOLS_HEAP_H */
