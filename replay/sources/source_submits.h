/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Submissions that their driver names only when it runs them. One that tells the address of its
 * commands belongs to the run that has the same; of others only the order is known, which says
 * whose a job is as long as one thread alone has any pending: each process has a queue of its own.
 */
#ifndef XTR_SOURCE_SUBMITS_H
#define XTR_SOURCE_SUBMITS_H

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_SUBMITS_MAX 256u /* pending; the oldest are forgotten */

struct source_submit {
	uint64_t ts, addr;
	uint32_t tid, stack;
	uint8_t ring; /* number of the ring whose jobs it makes */
	bool by_addr;
};

struct source_submits { /* all zero: none */
	struct source_submit pending[SOURCE_SUBMITS_MAX];
	uint32_t n; /* by age */
};

void source_submits_add(struct source_submits *s, const struct source_submit *one);
/*
 * The submission that the run of a job on this ring is of, which is pending no more. False: nothing
 * tells.
 */
bool source_submits_take(struct source_submits *s, bool by_addr, uint64_t addr, uint8_t ring,
			 struct source_submit *one);

/*
 * One submission may make jobs on several rings, and tell the address of one of them: of the other,
 * whose it is where one thread alone has any pending. The oldest, which stays.
 */
bool source_submits_of(const struct source_submits *s, struct source_submit *one);

#endif /* XTR_SOURCE_SUBMITS_H */
