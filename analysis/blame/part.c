/* SPDX-License-Identifier: BSD-2-Clause */
#include "part.h"

#include <string.h>

static const struct {
	const char *name, *help;
} kinds[] = {
#define KIND(id, text, help) { text, help },
	XTR_PART_KINDS(KIND)
#undef KIND
};

const char *xtr_part_name(unsigned int kind)
{
	return kind < XTR_PART_KIND_COUNT ? kinds[kind].name : NULL;
}

const char *xtr_part_help(unsigned int kind)
{
	return kind < XTR_PART_KIND_COUNT ? kinds[kind].help : NULL;
}

uint64_t xtr_who_of(const struct xtr_job *j)
{
	if (j->kthread || j->kind == XTR_KIND_KERNEL)
		return XTR_WHO_KERNEL;
	if (j->pid)
		return xtr_process(j->pid, j->nth);
	return j->comm ? XTR_WHO_NAME | j->comm : 0;
}

static bool same(const struct xtr_job_part *a, const struct xtr_job_part *b)
{
	return a->kind == b->kind && a->root_kind == b->root_kind && a->quality == b->quality &&
	       a->root_who == b->root_who && a->root_ring == b->root_ring &&
	       xtr_job_name_same(&a->job, &b->job) && xtr_job_name_same(&a->root, &b->root);
}

/* One of two that follow each other, with what they have in common. */
static void join(struct xtr_job_part *a, const struct xtr_job_part *b)
{
	a->to_ns = b->to_ns;
	if (a->kind != b->kind)
		a->kind = a->root_kind = XTR_PART_UNKNOWN;
	if (a->root_kind != b->root_kind)
		a->root_kind = XTR_PART_UNKNOWN;
	if (a->root_who != b->root_who)
		a->root_who = 0;
	if (a->root_ring != b->root_ring)
		a->root_ring = 0;
	if (!xtr_job_name_same(&a->job, &b->job))
		a->job = (struct xtr_job_name){ 0 };
	if (!xtr_job_name_same(&a->root, &b->root))
		a->root = (struct xtr_job_name){ 0 };
	if (a->quality < b->quality)
		a->quality = b->quality;
}

void xtr_parts_add(struct xtr_job_parts *p, const struct xtr_job_part *part)
{
	struct xtr_job_part *last = p->n ? &p->part[p->n - 1] : NULL;

	if (part->from_ns >= part->to_ns)
		return;
	if (last && same(last, part)) {
		last->to_ns = part->to_ns;
		return;
	}
	if (p->n == XTR_PARTS_MAX) {
		join(&p->part[0], &p->part[1]);
		memmove(&p->part[1], &p->part[2], (XTR_PARTS_MAX - 2) * sizeof(*part));
		p->folded = true;
		p->n--;
	}
	p->part[p->n++] = *part;
}
