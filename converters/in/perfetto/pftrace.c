/* SPDX-License-Identifier: BSD-2-Clause */
#include "pftrace.h"
#include "pftrace_core.h"

#include <errno.h>
#include <stdlib.h>

struct xtr_import *pft_import(struct pftrace *p)
{
	return p->im;
}

struct pft_gpu *pft_gpu(struct pftrace *p)
{
	if (!p->gpu)
		p->gpu = pft_gpu_new();
	return p->gpu;
}

static int take_record(struct pftrace *p, enum pft_kind kind, uint64_t ts, const uint8_t *rec,
		       size_t n)
{
	static int (*const takes[PFT_KINDS])(struct pftrace * p, uint64_t ts, const uint8_t *rec,
					     size_t n) = {
		[PFT_FTRACE] = pft_ftrace_record,
		[PFT_SCHED] = pft_sched_record,
		[PFT_GPU] = pft_gpu_record,
		[PFT_TASK] = pft_task_record,
	};

	return takes[kind](p, ts, rec, n);
}

static int read_all(struct pftrace *p)
{
	int err = pft_read_packets(p);

	if (!err && !p->packets)
		return xtr_import_fail(p->im, -EBADMSG, "no packet in it");
	return err ?: pft_clock_tell(p) ?: pft_facts_tell(p) ?: pft_gpu_tell(p) ?:
	       pft_order_all(p, take_record) ?:
	       pft_ftrace_tell(p) ?:
	       pft_losses_tell(p);
}

static void release(struct pftrace *p)
{
	pft_order_free(&p->order);
	pft_seqs_free(p);
	pft_clocks_free(&p->clocks);
	pft_facts_free(&p->facts);
	pft_losses_free(&p->losses);
	pft_ftrace_free(p->ftrace);
	if (p->gpu)
		pft_gpu_free(p->gpu);
	free(p);
}

int xtr_pftrace_run(struct xtr_import *im, struct xtr_io *in)
{
	struct pftrace *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->im = im;
	p->io = in;
	p->first_ts = UINT64_MAX;
	p->clocks.trace = PFT_CLOCK_BOOT;
	err = in->ops->size(in, &p->size) ?: read_all(p);
	release(p);
	return err;
}
