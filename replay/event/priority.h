/* SPDX-License-Identifier: BSD-2-Clause */
/* Priorities of queues (entities) of the kernel's scheduler, which each kernel numbers as it likes.
 */
#ifndef XTR_PRIORITY_H
#define XTR_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

/* How the scheduler chooses among the queues of a ring. */
enum xtr_sched_order {
	XTR_SCHED_HIGHEST, /* one of the highest priority that has a job: others wait */
	XTR_SCHED_FAIR,    /* by the time that each had, of which a higher one gets more */
	XTR_SCHED_UNKNOWN
};

/* Of least and most, those that were seen of several jobs. */
struct xtr_priorities {      /* all zero: none is known */
	int32_t first, last; /* by number */
	bool known;
};

#define XTR_PRIORITY_TEXT 40u

void xtr_priorities_add(struct xtr_priorities *p, int32_t prio);
/* release: of the kernel, as uname has it. NULL: it is not known what it calls this number. */
const char *xtr_priority_name(const char *release, int32_t prio);
/* "normal", "high to normal", "2" where it has no name; "" if none is known. Returns buf. */
char *xtr_priorities_text(const struct xtr_priorities *p, const char *release,
			  char buf[XTR_PRIORITY_TEXT]);
/* Levels, the highest first, whatever the kernel's numbers: "kernel", "high", "normal", "low". */
#define XTR_PRIORITY_LEVELS 4
#define XTR_PRIORITY_NORMAL 2
/* By name; -1: there is none. */
int xtr_priority_level(const char *name);
enum xtr_sched_order xtr_sched_order(const char *release);

#endif /* XTR_PRIORITY_H */
