/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap with the shortest of the kept jobs on top; sorted by name once it is complete. */
#include "top.h"

#include <errno.h>
#include <stdlib.h>

/* True if a is given up before b: it is shorter, or as long and came later. */
static bool worse(const struct xtr_top_job *a, const struct xtr_top_job *b)
{
	if (a->ns != b->ns)
		return a->ns < b->ns;
	if (a->section != b->section)
		return a->section > b->section;
	return a->done_ns > b->done_ns;
}

static void swap(struct xtr_top *t, size_t a, size_t b)
{
	struct xtr_top_job tmp = t->job[a];

	t->job[a] = t->job[b];
	t->job[b] = tmp;
}

static void sift_up(struct xtr_top *t, size_t i)
{
	for (; i && worse(&t->job[i], &t->job[(i - 1) / 2]); i = (i - 1) / 2)
		swap(t, i, (i - 1) / 2);
}

static void sift_down(struct xtr_top *t)
{
	size_t i = 0, child;

	while ((child = 2 * i + 1) < t->n) {
		if (child + 1 < t->n && worse(&t->job[child + 1], &t->job[child]))
			child++;
		if (!worse(&t->job[child], &t->job[i]))
			return;
		swap(t, i, child);
		i = child;
	}
}

int xtr_top_add(struct xtr_top *t, size_t section, const struct xtr_job *j)
{
	struct xtr_top_job entry = { j->exec_max_ns, section, j->ctx, j->seqno, j->done_ns };

	if (!t->most || !xtr_job_resided(j))
		return 0;
	if (!t->job) {
		t->job = calloc(t->most, sizeof(*t->job));
		if (!t->job)
			return -ENOMEM;
	}
	if (t->n < t->most) {
		t->job[t->n] = entry;
		sift_up(t, t->n++);
	} else if (worse(&t->job[0], &entry)) {
		t->job[0] = entry;
		sift_down(t);
	}
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_name(const void *va, const void *vb)
{
	const struct xtr_top_job *a = va, *b = vb;
	int c = compare(a->section, b->section);

	if (!c)
		c = compare(a->ctx, b->ctx);
	if (!c)
		c = compare(a->seqno, b->seqno);
	return c ? c : compare(a->done_ns, b->done_ns);
}

bool xtr_top_has(struct xtr_top *t, size_t section, const struct xtr_job *j)
{
	struct xtr_top_job key = { 0, section, j->ctx, j->seqno, j->done_ns };

	if (!t->n)
		return false;
	if (!t->sorted) {
		qsort(t->job, t->n, sizeof(*t->job), by_name);
		t->sorted = true;
	}
	return bsearch(&key, t->job, t->n, sizeof(*t->job), by_name);
}

void xtr_top_free(struct xtr_top *t)
{
	free(t->job);
	*t = (struct xtr_top){ 0 };
}
