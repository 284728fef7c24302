/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stalls: jobs of the NPU that took much longer than their process's others while the firmware sent
 * nothing. Fed with the messages in order of time, and the jobs when they are settled.
 */
#ifndef XTR_STALL_H
#define XTR_STALL_H

#include "analysis/core/finding.h"
#include "analysis/core/hist.h"
#include "replay/model/job.h"
#include "base/map.h"

#define STALL_MESSAGES      4096u /* times kept; a job that began before them all says nothing */
#define STALL_LATE          256u  /* messages that one may be told of too late */
#define STALL_PROCESSES_MAX 1024u
#define STALL_KEPT          64u /* jobs with the longest silences */

/*
 * A stall is a silence within a job that is at least so many times as long as the job of the middle
 * of its process, and at least so much longer. Sizes of jobs within one process differ by factors
 * of a few; below a millisecond an interrupt that waits for its CPU can make as much.
 */
#define STALL_TIMES   10u
#define STALL_MORE_NS 1000000u
/* A process with fewer jobs has no job of the middle that means anything. */
#define STALL_JOBS_MIN 5u

struct stall_job {
	struct xtr_job_name name;
	uint64_t begin_ns, ran_ns; /* on the hardware, as far as is known */
	uint64_t silence_ns, silence_at_ns;
	uint64_t who;           /* replay/event/process.h */
	uint32_t comm, process; /* process: index */
};

struct stalls { /* all zero: empty */
	uint64_t message[STALL_MESSAGES];
	uint64_t n_messages;
	struct xtr_map by_process;
	struct xtr_hist *process; /* ns that its jobs ran */
	uint32_t n_processes;
	struct stall_job kept[STALL_KEPT]; /* longest silence first */
	uint32_t n_kept;
	uint64_t jobs;     /* whose silence is known */
	uint64_t unjudged; /* jobs that began before the messages that are kept */
};

void stalls_free(struct stalls *s);
void stalls_message(struct stalls *s, uint64_t ts);
/* 0 or -ENOMEM. */
int stalls_job(struct stalls *s, const struct xtr_job *j);
/* Is kept job k a stall? *median: ns that the middle job of its process ran. */
bool stalls_is_one(const struct stalls *s, const struct stall_job *k, uint64_t *median);
/* How many jobs of k's process ran. */
uint64_t stalls_peers(const struct stalls *s, const struct stall_job *k);

#endif /* XTR_STALL_H */
