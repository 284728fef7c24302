/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job's time from its submission (or the first event of it) to its end, in parts that follow each
 * other without a gap, so that they add up to it to the nanosecond.
 *
 * Each part has a kind: what the job itself did or waited for. Where that was another job, `job`
 * names it, and `root` what is at the end of the chain: what that job did in the same time, or the
 * one that it waited for, and so on.
 */
#ifndef XTR_BLAME_PART_H
#define XTR_BLAME_PART_H

#include "replay/event/process.h"
#include "replay/model/job.h"
#include "replay/model/ring.h"

#include <stdbool.h>
#include <stdint.h>

/* Identifier, text in output, what it means. In order of a job's life. */
#define XTR_PART_KINDS(X)                                                                        \
	X(SUBMIT, "submit", "from the submission to the queue: in the driver")                   \
	X(QUEUE, "own-queue", "behind an earlier job of its own queue that was not run yet")     \
	X(DEPENDENCY, "dependency", "a fence that it depends on was not signalled")              \
	X(FULL, "ring-full", "ready, and the hardware had as many jobs of its ring as it takes") \
	X(THREAD, "thread", "ready, and the thread that runs jobs waited for a CPU")             \
	X(SCHEDULER, "scheduler", "ready, the ring had room, and it was not run")                \
	X(RESET, "reset", "ready, and ended with an error in place of being run")                \
	X(RING, "ring", "on the hardware, which executed another job of its ring")               \
	X(HARDWARE, "hardware", "on the hardware; whether it executed is not known")             \
	X(EXECUTION, "execution", "it executed")                                                 \
	X(REPORT, "report", "the job that it waited for had ended, which was not signalled yet") \
	X(UNKNOWN, "not-known", "not known: events were lost, or the trace does not have them")

enum xtr_part_kind {
#define XTR_PART_ENUM(id, text, help) XTR_PART_##id,
	XTR_PART_KINDS(XTR_PART_ENUM)
#undef XTR_PART_ENUM
	XTR_PART_KIND_COUNT
};

/*
 * Who: a process (process.h), or one of these. Imported traces may know only a name: that string's
 * id, with WHO_NAME.
 */
#define XTR_WHO_KERNEL UINT64_MAX /* jobs of the kernel's own */
#define XTR_WHO_NAME   (1ull << 63)

struct xtr_job_part {
	uint64_t from_ns, to_ns;
	struct xtr_job_name job;  /* that it waited for; all 0: none */
	struct xtr_job_name root; /* that is at the end of the chain; all 0: none */
	uint64_t root_who;        /* 0: nobody, or not known */
	uint32_t root_ring;       /* id; 0: not known */
	uint8_t kind, root_kind;  /* enum xtr_part_kind */
	uint8_t quality;          /* enum xtr_quality: the worst of what it rests on */
};

/*
 * More parts than that are put together, the oldest first: what has two kinds becomes UNKNOWN, what
 * has two roots has none.
 */
#define XTR_PARTS_MAX 128u

struct xtr_job_parts { /* all zero: none */
	struct xtr_job_part part[XTR_PARTS_MAX];
	uint32_t n;
	bool folded; /* some were put together */
};

/* Nothing if it is empty. It begins where the last one ended. */
void xtr_parts_add(struct xtr_job_parts *p, const struct xtr_job_part *part);
const char *xtr_part_name(unsigned int kind);
const char *xtr_part_help(unsigned int kind);
/* Whose a job is. */
uint64_t xtr_who_of(const struct xtr_job *j);

#endif /* XTR_BLAME_PART_H */
