// SPDX-License-Identifier: BSD-2-Clause
#include "pftrace_priv.h"

int pft_gpu_packet(struct pftrace *p, const struct pft_packet *packet, const struct pft_field *f)
{
	(void)p;
	(void)packet;
	(void)f;
	return 0;
}

int pft_gpu_record(struct pftrace *p, uint64_t ts, const uint8_t *rec, size_t n)
{
	(void)p;
	(void)ts;
	(void)rec;
	(void)n;
	return 0;
}

int pft_gpu_tell(struct pftrace *p)
{
	(void)p;
	return 0;
}

struct pft_gpu *pft_gpu_new(void)
{
	return NULL;
}

void pft_gpu_free(struct pft_gpu *g)
{
	(void)g;
}
