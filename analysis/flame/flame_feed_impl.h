/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside flame_feed.c (jobs and waits) and flame_stack.c (where they end in the tree). */
#ifndef XTR_FLAME_FEED_IMPL_H
#define XTR_FLAME_FEED_IMPL_H

#include "flame_feed.h"
#include "analysis/core/recent.h"

#define FLAME_JOBS_MAX   65536u /* jobs kept for those who wait for them; the oldest is forgotten */
#define FLAME_BASES      256u   /* remembered: where the stacks of a process and ring begin */
#define FLAME_LEAVES_MAX (1u << 18) /* (base, stack) whose leaf is remembered */
#define FLAME_STACK_MAX  240u       /* frames of a stack; of more, the innermost are left out */

enum flame_end {
	FLAME_WHOLE,
	FLAME_OPEN,
	FLAME_LOST,
	FLAME_ENDS
};

/* What a thing with a weight is filed under. */
struct flame_place {
	const struct xtr_model_ring *ring; /* NULL: of no job in the trace */
	uint64_t process;                  /* replay/event/process.h */
	uint32_t comm;                     /* string id; both 0: not known */
	uint64_t ts;                       /* ns: when the process had its name */
	uint32_t stack;                    /* id, 0: none */
	bool other;                        /* a fence of no job: it has no stack to be missed */
	enum flame_end end;
};

struct flame_base {
	uint64_t process;
	uint32_t comm, ring_id;
	bool used;
	uint32_t node;
};

/* A job that somebody may wait for. */
struct flame_job {
	struct xtr_recent_entry key;
	uint32_t stack, ring;
};

struct xtr_flame_feed {
	struct xtr_flame *flame;
	struct xtr_flame_opts o;
	struct xtr_flame_counts counts;
	const struct xtr_tables *tables; /* of the section; NULL: none */
	const struct xtr_select *select;
	const struct xtr_model *model;
	struct flame_base base[FLAME_BASES];
	struct xtr_keymap leaves; /* (base, stack) -> node */
	struct xtr_keymap frames; /* id of a frame -> frame of the tree */
	struct xtr_recent jobs;
};

/* flame_stack.c: the node in which it ends, made if need be; *stack: its stack is known. -ENOMEM.
 */
int64_t flame_place_node(struct xtr_flame_feed *feed, const struct flame_place *p, bool *stack);
/* Forget what belongs to the section's tables. */
void flame_place_forget(struct xtr_flame_feed *feed);

#endif /* XTR_FLAME_FEED_IMPL_H */
