/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers to numbers, one to one. Process and thread ids become their rank among all those of the
 * file, from 1 on: as many as there are, in their order, and nothing else of them. Fence contexts,
 * which count since the machine started, keep their order and which follow each other directly: the
 * context of a job's fence that is scheduled is one below that of the finished one. Pointers of the
 * kernel go through a keyed permutation; those of programs are moved by a keyed distance, so that
 * sizes stay. 0 and what is no pointer (below 4096, and errors) stay.
 */
#ifndef XTR_REDACT_VALUE_H
#define XTR_REDACT_VALUE_H

#include "base/map.h"
#include "base/siphash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REDACT_PID_MAX (1u << 22) /* Linux has none above */

struct redact_values {
	struct xtr_siphash_key key;
	uint64_t distance; /* of pointers of programs, bytes */
	uint64_t *seen;    /* a bit for each id */
	uint32_t *before;  /* of each word of seen: ids in earlier words; NULL: not counted yet */
	uint32_t n;        /* ids */
	/* Halves of fence contexts -> new ones; not more than REDACT_CONTEXTS_MAX. */
	struct xtr_map contexts;
	uint64_t last_context; /* the largest new one */
};

#define REDACT_CONTEXTS_MAX ((size_t)1 << 22) /* others are mixed, above all of these */

/* key 0: random. 0, -ENOMEM, or -errno of random numbers. */
int redact_values_init(struct redact_values *v, uint64_t key);
void redact_values_free(struct redact_values *v);

/* Note the ids in a number: of 8 bytes there may be two, thread and process. */
void redact_note_pid(struct redact_values *v, uint64_t id);
/* All were noted. 0 or -ENOMEM. */
int redact_rank_pids(struct redact_values *v);
/* The same of fence contexts. 0 is none, and stays. */
int redact_note_context(struct redact_values *v, uint64_t context);
int redact_rank_contexts(struct redact_values *v);
uint64_t redact_context(const struct redact_values *v, uint64_t context);
/* Could it be a new one? */
bool redact_is_new_context(const struct redact_values *v, uint64_t context);
bool redact_pid_is_known(const struct redact_values *v, uint32_t id);
uint64_t redact_pid(const struct redact_values *v, uint64_t id);

/* Would v be an address, of `width` bytes? */
bool redact_is_pointer(uint64_t v, uint32_t width);
uint64_t redact_kptr(const struct redact_values *v, uint64_t p, uint32_t width);
uint64_t redact_uptr(const struct redact_values *v, uint64_t p, uint32_t width);
/* Does a number look like an address of the kernel (on a machine of 64 bits)? */
bool redact_looks_kernel(uint64_t v);

#endif /* XTR_REDACT_VALUE_H */
