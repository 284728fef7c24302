/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which process: the one identity that jobs, calls, marks, statistics and exports sum by. The
 * kernel gives a number again once its process has ended, so a process is pid and start (spec
 * 6.4); as one number it is the pid, and above its 32 bits which of the processes with that pid it
 * is, in order of start, from 0. That is the pid itself where the file knows of one, and 0 where
 * the process is not known.
 */
#ifndef XTR_PROCESS_H
#define XTR_PROCESS_H

#include "base/json.h"

#include "format/meta/tables.h"

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t xtr_process(uint32_t pid, uint32_t nth)
{
	return pid ? (uint64_t)nth << 32 | pid : 0;
}

/* task may be NULL: 0. */
static inline uint64_t xtr_process_of(const struct xtr_task *task)
{
	return task ? xtr_process(task->pid, task->nth) : 0;
}

static inline uint32_t xtr_process_pid(uint64_t process)
{
	return (uint32_t)process;
}

static inline uint32_t xtr_process_nth(uint64_t process)
{
	return (uint32_t)(process >> 32);
}

/* In order of number, then of start: below 0, 0 or above 0. */
static inline int xtr_process_cmp(uint64_t a, uint64_t b)
{
	uint64_t x = a << 32 | a >> 32, y = b << 32 | b >> 32;

	return (x > y) - (x < y);
}

/* May task, whose tid is the process' number, be its first thread? task may be NULL: false. */
static inline bool xtr_process_leads(const struct xtr_task *task, uint64_t process)
{
	return task && (!task->pid || xtr_process_of(task) == process);
}

/*
 * What the tables know of the first thread of a process at time ts, of which they may not know to
 * which process it belongs; NULL: nothing, or only of another process with this number. t may be
 * NULL.
 */
const struct xtr_task *xtr_process_leader(const struct xtr_tables *t, uint64_t process,
					  uint64_t ts);

/*
 * What a process is called at time ts: as its first thread, if the tables have that name, else
 * `comm`. String ids.
 */
uint32_t xtr_process_comm(const struct xtr_tables *t, uint64_t process, uint64_t ts, uint32_t comm);

/* "4711"; "4711#2" is the second process with that number; "-" for 0. Returns buf. */
#define XTR_TEXT_PROCESS 24u
char *xtr_text_process(char buf[XTR_TEXT_PROCESS], uint64_t process);

/*
 * As a member `key` ("pid"): the number, null for 0. Of the second process with a number and later
 * ones, a member "<key>_nth" follows: 2, 3, ...
 */
void xtr_json_kv_process(struct xtr_json *j, const char *key, uint64_t process);
/* Only that second member, if there is to be one. */
void xtr_json_kv_process_nth(struct xtr_json *j, const char *key, uint64_t process);

#endif /* XTR_PROCESS_H */
